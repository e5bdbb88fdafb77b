# SPDX-License-Identifier: Apache-2.0
"""Reader and writer of the canonical scene format, and reader of its short form for houses.

The format is a ``SceneGraph`` in JSON or YAML::

    {"format": "fcp_ros/scene", "version": 1, "frame_id": "map",
     "nodes": [
      {"id": "kitchen_1", "layer": "room", "category": "kitchen",
       "polygon": [[0, 0], [4, 0], [4, 3], [0, 3]], "height": 2.5},
      {"id": "counter_1", "layer": "object", "category": "counter",
       "position": [2, 0.35, 0.45], "yaw_deg": 0, "size": [1.6, 0.6, 0.9],
       "parents": ["kitchen_1"]}],
     "relations": [["in_room", "counter_1", "kitchen_1"]]}

Numbers are metres and degrees in a REP-103 frame. Everything but ``id``, ``layer`` and ``category``
is optional: relations that follow from geometry are derived when the scene is loaded. The short
form lists rooms, doors, objects and agents, and is only read.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from fcp_ros.foundation.yaml_text import dump_yaml
from fcp_ros.scene.formats.scene_file import YAML_SUFFIXES, SceneFile
from fcp_ros.scene.formats.source_graph import build_source_graph
from fcp_ros.scene.formats.validation import refuse_repeated_keys, validate
from fcp_ros.scene.graph.elements import (
    Layer,
    Pose,
    Provenance,
    SceneError,
    SceneNode,
    SceneRelation,
    Vector,
)
from fcp_ros.scene.graph.graph import SceneGraph

Number = Annotated[float, Field(allow_inf_nan=False)]
Vector3 = tuple[Number, Number, Number]
Corner = tuple[Number, Number]
Value = Annotated[bool | int | Number | str, Field(union_mode="smart")]
Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    """A model that refuses unknown keys, so that a misspelt one is not silently ignored."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class NodeModel(_Strict):
    """One node; ``yaw_deg`` is the short form of ``orientation`` (x, y, z, w)."""

    id: Text
    layer: Literal["building", "floor", "room", "place", "object", "agent"]
    category: Text
    position: Vector3 | None = None
    orientation: tuple[Number, Number, Number, Number] | None = None
    yaw_deg: Number | None = None
    size: Vector3 | None = None
    polygon: list[Corner] = Field(default_factory=list)
    height: Number | None = None
    attributes: dict[str, Value] = Field(default_factory=dict)
    parents: list[Text] = Field(default_factory=list)

    @model_validator(mode="after")
    def _check_orientation(self) -> NodeModel:
        if self.orientation is not None and self.yaw_deg is not None:
            raise ValueError("give either orientation or yaw_deg, not both")
        if self.position is None and (self.orientation is not None or self.yaw_deg is not None):
            raise ValueError("an orientation needs a position")
        return self


def _expand_relation(value: Any) -> Any:
    """Expand ``["on", "mug_1", "table_1"]``, short for a given relation with confidence 1."""
    if isinstance(value, list | tuple) and value:
        return {"name": value[0], "elements": list(value[1:])}
    return value


class RelationModel(_Strict):
    """One relation, in its long form."""

    name: Text
    elements: list[Text] = Field(min_length=1)
    confidence: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0
    provenance: Literal["given", "geometric", "inferred"] = "given"


Relation = Annotated[RelationModel, BeforeValidator(_expand_relation)]


class CanonicalFile(_Strict):
    """The canonical format, version 1."""

    format: Literal["fcp_ros/scene"]
    version: Literal[1] = 1
    frame_id: Text = "map"
    sequence: Annotated[int, Field(ge=0)] = 0
    notes: list[str] = Field(default_factory=list)
    nodes: list[NodeModel]
    relations: list[Relation] = Field(default_factory=list)


