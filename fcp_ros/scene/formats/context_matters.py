# SPDX-License-Identifier: Apache-2.0
"""Reader of the Context Matters instances: a goal in words, in a house from Taskography.

``instances.json`` lists instances (goal, robot's start room, objects added to a house); the
houses that they share lie beside it in ``scenes_from_taskography.json``. Neither has geometry.

Rooms are connected along the house's own room edges, each by one passage: the houses are
connected, so every ``move_to`` of the original domains (which ignores adjacency) is a walk here,
and the graph stays small. Receptacles stand in their room. What is in a receptacle is ``on`` it:
the source does not tell "on" from "in", and ``to_cset`` turns the one into the other where the
domain's types ask for it. Everything else is on its room's floor.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from fcp_ros.scene.formats.scene_file import SceneFile, SceneLimits, open_scene_file
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import Layer, SceneGraph, SceneNode, SceneRelation
from fcp_ros.scene.relations.complete import complete_relations

INSTANCES_FILE = "instances.json"
SCENES_FILE = "scenes_from_taskography.json"
_ROBOT = "robot_1"


class _Room(BaseModel):
    id: int
    category: str
    label: str


class _Object(BaseModel):
    id: int
    cls: str
    kind: Literal["receptacle", "item"]
    size: str | None = None
    room: int
    holder: Annotated[int | None, Field(alias="in")] = None


class _House(BaseModel):
    rooms: list[_Room]
    objects: list[_Object]
    room_edges: list[tuple[int, int]]


class _Added(BaseModel):
    label: str
    cls: str
    room: str


class _Instance(BaseModel):
    id: str
    scene: str
    goal: str
    description: str = ""
    relaxation_expected: bool | None = None
    init_loc: str
    added: list[_Added]


@dataclass(frozen=True)
class ContextMattersInstance:
    """One instance: what is asked for, and the house that it is asked in.

    Attributes:
        id: Such as ``dining_setup/Parole/problem_1``.
        goal: The goal in words.
        description: What the authors say that the instance tests.
        relaxation_expected: Whether they expect that the goal must be relaxed; None if unsaid.
        graph: The completed scene.
    """

    id: str
    goal: str
    description: str
    relaxation_expected: bool | None
    graph: SceneGraph


def is_instances(file: SceneFile) -> bool:
    """Whether the document is a list of Context Matters instances."""
    document = file.document
    if not isinstance(document, list) or not document or not isinstance(document[0], dict):
        return False
    return {"id", "scene", "goal", "init_loc", "added"} <= document[0].keys()


def read_instance(file: SceneFile) -> SceneGraph:
    """The graph of the instance that the file's fragment names."""
    instances = _instances(file)
    available = _houses_beside(file)
    usable = [id_ for id_, instance in instances.items() if instance.scene in available]
    if file.fragment not in instances:
        asked = f"there is no instance {file.fragment!r}" if file.fragment else "it holds many"
        example = usable[0] if usable else "<id>"
        raise SceneError(
            f"{asked} ({len(usable)} instances have their house in {SCENES_FILE})",
            source=str(file.path),
            advice=f"Name one, for example: {file.path}#{example}.",
        )
    instance = instances[file.fragment]
    if instance.scene not in available:
        raise SceneError(
            f"its house {instance.scene} is not in {SCENES_FILE}",
            source=file.name,
            advice=f"Choose an instance of {', '.join(sorted(available))}.",
        )
    return _graph(instance, available[instance.scene], file.name)


def load_context_matters_records(folder: str | Path) -> Mapping[str, ContextMattersInstance]:
    """All instances whose house is available, with their goals.

    Args:
        folder: The folder that holds ``instances.json`` and ``scenes_from_taskography.json``.

    Returns:
        Instances by id, in the file's order; those without a house are left out.

    Raises:
        SceneError: A file is missing or wrong.
    """
    file = open_scene_file(Path(folder) / INSTANCES_FILE, SceneLimits())
    houses = _houses_beside(file)
    records = {}
    for id_, instance in _instances(file).items():
        if instance.scene in houses:
            source = f"{file.path}#{id_}"
            graph = complete_relations(_graph(instance, houses[instance.scene], source))
            records[id_] = ContextMattersInstance(
                id_, instance.goal, instance.description, instance.relaxation_expected, graph
            )
    return records


def load_context_matters_instances(folder: str | Path) -> Mapping[str, SceneGraph]:
    """The completed scenes of all instances whose house is available, by instance id."""
    return {id_: record.graph for id_, record in load_context_matters_records(folder).items()}


def _instances(file: SceneFile) -> dict[str, _Instance]:
    try:
        instances = TypeAdapter(list[_Instance]).validate_python(file.document)
    except ValidationError as error:
        raise _invalid(str(file.path), error) from None
    return {instance.id: instance for instance in instances}


def _houses_beside(file: SceneFile) -> dict[str, _House]:
    houses = open_scene_file(file.path.parent / SCENES_FILE, file.limits)
    try:
        return TypeAdapter(dict[str, _House]).validate_python(houses.document)
    except ValidationError as error:
        raise _invalid(str(houses.path), error) from None


def _invalid(source: str, error: ValidationError) -> SceneError:
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return SceneError(
        f"{place}: {problem['msg']}",
        source=source,
        advice="Copy the Context Matters data again.",
    )


def _graph(instance: _Instance, house: _House, source: str) -> SceneGraph:
    try:
        return _assemble(instance, house, source)
    except KeyError as missing:
        raise SceneError(
            f"house {instance.scene} refers to {missing}, which it does not list",
            source=source,
            advice="Copy the Context Matters data again.",
        ) from None


def _assemble(instance: _Instance, house: _House, source: str) -> SceneGraph:
    rooms = {room.id: room.label for room in house.rooms}
    nodes = [SceneNode(room.label, Layer.ROOM, room.category) for room in house.rooms]
    relations = [SceneRelation("connected", (rooms[a], rooms[b])) for a, b in house.room_edges]
    names = {thing.id: f"{thing.cls}_{thing.id}" for thing in house.objects}
    room_of = {thing.id: thing.room for thing in house.objects}
    notes = []
    for thing in house.objects:
        node = SceneNode(names[thing.id], Layer.OBJECT, thing.cls)
        if thing.size is not None:
            node = replace(node, attributes={"size_class": thing.size})
        if thing.holder is None:
            node = replace(node, parents=(rooms[thing.room],))
        else:
            relations.append(SceneRelation("on", (node.id, names[thing.holder])))
            if room_of[thing.holder] != thing.room:
                notes.append(
                    f"{node.id} is listed in {rooms[thing.room]} but lies on "
                    f"{names[thing.holder]} in {rooms[room_of[thing.holder]]}: "
                    "the latter is taken"
                )
        nodes.append(node)
    nodes += [
        SceneNode(_plain(added.label), Layer.OBJECT, added.cls, parents=(added.room,))
        for added in instance.added
    ]
    nodes.append(SceneNode(_ROBOT, Layer.AGENT, "robot", parents=(instance.init_loc,)))
    relations.append(SceneRelation("at", (_ROBOT, instance.init_loc)))
    return SceneGraph.of(nodes, relations, source=source, notes=notes)


def _plain(label: str) -> str:
    """``laptop into the locker_22`` as a plain identifier."""
    return re.sub(r"\W+", "_", label)
