# SPDX-License-Identifier: Apache-2.0
"""The files of calibration stores: one for each robot and world."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fcp_ros.grounding.protocol.options import EvidenceOrigin, EvidenceWorld

DEFAULT_PATH = "~/.local/state/fcp_ros/calibration/{robot}/{world}.sqlite"
"""The store of a robot in a world, where a grounder node keeps it by default."""

NO_NAMESPACE = "no-namespace"
"""The ``{robot}`` of a robot without a namespace; the hyphen keeps it apart from all namespaces."""


def locate_store(pattern: str, origin: EvidenceOrigin) -> Path:
    """Return the file of a path in which ``{robot}`` and ``{world}`` stand for the origin."""
    text = pattern.replace("{robot}", origin.robot or NO_NAMESPACE)
    return Path(text.replace("{world}", origin.world.value)).expanduser()


def find_stores(pattern: str = DEFAULT_PATH) -> Iterator[Path]:
    """Find the existing stores of all robots and worlds, sorted."""
    root, _, _ = pattern.partition("{")
    folder = Path(root).expanduser()
    for world in EvidenceWorld:
        yield from sorted(folder.rglob(f"{world.value}.sqlite"))