class HouseRoom(_Strict):
    """A room: its footprint from its floor up to ``height``."""

    id: Text
    cls: Text = "room"
    polygon: list[Corner] = Field(default_factory=list)
    height: Number | None = None
    state: dict[str, Value] = Field(default_factory=dict)


class HouseDoor(_Strict):
    """A door or opening between two rooms."""

    id: Text
    cls: Text = "door"
    rooms: tuple[Text, Text]
    center: Vector3 | None = None
    size: Vector3 | None = None
    yaw_deg: Number = 0.0
    open: bool | None = None
    state: dict[str, Value] = Field(default_factory=dict)


class HouseThing(_Strict):
    """An object or an agent. The ``aabb_*`` follow from the box and are not read."""

    id: Text
    cls: Text
    room: Text | None = None
    center: Vector3 | None = None
    size: Vector3 | None = None
    yaw_deg: Number = 0.0
    state: dict[str, Value] = Field(default_factory=dict)
    aabb_min: Vector3 | None = None
    aabb_max: Vector3 | None = None


class HouseFile(_Strict):
    """A house in its short form."""

    frame: Text = "map"
    convention: str = ""
    rooms: list[HouseRoom] = Field(default_factory=list)
    doors: list[HouseDoor] = Field(default_factory=list)
    objects: list[HouseThing] = Field(default_factory=list)
    agents: list[HouseThing] = Field(default_factory=list)
    relations: list[Relation] = Field(default_factory=list)


FORMAT = "fcp_ros/scene"
VERSION = 1
# Tables by value: calling an enum for each of many thousand entries is slow.
_LAYERS = {layer.value: layer for layer in Layer}
_PROVENANCES = {provenance.value: provenance for provenance in Provenance}


def is_canonical(file: SceneFile) -> bool:
    """Return True if the document names the canonical format."""
    return isinstance(file.document, dict) and file.document.get("format") == FORMAT


def is_house(file: SceneFile) -> bool:
    """Return True if the document lists rooms, objects or agents in the house layout."""
    if not isinstance(file.document, dict):
        return False
    for section in ("rooms", "objects", "agents"):
        entries = file.document.get(section)
        if isinstance(entries, list) and entries and isinstance(entries[0], dict):
            return "cls" in entries[0] or "polygon" in entries[0]
    return False


def read_canonical(file: SceneFile) -> SceneGraph:
    """Read a canonical file; raises SceneError naming each wrong entry."""
    file.check_counts("nodes")
    refuse_repeated_keys(file)
    model = validate(CanonicalFile, file.document)
    return build_source_graph(
        [_build_node(node) for node in model.nodes],
        [_build_relation(relation) for relation in model.relations],
        frame_id=model.frame_id,
        sequence=model.sequence,
        source=file.name,
        notes=model.notes,
    )


def read_house(file: SceneFile) -> SceneGraph:
    """Read a file in the house layout; raises SceneError naming each wrong entry."""
    file.check_counts("rooms", "doors", "objects", "agents")
    refuse_repeated_keys(file)
    model = validate(HouseFile, file.document)
    nodes = [_build_room(room) for room in model.rooms]
    nodes += [_build_door(door) for door in model.doors]
    nodes += [_build_thing(thing, Layer.OBJECT) for thing in model.objects]
    nodes += [_build_thing(thing, Layer.AGENT) for thing in model.agents]
    given = [_build_relation(relation) for relation in model.relations]
    stated = {frozenset(relation.elements) for relation in given if relation.name == "connected"}
    given += [
        SceneRelation("connected", (*door.rooms, door.id))
        for door in model.doors
        if frozenset((*door.rooms, door.id)) not in stated
    ]
    return build_source_graph(nodes, given, frame_id=model.frame, source=file.name)


