# SPDX-License-Identifier: Apache-2.0
"""Reader of OmniGibson scene files (``*_best.json``, ``*_template.json``, ``env.scene.save``).

- Frame: already REP-103's axes, metres, quaternions x, y, z, w.
- Ids: object names are plain identifiers and stay. Rooms are those that ``in_rooms`` names; they
  have no outlines in the file (those are in the scene's map images).
- Boxes: ``bounding_box`` along the object's own axes. The file has the pose of the base link, and
  not where the box is relative to it (that is in the asset): the one is taken for the other, and
  a note says so. Without ``bounding_box`` the size is not known.
- Walls, ceilings and floors are left out: their boxes would seem to hold whole rooms.
- States: ``is_on`` is ToggledOn; ``is_open`` means that some joint is away from its zero.
- Robots become agents. Particle systems (water, dust) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.frames import REP_103
from fcp_ros.scene.formats.identifiers import PlainIds, SourceId, plain_ids
from fcp_ros.scene.formats.omnigibson_model import ObjectInfo, ObjectState, OmniGibsonScene
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.formats.validation import refuse_repeated_keys, validated
from fcp_ros.scene.graph.elements import AttributeValue, Layer, Pose, SceneNode
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

JOINT_OPEN = 0.05
"""A joint farther than this (rad, or m) from its zero is open."""

_ADVICE = "Save the scene again with OmniGibson."
_STRUCTURE = frozenset({"walls", "ceilings", "floors", "roof"})
_ROBOTS = "omnigibson.robots"
_NUMBER = re.compile(r"_\d+$")
_AT_ORIGIN = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def is_omnigibson(file: SceneFile) -> bool:
    """Whether the document has OmniGibson's objects and their state."""
    document = file.document
    if file.syntax is not Syntax.JSON or not isinstance(document, dict):
        return False
    return {"objects_info", "state"} <= document.keys()


def read_omnigibson(file: SceneFile) -> SceneGraph:
    """The graph of a scene file; raises SceneError naming each wrong entry."""
    info = file.document["objects_info"]
    objects = info.get("init_info") if isinstance(info, dict) else None
    file.limits.check_nodes(len(objects) if isinstance(objects, dict) else 0, file.name)
    refuse_repeated_keys(file, _ADVICE)
    scene = validated(OmniGibsonScene, file.document, file.name, _ADVICE)
    everything, states = scene.objects_info.init_info, scene.state.registry.object_registry
    _check_names(everything, states)
    objects = {name: o for name, o in everything.items() if _category(o) not in _STRUCTURE}
    rooms = list(dict.fromkeys(room for info in objects.values() for room in _rooms(info)))
    ids = plain_ids(_named(objects, rooms))
    nodes = [SceneNode(ids[room], Layer.ROOM, _NUMBER.sub("", room) or room) for room in rooms]
    nodes += [_node(name, info, states[name], ids) for name, info in objects.items()]
    notes = [*ids.notes, *_notes(scene, nodes)]
    left_out = len(everything) - len(objects)
    if left_out:
        notes.append(f"{left_out} walls, ceilings and floors were left out")
    return SceneGraph.of(nodes, source=file.name, notes=notes)


def _check_names(infos: Mapping[str, ObjectInfo], states: Mapping[str, ObjectState]) -> None:
    for name, info in infos.items():
        if info.args.name != name:
            raise SceneError(
                f"init_info lists it under this name, but calls it {info.args.name!r}",
                element=name,
                advice=_ADVICE,
            )
        if name not in states:
            raise SceneError("it has no state in object_registry", element=name, advice=_ADVICE)
    for name in states:
        if name not in infos:
            raise SceneError(
                "it has a state, but init_info does not list it", element=name, advice=_ADVICE
            )


def _named(objects: Mapping[str, ObjectInfo], rooms: list[str]) -> Iterator[tuple[SourceId, str]]:
    for room in rooms:
        yield room, _NUMBER.sub("", room)
    for name, info in objects.items():
        yield name, _category(info)


def _category(info: ObjectInfo) -> str:
    if info.class_module.startswith(_ROBOTS):
        return "robot"
    return info.args.category or "unknown"


def _rooms(info: ObjectInfo) -> tuple[str, ...]:
    rooms = info.args.in_rooms
    if rooms is None:
        return ()
    return (rooms,) if isinstance(rooms, str) else tuple(dict.fromkeys(rooms))


def _node(name: str, info: ObjectInfo, state: ObjectState, ids: PlainIds) -> SceneNode:
    category = _category(info)
    size = info.args.bounding_box
    link = state.root_link
    return SceneNode(
        ids[name],
        Layer.AGENT if info.class_module.startswith(_ROBOTS) else Layer.OBJECT,
        category,
        pose=Pose(REP_103.point(link.pos), REP_103.orientation(link.ori)),
        size=REP_103.extents(size) if size is not None else None,
        attributes={**ids.attributes(name), **_states(info, state)},
        parents=tuple(ids[room] for room in _rooms(info)),
    )


def _states(info: ObjectInfo, state: ObjectState) -> dict[str, AttributeValue]:
    states: dict[str, AttributeValue] = {}
    if info.class_module.startswith(_ROBOTS):
        return states
    if state.joint_pos:
        states["is_open"] = any(abs(position) > JOINT_OPEN for position in state.joint_pos)
    if state.non_kin.ToggledOn is not None:
        states["is_on"] = state.non_kin.ToggledOn.value
    return states


def _notes(scene: OmniGibsonScene, nodes: list[SceneNode]) -> Iterator[str]:
    things = [node for node in nodes if node.layer is Layer.OBJECT]
    if any(node.size is not None for node in things):
        yield (
            "boxes are centred on the objects' base links: the file does not say how far the "
            "one is from the other"
        )
    unsized = [node.id for node in things if node.size is None]
    if unsized:
        yield f"bounding_box is not given for {list_names(unsized)}: their size is not known"
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
