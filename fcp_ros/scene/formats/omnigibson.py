# SPDX-License-Identifier: Apache-2.0
"""Reader of OmniGibson scene files (``*_best.json``, ``*_template.json``, ``env.scene.save``).

- Frame: already REP-103's axes, metres, quaternions x, y, z, w.
- Ids: object names are plain identifiers and stay. Rooms are those that ``in_rooms`` names; they
  have no outlines in the file (those are in the scene's map images).
- Boxes: ``bounding_box`` along the object's own axes. The file has the pose of the base link, and
  not the place of the box relative to it (that is in the asset): boxes are centred on base links,
  and a note says so. Without ``bounding_box`` the size is unknown.
- Walls, ceilings and floors are left out: their boxes would seem to contain whole rooms.
- States: ``is_on`` is ToggledOn; ``is_open`` means that some joint is away from its zero.
- Robots become agents. Particle systems (water, dust) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import REP_103
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.source_graph import PlainIds, SourceId, assign_ids
from fcp_ros.scene.formats.validation import (
    Coordinate,
    Extents,
    Flag,
    Name,
    Position,
    Rotation,
    ToolModel,
    refuse_repeated_keys,
    validate,
)
from fcp_ros.scene.graph.elements import AttributeValue, Layer, Pose, SceneError, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph


class ObjectArgs(ToolModel):
    """Arguments of an object's construction; ``bounding_box`` is along its own axes."""

    name: Name
    category: Name | None = None
    in_rooms: list[Name] | Name | None = None
    bounding_box: Extents | None = None


class ObjectRecord(ToolModel):
    """One entry of ``objects_info.init_info``."""

    class_module: str = ""
    args: ObjectArgs


class ObjectsInfo(ToolModel):
    """``objects_info``."""

    init_info: dict[Name, ObjectRecord]


class LinkState(ToolModel):
    """Position (m) and orientation (x, y, z, w)."""

    pos: Position
    ori: Rotation


class Toggle(ToolModel):
    """``non_kin.ToggledOn``."""

    value: Flag


class OtherStates(ToolModel):
    """``non_kin``: states that do not concern geometry."""

    ToggledOn: Toggle | None = None


class ObjectState(ToolModel):
    """One entry of ``state.registry.object_registry``."""

    root_link: LinkState
    joint_pos: list[Coordinate] = Field(default_factory=list)
    non_kin: OtherStates = Field(default_factory=OtherStates)


class Registry(ToolModel):
    """``state.registry``."""

    system_registry: dict[str, Any] = Field(default_factory=dict)
    object_registry: dict[Name, ObjectState]


class SavedState(ToolModel):
    """``state``; ``pos`` and ``ori`` are those of the scene in the world."""

    pos: Position = (0.0, 0.0, 0.0)
    ori: Rotation = (0.0, 0.0, 0.0, 1.0)
    registry: Registry


class OmniGibsonScene(ToolModel):
    """The whole file."""

    objects_info: ObjectsInfo
    state: SavedState


JOINT_OPEN = 0.05  # Distance (rad, or m) from zero beyond which a joint is open

_STRUCTURE = frozenset({"walls", "ceilings", "floors", "roof"})
_ROBOTS = "omnigibson.robots"
_NUMBER = re.compile(r"_\d+$")
_AT_ORIGIN = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def is_omnigibson(file: SceneFile) -> bool:
    """Return True for a document with OmniGibson's objects and their state."""
    return file.has_keys("objects_info", "state")


