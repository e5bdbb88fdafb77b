# SPDX-License-Identifier: Apache-2.0
"""Changed facts as a change of the scene graph, as perception would report it.

Poses move along, so that a picture of the graph shows the facts: an item on a support stands on a
free spot of its top, an item in the hand is where the agent is, and everything on or inside a
thing that moves comes with it. Shapely, which that takes, is imported for the first of them: a node
may never change the scene itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from fcp_ros.cset import Fact
from fcp_ros.domain.scene_names import STATE_ATTRIBUTES, AttributeFact
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.delta import SceneDelta, compute_delta
from fcp_ros.scene.graph.elements import Layer, Pose, SceneError, SceneNode, SceneRelation, Vector
from fcp_ros.scene.graph.graph import SceneGraph

_ITEM_LEG = {"on": 0, "inside": 0, "holding": 1}
"""Relations that say where an item is, with the position of the item among their legs."""

_AGENT_SIZE: Vector = (0.5, 0.5, 0.1)
"""Space (m) that an agent of unknown size takes in the search for a place to stand."""


def delta_from_facts(
    graph: SceneGraph,
    added: Iterable[Fact],
    removed: Iterable[Fact],  # Facts that no longer hold. A fact in both lists stays.
    # Attributes that state facts: on a node that carries one, the attribute changes (``is_open``
    # for ``closed``), and it says what has ended; other facts become relations
    attribute_facts: Iterable[AttributeFact] = STATE_ATTRIBUTES,
) -> SceneDelta:
    """Make the delta by which a scene graph agrees with changed facts.

    Raises:
        SceneError: A fact names something that is not in the graph.
    """
    new, old = dict.fromkeys(added), dict.fromkeys(removed)
    edit = _SceneEdit(graph, tuple(attribute_facts))
    for fact in old:
        if fact not in new:
            edit.remove(fact)
    for fact in new:
        if fact not in old:
            edit.add(fact)
    edit.move()
    return compute_delta(graph, edit.to_graph())


class _SceneEdit:
    """Nodes and relations while facts are worked in."""

    def __init__(self, graph: SceneGraph, attribute_facts: tuple[AttributeFact, ...]) -> None:
        self._graph = graph
        self._attribute_facts = {fact.relation: fact for fact in attribute_facts}
        self._nodes = dict(graph.nodes)
        self._relations = {relation.key: relation for relation in graph.relations}
        self._moved: dict[str, Fact] = {}

    def to_graph(self) -> SceneGraph:
        """Return the graph after the facts that were added and removed."""
        relations = tuple(self._relations.values())
        return replace(self._graph, nodes=self._nodes, relations=relations)

    def remove(self, fact: Fact) -> None:
        """Work in a fact that no longer holds."""
        self._check(fact)
        if fact.relation in _ITEM_LEG:
            self._forget_location(fact.arguments[_ITEM_LEG[fact.relation]])
            return
        self._relations.pop((fact.relation, fact.arguments), None)
        self._set_state(fact, holds=False)

    def add(self, fact: Fact) -> None:
        """Work in a fact that holds now; ``move`` sets the poses afterwards."""
        self._check(fact)
        if fact.relation in _ITEM_LEG:
            item = fact.arguments[_ITEM_LEG[fact.relation]]
            self._forget_location(item)
            self._moved[item] = fact
        elif fact.relation == "at":
            self._drop(_first_leg_is("at", fact.arguments[0]))
            self._moved[fact.arguments[0]] = fact
        elif self._set_state(fact, holds=True):
            return
        self._relate(fact.relation, *fact.arguments)

    def move(self) -> None:
        """Set the poses of all that moved.

        Agents come first, since the items they hold come with them; then items, holders first.
        """
        agents = [id_ for id_, fact in self._moved.items() if fact.relation == "at"]
        items = [id_ for id_, fact in self._moved.items() if fact.relation != "at"]
        for agent in agents:
            self._move_agent(agent, self._moved[agent].arguments[1])
        for item in sorted(items, key=self._depth):
            self._move_item(item)

    def _depth(self, item: str) -> int:
        """Count the holders below an item that move too, itself included."""
        seen = {item}
        holder = self._holder_of(item)
        while holder is not None and holder not in seen:
            seen.add(holder)
            holder = self._holder_of(holder)
        return len(seen)

    def _holder_of(self, item: str) -> str | None:
        fact = self._moved.get(item)
        if fact is None or fact.relation not in _ITEM_LEG:
            return None
        return fact.arguments[1 - _ITEM_LEG[fact.relation]]

    def _move_agent(self, agent: str, room: str) -> None:
        from fcp_ros.scene.shapes.placement import find_spot_on_floor

        node = self._nodes[agent]
        floor = self._floor_of(room)
        pose = None
        if floor is not None:
            around = [other for other in self._things_in(room) if other.id != floor.id]
            around += [self._nodes[a] for a in self._agents_at(room) if a != agent]
            sized = replace(node, size=node.size or _AGENT_SIZE)
            pose = find_spot_on_floor(sized, floor, around)
            if pose is not None and node.size is None and floor.pose and floor.size:
                x, y, _ = pose.position
                pose = pose.with_position((x, y, floor.pose.position[2] + floor.size[2] / 2.0))
        if pose is None:
            pose = self._nodes[room].pose
        self._place(agent, pose, room)
        for relation in list(self._relations.values()):
            if relation.name == "holding" and relation.elements[0] == agent:
                self._place(relation.elements[1], pose, room)

    def _move_item(self, item: str) -> None:
        from fcp_ros.scene.shapes.placement import (
            find_spot_inside,
            find_spot_on,
            find_spot_on_floor,
        )

        fact = self._moved[item]
        node = self._nodes[item]
        holder = self._nodes[fact.arguments[1 - _ITEM_LEG[fact.relation]]]
        room = self._room_of(holder.id)
        beside = [
            self._nodes[relation.elements[0]]
            for relation in self._relations.values()
            if relation.name == fact.relation
            and relation.elements[-1] == holder.id
            and relation.elements[0] != item
        ]
        if fact.relation == "holding":
            pose = holder.pose
        elif fact.relation == "inside":
            pose = find_spot_inside(node, holder, beside)
        elif normalise_label(holder.category) == "floor":
            around = [n for n in self._things_in(room) if n.id not in (item, holder.id)]
            around += [self._nodes[agent] for agent in self._agents_at(room)]
            pose = find_spot_on_floor(node, holder, around)
        else:
            pose = find_spot_on(node, holder, beside)
        self._place(item, pose, room)

    def _place(self, id_: str, pose: Pose | None, room: str | None) -> None:
        """Move a node, its place in the hierarchy, and everything on or inside it."""
        before = self._nodes[id_].pose
        carried = self._find_carried(id_)
        for moved in (id_, *carried):
            node = self._nodes[moved]
            where = pose if moved == id_ else _shift_pose(node.pose, before, pose)
            parents = (room,) if room is not None else ()
            self._nodes[moved] = replace(node, pose=where, parents=parents)
            if node.layer is Layer.OBJECT:
                self._drop(_first_leg_is("in_room", moved))
                if room is not None:
                    self._relate("in_room", moved, room)

    def _find_carried(self, id_: str) -> list[str]:
        """Find all on, inside or part of a thing, transitively, except what moves by itself."""
        above: dict[str, list[str]] = defaultdict(list)
        for relation in self._relations.values():
            if relation.name in ("on", "inside", "part_of") and len(relation.elements) == 2:
                above[relation.elements[1]].append(relation.elements[0])
        found: dict[str, None] = {}
        waiting = [id_]
        while waiting:
            for child in above[waiting.pop()]:
                if child not in found and child != id_ and child not in self._moved:
                    found[child] = None
                    waiting.append(child)
        return list(found)

    def _set_state(self, fact: Fact, *, holds: bool) -> bool:
        """Change the attribute that states a fact; return False if the node does not carry it.

        That a fact has ended is stated also where nothing was: without an attribute nobody would
        know that it was seen.
        """
        rule = self._attribute_facts.get(fact.relation)
        if rule is None or len(fact.arguments) != 1:
            return False
        node = self._nodes[fact.arguments[0]]
        if rule.attribute not in node.attributes and holds:
            return False
        attributes = dict(node.attributes)
        if holds:
            attributes[rule.attribute] = rule.equals
        elif isinstance(rule.equals, bool):
            attributes[rule.attribute] = not rule.equals
        elif rule.holds(node.attributes):
            del attributes[rule.attribute]
        self._nodes[node.id] = replace(node, attributes=attributes)
        return True

    def _forget_location(self, item: str) -> None:
        """Drop all relations that say where an item is: it is in one place only."""
        self._drop(
            lambda r: (
                r.name in _ITEM_LEG
                and len(r.elements) == 2
                and r.elements[_ITEM_LEG[r.name]] == item
            )
        )

    def _drop(self, matches: Callable[[SceneRelation], bool]) -> None:
        for key, relation in list(self._relations.items()):
            if matches(relation):
                del self._relations[key]

    def _relate(self, name: str, *elements: str) -> None:
        relation = SceneRelation(name, elements)
        self._relations[relation.key] = relation

    def _check(self, fact: Fact) -> None:
        for argument in fact.arguments:
            if argument not in self._nodes:
                raise SceneError(
                    f"the fact names {argument!r}, which is not in the scene graph",
                    source=self._graph.source,
                    element=str(fact),
                    advice="Make the state from this graph, or send the node first.",
                )

    def _room_of(self, id_: str) -> str | None:
        for relation in self._relations.values():
            if relation.name in ("in_room", "at") and relation.elements[0] == id_:
                return relation.elements[1]
        return None

    def _floor_of(self, room: str) -> SceneNode | None:
        for node in self._things_in(room):
            if normalise_label(node.category) == "floor":
                return node
        return None

    def _things_in(self, room: str | None) -> list[SceneNode]:
        return [
            self._nodes[relation.elements[0]]
            for relation in self._relations.values()
            if relation.name == "in_room" and relation.elements[1] == room
        ]

    def _agents_at(self, room: str | None) -> list[str]:
        return [
            relation.elements[0]
            for relation in self._relations.values()
            if relation.name == "at" and relation.elements[1] == room
        ]


def _first_leg_is(name: str, element: str) -> Callable[[SceneRelation], bool]:
    return lambda relation: relation.name == name and relation.elements[0] == element


def _shift_pose(pose: Pose | None, before: Pose | None, after: Pose | None) -> Pose | None:
    """Return a pose moved along with another one; None if the other's move is unknown."""
    if pose is None or before is None or after is None:
        return None
    x, y, z = (
        p + b - a for p, a, b in zip(pose.position, before.position, after.position, strict=True)
    )
    return pose.with_position((x, y, z))