def write_scene(graph: SceneGraph, path: str | Path) -> None:
    """Write a graph: YAML for ``.yaml`` and ``.yml``, JSON otherwise; SceneError if that fails."""
    target = Path(path)
    document = to_document(graph)
    try:
        if target.suffix.lower() in YAML_SUFFIXES:
            target.write_text(dump_yaml(document), encoding="utf-8")
        else:
            target.write_text(_format_json(document), encoding="utf-8")
    except OSError as error:
        raise SceneError(
            f"the file cannot be written ({error.strerror or error})",
            source=str(target),
            advice="Check the folder and its permissions.",
        ) from None


def to_document(graph: SceneGraph) -> dict[str, Any]:
    """Convert a graph to plain values of the canonical format (dicts, lists, numbers, text)."""
    document: dict[str, Any] = {"format": FORMAT, "version": VERSION, "frame_id": graph.frame_id}
    if graph.sequence:
        document["sequence"] = graph.sequence
    if graph.notes:
        document["notes"] = list(graph.notes)
    document["nodes"] = [_write_node(node) for node in graph.nodes.values()]
    document["relations"] = [_write_relation(relation) for relation in graph.relations]
    return document


def _build_node(model: NodeModel) -> SceneNode:
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


def _build_relation(model: RelationModel) -> SceneRelation:
    provenance = _PROVENANCES[model.provenance]
    return SceneRelation(model.name, tuple(model.elements), model.confidence, provenance)


def _build_room(room: HouseRoom) -> SceneNode:
    return SceneNode(
        room.id,
        Layer.ROOM,
        room.cls,
        polygon=tuple(room.polygon),
        height=room.height,
        attributes=dict(room.state),
    )


def _build_door(door: HouseDoor) -> SceneNode:
    state = dict(door.state)
    if door.open is not None:
        state.setdefault("is_open", door.open)
    return SceneNode(
        door.id,
        Layer.OBJECT,
        door.cls,
        pose=_build_pose(door.center, door.yaw_deg),
        size=door.size,
        attributes=state,
    )


def _build_thing(thing: HouseThing, layer: Layer) -> SceneNode:
    return SceneNode(
        thing.id,
        layer,
        thing.cls,
        pose=_build_pose(thing.center, thing.yaw_deg),
        size=thing.size,
        attributes=dict(thing.state),
        parents=(thing.room,) if thing.room is not None else (),
    )


def _build_pose(center: Vector | None, yaw_deg: float) -> Pose | None:
    return None if center is None else Pose.at(*center, yaw=math.radians(yaw_deg))


def _write_node(node: SceneNode) -> dict[str, Any]:
    document: dict[str, Any] = {"id": node.id, "layer": node.layer.value, "category": node.category}
    if node.pose is not None:
        document["position"] = list(node.pose.position)
        document.update(_write_orientation(node.pose))
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


def _write_orientation(pose: Pose) -> dict[str, Any]:
    """Write the short form if it reads back as exactly the same orientation."""
    if pose.orientation == (0.0, 0.0, 0.0, 1.0):
        return {}
    degrees = round(math.degrees(pose.yaw), 6)
    if Pose.at(0.0, 0.0, 0.0, yaw=math.radians(degrees)).orientation == pose.orientation:
        return {"yaw_deg": degrees}
    return {"orientation": list(pose.orientation)}


def _write_relation(relation: SceneRelation) -> list[str] | dict[str, Any]:
    if relation.confidence == 1.0 and relation.provenance is Provenance.GIVEN:
        return [relation.name, *relation.elements]
    return {
        "name": relation.name,
        "elements": list(relation.elements),
        "confidence": relation.confidence,
        "provenance": relation.provenance.value,
    }


def _format_json(document: dict[str, Any]) -> str:
    """Format JSON with one node and one relation a line: readable, and easy to compare."""
    parts = []
    for key, value in document.items():
        if key in ("nodes", "relations") and value:
            lines = ",\n  ".join(json.dumps(entry, ensure_ascii=False) for entry in value)
            parts.append(f" {json.dumps(key)}: [\n  {lines}\n ]")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
