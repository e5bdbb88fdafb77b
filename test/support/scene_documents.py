# SPDX-License-Identifier: Apache-2.0
"""Scene files made from a document with some values exchanged, and damaged ones by the hundred."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from damaged_files import damaged, read_or_refuse

from fcp_ros.scene import SceneGraph

MUTATIONS = 500


def changed(document: Any, place: Sequence[str | int], value: Any) -> Any:
    """A copy of a JSON document with another value at one place ("objects", 0, "size")."""
    copied = copy.deepcopy(document)
    *way, last = place
    inner = copied
    for step in way:
        inner = inner[step]
    inner[last] = value
    return copied


def written(document: Any, path: Path) -> Path:
    """A document as a JSON file."""
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def read_damaged(
    original: Path, path: Path, seed: int, scene: Path | None = None
) -> tuple[int, int]:
    """Read 500 damaged copies of a file; how many were graphs, and how many were refused.

    Args:
        original: the whole file.
        path: where each copy is written; other files of the scene lie beside it.
        seed: of the damages.
        scene: what is read, where that is not the damaged file itself but refers to it.
    """
    graphs = refusals = 0
    for _, content in damaged(original.read_bytes(), MUTATIONS, seed):
        path.write_bytes(content)
        if isinstance(read_or_refuse(scene or path), SceneGraph):
            graphs += 1
        else:
            refusals += 1
    return graphs, refusals
