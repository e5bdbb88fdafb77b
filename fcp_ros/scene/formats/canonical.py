# SPDX-License-Identifier: Apache-2.0
"""Reader and writer of the canonical scene format, and reader of its short form for houses.

The format is the ``SceneGraph`` written plainly, in JSON or YAML::

    {"format": "fcp_ros/scene", "version": 1, "frame_id": "map",
     "nodes": [
      {"id": "kitchen_1", "layer": "room", "category": "kitchen",
       "polygon": [[0, 0], [4, 0], [4, 3], [0, 3]], "height": 2.5},
      {"id": "counter_1", "layer": "object", "category": "counter",
       "position": [2, 0.35, 0.45], "yaw_deg": 0, "size": [1.6, 0.6, 0.9],
       "parents": ["kitchen_1"]}],
     "relations": [["in_room", "counter_1", "kitchen_1"]]}

Everything but ``id``, ``layer`` and ``category`` may be left out: what can be derived from
geometry is derived when the scene is loaded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fcp_ros.foundation.yaml_text import dump_yaml
from fcp_ros.scene.formats.canonical_model import (
    CanonicalFile,
    HouseDoor,
    HouseFile,
    HouseRoom,
    HouseThing,
    NodeModel,
    RelationModel,
)
from fcp_ros.scene.formats.scene_file import YAML_SUFFIXES, SceneFile
from fcp_ros.scene.formats.validation import validated
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode, SceneRelation, Vector
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

FORMAT = "fcp_ros/scene"
VERSION = 1
_ADVICE = "Correct these entries; docs/scene_graphs.md describes the format."
# By value: calling an enum for each of many thousand entries takes its time.
_LAYERS = {layer.value: layer for layer in Layer}
_PROVENANCES = {provenance.value: provenance for provenance in Provenance}


def is_canonical(file: SceneFile) -> bool:
    """Whether the document says that it is of the canonical format."""
    return isinstance(file.document, dict) and file.document.get("format") == FORMAT


def is_house(file: SceneFile) -> bool:
    """Whether the document lists rooms, objects or agents the way the house layout does."""
    if not isinstance(file.document, dict):
        return False
    for section in ("rooms", "objects", "agents"):
        entries = file.document.get(section)
        if isinstance(entries, list) and entries and isinstance(entries[0], dict):
            return "cls" in entries[0] or "polygon" in entries[0]
    return False


def read_canonical(file: SceneFile) -> SceneGraph:
    """The graph of a canonical file; raises SceneError naming each wrong entry."""
    _check_count(file, ("nodes",))
    model = validated(CanonicalFile, file.document, file.name, _ADVICE)
    return SceneGraph.of(
        [_node(node) for node in model.nodes],
        [_relation(relation) for relation in model.relations],
        frame_id=model.frame_id,
        sequence=model.sequence,
        source=file.name,
        notes=model.notes,
    )


def read_house(file: SceneFile) -> SceneGraph:
    """The graph of a file in the house layout; raises SceneError naming each wrong entry."""
    _check_count(file, ("rooms", "doors", "objects", "agents"))
    model = validated(HouseFile, file.document, file.name, _ADVICE)
    nodes = [_room(room) for room in model.rooms]
    nodes += [_door(door) for door in model.doors]
    nodes += [_thing(thing, Layer.OBJECT) for thing in model.objects]
    nodes += [_thing(thing, Layer.AGENT) for thing in model.agents]
    given = [_relation(relation) for relation in model.relations]
    stated = {frozenset(relation.elements) for relation in given if relation.name == "connected"}
    given += [
        SceneRelation("connected", (*door.rooms, door.id))
        for door in model.doors
        if frozenset((*door.rooms, door.id)) not in stated
    ]
    return SceneGraph.of(nodes, given, frame_id=model.frame, source=file.name)


def write_scene(graph: SceneGraph, path: str | Path) -> None:
    """Write a graph in the canonical format: YAML for ``.yaml`` and ``.yml``, JSON otherwise.

    Raises:
        SceneError: The file cannot be written.
    """
    target = Path(path)
    document = to_document(graph)
    try:
        if target.suffix.lower() in YAML_SUFFIXES:
            _write_yaml(document, target)
        else:
            target.write_text(_json_by_lines(document), encoding="utf-8")
    except OSError as error:
        raise SceneError(
            f"the file cannot be written ({error.strerror or error})",
            source=str(target),
            advice="Check the folder and its permissions.",
        ) from None


def to_document(graph: SceneGraph) -> dict[str, Any]:
    """The graph as plain values of the canonical format (dicts, lists, numbers, text)."""
    document: dict[str, Any] = {"format": FORMAT, "version": VERSION, "frame_id": graph.frame_id}
    if graph.sequence:
        document["sequence"] = graph.sequence
    if graph.notes:
        document["notes"] = list(graph.notes)
    document["nodes"] = [_node_document(node) for node in graph.nodes.values()]
    document["relations"] = [_relation_document(relation) for relation in graph.relations]
    return document


def _node(model: NodeModel) -> SceneNode:
    pose = None
    if model.position is not None:
        if model.orientation is not None:
            pose = Pose(model.position, model.orientation)
        else:
            pose = Pose.at(*model.position, yaw=math.radians(model.yaw_deg or 0.0))
    return SceneNode(
        id=model.id,
        layer=_LAYERS[model.layer],
        category=model.category,
        pose=pose,
        size=model.size,
        polygon=tuple(model.polygon),
        height=model.height,
        attributes=dict(model.attributes),
        parents=tuple(dict.fromkeys(model.parents)),
    )


def _relation(model: RelationModel) -> SceneRelation:
    provenance = _PROVENANCES[model.provenance]
    return SceneRelation(model.name, tuple(model.elements), model.confidence, provenance)


def _room(room: HouseRoom) -> SceneNode:
    return SceneNode(
        room.id,
        Layer.ROOM,
        room.cls,
        polygon=tuple(room.polygon),
        height=room.height,
        attributes=dict(room.state),
    )


def _door(door: HouseDoor) -> SceneNode:
    state = dict(door.state)
    if door.open is not None:
        state.setdefault("is_open", door.open)
    return SceneNode(
        door.id,
        Layer.OBJECT,
        door.cls,
        pose=_pose_of(door.center, door.yaw_deg),
        size=door.size,
        attributes=state,
    )


def _thing(thing: HouseThing, layer: Layer) -> SceneNode:
    return SceneNode(
        thing.id,
        layer,
        thing.cls,
        pose=_pose_of(thing.center, thing.yaw_deg),
        size=thing.size,
        attributes=dict(thing.state),
        parents=(thing.room,) if thing.room is not None else (),
    )


def _pose_of(center: Vector | None, yaw_deg: float) -> Pose | None:
    return None if center is None else Pose.at(*center, yaw=math.radians(yaw_deg))


def _check_count(file: SceneFile, sections: Iterable[str]) -> None:
    """Count before validating: validation of a monster file is itself expensive."""
    entries = (file.document.get(section) for section in sections)
    count = sum(len(entry) for entry in entries if isinstance(entry, list))
    file.limits.check_nodes(count, file.name)


def _node_document(node: SceneNode) -> dict[str, Any]:
    document: dict[str, Any] = {
        "id": node.id,
        "layer": node.layer.value,
        "category": node.category,
    }
    if node.pose is not None:
        document["position"] = list(node.pose.position)
        document.update(_orientation_document(node.pose))
    if node.size is not None:
        document["size"] = list(node.size)
    if node.polygon:
        document["polygon"] = [list(corner) for corner in node.polygon]
    if node.height is not None:
        document["height"] = node.height
    if node.attributes:
        document["attributes"] = dict(node.attributes)
    if node.parents:
        document["parents"] = list(node.parents)
    return document


def _orientation_document(pose: Pose) -> dict[str, Any]:
    """The short form where it reads back as exactly the same orientation."""
    if pose.orientation == (0.0, 0.0, 0.0, 1.0):
        return {}
    degrees = round(math.degrees(pose.yaw), 6)
    if Pose.at(0.0, 0.0, 0.0, yaw=math.radians(degrees)).orientation == pose.orientation:
        return {"yaw_deg": degrees}
    return {"orientation": list(pose.orientation)}


def _relation_document(relation: SceneRelation) -> list[str] | dict[str, Any]:
    if relation.confidence == 1.0 and relation.provenance is Provenance.GIVEN:
        return [relation.name, *relation.elements]
    return {
        "name": relation.name,
        "elements": list(relation.elements),
        "confidence": relation.confidence,
        "provenance": relation.provenance.value,
    }


def _json_by_lines(document: dict[str, Any]) -> str:
    """JSON with one node and one relation a line: readable, and good to compare."""
    parts = []
    for key, value in document.items():
        if key in ("nodes", "relations") and value:
            lines = ",\n  ".join(json.dumps(entry, ensure_ascii=False) for entry in value)
            parts.append(f" {json.dumps(key)}: [\n  {lines}\n ]")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _write_yaml(document: dict[str, Any], target: Path) -> None:
    target.write_text(dump_yaml(document), encoding="utf-8")
