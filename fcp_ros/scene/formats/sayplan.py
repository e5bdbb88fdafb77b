# SPDX-License-Identifier: Apache-2.0
"""Reader of SayPlan-style scene graphs: ``nodes`` by layer, and ``links`` such as ``a<->b``.

There is no geometry. Labels are the ids without their numbers (``dining_table_2``). What an object
lies on or in is its ``parent``; the attribute ``relation`` says which, else ``on`` is taken. A
``pose`` that is linked with two rooms is the passage between them; rooms that are joined by several
poses are connected without one. Links repeat what the nodes say: where the two differ, the file is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any

from pydantic import Field

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.holders import refuse_cycles
from fcp_ros.scene.formats.identifiers import PlainIds, plain_ids
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.validation import Name, ToolModel, validated
from fcp_ros.scene.graph.elements import AttributeValue, Layer, SceneNode, SceneRelation
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.passages import PASSAGE_CATEGORY

_ADVICE = "Correct this entry and the links that belong to it."
_ARROW = re.compile(r"\s*(?:<->|↔|<=>)\s*")
_LAYERS = ("room", "pose", "agent", "asset", "object")
_PLACINGS = {"on": "on", "ontop": "on", "on top of": "on", "in": "inside", "inside": "inside"}

Words = Annotated[list[Annotated[str, Field(strict=True)]], Field(default_factory=list)]
Text = Annotated[str, Field(strict=True)]


class _Node(ToolModel):
    id: Name


class _Agent(_Node):
    location: Name | None = None


class _Thing(_Node):
    room: Name | None = None
    affordances: Words
    state: Text | None = None
    attributes: dict[Name, Any] | Text = Field(default_factory=dict)


class _Item(_Thing):
    parent: Name | None = None


class _Nodes(ToolModel):
    room: list[_Node] = Field(default_factory=list)
    pose: list[_Node] = Field(default_factory=list)
    agent: list[_Agent] = Field(default_factory=list)
    asset: list[_Thing] = Field(default_factory=list)
    object: list[_Item] = Field(default_factory=list)


class _File(ToolModel):
    nodes: _Nodes
    links: list[Text] = Field(default_factory=list)


def is_sayplan(file: SceneFile) -> bool:
    """Whether the document has nodes by layer and links, as SayPlan's prompts show them."""
    document = file.document
    if not isinstance(document, dict):
        return False
    nodes = document.get("nodes")
    return isinstance(nodes, dict) and "links" in document and bool({*_LAYERS} & nodes.keys())


def read_sayplan(file: SceneFile) -> SceneGraph:
    """The graph of a file; raises SceneError naming each wrong entry."""
    nodes = file.document["nodes"]
    entries = (nodes.get(layer) for layer in _LAYERS)
    count = sum(len(entry) for entry in entries if isinstance(entry, list))
    file.limits.check_nodes(count, file.name)
    return _Reading(validated(_File, file.document, file.name, _ADVICE)).graph(file.name)


