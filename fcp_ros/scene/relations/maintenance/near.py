# SPDX-License-Identifier: Apache-2.0
"""Maintenance of ``near``, around the boxes that change."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.elements import Provenance, RelationKey, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.draft import is_kept
from fcp_ros.scene.relations.maintenance.changed_inputs import ChangedInputs
from fcp_ros.scene.relations.nearness import select_near, select_nearest
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.relations.scored_pairs import ScoredPairs
from fcp_ros.scene.shapes.boxes import EDGE, Boxes, Floats, Indices

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
        """Remove a box."""
        slot = self._slots.pop(id_)
        self._leave(slot)
        self._free.append(slot)

    def bounds(self, slots: Indices, margin: float) -> list[Rectangle]:
        """Return the upright rectangles around footprints, widened by a margin (m)."""
        low, high = self._boxes.bounds_of(slots, margin)
        return [
            (x0, y0, x1, y1) for (x0, y0), (x1, y1) in zip(low.tolist(), high.tolist(), strict=True)
        ]

    def find_centred_in(self, place: Rectangle) -> list[int]:
        """Find the slots of all boxes centred in a rectangle, and possibly of some nearby."""
        found: list[int] = []
        for level, cells in self._levels.items():
            for members in _find_members(cells, 2.0**level, place, 0.0):
                found += members
        return found

    def find_around(self, place: Rectangle) -> list[int]:
        """Find the slots of all boxes that meet a rectangle, and possibly of some nearby."""
        found: list[int] = []
        for level, cells in self._levels.items():
            width = 2.0**level
            for members in _find_members(cells, width, place, width):
                found += members
        return found

    def find_meeting(self, place: Rectangle) -> list[int]:
        """Find the slots of boxes whose own upright rectangle meets a rectangle (EDGE of slack)."""
        slots = np.array(self.find_around(place), dtype=np.intp)
        low, high = self._boxes.bounds_of(slots)
        meets = (
            (low[:, 0] <= place[2])
            & (low[:, 1] <= place[3])
            & (high[:, 0] >= place[0])
            & (high[:, 1] >= place[1])
        )
        found: list[int] = slots[meets].tolist()
        return found

    def find_pairs(self, slots: Iterable[int]) -> tuple[Indices, Indices]:
        """Find the pairs (slot, other) with the slot's centre in the other's box, and some more."""
        items: list[int] = []
        others: list[int] = []
        centre = self._boxes.centre
        for slot in slots:
            x, y = centre[slot, :2].tolist()
            coarse = 2.0 * EDGE + 4.0 * max(math.ulp(x), math.ulp(y))
            found = self.find_around((x - coarse, y - coarse, x + coarse, y + coarse))
            others += found
            items += [slot] * len(found)
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


# --- maintenance of ``near``, around the boxes that change ---


class NearMaintainer:
    """The things that each thing is near by itself; idle unless ``near`` is asked for.

    ``nearest`` numbers boxes as ``grid`` does, which the owner of this object changes.
    """

    def __init__(self, nearest: ScoredPairs, grid: BoxGrid, options: RelationOptions) -> None:
        self._nearest: dict[str, dict[str, float]] = {}
        self._grid = grid
        self._options = options
        self._active = "near" in options.also
        self._take(nearest)

    def regions_around(self, ids: Iterable[str]) -> list[Rectangle]:
        """Return the regions in which a thing may be near the present boxes of these."""
        if not self._active:
            return []
        slots = [self._grid.slot(id_) for id_ in ids if id_ in self._grid]
        return self._grid.bounds(np.array(slots, dtype=np.intp), self._options.near + EDGE)

    def forget(self, ids: Iterable[str]) -> None:
        """Drop things that are gone; ``update`` finds the things that they were near."""
        for id_ in ids:
            self._nearest.pop(id_, None)

    def update(
        self, raw: SceneGraph, change: ChangedInputs, old_places: Iterable[Rectangle]
    ) -> dict[RelationKey, SceneRelation | None]:
        """Derive ``near`` around changed boxes again; None for a relation that no longer holds.

        The grid has the change already; ``old_places`` are ``regions_around`` the things before it.
        """
        if not self._active:
            return {}
        stale = {id_ for id_ in change.shapes if id_ in raw.nodes and id_ not in self._grid}
        places = [*old_places, *self.regions_around(change.shapes)]
        slots = sorted({slot for place in places for slot in self._grid.find_meeting(place)})
        ids = [self._grid.boxes.ids[slot] for slot in slots]
        pairs = {legs for name, legs in change.touched if name == "near" and len(legs) == 2}
        older = {id_: self._nearest.pop(id_, {}) for id_ in (*ids, *stale)}
        self._measure(slots)
        for id_, was in older.items():
            now = self._nearest.get(id_, {})
            pairs.update((id_, other) for other in {*was, *now} if was.get(other) != now.get(other))
        after: dict[RelationKey, SceneRelation | None] = {}
        for a, b in pairs:
            if a in raw.nodes and b in raw.nodes:
                for legs in ((a, b), (b, a)):
                    after["near", legs] = self._build_relation(raw, *legs)
        return after

    def _measure(self, slots: list[int]) -> None:
        grid, options = self._grid, self._options
        margin = options.near + EDGE
        bounds = grid.bounds(np.array(slots, dtype=np.intp), margin)
        items: list[int] = []
        others: list[int] = []
        for slot, place in zip(slots, bounds, strict=True):
            near = [other for other in grid.find_around(place) if other != slot]
            others += near
            items += [slot] * len(near)
        if not items:
            return
        boxes = grid.boxes
        pairs = select_near(
            boxes, np.array(items, dtype=np.intp), np.array(others, dtype=np.intp), options
        )
        nearest = select_nearest(pairs, options.near_most, boxes)
        self._take(nearest)

    def _take(self, pairs: ScoredPairs) -> None:
        ids = self._grid.boxes.ids
        rows = zip(
            pairs.item.tolist(), pairs.other.tolist(), pairs.confidence.tolist(), strict=True
        )
        for item, other, confidence in rows:
            self._nearest.setdefault(ids[item], {})[ids[other]] = confidence

    def _build_relation(self, raw: SceneGraph, a: str, b: str) -> SceneRelation | None:
        known = raw.relation("near", a, b)
        if known is not None and is_kept(known, self._options.derived):
            return known
        confidence = self._nearest.get(a, {}).get(b)
        if confidence is None:
            confidence = self._nearest.get(b, {}).get(a)
        if confidence is None:
            return None
        return SceneRelation("near", (a, b), confidence, Provenance.GEOMETRIC)
