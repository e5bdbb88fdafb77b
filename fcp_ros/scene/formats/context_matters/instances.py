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
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from fcp_ros.scene.formats.context_matters.house import (
    ADVICE,
    SCENES_FILE,
    House,
    house_parts,
    houses_beside,
)
from fcp_ros.scene.formats.scene_file import SceneFile, SceneLimits, open_scene_file
from fcp_ros.scene.formats.validation import validated
from fcp_ros.scene.graph.elements import Layer, SceneNode, SceneRelation
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.complete import complete_relations

INSTANCES_FILE = "instances.json"
_ROBOT = "robot_1"


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
    available = houses_beside(file)
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
    house = available[instance.scene]
    file.limits.check_nodes(house.size + len(instance.added) + 1, file.name)
    return _graph(instance, house, file.name)


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
    houses = houses_beside(file)
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
    found: dict[str, _Instance] = {}
    for instance in validated(list[_Instance], file.document, str(file.path), ADVICE):
        if instance.id in found:
            raise SceneError(
                "this id is given to two instances",
                source=str(file.path),
                element=instance.id,
                advice=ADVICE,
            )
        found[instance.id] = instance
    return found


def _graph(instance: _Instance, house: House, source: str) -> SceneGraph:
    try:
        parts = house_parts(house, instance.scene)
    except SceneError as error:
        raise error.in_source(source) from None
    added = [
        SceneNode(_plain(added.label), Layer.OBJECT, added.cls, parents=(added.room,))
        for added in instance.added
    ]
    robot = SceneNode(_ROBOT, Layer.AGENT, "robot", parents=(instance.init_loc,))
    relations = [*parts.relations, SceneRelation("at", (_ROBOT, instance.init_loc))]
    return SceneGraph.of([*parts.nodes, *added, robot], relations, source=source, notes=parts.notes)


def _plain(label: str) -> str:
    """``laptop into the locker_22`` as a plain identifier."""
    return re.sub(r"\W+", "_", label)
