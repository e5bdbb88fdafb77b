# SPDX-License-Identifier: Apache-2.0
"""Maintenance of the derived relations of a scene while the scene changes.

A change concerns: the changed things; the things that lie, or now would lie, on, in or under their
boxes; the things that these hold, transitively (they are in the same room); and for ``near`` the
things around their old and new boxes. Only the relations of these are derived again, with the code
and the numbers of the full derivation. Where rooms, floors, doors or connections change, or
most of the scene does, everything is derived again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fcp_ros.scene.graph.delta import SceneDelta, apply_delta, compute_delta
from fcp_ros.scene.graph.elements import Layer, Provenance, RelationKey, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_door, is_floor, is_robot
from fcp_ros.scene.relations.complete import Completion, complete_scene
from fcp_ros.scene.relations.derivation import ASSUMED
from fcp_ros.scene.relations.draft_graph import is_kept
from fcp_ros.scene.relations.nearness import build_near_relations, select_near
from fcp_ros.scene.relations.relation_options import DEFAULT_OPTIONS, RelationOptions
from fcp_ros.scene.relations.rooms import ensure_pose
from fcp_ros.scene.relations.supports import find_supports_among
from fcp_ros.scene.relations.unsettled import reach_of
from fcp_ros.scene.shapes.box_grid import BoxGrid, Rectangle
from fcp_ros.scene.shapes.boxes import EDGE, Boxes, Indices, build_boxes, measure_depth

_PLACES = ("on", "inside", "under", "attached", "in_room", "at")
"""Relations derived for one thing at a time, their first leg."""

_HOLDINGS = ("on", "inside", "under", "attached")

_MOST_LOCAL = 4  # If more than one thing in this many changes, a full derivation is faster


_HOLDER_LEG = {"on": 1, "inside": 1, "part_of": 1, "holding": 0}
"""Position of the holder, or of the whole, among the legs of a relation."""


class RelationMaintainer:
    """A completed graph that follows changes; ``rederived``: why the last one took everything.

    ``prepare`` makes all indexes now, so that the first change does not wait for them.
    """

    def __init__(
        self, graph: SceneGraph, options: RelationOptions = DEFAULT_OPTIONS, *, prepare: bool = True
    ) -> None:
        self._options = options
        self._start(graph, "the first graph")
        if prepare:
            self.graph.prepare()
            self._index_neighbourhoods()

    def advance(self, delta: SceneDelta) -> SceneDelta:
        """Work in a change of nodes and given relations, with ``graph``'s next sequence number.

        Returns the delta from the completed graph before to the completed graph after: applying it
        gives the nodes and relations of ``complete_relations(apply_delta(graph, delta))``. Raises
        as ``apply_delta``; nothing changes then.
        """
        before, raw = self.graph, apply_delta(self.graph, delta)
        change = ChangedInputs.of(before, raw, delta, self._options)
        floors = self._derivation.structure.floors.values()
        below = find_descendants(raw, change)
        reason = change.explain_full_derivation(floors, self._robots)
        if any(is_door(raw.nodes[id_]) for id_ in below):
            reason = reason or "what a door belongs to changed"
        if len(change.nodes) * _MOST_LOCAL > len(raw.nodes):
            reason = reason or "most of the scene changed"
        if reason:
            self._start(raw, reason)
            return compute_delta(before, self.graph)
        with np.errstate(over="ignore", invalid="ignore"):
            self._index_neighbourhoods()
            return self._advance_locally(raw, change, delta, below)

    def adopt(self, graph: SceneGraph) -> None:
        """Continue from a graph with the same nodes and relations in another order, or number."""
        self.graph = graph

    def _start(self, graph: SceneGraph, reason: str) -> None:
        completion = complete_scene(graph, self._options)
        self.graph = completion.graph
        self._derivation = completion.derivation
        self._derivation.nodes = self.graph.nodes
        self._unindexed: Completion | None = completion
        self._robots = {n.id for n in self.graph.in_layer(Layer.AGENT) if is_robot(n)}
        self.rederived = reason

    def _index_neighbourhoods(self) -> None:
        """Build the indexes of the neighbourhood; a source of whole graphs never needs them."""
        completion, self._unindexed = self._unindexed, None
        if completion is None:
            return
        self._grid = BoxGrid(completion.boxes)
        self._rooms_of_floor: dict[str, list[str]] = {}
        for room, floor in self._derivation.structure.floors.items():
            self._rooms_of_floor.setdefault(floor, []).append(room)

    # ---- the neighbourhood -----------------------------------------------------------------------

    def _advance_locally(
        self, raw: SceneGraph, change: ChangedInputs, delta: SceneDelta, below: set[str]
    ) -> SceneDelta:
        """Derive the relations around a change again.

        The order matters: regions around old boxes are taken before the grid changes; supports come
        before rooms, since a thing is in the room of its holder; rooms before floors, since a thing
        stands on the floor of its room. ``self.graph`` is the graph before until the end.
        """
        self._derivation.nodes = raw.nodes
        placed_items = self._take_relations(change)
        present = [id_ for id_ in change.shapes if id_ in raw.nodes]
        regions = self._regions_around(change.shapes)
        self._take_nodes(change)
        neighbours = self._find_neighbours(change)
        regions += self._regions_around(change.shapes)
        neighbours |= self._find_unsettled_in(regions)
        # What holds a thing in a circle is no relation of the graph, but its room follows from it.
        concerned = (*present, *placed_items, *neighbours, *self._derivation.circular)
        placed = {id_ for id_ in concerned if id_ in raw.nodes}
        self._derive_supports(placed)
        located = add_dependents(raw, {*placed, *(i for i in below if i in raw.nodes)})
        for id_ in located:
            if not self._derivation.is_located(raw.nodes[id_]):
                self._derivation.forget(id_)
        self._derivation.derive_rooms(located)
        things = [id_ for id_ in located if self._is_thing(raw.nodes[id_])]
        self._derivation.derive_floors(things, self._find_pairs_around)
        circular = self._derivation.update_circles(located)
        after = self._collect_relations(
            raw, change, located | {id_ for id_ in circular if id_ in raw.nodes}
        )
        after.update(derive_near_again(self._grid, raw, change, self._options))
        nodes = self._collect_nodes(change)
        whole = self._build_delta(raw, delta, after, nodes)
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
        self.rederived = ""
        return whole

    def _is_thing(self, node: SceneNode) -> bool:
        return self._derivation.is_thing(node)

    def _take_relations(self, change: ChangedInputs) -> set[str]:
        """Store given relations that came or went; return the things whose place they state."""
        items: set[str | None] = set()
        for was, now in change.relations.values():
            if was is not None:
                items.add(self._derivation.given.discard(was))
            if now is not None:
                items.add(self._derivation.given.add(now))
        items.update(legs[0] for name, legs in change.touched if name in self._options.derived)
        return {item for item in items if item is not None}

    def _take_nodes(self, change: ChangedInputs) -> None:
        """Update the roles and boxes of changed nodes."""
        boxed = []
        for id_ in change.shapes:
            now = change.nodes[id_][1]
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

    def _find_neighbours(self, change: ChangedInputs) -> set[str]:
        """Find things that were on, in or under changed things, or are centred in their boxes."""
        found: set[str] = set()
        boxed = [id_ for id_ in change.shapes if id_ in self._grid]
        for id_ in change.shapes:
            for relation in self.graph.relations_of(id_):
                if relation.name in _HOLDINGS and relation.elements[1:] == (id_,):
                    found.add(relation.elements[0])
        around, item = self._grid.pair_around([self._grid.slot(id_) for id_ in boxed], 2.0 * EDGE)
        depth = measure_depth(self._grid.boxes, item, around)
        ids = self._grid.boxes.ids
        found.update(ids[number] for number in item[depth >= -EDGE].tolist())
        return found

    def _regions_around(self, ids: Iterable[str]) -> list[Rectangle]:
        """Return the regions in which the boxes of these may decide the place of something."""
        if not self._derivation.unsettled:
            return []
        slots = [self._grid.slot(id_) for id_ in ids if id_ in self._grid]
        return self._grid.bounds(np.array(slots, dtype=np.intp), reach_of(self._options) + EDGE)

    def _find_unsettled_in(self, regions: list[Rectangle]) -> set[str]:
        """Find the things without a certain place whose boxes meet some regions."""
        unsettled, ids = self._derivation.unsettled, self._grid.boxes.ids
        found = (ids[slot] for slot in self._grid.find_meeting(regions))
        return {id_ for id_ in found if id_ in unsettled}

    def _find_pairs_around(self, ids: Sequence[str]) -> tuple[Boxes, list[tuple[Indices, Indices]]]:
        """Return all boxes, and the pairs of some things with all that may hold them."""
        slots = [self._grid.slot(id_) for id_ in ids]
        pairs = self._grid.pair_around(slots, reach_of(self._options) + EDGE)
        return self._grid.boxes, [pairs]

    def _derive_supports(self, ids: Iterable[str]) -> None:
        """Derive ``on``, ``inside`` and ``under`` of some things."""
        ids = list(ids)
        for places in self._derivation.by_boxes.values():
            for id_ in ids:
                places.pop(id_, None)
        grid = self._grid
        candidates = grid.pair_around([grid.slot(id_) for id_ in ids if id_ in grid], EDGE)
        supports = find_supports_among(grid.boxes, [candidates], self._options)
        for name, pairs in supports.items():
            self._derivation.take(name, pairs, grid.boxes.ids)

    # ---- the result ------------------------------------------------------------------------------

    def _collect_relations(
        self, raw: SceneGraph, change: ChangedInputs, ids: Iterable[str]
    ) -> dict[RelationKey, SceneRelation | None]:
        """Collect the relations of these things by key; None for one that no longer holds."""
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
            derived_now = self._derivation.build_relations_of(id_)
            for relation in (*derived_now, *self._build_floor_relations(id_)):
                key = relation.key
                known = raw.relation(relation.name, *relation.elements)
                if known is None or not is_kept(known, derived):
                    after[key] = relation
        return after

    def _build_floor_relations(self, id_: str) -> list[SceneRelation]:
        return [
            SceneRelation("in_room", (id_, room), ASSUMED, Provenance.INFERRED)
            for room in self._rooms_of_floor.get(id_, ())
        ]

    def _collect_nodes(self, change: ChangedInputs) -> dict[str, SceneNode]:
        return {
            id_: ensure_pose(now) if now.layer is Layer.ROOM else now
            for id_, (_, now) in change.nodes.items()
            if now is not None
        }

    def _build_delta(
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


# --- what in a change derived relations depend on, and their dependents ---


@dataclass(frozen=True)
class ChangedInputs:
    """The changed nodes and relations of a delta, before and after."""

    # (before, after) by id, where they differ; None for a node that is missing
    nodes: Mapping[str, tuple[SceneNode | None, SceneNode | None]]
    # (before, after) by key, for kept relations (see ``is_kept``); None likewise
    relations: Mapping[RelationKey, tuple[SceneRelation | None, SceneRelation | None]]
    shapes: frozenset[str]  # Ids of the nodes with a change that relations depend on
    # Keys of all relations that the delta names or that go with a node
    touched: frozenset[RelationKey]

    @staticmethod
    def of(
        before: SceneGraph, after: SceneGraph, delta: SceneDelta, options: RelationOptions
    ) -> ChangedInputs:
        """Collect the changes of a delta that led from one graph to the other."""
        ids = dict.fromkeys(node.id for node in delta.upserted)
        touched = {relation.key for relation in (*delta.added, *delta.dropped)}
        for id_ in delta.removed:
            ids[id_] = None
            ids.update(dict.fromkeys(before.children_of(id_)))
            touched.update(relation.key for relation in before.relations_of(id_))
        nodes = {}
        for id_ in ids:
            was, now = before.nodes.get(id_), after.nodes.get(id_)
            if was is not now:
                nodes[id_] = was, now
        relations = {}
        for key in touched:
            old = _if_kept(before.relation(key[0], *key[1]), options)
            new = _if_kept(after.relation(key[0], *key[1]), options)
            if old != new:
                relations[key] = old, new
        shapes = [id_ for id_, (was, now) in nodes.items() if not _has_same_shape(was, now)]
        return ChangedInputs(nodes, relations, frozenset(shapes), frozenset(touched))

    def explain_full_derivation(self, floors: Iterable[str], robots: set[str]) -> str:
        """Return why everything must be derived again; "" if the neighbourhood is enough."""
        known_floors = set(floors)
        for id_, (was, now) in self.nodes.items():
            if Layer.ROOM in [node.layer for node in (was, now) if node is not None]:
                if not _is_same_room(was, now):
                    return f"the room {id_} came, went or changed its shape"
            elif (
                id_ in known_floors or (now is not None and now.parents and is_floor(now))
            ) and not _has_same_shape(was, now):
                return f"the floor {id_} came, went or changed its shape"
            elif id_ in self.shapes and any(node and is_door(node) for node in (was, now)):
                return f"the door {id_} came, went or changed its shape"
        for name, legs in self.touched:
            if name == "connected":
                return f"a connection changed: {name}({', '.join(legs)})"
        left = set(robots)
        for id_, (_, now) in self.nodes.items():
            left.discard(id_)
            if now is not None and is_robot(now):
                left.add(id_)
        return "" if left else "no robot is left"


def find_descendants(raw: SceneGraph, change: ChangedInputs) -> set[str]:
    """Find the nodes below nodes whose parents or layer changed, down to the next rooms."""
    found: set[str] = set()
    waiting = [
        id_
        for id_, (was, now) in change.nodes.items()
        if was is not None
        and now is not None
        and (was.parents != now.parents or was.layer is not now.layer)
        and now.layer is not Layer.ROOM
    ]
    while waiting:
        for child in raw.children_of(waiting.pop()):
            if child not in found and raw.nodes[child].layer is not Layer.ROOM:
                found.add(child)
                waiting.append(child)
    return found


def add_dependents(raw: SceneGraph, ids: set[str]) -> set[str]:
    """Return these nodes and all that they hold, carry or contain, transitively."""
    found, waiting = set(ids), list(ids)
    while waiting:
        id_ = waiting.pop()
        for relation in raw.relations_of(id_):
            leg = _HOLDER_LEG.get(relation.name)
            if leg is None or len(relation.elements) != 2 or relation.elements[leg] != id_:
                continue
            item = relation.elements[1 - leg]
            if item not in found:
                found.add(item)
                waiting.append(item)
    return found


def _if_kept(relation: SceneRelation | None, options: RelationOptions) -> SceneRelation | None:
    if relation is None or not is_kept(relation, options.derived):
        return None
    return relation


def _is_same_room(was: SceneNode | None, now: SceneNode | None) -> bool:
    if was is None or now is None:
        return False
    return _has_same_shape(ensure_pose(was), ensure_pose(now))


def _has_same_shape(was: SceneNode | None, now: SceneNode | None) -> bool:
    """Return True if nothing changed that relations depend on; attributes do not count."""
    return (
        was is not None
        and now is not None
        and was.layer is now.layer
        and was.pose == now.pose
        and was.size == now.size
        and was.polygon == now.polygon
        and was.height == now.height
        and (
            was.layer is Layer.ROOM or (was.parents == now.parents and was.category == now.category)
        )
    )
