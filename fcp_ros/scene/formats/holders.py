# SPDX-License-Identifier: Apache-2.0
"""Which thing holds which, as sources say it: no thing may hold itself, however indirectly."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from fcp_ros.scene.graph.errors import SceneError

_Key = TypeVar("_Key", bound=Hashable)


def cycle_of(holders: Mapping[_Key, _Key]) -> tuple[_Key, ...]:
    """The elements of one cycle in a table thing -> what holds it; empty where there is none."""
    finished: set[_Key] = set()
    for start in holders:
        path: dict[_Key, None] = {}
        current = start
        while current in holders and current not in finished:
            if current in path:
                steps = list(path)
                return tuple(steps[steps.index(current) :])
            path[current] = None
            current = holders[current]
        finished.update(path)
    return ()


def refuse_cycles(holders: Mapping[_Key, _Key], advice: str) -> None:
    """Raise SceneError where things hold each other in a circle."""
    cycle = cycle_of(holders)
    if cycle:
        names = " > ".join(str(name) for name in (*cycle, cycle[0]))
        raise SceneError(f"it lies on or in itself ({names})", element=str(cycle[0]), advice=advice)
