# SPDX-License-Identifier: Apache-2.0
"""``near(a, b)`` from boxes, stored both ways like ``connected``.

Two things are *near* each other if the distance between their boxes is at most ``near`` (0 where
they touch or overlap; boxes stand upright and are turned by their yaw; walls in between do not
matter).

Distances count to a micrometre (``EDGE``): what is equal is equal, in whatever order it was added
up.

Clearness: 1 - distance / near.

The relation is kept up to date around boxes that change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.elements import Provenance, RelationKey, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.changed_inputs import ChangedInputs
from fcp_ros.scene.relations.draft_graph import is_kept
from fcp_ros.scene.relations.relation_options import RelationOptions
from fcp_ros.scene.relations.scored_pairs import ScoredPairs, share_left, to_confidence
from fcp_ros.scene.shapes.boxes import (
    EDGE,
    Boxes,
    Flags,
    Floats,
    Indices,
)

_DECIMALS = 6  # those of EDGE

MOST_NEAR = 1_000_000
"""Most relations that are derived: thousands of things in one place would have millions."""


def select_near(boxes: Boxes, a: Indices, b: Indices, options: RelationOptions) -> ScoredPairs:
    """Select the pairs of boxes within reach of each other, scored by distance; shape (k,)."""
    away = measure_box_distance(boxes, a, b)
    rounded = np.round(away, _DECIMALS)
    keep = np.flatnonzero(rounded <= options.near)
    confidence = to_confidence(share_left(away[keep], options.near))
    return ScoredPairs(a[keep], b[keep], rounded[keep], np.zeros(len(keep)), confidence)


def find_near(boxes: Boxes, options: RelationOptions) -> ScoredPairs | None:
    """Find all pairs, both ways; None if there are more than ``MOST_NEAR``."""
    parts, count = [ScoredPairs.empty()], 0
    for a, b in boxes.pair_with_near(options.near):
        parts.append(select_near(boxes, a, b, options))
        count += len(parts[-1].item)
        if count > MOST_NEAR:
            return None
    return ScoredPairs.concatenate(parts)


def build_near_relations(pairs: ScoredPairs, ids: Sequence[str]) -> Iterator[SceneRelation]:
    for a, b, confidence in zip(
        pairs.item.tolist(), pairs.other.tolist(), pairs.confidence.tolist(), strict=True
    ):
        yield SceneRelation("near", (ids[a], ids[b]), confidence, Provenance.GEOMETRIC)


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


def derive_near_again(
    grid: BoxGrid, raw: SceneGraph, change: ChangedInputs, options: RelationOptions
) -> dict[RelationKey, SceneRelation | None]:
    """Derive ``near`` of changed boxes again; None for a relation that no longer holds.

    The grid has the change already, and ``raw`` still the relations that were derived before.
    """
    if "near" not in options.also:
        return {}
    stated = (leg for name, legs in change.touched if name == "near" for leg in legs)
    ids = [id_ for id_ in dict.fromkeys((*change.shapes, *stated)) if id_ in raw.nodes]
    after: dict[RelationKey, SceneRelation | None] = {
        relation.key: None
        for id_ in ids
        for relation in raw.relations_of(id_)
        if relation.name == "near" and not is_kept(relation, options.derived)
    }
    boxes = grid.boxes
    a, b = grid.pair_around([grid.slot(id_) for id_ in ids if id_ in grid], options.near + EDGE)
    pairs = select_near(boxes, np.concatenate((a, b)), np.concatenate((b, a)), options)
    for relation in build_near_relations(pairs, boxes.ids):
        known = raw.relation("near", *relation.elements)
        kept = known is not None and is_kept(known, options.derived)
        after[relation.key] = known if kept else relation
    return after
