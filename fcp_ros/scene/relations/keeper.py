# SPDX-License-Identifier: Apache-2.0
"""Keeps the derived relations of a scene up to date while the scene changes.

A change concerns: the changed things; what lies, or now would lie, on, in or under their boxes;
what is held by these, however far up (it is in the same room); and for ``near`` what their old
and new boxes are near. Only these have their relations derived again, with the code and the
numbers of the full derivation. Where rooms, floors or given connections change, or most of the
scene does, everything is derived anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fcp_ros.scene.graph.delta import SceneDelta, apply_delta, delta_between
from fcp_ros.scene.graph.elements import Layer, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_door, is_robot
from fcp_ros.scene.relations.box_grid import BoxGrid
from fcp_ros.scene.relations.changes import (
    Change,
    RelationKey,
    descendants,
    with_centre,
    with_dependents,
)
from fcp_ros.scene.relations.complete import Completion, complete
from fcp_ros.scene.relations.derivation import ASSUMED
from fcp_ros.scene.relations.door_keeper import DoorKeeper
from fcp_ros.scene.relations.near_keeper import NearKeeper
from fcp_ros.scene.relations.options import DEFAULT_OPTIONS, RelationOptions
from fcp_ros.scene.relations.placing import place_pairs
from fcp_ros.scene.relations.reach import with_reach
from fcp_ros.scene.relations.stated import is_kept
from fcp_ros.scene.shapes.boxes import EDGE, build_boxes, measure_depth

_PLACES = ("on", "inside", "under", "in_room", "at")
"""Relations derived for one thing at a time, which is their first leg."""

_MOST_LOCAL = 4
"""Where more than one thing in so many changes, deriving everything anew is faster."""


@dataclass(frozen=True)
class Advance:
    """How the last change was worked in.

    Attributes:
        full: Whether everything was derived anew instead of the neighbourhood alone.
        reason: Why, where it was.
        touched: How many things had their relations derived anew.
    """

    full: bool = False
    reason: str = ""
    touched: int = 0


class RelationKeeper:
    """A completed graph that follows changes.

    Notes and conflicts are those of the last full derivation.

    Args:
        graph: Any valid graph with at least one node; it is completed.
        options: What to derive.
        prepare: Make all indexes of the graph now, so that the first change does not wait for them.

    Attributes:
        graph: The completed graph after all changes so far.
        conflicts: Given relations that the geometry spoke against at the last full derivation.
        last: How the last change was worked in.
    """

    def __init__(
        self,
        graph: SceneGraph,
        options: RelationOptions = DEFAULT_OPTIONS,
        *,
        prepare: bool = True,
    ) -> None:
        self._options = options
        self._start(graph, "the first graph")
        if prepare:
            self.graph.prepare()
            self._look_around()

    def advance(self, delta: SceneDelta) -> SceneDelta:
        """Work in a change of nodes and given relations.

        Args:
            delta: The change against ``graph``, with its next sequence number.

        Returns:
            The delta from the completed graph before to the completed graph after: the change
            itself and all relations (and floors, passages, ...) that follow from it. Applying it
            gives the nodes and relations of ``complete_relations(apply_delta(graph, delta))``.

        Raises:
            SequenceGap, SceneError: As ``apply_delta``; the keeper then stays as it was.
        """
        before, raw = self.graph, apply_delta(self.graph, delta)
        change = Change.of(before, raw, delta, self._options)
        around = self._derivation.around
        reason = change.concerns_all(around.floors.values(), self._robots, self._options)
        if len(change.nodes) * _MOST_LOCAL > len(raw.nodes):
            reason = reason or "most of the scene changed"
        if reason:
            self._start(raw, reason)
            return delta_between(before, self.graph)
        with np.errstate(over="ignore", invalid="ignore"):
            self._look_around()
            return self._advance_locally(raw, change, delta)

    def adopt(self, graph: SceneGraph) -> None:
        """Go on from a graph with the same nodes and relations in another order or under another
        number, such as one that followed the changes so far."""
        self.graph = graph

    def _start(self, graph: SceneGraph, reason: str) -> None:
        completion = complete(graph, self._options)
        self.graph = completion.graph
        self.conflicts = completion.conflicts
        self._derivation = completion.derivation
        self._apart = set(completion.derivation.around.apart)
        self._derivation.around = self._derivation.around._replace(apart=self._apart)
        self._derivation.nodes = self.graph.nodes
        self._unlooked: Completion | None = completion
        self._robots = {n.id for n in self.graph.in_layer(Layer.AGENT) if is_robot(n)}
        self.last = Advance(full=True, reason=reason, touched=len(graph.nodes))

    def _look_around(self) -> None:
        """Make what finds the neighbourhood of a change; not needed by whole graphs in a row."""
        completion, self._unlooked = self._unlooked, None
        if completion is None:
            return
        self._grid = BoxGrid(completion.boxes)
        self._near = NearKeeper(completion.nearest, self._grid, self._options)
        self._doors = DoorKeeper(self.graph, self._derivation.around.finder, self._options)
        self._rooms_of_floor: dict[str, list[str]] = {}
        for room, floor in self._derivation.around.floors.items():
            self._rooms_of_floor.setdefault(floor, []).append(room)

    # ---- the neighbourhood -----------------------------------------------------------------------

    def _advance_locally(self, raw: SceneGraph, change: Change, delta: SceneDelta) -> SceneDelta:
        self._derivation.nodes = raw.nodes
        below = descendants(raw, change)
        stated = self._take_relations(change)
        present = [id_ for id_ in change.shapes if id_ in raw.nodes]
        old_places = self._near.places_of(change.shapes)
        self._take_nodes(change)
        self._near.forget(id_ for id_ in change.shapes if id_ not in raw.nodes)
        placed = {
            id_ for id_ in (*present, *stated, *self._lying_around(change)) if id_ in raw.nodes
        }
        self._place(placed)
        located = with_dependents(raw, {*placed, *(i for i in below if i in raw.nodes)})
        for id_ in located:
            if not self._derivation.is_located(raw.nodes[id_]):
                self._derivation.forget(id_)
        self._derivation.derive_rooms(located)
        self._derivation.derive_floors(id_ for id_ in located if self._is_thing(raw.nodes[id_]))
        after = self._relations_after(raw, change, located)
        doors = {legs[-1] for name, legs in change.touched if name == "connected"}
        after.update(self._doors.relations_after(self.graph, raw, {*present, *below, *doors}))
        after.update(self._near.relations_after(raw, change, old_places))
        nodes = self._nodes_after(raw, change, located)
        whole = self._delta(raw, delta, after, nodes)
        self.graph = raw.with_changes(
            put={id_: node for id_, node in nodes.items() if raw.nodes[id_] is not node},
            gone=(),
            related={key: relation for key, relation in after.items() if relation is not None},
            unrelated=[
                key for key, now in after.items() if now is None and raw.relation(key[0], *key[1])
            ],
            sequence=raw.sequence,
        )
        self._derivation.nodes = self.graph.nodes
        self.last = Advance(touched=len(located))
        return whole

    def _is_thing(self, node: SceneNode) -> bool:
        return self._derivation.is_thing(node)

    def _take_relations(self, change: Change) -> set[str]:
        """Take up given relations that came or went; the things whose place they state."""
        items: set[str | None] = set()
        for was, now in change.relations.values():
            if was is not None:
                items.add(self._derivation.stated.discard(was))
            if now is not None:
                items.add(self._derivation.stated.add(now))
        items.update(legs[0] for name, legs in change.touched if name in self._options.derived)
        return {item for item in items if item is not None}

    def _take_nodes(self, change: Change) -> None:
        """Bring roles and boxes up to date."""
        boxed = []
        for id_ in change.shapes:
            now = change.nodes[id_][1]
            door = id_ in self._doors.named or (now is not None and is_door(now))
            if door and now is not None:
                self._apart.add(id_)
            elif id_ not in self._rooms_of_floor:
                self._apart.discard(id_)
            self._robots.discard(id_)
            if now is not None and is_robot(now):
                self._robots.add(id_)
            if now is None:
                self._derivation.forget(id_)
            if now is not None and self._is_thing(now) and now.pose and now.size:
                boxed.append(now)
            elif id_ in self._grid:
                self._grid.remove(id_)
        self._grid.put(build_boxes(boxed))

    def _lying_around(self, change: Change) -> set[str]:
        """What lay on, in or under changed things, and what has its centre in their footprints."""
        found: set[str] = set()
        boxed = [id_ for id_ in change.shapes if id_ in self._grid]
        for id_ in change.shapes:
            for relation in self.graph.relations_of(id_):
                if relation.name in ("on", "inside", "under") and relation.elements[1:] == (id_,):
                    found.add(relation.elements[0])
        slots = np.array([self._grid.slot(id_) for id_ in boxed], dtype=np.intp)
        items: list[int] = []
        supports: list[int] = []
        for slot, place in zip(slots.tolist(), self._grid.bounds(slots, 2.0 * EDGE), strict=True):
            near = self._grid.centred_in(place)
            items += near
            supports += [slot] * len(near)
        if items:
            boxes = self._grid.boxes
            item = np.array(items, dtype=np.intp)
            depth = measure_depth(boxes, item, np.array(supports, dtype=np.intp))
            found.update(boxes.ids[number] for number in item[depth >= -EDGE].tolist())
        return found

    def _place(self, ids: Iterable[str]) -> None:
        """``on``, ``inside`` and ``under`` of some things."""
        ids = list(ids)
        for places in self._derivation.found.values():
            for id_ in ids:
                places.pop(id_, None)
        grid = self._grid
        pairs = grid.over([grid.slot(id_) for id_ in ids if id_ in grid])
        for name, found in place_pairs(grid.boxes, [pairs], self._options).items():
            self._derivation.take(name, found, grid.boxes.ids)

    # ---- what holds afterwards -------------------------------------------------------------------

    def _relations_after(
        self, raw: SceneGraph, change: Change, ids: Iterable[str]
    ) -> dict[RelationKey, SceneRelation | None]:
        """The relations of these things by key; None for one that no longer holds."""
        after: dict[RelationKey, SceneRelation | None] = {}
        derived = self._options.derived
        for name, legs in change.touched:
            relation = raw.relation(name, *legs)
            kept = relation is not None and is_kept(relation, derived)
            after[name, legs] = relation if kept else None
        for id_ in ids:
            for relation in self.graph.relations_of(id_):
                if (
                    relation.elements[0] == id_
                    and relation.name in _PLACES
                    and not is_kept(relation, derived)
                ):
                    after.setdefault(relation.key, None)
            for relation in (*self._derivation.relations_of(id_), *self._floor_relations(id_)):
                key = relation.key
                known = raw.relation(relation.name, *relation.elements)
                if known is None or not is_kept(known, derived):
                    after[key] = relation
        return after

    def _floor_relations(self, id_: str) -> list[SceneRelation]:
        return [
            SceneRelation("in_room", (id_, room), ASSUMED, Provenance.INFERRED)
            for room in self._rooms_of_floor.get(id_, ())
        ]

    def _nodes_after(
        self, raw: SceneGraph, change: Change, located: Iterable[str]
    ) -> dict[str, SceneNode]:
        """The nodes that changed, or whose class of reach may have."""
        nodes = {
            id_: with_centre(now) if now.layer is Layer.ROOM else now
            for id_, (_, now) in change.nodes.items()
            if now is not None
        }
        if "reach" in self._options.also:
            for id_ in with_dependents(raw, {*located, *nodes}):
                node = nodes.get(id_, raw.nodes[id_])
                if node.layer is Layer.OBJECT:
                    nodes[id_] = with_reach(node, self._derivation)
        return nodes

    def _delta(
        self,
        raw: SceneGraph,
        delta: SceneDelta,
        after: dict[RelationKey, SceneRelation | None],
        nodes: dict[str, SceneNode],
    ) -> SceneDelta:
        added, dropped = [], []
        for (name, legs), relation in after.items():
            before = self.graph.relation(name, *legs)
            if relation is not None:
                if before != relation:
                    added.append(relation)
            elif before is not None and all(leg in raw.nodes for leg in legs):
                dropped.append(before)
        return SceneDelta(
            sequence=delta.sequence,
            upserted=tuple(
                node for id_, node in nodes.items() if node != self.graph.nodes.get(id_)
            ),
            removed=delta.removed,
            added=tuple(added),
            dropped=tuple(dropped),
        )
