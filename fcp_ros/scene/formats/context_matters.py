# SPDX-License-Identifier: Apache-2.0
"""Readers of the Context Matters data: houses from Taskography, instances, and problems.

- **Houses** (``scenes_from_taskography.json#Allensville``): rooms, receptacles and items, without
  geometry. Instances and problems refer to them by name, in the same folder.
- **Instances** (``instances.json#<id>``): a goal in words, the robot's start room, and objects
  that are added to a house.
- **Problems** (``dining_setup.json#problem_1/Allensville``): a goal in words, the houses in which
  it may be asked, and objects that are added to the house without a place (their authors draw
  places at random; ``instances.json`` holds the drawn ones). They are nodes in no room.

Rooms are connected along the house's own room edges, each by one passage: the houses are
connected, so every ``move_to`` of the original domains (which ignores adjacency) is a walk here,
and the graph stays small. Receptacles stand in their room. Things in a receptacle are ``on`` it:
the source does not tell "on" from "in", and `fcp_ros.binding` turns one into the other where the
domain's types ask for it. Everything else is on its room's floor.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.source_graph import build_source_graph, to_identifier
from fcp_ros.scene.formats.validation import ToolModel, keys_of_first, validate
from fcp_ros.scene.graph.elements import Layer, SceneError, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

_SCENES_FILE = "scenes_from_taskography.json"
_ADVICE = "Copy the Context Matters data again."


# ---- houses --------------------------------------------------------------------------------------


class RoomRecord(ToolModel):
    """A room; ``label`` is its name."""

    id: int
    category: str
    label: str


class ThingRecord(ToolModel):
    """A receptacle or an item; ``holder`` is the thing that it lies on or in."""

    id: int
    cls: str
    kind: Literal["receptacle", "item"]
    size: str | None = None
    room: int
    holder: Annotated[int | None, Field(alias="in")] = None


class HouseRecord(ToolModel):
    """A house; rooms and things have separate numbers."""

    rooms: list[RoomRecord]
    objects: list[ThingRecord]
    room_edges: list[tuple[int, int]]

    @property
    def size(self) -> int:
        return len(self.rooms) + len(self.objects)


@dataclass(frozen=True)
class HouseParts:
    """Nodes, relations and notes of a house, to which instances and problems add theirs."""

    nodes: list[SceneNode]
    relations: list[SceneRelation]
    notes: list[str]


def is_context_matters_houses(file: SceneFile) -> bool:
    if not isinstance(file.document, dict):
        return False
    return {"rooms", "objects", "room_edges"} <= keys_of_first(file.document)


def read_context_matters_house(file: SceneFile) -> SceneGraph:
    """Read the house that the file's fragment names (the only one needs no name)."""
    houses = _validate_houses(file)
    name = file.choose_entry(houses, "house")
    house = houses[name]
    file.limits.check_nodes(house.size, file.name)
    parts = _build_house(house, name)
    return build_source_graph(parts.nodes, parts.relations, source=file.name, notes=parts.notes)


def _read_houses_beside(file: SceneFile) -> dict[str, HouseRecord]:
    """Read the houses by name, from the file of houses beside another file."""
    return _validate_houses(file.open_beside(_SCENES_FILE))


def _validate_houses(file: SceneFile) -> dict[str, HouseRecord]:
    return validate(dict[str, HouseRecord], file.document, str(file.path), _ADVICE)


def _build_house(house: HouseRecord, name: str) -> HouseParts:
    """Build a house; SceneError for a dangling reference, a number twice, things in a cycle."""
    for what, numbers in (
        ("rooms", [room.id for room in house.rooms]),
        ("objects", [thing.id for thing in house.objects]),
    ):
        if len(set(numbers)) < len(numbers):
            raise SceneError(f"two {what} have one number", element=name, advice=_ADVICE)
    try:
        return _build_parts(house)
    except KeyError as missing:
        raise SceneError(
            f"house {name} refers to {missing}, which it does not list", advice=_ADVICE
        ) from None


def _build_parts(house: HouseRecord) -> HouseParts:
    rooms = {room.id: room.label for room in house.rooms}
    nodes = [SceneNode(room.label, Layer.ROOM, room.category) for room in house.rooms]
    pairs = {frozenset(edge): edge for edge in house.room_edges}
    relations = [SceneRelation("connected", (rooms[a], rooms[b])) for a, b in pairs.values()]
    names = {thing.id: f"{thing.cls}_{thing.id}" for thing in house.objects}
    room_of = {thing.id: thing.room for thing in house.objects}
    notes = []
    for thing in house.objects:
        parents: tuple[str, ...] = ()
        if thing.holder is None:
            parents = (rooms[thing.room],)
        else:
            relations.append(SceneRelation("on", (names[thing.id], names[thing.holder])))
            if room_of[thing.holder] != thing.room:
                notes.append(
                    f"{names[thing.id]} is listed in {rooms[thing.room]} but lies on "
                    f"{names[thing.holder]} in {rooms[room_of[thing.holder]]}: "
                    "the latter is taken"
                )
        size = {} if thing.size is None else {"size_class": thing.size}
        nodes.append(
            SceneNode(names[thing.id], Layer.OBJECT, thing.cls, attributes=size, parents=parents)
        )
    return HouseParts(nodes, relations, notes)


