# SPDX-License-Identifier: Apache-2.0
"""Reader of Taskography's PDDL problems (v1 to v5): houses of the 3D Scene Graph as PDDL.

- Names carry the labels: ``room9_kitchen``, ``receptacle33_dining_table``, ``item6_cup_smallitem``.
- PDDL ignores case: objects keep the spelling of their declaration, facts are matched in lower
  case, and two objects that differ in case only are an error.
- Locations are points without a node; things at a location are in its place and room. The numbers
  in their names have no documented unit and are not read.
- Things in a receptacle are ``inside`` it if the receptacle can be opened, else ``on`` it.
- A receptacle that can be opened is closed unless the problem says that it is open.
- The goal is not part of the scene.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.s_expressions import (
    SExpressionError,
    SList,
    SNode,
    list_words,
    preview,
    read_s_expressions,
)
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.formats.source_graph import PlainIds, assign_ids, build_source_graph
from fcp_ros.scene.graph.elements import AttributeValue, Layer, SceneError, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

_ITEMS = ("item", "object")  # Types of things that can be carried; v1 calls them objects

_Types = tuple[tuple[str, ...], ...]
_FACTS: Mapping[str, tuple[str, _Types]] = {
    "inroom": ("room of agent", (("agent",), ("room",))),
    "atlocation": ("location of agent", (("agent",), ("location",))),
    "inplace": ("place of agent", (("agent",), ("place",))),
    "receptacleatlocation": ("location", (("receptacle",), ("location",))),
    "itematlocation": ("location", (_ITEMS, ("location",))),
    "objectatlocation": ("location", (_ITEMS, ("location",))),
    "locationinroom": ("room of location", (("location",), ("room",))),
    "locationinplace": ("place of location", (("location",), ("place",))),
    "placeinroom": ("room of place", (("place",), ("room",))),
    "inreceptacle": ("receptacle", (_ITEMS, ("receptacle",))),
}
"""Facts that each thing may have once: their meaning, and the types of their arguments."""

_PAIRS: Mapping[str, _Types] = {
    "roomsconnected": (("room",), ("room",)),
    "holds": (("agent",), _ITEMS),
}
_FLAGS: Mapping[str, _Types] = {
    "receptacleopeningtype": (("receptacle",),),
    "receptacleopened": (("receptacle",),),
    "smallitem": (_ITEMS,),
    "mediumitem": (_ITEMS,),
    "largeitem": (_ITEMS,),
}
_REPEATED = frozenset({"roomplace", "placelocation", "roomlocation", "inanyreceptacle", "holdsany"})
"""Redundant facts: centres of rooms, and facts that follow from others."""


@dataclass(frozen=True)
class DeclaredObjects:
    """Objects by their lower-case names: type, and spelling in the file."""

    types: Mapping[str, str]
    spelling: Mapping[str, str]

    def of_type(self, *types: str) -> Iterator[str]:
        return (name for name, type_ in self.types.items() if type_ in types)


def _declare_objects(section: list[SNode]) -> DeclaredObjects:
    """Read declarations: ``a b - room`` declares two rooms; names are unique (case is ignored)."""
    words = _require_words(section)
    types: dict[str, str] = {}
    spelling: dict[str, str] = {}
    waiting: list[str] = []
    rest = iter(words)
    for word in rest:
        if word != "-":
            waiting.append(word)
            continue
        type_ = next(rest, "")
        if not type_ or not waiting:
            raise SceneError("a `-` stands between names and a type", element=type_)
        for name in waiting:
            _declare(name, type_.lower(), types, spelling)
        waiting = []
    if waiting:
        raise SceneError(f"{list_names(waiting)} have no type", element=":objects")
    return DeclaredObjects(types, spelling)


def _require_words(node: SNode | list[SNode]) -> list[str]:
    """Return the words of a list; raises SceneError if it contains a list."""
    words = list_words(node)
    if words is None:
        raise SceneError(f"a list of words is expected, not {preview(node)}")
    return words


def _declare(name: str, type_: str, types: dict[str, str], spelling: dict[str, str]) -> None:
    folded = name.lower()
    if folded not in types:
        types[folded], spelling[folded] = type_, name
        return
    reason = "this object is declared twice"
    if spelling[folded] != name:
        reason = f"it is the same object as {spelling[folded]}: PDDL does not tell cases apart"
    raise SceneError(reason, element=name, advice="Rename one of them.")


@dataclass
class ProblemFacts:
    """The facts of ``:init``, checked, by their meaning."""

    declared: DeclaredObjects
    single: dict[str, dict[str, str]] = field(default_factory=dict)
    pairs: dict[str, dict[tuple[str, str], None]] = field(default_factory=dict)
    flags: dict[str, dict[str, None]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, entry: SNode) -> None:
        """Add a fact; raises SceneError if it is malformed or contradicts another."""
        if isinstance(entry, list) and entry and entry[0] in ("not", "="):
            self.left_out[str(entry[0])] += 1
            return
        predicate, *names = [word.lower() for word in _require_words(entry)] or [""]
        if predicate in _FACTS:
            kind, types = _FACTS[predicate]
            self._check(names, types, entry)
            first, second = names
            if self.single.setdefault(kind, {}).setdefault(first, second) != second:
                other = self.single[kind][first]
                raise SceneError(
                    f"{first} has two of these: {other} and {second}", element=preview(entry)
                )
        elif predicate in _PAIRS:
            self._check(names, _PAIRS[predicate], entry)
            self.pairs.setdefault(predicate, {})[names[0], names[1]] = None
        elif predicate in _FLAGS:
            self._check(names, _FLAGS[predicate], entry)
            self.flags.setdefault(predicate, {})[names[0]] = None
        elif predicate not in _REPEATED:
            self.left_out[predicate] += 1

    def _check(self, names: list[str], types: _Types, entry: SNode) -> None:
        if len(names) != len(types):
            reason = f"the fact needs {len(types)} arguments"
            raise SceneError(reason, element=preview(entry))
        for name, allowed in zip(names, types, strict=True):
            type_ = self.declared.types.get(name)
            if type_ is None:
                reason = f"{name} is no object of the problem"
                raise SceneError(reason, element=preview(entry))
            if type_ not in allowed:
                reason = f"{name} is a {type_}, not a {' or '.join(allowed)}"
                raise SceneError(reason, element=preview(entry))

    def find_one(self, kind: str, name: str | None) -> str | None:
        """Return the second argument of the one fact of a kind about an object."""
        return None if name is None else self.single.get(kind, {}).get(name)

    def is_stated(self, flag: str, name: str) -> bool:
        """Return True if a fact with one argument holds."""
        return name in self.flags.get(flag, {})


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
    """Return True for a PDDL problem of a domain called taskography..."""
    if file.syntax is not Syntax.TEXT:
        return False
    text = file.content.decode("utf-8-sig", errors="replace")
    return _HEAD.search(text) is not None and _DOMAIN.search(text) is not None


def read_taskography(file: SceneFile) -> SceneGraph:
    """Read a problem; raises SceneError naming the wrong object or fact."""
    sections = _read_sections(file)
    objects = sections.get(":objects", [])
    file.limits.check_nodes(len(objects) - 2 * objects.count("-"), file.name)
    declared = _declare_objects(objects)
    facts = ProblemFacts(declared)
    for entry in sections.get(":init", []):
        facts.add(entry)
    return _GraphBuilder(declared, facts).build(file.name)


def _read_sections(file: SceneFile) -> dict[str, list[SNode]]:
    found: dict[str, list[SNode]] = {}
    for part in _read_list(file.content.decode("utf-8-sig")):
        if isinstance(part, list) and part and isinstance(part[0], str):
            name = part[0].lower()
            if name in found:
                raise SceneError("the section is there twice", element=name)
            found[name] = part[1:]
    return found


def _read_list(text: str) -> SList:
    """Return the one list that a text consists of; SceneError, with the line, for others."""
    try:
        outermost = read_s_expressions(text)
    except SExpressionError as error:
        raise _describe_error(str(error), text, error.offset) from None
    if len(outermost) != 1 or isinstance(outermost[0], str):
        raise _describe_error("something beside its one list in parentheses", text, len(text))
    return outermost[0]


def _describe_error(what: str, text: str, offset: int) -> SceneError:
    return SceneError(
        f"the file has {what} (line {text.count(chr(10), 0, offset) + 1})",
        advice="Correct the parentheses, or export the file again.",
    )


class _GraphBuilder:
    """Checked facts, converted to a graph."""

    def __init__(self, declared: DeclaredObjects, facts: ProblemFacts) -> None:
        self._declared = declared
        self._facts = facts
        self._ids: PlainIds = assign_ids(
            (declared.spelling[name], _to_label(name, declared.types[name]))
            for name in declared.of_type(*_LAYERS)
        )
        self._notes = list(self._ids.notes)

    def build(self, source: str) -> SceneGraph:
        nodes = [self._build_node(name) for name in self._declared.of_type(*_LAYERS)]
        relations = [*self._relate_rooms(), *self._relate_items(), *self._relate_agents()]
        if self._facts.left_out:
            counted = [f"{name} ({n})" for name, n in sorted(self._facts.left_out.items())]
            self._notes.append(
                f"facts that do not concern the scene were left out: {list_names(counted)}"
            )
        return build_source_graph(nodes, relations, source=source, notes=self._notes)

    def _id(self, name: str) -> str:
        return self._ids[self._declared.spelling[name]]

    def _find_room(self, location: str | None) -> str | None:
        place = self._facts.find_one("place of location", location)
        by_place = self._facts.find_one("room of place", place)
        by_name = self._facts.find_one("room of location", location)
        if by_place and by_name and by_place != by_name:
            reason = f"it is in {by_name}, but its place {place} is in {by_place}"
            raise SceneError(reason, element=location or "")
        return by_place or by_name

    def _build_node(self, name: str) -> SceneNode:
        type_ = self._declared.types[name]
        location = self._facts.find_one("location", name)
        above = (
            self._facts.find_one("room of place", name)
            if type_ == "place"
            else self._facts.find_one("place of location", location) or self._find_room(location)
        )
        receptacle = self._facts.find_one("receptacle", name)
        if receptacle is not None:
            self._compare_rooms(name, location, receptacle)
            above = None  # where its receptacle is
        return SceneNode(
            self._id(name),
            _LAYERS[type_],
            _to_label(name, type_),
            attributes={
                **self._ids.attributes(self._declared.spelling[name]),
                **self._read_states(name),
            },
            parents=(self._id(above),) if above is not None else (),
        )

    def _compare_rooms(self, name: str, location: str | None, receptacle: str) -> None:
        room = self._find_room(location)
        there = self._find_room(self._facts.find_one("location", receptacle))
        if room and there and room != there:
            self._notes.append(
                f"{self._id(name)} is listed in {self._id(room)} but lies in "
                f"{self._id(receptacle)} in {self._id(there)}: the latter is taken"
            )

    def _read_states(self, name: str) -> dict[str, AttributeValue]:
        states: dict[str, AttributeValue] = {}
        if self._facts.is_stated("receptacleopeningtype", name):
            states["is_open"] = self._facts.is_stated("receptacleopened", name)
        for size in ("small", "medium", "large"):
            if self._facts.is_stated(f"{size}item", name) or name.endswith(f"_{size}item"):
                states.setdefault("size_class", size)
        return states

    def _relate_rooms(self) -> Iterator[SceneRelation]:
        seen = set()
        for a, b in self._facts.pairs.get("roomsconnected", {}):
            if a != b and frozenset((a, b)) not in seen:
                seen.add(frozenset((a, b)))
                yield SceneRelation("connected", (self._id(a), self._id(b)))

    def _relate_items(self) -> Iterator[SceneRelation]:
        for item, receptacle in self._facts.single.get("receptacle", {}).items():
            openable = self._facts.is_stated("receptacleopeningtype", receptacle)
            legs = (self._id(item), self._id(receptacle))
            yield SceneRelation("inside" if openable else "on", legs)

    def _relate_agents(self) -> Iterator[SceneRelation]:
        for agent in self._declared.of_type("agent"):
            stated = self._facts.find_one("room of agent", agent)
            located = self._find_room(self._facts.find_one("location of agent", agent))
            if stated and located and stated != located:
                reason = f"it is in {stated}, but its location is in {located}"
                raise SceneError(reason, element=agent)
            room = stated or located
            if room is not None:
                yield SceneRelation("at", (self._id(agent), self._id(room)))
        for agent, item in self._facts.pairs.get("holds", {}):
            yield SceneRelation("holding", (self._id(agent), self._id(item)))


def _to_label(name: str, type_: str) -> str:
    """Convert ``receptacle33_dining_table`` to ``dining_table``, other names without number."""
    if type_ == "agent":
        return "robot"
    if _DOOR.fullmatch(name):
        return "door"
    found = _LABEL[type_].fullmatch(name)
    return found.group(1) if found else normalise_label(name).replace(" ", "_") or type_
