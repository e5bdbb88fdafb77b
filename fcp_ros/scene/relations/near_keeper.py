# SPDX-License-Identifier: Apache-2.0
"""Keeps ``near`` up to date: what each thing is near by itself, around the boxes that change."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fcp_ros.scene.graph.elements import Provenance, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.box_grid import BoxGrid, Rectangle
from fcp_ros.scene.relations.changes import Change, RelationKey
from fcp_ros.scene.relations.found import Found
from fcp_ros.scene.relations.nearness import near_pairs, nearest_of_each
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.relations.stated import is_kept
from fcp_ros.scene.shapes.boxes import EDGE


class NearKeeper:
    """What each thing is near by itself, with the confidence; idle unless ``near`` is asked for.

    Args:
        nearest: What each box is near by itself, by number in the grid.
        grid: The boxes, which whoever owns the keeper changes.
        options: How near is near.
    """

    def __init__(self, nearest: Found, grid: BoxGrid, options: RelationOptions) -> None:
        self._nearest: dict[str, dict[str, float]] = {}
        self._grid = grid
        self._options = options
        self._active = "near" in options.also
        self._take(nearest)

    def places_of(self, ids: Iterable[str]) -> list[Rectangle]:
        """Where things could be near the present boxes of these."""
        if not self._active:
            return []
        slots = [self._grid.slot(id_) for id_ in ids if id_ in self._grid]
        return self._grid.bounds(np.array(slots, dtype=np.intp), self._options.near + EDGE)

    def forget(self, ids: Iterable[str]) -> None:
        """Things that are gone; what they were near is found out by ``relations_after``."""
        for id_ in ids:
            self._nearest.pop(id_, None)

    def relations_after(
        self, raw: SceneGraph, change: Change, old_places: Iterable[Rectangle]
    ) -> dict[RelationKey, SceneRelation | None]:
        """The ``near`` relations around changed boxes by key; None for one that no longer holds.

        Args:
            raw: The graph with the change, before anything is derived.
            change: The change; the grid has it already.
            old_places: ``places_of`` the changed things before.
        """
        if not self._active:
            return {}
        stale = {id_ for id_ in change.shapes if id_ in raw.nodes and id_ not in self._grid}
        places = [*old_places, *self.places_of(change.shapes)]
        slots = sorted({slot for place in places for slot in self._grid.meeting(place)})
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
                    after["near", legs] = self._relation(raw, *legs)
        return after

    def _measure(self, slots: list[int]) -> None:
        grid, options = self._grid, self._options
        margin = options.near + EDGE
        bounds = grid.bounds(np.array(slots, dtype=np.intp), margin)
        items: list[int] = []
        others: list[int] = []
        for slot, place in zip(slots, bounds, strict=True):
            near = [other for other in grid.around(place) if other != slot]
            others += near
            items += [slot] * len(near)
        if not items:
            return
        boxes = grid.boxes
        pairs = near_pairs(
            boxes, np.array(items, dtype=np.intp), np.array(others, dtype=np.intp), options
        )
        found = nearest_of_each(pairs, options.near_most, boxes)
        self._take(found)

    def _take(self, found: Found) -> None:
        ids = self._grid.boxes.ids
        rows = zip(
            found.item.tolist(), found.other.tolist(), found.confidence.tolist(), strict=True
        )
        for item, other, confidence in rows:
            self._nearest.setdefault(ids[item], {})[ids[other]] = confidence

    def _relation(self, raw: SceneGraph, a: str, b: str) -> SceneRelation | None:
        known = raw.relation("near", a, b)
        if known is not None and is_kept(known, self._options.derived):
            return known
        confidence = self._nearest.get(a, {}).get(b)
        if confidence is None:
            confidence = self._nearest.get(b, {}).get(a)
        if confidence is None:
            return None
        return SceneRelation("near", (a, b), confidence, Provenance.GEOMETRIC)
