# SPDX-License-Identifier: Apache-2.0
"""Boxes that change one by one, and those around a place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.shapes.boxes import Boxes, Floats, Indices

_FINEST = -2
_COARSEST = 1020
_FAR = 1e300

_ARRAYS = tuple(field.name for field in fields(Boxes) if field.name != "ids")

Rectangle = tuple[float, float, float, float]  # Least x, least y, greatest x, greatest y (m)


class BoxGrid:
    """A hierarchical grid of upright boxes, in cells by their centre, on levels by their size.

    On level n the cells are 2**n m wide, and no box of that level reaches farther than that from
    its centre. So a search visits the few cells around a place on each level in use; changing a box
    takes constant time.
    """

    def __init__(self, boxes: Boxes) -> None:
        self._ids = list(boxes.ids)
        self._slots = {id_: slot for slot, id_ in enumerate(self._ids)}
        self._free: list[int] = []
        self._levels: dict[int, dict[tuple[int, int], list[int]]] = {}
        self._cell_of: dict[int, tuple[int, tuple[int, int]]] = {}
        self._boxes = replace(boxes, ids=self._ids, **_copy_arrays(boxes))
        self._enter(np.arange(len(self._ids)))

    @property
    def boxes(self) -> Boxes:
        """All boxes by slot; free slots keep their last box."""
        return self._boxes

    def __contains__(self, id_: object) -> bool:
        return id_ in self._slots

    def slot(self, id_: str) -> int:
        """Return the slot of a box in ``boxes``; raises KeyError without one."""
        return self._slots[id_]

    def put(self, boxes: Boxes) -> None:
        """Add boxes, or replace those of the same id."""
        slots = np.array([self._allocate(id_) for id_ in boxes.ids], dtype=np.intp)
        if not len(slots):
            return
        self._grow(len(self._ids))
        for name in _ARRAYS:
            getattr(self._boxes, name)[slots] = getattr(boxes, name)
        self._enter(slots)

    def remove(self, id_: str) -> None:
        slot = self._slots.pop(id_)
        self._leave(slot)
        self._free.append(slot)

    def bounds(self, slots: Indices, margin: float) -> list[Rectangle]:
        """Return the upright rectangles around footprints, widened by a margin (m)."""
        low, high = self._boxes.bounds_of(slots, margin)
        return [
            (x0, y0, x1, y1) for (x0, y0), (x1, y1) in zip(low.tolist(), high.tolist(), strict=True)
        ]

    def find_around(self, place: Rectangle) -> list[int]:
        """Find the slots of all boxes that meet a rectangle, and possibly of some nearby."""
        found: list[int] = []
        for level, cells in self._levels.items():
            width = 2.0**level
            for members in _find_members(cells, width, place, width):
                found += members
        return found

    def find_meeting(self, places: Sequence[Rectangle]) -> list[int]:
        """Find the slots of boxes whose upright rectangle meets one of these (EDGE of slack)."""
        near = [(slot, at) for at, place in enumerate(places) for slot in self.find_around(place)]
        if not near:
            return []
        slots, which = np.array(near, dtype=np.intp).T
        low, high = self._boxes.bounds_of(slots)
        wanted = np.array(places)[which]
        meets = ((low <= wanted[:, 2:]) & (high >= wanted[:, :2])).all(axis=1)
        return sorted(set(slots[meets].tolist()))

    def pair_around(self, slots: Sequence[int], margin: float) -> tuple[Indices, Indices]:
        """Pair slots with all others that meet their rectangles, widened by a margin (m)."""
        items: list[int] = []
        others: list[int] = []
        bounds = self.bounds(np.array(slots, dtype=np.intp), margin)
        for slot, place in zip(slots, bounds, strict=True):
            near = [other for other in self.find_around(place) if other != slot]
            others += near
            items += [slot] * len(near)
        return np.array(items, dtype=np.intp), np.array(others, dtype=np.intp)

    def _allocate(self, id_: str) -> int:
        slot = self._slots.get(id_)
        if slot is not None:
            self._leave(slot)
            return slot
        if self._free:
            slot = self._free.pop()
            self._ids[slot] = id_
        else:
            slot = len(self._ids)
            self._ids.append(id_)
        self._slots[id_] = slot
        return slot

    def _grow(self, count: int) -> None:
        mine = self._boxes
        room = len(mine.centre)
        if count > room:
            more = max(count, 2 * room) - room
            grown: dict[str, Any] = {}
            for name in _ARRAYS:
                values = getattr(mine, name)
                free = np.zeros((more, *values.shape[1:]), values.dtype)
                grown[name] = np.concatenate((values, free))
            self._boxes = replace(mine, **grown)

    def _enter(self, slots: Indices) -> None:
        chosen = self._boxes.take(slots)
        radius = chosen.reach.max(axis=1) if len(slots) else np.zeros(0)
        places: Floats = chosen.centre[:, :2]
        for slot, reach, (x, y) in zip(
            slots.tolist(), radius.tolist(), places.tolist(), strict=True
        ):
            level = _choose_level(reach)
            cell = (_find_cell(x, 2.0**level), _find_cell(y, 2.0**level))
            self._cell_of[slot] = level, cell
            self._levels.setdefault(level, {}).setdefault(cell, []).append(slot)

    def _leave(self, slot: int) -> None:
        level, cell = self._cell_of.pop(slot)
        cells = self._levels[level]
        cells[cell].remove(slot)
        if not cells[cell]:
            del cells[cell]
            if not cells:
                del self._levels[level]


def _copy_arrays(boxes: Boxes) -> dict[str, NDArray[Any]]:
    return {name: getattr(boxes, name).copy() for name in _ARRAYS}


def _choose_level(radius: float) -> int:
    if radius <= 2.0**_FINEST:
        return _FINEST
    return min(_COARSEST, math.ceil(math.log2(radius))) if math.isfinite(radius) else _COARSEST


def _find_cell(place: float, width: float) -> int:
    return math.floor(min(_FAR, max(-_FAR, place / width)))


def _find_members(
    cells: dict[tuple[int, int], list[int]], width: float, place: Rectangle, margin: float
) -> Iterator[list[int]]:
    """Yield the members of the cells that a rectangle meets, widened by a margin (m)."""
    x0, x1 = _find_cell(place[0] - margin, width), _find_cell(place[2] + margin, width)
    y0, y1 = _find_cell(place[1] - margin, width), _find_cell(place[3] + margin, width)
    if (x1 - x0 + 1) * (y1 - y0 + 1) > len(cells):
        for (x, y), members in cells.items():
            if x0 <= x <= x1 and y0 <= y <= y1:
                yield members
        return
    for x in range(x0, x1 + 1):
        for y in range(y0, y1 + 1):
            found = cells.get((x, y))
            if found is not None:
                yield found
