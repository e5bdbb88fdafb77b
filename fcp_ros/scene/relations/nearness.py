# SPDX-License-Identifier: Apache-2.0
"""``near(a, b)`` from boxes, stored both ways like ``connected``.

Two things are *near* each other if

1. the distance between their boxes is at most ``near`` (0 where they touch or overlap; boxes
   stand upright and are turned by their yaw; walls in between do not matter), and
2. one of them is among the ``near_most`` nearest of the other (of equal distances, the lesser id
   counts). This bounds the relations where thousands of things are in one place: there are at most
   2 * near_most * n.

Distances count to a micrometre (``EDGE``): what is equal is equal, in whatever order it was added
up.

Clearness: 1 - distance / near.

The relation is kept up to date around boxes that change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.elements import Provenance, RelationKey, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.changed_inputs import ChangedInputs
from fcp_ros.scene.relations.draft_graph import is_kept
from fcp_ros.scene.relations.relation_options import RelationOptions
from fcp_ros.scene.relations.scored_pairs import ScoredPairs, rank_ids, share_left, to_confidence
from fcp_ros.scene.shapes.boxes import (
    EDGE,
    Boxes,
    Flags,
    Floats,
    Indices,
)

_DECIMALS = 6  # those of EDGE


def select_near(boxes: Boxes, a: Indices, b: Indices, options: RelationOptions) -> ScoredPairs:
    """Select the pairs of boxes within reach of each other, scored by distance; shape (k,)."""
    away = measure_box_distance(boxes, a, b)
    rounded = np.round(away, _DECIMALS)
    keep = np.flatnonzero(rounded <= options.near)
    confidence = to_confidence(share_left(away[keep], options.near))
    return ScoredPairs(a[keep], b[keep], rounded[keep], np.zeros(len(keep)), confidence)


def select_nearest(pairs: ScoredPairs, most: int, boxes: Boxes) -> ScoredPairs:
    """Select the ``most`` nearest others of each item."""
    if not len(pairs.item) or int(np.bincount(pairs.item).max()) <= most:
        return pairs
    pairs = pairs.take(np.lexsort((pairs.primary, pairs.item)))
    leads = np.diff(pairs.item, prepend=-1) != 0
    start = np.flatnonzero(leads)
    group = np.cumsum(leads) - 1
    place = np.arange(len(group)) - start[group]
    # Ids decide only where the last one kept is as far away as the first one left out.
    crowded = np.diff(np.append(start, len(group))) > most
    if most == 0:
        return pairs.take(np.zeros(0, dtype=np.intp))
    edge = pairs.primary[np.where(crowded, start + most - 1, start)]
    after = pairs.primary[np.where(crowded, start + most, start)]
    tied = (crowded & (edge == after))[group] & (pairs.primary == edge[group])
    if tied.any():
        rank = np.zeros(len(group), dtype=np.intp)
        rank[tied] = rank_ids(pairs.other[tied], boxes.ids)
        pairs = pairs.take(np.lexsort((rank, pairs.primary, pairs.item)))
    return pairs.take(place < most)


def find_nearest(boxes: Boxes, options: RelationOptions) -> ScoredPairs:
    """Find the things that each box is near by itself (condition 1, at most ``near_most``)."""
    parts = [
        select_nearest(select_near(boxes, a, b, options), options.near_most, boxes)
        for a, b in boxes.pair_with_near(options.near)
    ]
    return ScoredPairs.concatenate(parts) if parts else ScoredPairs.empty()


def add_reverse(nearest: ScoredPairs, count: int, most: int) -> ScoredPairs:
    """Complete ``near`` from ``find_nearest``, at most ``most`` for each of ``count`` things."""
    if not len(nearest.item) or int(np.bincount(nearest.item).max()) < most:
        return nearest  # nothing was cut off: each pair is there both ways
    there, back = nearest.item * count + nearest.other, nearest.other * count + nearest.item
    missing = nearest.take(np.flatnonzero(~np.isin(back, there)))
    reverse = ScoredPairs(
        missing.other, missing.item, missing.primary, missing.secondary, missing.confidence
    )
    return ScoredPairs.concatenate((nearest, reverse))


def measure_box_distance(boxes: Boxes, a: Indices, b: Indices) -> Floats:
    """Measure distances (m) between boxes, equal both ways to the last bit; shape (k,)."""
    rise = np.abs(boxes.centre[a, 2] - boxes.centre[b, 2])
    up = np.maximum(rise - (boxes.half[a, 2] + boxes.half[b, 2]), 0.0)
    separate, beside = _measure_beside(boxes, a, b)
    separate_too, beside_too = _measure_beside(boxes, b, a)
    beside = np.where(separate | separate_too, np.minimum(beside, beside_too), 0.0)
    away: Floats = np.sqrt(beside + up * up)
    return away


def _measure_beside(boxes: Boxes, a: Indices, b: Indices) -> tuple[Flags, Floats]:
    """Return flags: one of a's sides separates the footprints; and squared distances (m2).

    The distance is that from a's footprint to the nearest corner of b's.
    """
    offset = boxes.centre[b, :2] - boxes.centre[a, :2]
    cos, sin, cos_b, sin_b = boxes.cos[a], boxes.sin[a], boxes.cos[b], boxes.sin[b]
    across = cos * offset[:, 0] + sin * offset[:, 1]  # b's centre in a's axes
    along = cos * offset[:, 1] - sin * offset[:, 0]
    turn_cos, turn_sin = cos * cos_b + sin * sin_b, cos * sin_b - sin * cos_b
    width, depth = boxes.half[a, 0], boxes.half[a, 1]
    x, y = boxes.half[b, 0], boxes.half[b, 1]
    xx, xy, yx, yy = turn_cos * x, turn_sin * x, turn_sin * y, turn_cos * y
    separate = (np.abs(across) > width + (np.abs(xx) + np.abs(yx))) | (
        np.abs(along) > depth + (np.abs(xy) + np.abs(yy))
    )
    least: Floats = np.full(len(a), np.inf)
    for right, up in ((xx - yx, xy + yy), (xx + yx, xy - yy)):
        for sign in (1.0, -1.0):
            out_x = np.maximum(np.abs(across + sign * right) - width, 0.0)
            out_y = np.maximum(np.abs(along + sign * up) - depth, 0.0)
            least = np.minimum(least, out_x * out_x + out_y * out_y)
    return separate, least


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
        slots = self._grid.find_meeting(places)
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
        boxes = grid.boxes
        items, others = grid.pair_around(slots, options.near + EDGE)
        pairs = select_near(boxes, items, others, options)
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
