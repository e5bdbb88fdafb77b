# SPDX-License-Identifier: Apache-2.0
"""Reader of Taskography's PDDL problems (v1 to v5): houses of the 3D Scene Graph as PDDL.

- Names carry the labels: ``room9_kitchen``, ``receptacle33_dining_table``, ``item6_cup_smallitem``.
- PDDL does not tell upper from lower case: objects keep the spelling of their declaration, facts
  are matched without case, and two objects that differ in case only are an error.
- Locations are points without a node; what is at them is in their place and their room. The numbers
  in their names have no documented unit and are not read.
- What is in a receptacle is ``inside`` it where the receptacle can be opened, else ``on`` it.
- A receptacle that can be opened is closed unless the problem says that it is open.
- The goal is not part of the scene.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.s_expressions import (
    SExpressionError,
    SList,
    SNode,
    read_s_expressions,
)
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.identifiers import PlainIds, plain_ids
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.formats.taskography.facts import ADVICE, Declared, Facts, declared_objects
from fcp_ros.scene.graph.elements import AttributeValue, Layer, SceneNode, SceneRelation
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

_HEAD = re.compile(r"\(\s*define\s*\(\s*problem\b", re.IGNORECASE)
_DOMAIN = re.compile(r"\(\s*:domain\s+taskography", re.IGNORECASE)

_LAYERS: Mapping[str, Layer] = {
    "room": Layer.ROOM,
    "place": Layer.PLACE,
    "receptacle": Layer.OBJECT,
    "item": Layer.OBJECT,
    "object": Layer.OBJECT,  # items, in v1
    "agent": Layer.AGENT,
}
_LABEL = {
    "room": re.compile(r"room\d+_(\w+)"),
    "place": re.compile(r"place\d+_receptacle\d+_(\w+)"),
    "receptacle": re.compile(r"receptacle\d+_(\w+)"),
    "item": re.compile(r"item\d+_(\w+?)(?:_(?:small|medium|large)item)?"),
    "object": re.compile(r"object\d+_(\w+)"),
}
_DOOR = re.compile(r"place\d+_door_\w+")


def is_taskography(file: SceneFile) -> bool:
    """Whether it is a PDDL problem of a domain called taskography..."""
    if file.syntax is not Syntax.TEXT:
        return False
    text = file.content.decode("utf-8-sig", errors="replace")
    return _HEAD.search(text) is not None and _DOMAIN.search(text) is not None


def read_taskography(file: SceneFile) -> SceneGraph:
    """The graph of a problem; raises SceneError naming the wrong object or fact."""
    sections = _sections(file)
    objects = sections.get(":objects", [])
    file.limits.check_nodes(len(objects) - 2 * objects.count("-"), file.name)
    declared = declared_objects(objects)
    facts = Facts(declared)
    for entry in sections.get(":init", []):
        facts.add(entry)
    return _Assembly(declared, facts).graph(file.name)


def _sections(file: SceneFile) -> dict[str, list[SNode]]:
    found: dict[str, list[SNode]] = {}
    for part in _read_list(file.content.decode("utf-8-sig")):
        if isinstance(part, list) and part and isinstance(part[0], str):
            name = part[0].lower()
            if name in found:
                raise SceneError("the section is there twice", element=name, advice=ADVICE)
            found[name] = part[1:]
    return found


def _read_list(text: str) -> SList:
    """Return the one list that a text consists of.

    Raises:
        SceneError: Parentheses do not match, or there is something beside the list; with the line.
    """
    try:
        outermost = read_s_expressions(text)
    except SExpressionError as error:
        raise _wrong(str(error), text, error.offset) from None
    if len(outermost) != 1 or isinstance(outermost[0], str):
        raise _wrong("something beside its one list in parentheses", text, len(text))
    return outermost[0]


def _wrong(what: str, text: str, offset: int) -> SceneError:
    return SceneError(
        f"the file has {what} (line {text.count(chr(10), 0, offset) + 1})",
        advice="Correct the parentheses, or export the file again.",
    )


class _Assembly:
    """Checked facts on their way to a graph."""

    def __init__(self, declared: Declared, facts: Facts) -> None:
        self._declared = declared
        self._facts = facts
        self._ids: PlainIds = plain_ids(
            (declared.spelling[name], _label(name, declared.types[name]))
            for name in declared.of_type(*_LAYERS)
        )
        self._notes = list(self._ids.notes)

    def graph(self, source: str) -> SceneGraph:
        nodes = [self._node(name) for name in self._declared.of_type(*_LAYERS)]
        relations = [*self._connected(), *self._placed(), *self._agents()]
        if self._facts.left_out:
            counted = [f"{name} ({n})" for name, n in sorted(self._facts.left_out.items())]
            self._notes.append(
                f"facts that are not of the scene were left out: {list_names(counted)}"
            )
        return SceneGraph.of(nodes, relations, source=source, notes=self._notes)

    def _id(self, name: str) -> str:
        return self._ids[self._declared.spelling[name]]

    def _room_at(self, location: str | None) -> str | None:
        place = self._facts.one("place of location", location)
        by_place = self._facts.one("room of place", place)
        by_name = self._facts.one("room of location", location)
        if by_place and by_name and by_place != by_name:
            reason = f"it is in {by_name}, but its place {place} is in {by_place}"
            raise SceneError(reason, element=location or "", advice=ADVICE)
        return by_place or by_name

    def _node(self, name: str) -> SceneNode:
        type_ = self._declared.types[name]
        location = self._facts.one("location", name)
        above = (
            self._facts.one("room of place", name)
            if type_ == "place"
            else self._facts.one("place of location", location) or self._room_at(location)
        )
        receptacle = self._facts.one("receptacle", name)
        if receptacle is not None:
            self._compare(name, location, receptacle)
            above = None  # where its receptacle is
        return SceneNode(
            self._id(name),
            _LAYERS[type_],
            _label(name, type_),
            attributes={
                **self._ids.attributes(self._declared.spelling[name]),
                **self._states(name),
            },
            parents=(self._id(above),) if above is not None else (),
        )

    def _compare(self, name: str, location: str | None, receptacle: str) -> None:
        room = self._room_at(location)
        there = self._room_at(self._facts.one("location", receptacle))
        if room and there and room != there:
            self._notes.append(
                f"{self._id(name)} is listed in {self._id(room)} but lies in "
                f"{self._id(receptacle)} in {self._id(there)}: the latter is taken"
            )

    def _states(self, name: str) -> dict[str, AttributeValue]:
        states: dict[str, AttributeValue] = {}
        if self._facts.holds("receptacleopeningtype", name):
            states["is_open"] = self._facts.holds("receptacleopened", name)
        for size in ("small", "medium", "large"):
            if self._facts.holds(f"{size}item", name) or name.endswith(f"_{size}item"):
                states.setdefault("size_class", size)
        return states

    def _connected(self) -> Iterator[SceneRelation]:
        seen = set()
        for a, b in self._facts.pairs.get("roomsconnected", {}):
            if a != b and frozenset((a, b)) not in seen:
                seen.add(frozenset((a, b)))
                yield SceneRelation("connected", (self._id(a), self._id(b)))

    def _placed(self) -> Iterator[SceneRelation]:
        for item, receptacle in self._facts.single.get("receptacle", {}).items():
            openable = self._facts.holds("receptacleopeningtype", receptacle)
            legs = (self._id(item), self._id(receptacle))
            yield SceneRelation("inside" if openable else "on", legs)

    def _agents(self) -> Iterator[SceneRelation]:
        for agent in self._declared.of_type("agent"):
            stated = self._facts.one("room of agent", agent)
            located = self._room_at(self._facts.one("location of agent", agent))
            if stated and located and stated != located:
                reason = f"it is in {stated}, but its location is in {located}"
                raise SceneError(reason, element=agent, advice=ADVICE)
            room = stated or located
            if room is not None:
                yield SceneRelation("at", (self._id(agent), self._id(room)))
        for agent, item in self._facts.pairs.get("holds", {}):
            yield SceneRelation("holding", (self._id(agent), self._id(item)))


def _label(name: str, type_: str) -> str:
    """``receptacle33_dining_table`` as ``dining_table``; other names without their number."""
    if type_ == "agent":
        return "robot"
    if _DOOR.fullmatch(name):
        return "door"
    found = _LABEL[type_].fullmatch(name)
    return found.group(1) if found else normalise_label(name).replace(" ", "_") or type_