_ROBOT = "robot_1"


# ---- instances -----------------------------------------------------------------------------------


class AddedRecord(ToolModel):
    """An object that an instance adds to its house."""

    label: str
    cls: str
    room: str


class InstanceRecord(ToolModel):
    """One entry of ``instances.json``."""

    id: str
    scene: str
    init_loc: str
    added: list[AddedRecord]


def is_context_matters(file: SceneFile) -> bool:
    if not isinstance(file.document, list):
        return False
    return {"id", "scene", "goal", "init_loc", "added"} <= keys_of_first(file.document)


def read_context_matters(file: SceneFile) -> SceneGraph:
    """Read the instance that the file's fragment names."""
    instances = _validate_instances(file)
    available = _read_houses_beside(file)
    # Those that can be read are named first.
    order = sorted(instances, key=lambda id_: instances[id_].scene not in available)
    instance = instances[file.choose_entry(order, "instance")]
    if instance.scene not in available:
        raise SceneError(
            f"its house {instance.scene} is not in {_SCENES_FILE}",
            source=file.name,
            advice=f"Choose an instance of {', '.join(sorted(available))}.",
        )
    house = available[instance.scene]
    file.limits.check_nodes(house.size + len(instance.added) + 1, file.name)
    return _build_instance(instance, house, file.name)


def _validate_instances(file: SceneFile) -> dict[str, InstanceRecord]:
    found: dict[str, InstanceRecord] = {}
    for instance in validate(list[InstanceRecord], file.document, str(file.path), _ADVICE):
        if instance.id in found:
            raise SceneError(
                "this id is given to two instances",
                source=str(file.path),
                element=instance.id,
                advice=_ADVICE,
            )
        found[instance.id] = instance
    return found


def _build_instance(instance: InstanceRecord, house: HouseRecord, source: str) -> SceneGraph:
    try:
        parts = _build_house(house, instance.scene)
    except SceneError as error:
        raise error.in_source(source) from None
    added = [
        SceneNode(_replace_odd(added.label), Layer.OBJECT, added.cls, parents=(added.room,))
        for added in instance.added
    ]
    robot = SceneNode(_ROBOT, Layer.AGENT, "robot", parents=(instance.init_loc,))
    relations = [*parts.relations, SceneRelation("at", (_ROBOT, instance.init_loc))]
    return build_source_graph(
        [*parts.nodes, *added, robot], relations, source=source, notes=parts.notes
    )


def _replace_odd(label: str) -> str:
    """Convert ``laptop into the locker_22`` to a plain identifier."""
    return re.sub(r"\W+", "_", label)


# ---- problems ------------------------------------------------------------------------------------


class ProblemRecord(ToolModel):
    """One entry of ``problems``; objects by group, houses in ``graph``."""

    graph: list[str]
    goal: str
    objects: dict[str, list[str]]


class ProblemsFile(ToolModel):
    """A whole file of problems."""

    problems: dict[str, ProblemRecord]


def is_context_matters_problems(file: SceneFile) -> bool:
    problems = file.document.get("problems") if isinstance(file.document, dict) else None
    return isinstance(problems, dict) and {"graph", "goal", "objects"} <= keys_of_first(problems)


def read_context_matters_problem(file: SceneFile) -> SceneGraph:
    """Read the house of the problem that the fragment names, with the objects it adds."""
    problems = validate(ProblemsFile, file.document, str(file.path), _ADVICE).problems
    houses = _read_houses_beside(file)
    usable = [
        f"{problem}/{known}"
        for problem, entry in problems.items()
        for known in entry.graph
        if known in houses
    ]
    name, _, house = file.choose_entry(usable, "problem/house").partition("/")
    return _build_problem(problems[name], houses[house], house, file)


def _build_problem(
    problem: ProblemRecord, house: HouseRecord, name: str, file: SceneFile
) -> SceneGraph:
    count = house.size + sum(len(labels) for labels in problem.objects.values())
    file.limits.check_nodes(count, file.name)
    parts = _build_house(house, name)
    added = list(_build_added(problem, {node.id for node in parts.nodes}))
    notes = [
        *parts.notes,
        f"the problem does not say where {list_names(node.id for node in added)} are: "
        "instances.json holds places that were drawn",
    ]
    return build_source_graph(
        [*parts.nodes, *added], parts.relations, source=file.name, notes=notes
    )


def _build_added(problem: ProblemRecord, taken: set[str]) -> Iterator[SceneNode]:
    """Yield the added objects, numbered by label: ``fork_1``, ``fork_2``."""
    counts: Counter[str] = Counter()
    for group, labels in problem.objects.items():
        for label in labels:
            word = to_identifier(label)
            counts[word] += 1
            while f"{word}_{counts[word]}" in taken:
                counts[word] += 1
            id_ = f"{word}_{counts[word]}"
            taken.add(id_)
            yield SceneNode(id_, Layer.OBJECT, label, attributes={"group": group})
