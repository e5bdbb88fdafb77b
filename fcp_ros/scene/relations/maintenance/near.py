# SPDX-License-Identifier: Apache-2.0
"""Maintenance of ``near``, around the boxes that change."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fcp_ros.scene.graph.elements import Provenance, RelationKey, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.conditions.nearness import select_near, select_nearest
from fcp_ros.scene.relations.conditions.scored_pairs import ScoredPairs
from fcp_ros.scene.relations.given import is_kept
from fcp_ros.scene.relations.maintenance.box_grid import BoxGrid, Rectangle
from fcp_ros.scene.relations.maintenance.changed_inputs import ChangedInputs
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.shapes.boxes import EDGE


class NearMaintainer:
    """The things that each thing is near by itself; idle unless ``near`` is asked for.

    Args:
        nearest: The pairs of each box by itself (``find_nearest``), by number in the grid.
        grid: The boxes; the owner of this object changes them.
        options: Tolerances.
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
        """Derive ``near`` around changed boxes again.

        Args:
            raw: The graph with the change, before anything is derived.
            change: The change; the grid has it already.
            old_places: ``regions_around`` the changed things before.

        Returns:
            The relations by key; None for one that no longer holds.
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