def read_omnigibson(file: SceneFile) -> SceneGraph:
    """Read a scene file; raises SceneError naming each wrong entry."""
    info = file.document["objects_info"]
    objects = info.get("init_info") if isinstance(info, dict) else None
    file.limits.check_nodes(len(objects) if isinstance(objects, dict) else 0, file.name)
    refuse_repeated_keys(file)
    scene = validate(OmniGibsonScene, file.document)
    everything, states = scene.objects_info.init_info, scene.state.registry.object_registry
    _check_names(everything, states)
    objects = {name: o for name, o in everything.items() if _choose_category(o) not in _STRUCTURE}
    rooms = list(dict.fromkeys(room for info in objects.values() for room in _list_rooms(info)))
    ids = assign_ids(_list_elements(objects, rooms))
    nodes = [SceneNode(ids[room], Layer.ROOM, _NUMBER.sub("", room) or room) for room in rooms]
    nodes += [_build_node(name, info, states[name], ids) for name, info in objects.items()]
    notes = [*ids.notes, *_write_notes(scene, nodes)]
    left_out = len(everything) - len(objects)
    if left_out:
        notes.append(f"{left_out} walls, ceilings and floors were left out")
    return SceneGraph.of(nodes, source=file.name, notes=notes)


def _check_names(infos: Mapping[str, ObjectRecord], states: Mapping[str, ObjectState]) -> None:
    for name, info in infos.items():
        if info.args.name != name:
            raise SceneError(
                f"init_info lists it under this name, but calls it {info.args.name!r}", element=name
            )
        if name not in states:
            raise SceneError("it has no state in object_registry", element=name)
    for name in states:
        if name not in infos:
            raise SceneError("it has a state, but init_info does not list it", element=name)


def _list_elements(
    objects: Mapping[str, ObjectRecord], rooms: list[str]
) -> Iterator[tuple[SourceId, str]]:
    for room in rooms:
        yield room, _NUMBER.sub("", room)
    for name, info in objects.items():
        yield name, _choose_category(info)


def _choose_category(info: ObjectRecord) -> str:
    if info.class_module.startswith(_ROBOTS):
        return "robot"
    return info.args.category or "unknown"


def _list_rooms(info: ObjectRecord) -> tuple[str, ...]:
    rooms = info.args.in_rooms
    if rooms is None:
        return ()
    return (rooms,) if isinstance(rooms, str) else tuple(dict.fromkeys(rooms))


def _build_node(name: str, info: ObjectRecord, state: ObjectState, ids: PlainIds) -> SceneNode:
    category = _choose_category(info)
    size = info.args.bounding_box
    link = state.root_link
    return SceneNode(
        ids[name],
        Layer.AGENT if info.class_module.startswith(_ROBOTS) else Layer.OBJECT,
        category,
        pose=Pose(REP_103.to_point(link.pos), REP_103.to_orientation(link.ori)),
        size=REP_103.to_extents(size) if size is not None else None,
        attributes={**ids.attributes(name), **_read_states(info, state)},
        parents=tuple(ids[room] for room in _list_rooms(info)),
    )


def _read_states(info: ObjectRecord, state: ObjectState) -> dict[str, AttributeValue]:
    states: dict[str, AttributeValue] = {}
    if info.class_module.startswith(_ROBOTS):
        return states
    if state.joint_pos:
        states["is_open"] = any(abs(position) > JOINT_OPEN for position in state.joint_pos)
    if state.non_kin.ToggledOn is not None:
        states["is_on"] = state.non_kin.ToggledOn.value
    return states


def _write_notes(scene: OmniGibsonScene, nodes: list[SceneNode]) -> Iterator[str]:
    things = [node for node in nodes if node.layer is Layer.OBJECT]
    if any(node.size is not None for node in things):
        yield (
            "boxes are centred on the objects' base links: the file has no offset between the two"
        )
    unsized = [node.id for node in things if node.size is None]
    if unsized:
        yield f"bounding_box is not given for {list_names(unsized)}: their size is unknown"
    jointed = [node.id for node in things if "is_open" in node.attributes]
    if jointed:
        yield (
            f"is_open of {list_names(jointed)} is judged by joints: "
            f"farther than {JOINT_OPEN} from zero is open"
        )
    if scene.state.registry.system_registry:
        yield f"particle systems were left out: {list_names(scene.state.registry.system_registry)}"
    if (scene.state.pos, scene.state.ori) != _AT_ORIGIN:
        yield (
            f"the scene stands at {scene.state.pos} in its world: "
            "positions are taken as they are in the file"
        )