class _Reading:
    """One file on its way to a graph."""

    def __init__(self, file: _File) -> None:
        self._nodes = file.nodes
        self._layer_of: dict[str, str] = {}
        self._ids: PlainIds = plain_ids(self._named())
        self._links = [self._link(text) for text in dict.fromkeys(file.links)]
        self._near: dict[str, dict[str, None]] = {id_: {} for id_ in self._layer_of}
        for a, b in self._links:
            self._near[a][b] = self._near[b][a] = None
        self._notes = list(self._ids.notes)
        self._room_of = {
            thing.id: thing.room
            for thing in (*self._nodes.asset, *self._nodes.object)
            if thing.room
        }
        self._holder_of = {item.id: item.parent for item in self._nodes.object if item.parent}
        self._check()

    def graph(self, source: str) -> SceneGraph:
        passages = self._passages()
        nodes = [self._node(node, Layer.ROOM) for node in self._nodes.room]
        for pose in self._nodes.pose:
            if pose.id in passages:
                attributes = self._ids.attributes(pose.id)
                id_ = self._ids[pose.id]
                nodes.append(SceneNode(id_, Layer.OBJECT, PASSAGE_CATEGORY, attributes=attributes))
            else:
                nodes.append(self._node(pose, Layer.PLACE))
        nodes += [self._thing(thing) for thing in (*self._nodes.asset, *self._nodes.object)]
        nodes += [
            SceneNode(
                self._ids[agent.id],
                Layer.AGENT,
                "robot",
                attributes=self._ids.attributes(agent.id),
            )
            for agent in self._nodes.agent
        ]
        relations = [*self._connections(passages), *self._placed(), *self._agents_at()]
        return SceneGraph.of(nodes, relations, source=source, notes=self._notes)

    def _named(self) -> Iterator[tuple[str, str]]:
        for layer in _LAYERS:
            for node in getattr(self._nodes, layer):
                self._layer_of[node.id] = layer
                yield node.id, "robot" if layer == "agent" else _label(node.id)

    def _link(self, text: str) -> tuple[str, str]:
        ends = _ARROW.split(text)
        if len(ends) != 2:
            raise SceneError("a link is written as a<->b", element=text, advice=_ADVICE)
        for end in ends:
            self._known(end, text)
        return ends[0], ends[1]

    def _known(self, id_: str, where: str) -> None:
        if id_ not in self._ids:
            raise SceneError(f"there is no node {id_!r}", element=where, advice=_ADVICE)

    def _check(self) -> None:
        """References must be known, of the right layer, and the same as the links say."""
        for id_, room in self._room_of.items():
            self._known(room, id_)
            if self._layer_of[room] != "room":
                raise SceneError(f"its room {room!r} is no room", element=id_, advice=_ADVICE)
        for id_, holder in self._holder_of.items():
            self._known(holder, id_)
            if self._layer_of[holder] not in ("asset", "object", "room", "agent"):
                reason = f"its parent {holder!r} can't hold anything"
                raise SceneError(reason, element=id_, advice=_ADVICE)
        refuse_cycles(self._holder_of, _ADVICE)
        self._compare_with_links()

    def _compare_with_links(self) -> None:
        """What nodes leave out, links say; where both say it, it must be the same."""
        stated = {
            ("asset", "room"): self._room_of,
            ("object", "room"): self._room_of,
            ("object", "asset"): self._holder_of,
            ("object", "agent"): self._holder_of,
        }
        for id_, near in self._near.items():
            for other in near:
                table = stated.get((self._layer_of[id_], self._layer_of[other]))
                if table is not None and table.setdefault(id_, other) != other:
                    reason = f"it belongs to {table[id_]!r}, but is linked with {other!r}"
                    raise SceneError(reason, element=id_, advice=_ADVICE)

    def _node(self, node: _Node, layer: Layer) -> SceneNode:
        attributes = self._ids.attributes(node.id)
        return SceneNode(self._ids[node.id], layer, _label(node.id), attributes=attributes)

    def _thing(self, thing: _Thing) -> SceneNode:
        room = self._room_of.get(thing.id)
        holder = self._holder_of.get(thing.id)
        if room is None and holder is not None and self._layer_of[holder] == "room":
            room = holder
        return SceneNode(
            self._ids[thing.id],
            Layer.OBJECT,
            _label(thing.id),
            attributes={**self._ids.attributes(thing.id), **_attributes(thing)},
            parents=(self._ids[room],) if room is not None else (),
        )

    def _placed(self) -> Iterator[SceneRelation]:
        guessed = []
        for item in self._nodes.object:
            holder = self._holder_of.get(item.id)
            if holder is None or self._layer_of[holder] == "room":
                continue
            legs = (self._ids[item.id], self._ids[holder])
            if self._layer_of[holder] == "agent":
                yield SceneRelation("holding", legs[::-1])
                continue
            word = item.attributes.get("relation") if isinstance(item.attributes, dict) else None
            name = _PLACINGS.get(str(word).lower())
            if name is None:
                guessed.append(legs[0])
            yield SceneRelation(name or "on", legs)
        if guessed:
            self._notes.append(
                f"it is not said whether {list_names(guessed)} lie on or in their parents: "
                "on is taken"
            )

    def _agents_at(self) -> Iterator[SceneRelation]:
        for agent in self._nodes.agent:
            place = agent.location
            if place is None:
                continue
            self._known(place, agent.id)
            room = self._room_near(place)
            if room is not None:
                yield SceneRelation("at", (self._ids[agent.id], self._ids[room]))
            else:
                self._notes.append(f"the room of {place}, where {agent.id} is, is not known")

    def _room_near(self, place: str) -> str | None:
        """A room itself, the room of a thing, or the first room that a pose is linked with."""
        if self._layer_of[place] == "room":
            return place
        if self._layer_of[place] == "pose":
            return next(iter(self._linked(place, "room")), None)
        while place in self._holder_of:
            place = self._holder_of[place]
        return place if self._layer_of[place] == "room" else self._room_of.get(place)

    def _linked(self, id_: str, layer: str) -> list[str]:
        return [end for end in self._near[id_] if self._layer_of[end] == layer]

    def _passages(self) -> dict[str, tuple[str, str]]:
        """Poses that stand between two rooms, and are linked with no other pose."""
        passages = {}
        for pose in self._nodes.pose:
            rooms = self._linked(pose.id, "room")
            if len(rooms) == 2 and not self._linked(pose.id, "pose"):
                passages[pose.id] = (rooms[0], rooms[1])
        return passages

    def _connections(self, passages: Mapping[str, tuple[str, str]]) -> Iterator[SceneRelation]:
        joined = set()
        for pose, (a, b) in passages.items():
            joined.add(frozenset((a, b)))
            yield SceneRelation("connected", (self._ids[a], self._ids[b], self._ids[pose]))
        direct = [link for link in self._links if {self._layer_of[end] for end in link} == {"room"}]
        for a, b in [*direct, *self._through_poses(passages)]:
            if a != b and frozenset((a, b)) not in joined:
                joined.add(frozenset((a, b)))
                yield SceneRelation("connected", (self._ids[a], self._ids[b]))

    def _through_poses(self, passages: Mapping[str, tuple[str, str]]) -> Iterator[Sequence[str]]:
        """Rooms that are joined by a chain of poses."""
        left = {pose.id: None for pose in self._nodes.pose if pose.id not in passages}
        while left:
            reached, waiting = set(), [next(iter(left))]
            rooms: dict[str, None] = {}
            while waiting:
                pose = waiting.pop()
                if pose in reached:
                    continue
                reached.add(pose)
                left.pop(pose, None)
                rooms.update(dict.fromkeys(self._linked(pose, "room")))
                waiting += [other for other in self._linked(pose, "pose") if other not in passages]
            yield from combinations(rooms, 2)


def _label(id_: str) -> str:
    """``dining_table_2`` as ``dining_table``."""
    return normalise_label(id_).replace(" ", "_") or "unknown"


def _attributes(thing: _Thing) -> dict[str, AttributeValue]:
    found: dict[str, AttributeValue] = {}
    if thing.affordances:
        found["affordances"] = ", ".join(thing.affordances)
    if isinstance(thing.attributes, str):
        found["description"] = thing.attributes
    else:
        found.update(
            (name, value)
            for name, value in thing.attributes.items()
            if name != "relation" and isinstance(value, bool | int | float | str)
        )
    if thing.state in ("open", "closed"):
        found["is_open"] = thing.state == "open"
    elif thing.state:
        found["state"] = thing.state
    return found
