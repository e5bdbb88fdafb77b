# SPDX-License-Identifier: Apache-2.0
"""Scene files made from a document with some values exchanged, and damaged ones by the hundred."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from damaged_files import damaged, read_or_refuse

from fcp_ros.scene import SceneGraph

MONSTERS: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    10**400,
    math.nan,
    math.inf,
    "",
    "\ud800",
    "a" * 10_000,
    [],
    [[]],
    [0, 0, 0],
    {},
    {"id": 0},
)
"""What stands where something else should."""


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


def mangled(document: Any, count: int, seed: int) -> Iterator[Any]:
    """Copies of a JSON document, each with some values lost, exchanged or replaced.

    Damaged bytes are mostly no JSON any more; these are, and so they get further into a reader.
    """
    chance = random.Random(seed)
    for _ in range(count):
        copied = copy.deepcopy(document)
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            places = list(_places(copied))
            if places:
                _mangle(chance.choice(places), chance.choice(places), chance)
        yield copied


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys or indices."""
    waiting = [value]
    while waiting:
        container = waiting.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            yield container, key
            if isinstance(container[key], dict | list):
                waiting.append(container[key])


def _mangle(place: tuple[Any, Any], other: tuple[Any, Any], chance: random.Random) -> None:
    container, key = place
    way = chance.randrange(5)
    if way == 0:
        del container[key]
    elif way == 1:
        container[key] = copy.deepcopy(other[0][other[1]])
    elif way == 2:
        container[key] = copy.deepcopy(chance.choice(MONSTERS))
    elif way == 3 and isinstance(container, list):
        container.append(copy.deepcopy(container[key]))
    elif isinstance(container[key], int | float):
        container[key] *= chance.choice((-1, 0, 2, 1_000, 10**9))
    elif isinstance(container[key], str):
        container[key] = container[key].swapcase() + chance.choice(("", "", "|", " ", "é"))


def read_damaged(original: Path, path: Path, seed: int, scene: Path | None = None) -> int:
    """Read damaged copies of a file; how many were refused.

    Args:
        original: the whole file.
        path: where each copy is written; other files of the scene lie beside it.
        seed: of the damages.
        scene: what is read, where that is not the damaged file itself but refers to it.
    """
    refused = 0
    for _, content in damaged(original.read_bytes(), seed=seed):
        path.write_bytes(content)
        refused += not isinstance(read_or_refuse(scene or path), SceneGraph)
    return refused
