# SPDX-License-Identifier: Apache-2.0
"""Reader of AI2-THOR's event metadata: ``event.metadata`` of an iTHOR or ProcTHOR scene as JSON.

- Frame: Unity's (left-handed, y up) becomes REP-103 as (z, -x, y), a turn about y one about -z.
- Ids such as ``Fridge|-00.50|+00.90|+00.50`` are renamed (``identifiers``).
- Boxes: the oriented box where there is one (things that can be picked up); else the upright box
  around, so that furniture that stands askew has a box that is too large.
- Receptacles: one word for on and in. What stands on the receptacle's top is ``on`` it, else the
  receptacle's type decides. Of several receptacles the smallest counts.
- Rooms: one for each ``Floor`` object, with the outline of its box; iTHOR's scene number says of
  which kind. Without a ``Floor`` there is no room in the file.
- States: ``is_open``, ``is_on``, ``is_dirty`` and ``is_filled``, for things that can be so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.corner_boxes import box_of_corners
from fcp_ros.scene.formats.frames import UNITY
from fcp_ros.scene.formats.holders import refuse_cycles
from fcp_ros.scene.formats.identifiers import PlainIds, SourceId, plain_ids
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.formats.thor.ai2thor_model import EventMetadata, ThorObject, UprightBox
from fcp_ros.scene.formats.thor.common import BY_TYPE, STRUCTURE, pose_of, word_for
from fcp_ros.scene.formats.validation import validated
from fcp_ros.scene.graph.elements import (
    AttributeValue,
    Layer,
    Pose,
    SceneNode,
    SceneRelation,
    Vector,
)
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.polygons import box_corners

ON_TOP = 0.02
"""A thing whose bottom is not lower than this (m) below a receptacle's top stands on it."""

_ADVICE = "Write event.metadata again (json.dump), after ResetObjectFilter."
_CORNERS_DIFFER = 0.01
_AGENT = "|agent"
_ROOM_OF = "room of "
_ITHOR_SCENE = re.compile(r"FloorPlan(\d+)(?:_physics)?")
_ITHOR_ROOMS = ((1, "kitchen"), (201, "living_room"), (301, "bedroom"), (401, "bathroom"))
_ROOMS_OF_A_KIND = 30

Box = tuple[Pose, Vector]


def is_ai2thor(file: SceneFile) -> bool:
    """Whether the document is an event's metadata: a scene name, an agent and objects."""
    document = file.document
    if file.syntax is not Syntax.JSON or not isinstance(document, dict):
        return False
    return {"sceneName", "agent", "objects"} <= document.keys()


def read_ai2thor(file: SceneFile) -> SceneGraph:
    """The graph of an event's metadata; raises SceneError naming each wrong entry."""
    objects = file.document["objects"]
    file.limits.check_nodes(len(objects) if isinstance(objects, list) else 0, file.name)
    return _Reading(validated(EventMetadata, file.document, file.name, _ADVICE)).graph(file.name)


class _Reading:
    """One file on its way to a graph."""

    def __init__(self, metadata: EventMetadata) -> None:
        self._metadata = metadata
        floors = _floors(metadata.objects)
        kind = _kind_of_room(metadata.sceneName) if len(floors) == 1 else "room"
        self._floors = {floor.objectId: kind for floor in floors}
        self._objects = {o.objectId: o for o in metadata.objects if not self._is_structure(o)}
        self._ids: PlainIds = plain_ids(self._named())
        self._notes = list(self._ids.notes)
        left_out = len(metadata.objects) - len(self._objects)
        if left_out:
            self._notes.append(f"{left_out} walls, ceilings and floors of houses were left out")
        self._boxes = {id_: self._box(thing) for id_, thing in self._objects.items()}

    def graph(self, source: str) -> SceneGraph:
        held = self._held()
        robot = self._ids[_AGENT]
        relations = [SceneRelation("holding", (robot, self._ids[id_])) for id_ in held]
        relations += self._placed(held)
        agent = self._metadata.agent
        nodes = [
            *(self._room(id_, kind) for id_, kind in self._floors.items()),
            *(self._object(thing) for thing in self._objects.values()),
            SceneNode(robot, Layer.AGENT, "robot", pose_of(agent.position, agent.rotation)),
        ]
        return SceneGraph.of(nodes, relations, source=source, notes=self._notes)

    def _is_structure(self, thing: ThorObject) -> bool:
        is_floor = thing.objectType == "Floor"
        return thing.objectType in STRUCTURE or (is_floor and thing.objectId not in self._floors)

    def _named(self) -> Iterator[tuple[SourceId, str]]:
        for floor, kind in self._floors.items():
            yield _ROOM_OF + floor, kind
        for thing in self._metadata.objects:
            if not self._is_structure(thing):
                yield thing.objectId, thing.objectType
        yield _AGENT, "robot"

    def _box(self, thing: ThorObject) -> Box | None:
        """The oriented box, else the upright one."""
        upright = thing.axisAlignedBoundingBox
        box = None if upright is None else _upright(thing.objectId, upright)
        if thing.objectOrientedBoundingBox is None:
            return box
        heading = pose_of(thing.position, thing.rotation).yaw
        corners = thing.objectOrientedBoundingBox.cornerPoints
        turned = box_of_corners([UNITY.point(corner) for corner in corners], heading)
        if turned is None:
            self._notes.append(
                f"the oriented box of {self._ids[thing.objectId]} is flat or no box: "
                "the upright one is taken"
            )
        return turned or box

    def _room(self, floor: str, kind: str) -> SceneNode:
        box = self._boxes[floor]
        return SceneNode(
            self._ids[_ROOM_OF + floor],
            Layer.ROOM,
            kind,
            polygon=box_corners(*box) if box is not None and min(box[1][:2]) > 0.0 else (),
        )

    def _object(self, thing: ThorObject) -> SceneNode:
        box = self._boxes[thing.objectId]
        is_floor = thing.objectId in self._floors
        return SceneNode(
            self._ids[thing.objectId],
            Layer.OBJECT,
            thing.objectType,
            pose=box[0] if box is not None else pose_of(thing.position, thing.rotation),
            size=box[1] if box is not None else None,
            attributes={**self._ids.attributes(thing.objectId), **_states(thing)},
            parents=(self._ids[_ROOM_OF + thing.objectId],) if is_floor else (),
        )

    def _held(self) -> list[str]:
        """What the agent holds, by its inventory and by the objects themselves."""
        listed_items = self._metadata.inventoryObjects
        inventory = {item.objectId for item in listed_items or ()}
        picked_up = {id_ for id_, thing in self._objects.items() if thing.isPickedUp}
        for id_ in sorted(inventory - self._objects.keys()):
            raise _dangling("agent", "inventoryObjects", id_)
        differing = inventory ^ picked_up
        if differing and listed_items is not None:
            self._notes.append(
                "inventoryObjects and isPickedUp differ, what either says is held counts: "
                f"{self._listed(differing)}"
            )
        return [id_ for id_ in self._objects if id_ in inventory or id_ in picked_up]

    def _placed(self, held: Collection[str]) -> list[SceneRelation]:
        """``on`` and ``inside`` from the receptacles, each thing in one place."""
        receptacles = self._receptacles()
        chosen = {
            id_: min(parents, key=self._volume)
            for id_, parents in receptacles.items()
            if parents and id_ not in held
        }
        several = [id_ for id_ in chosen if len(receptacles[id_]) > 1]
        if several:
            self._notes.append(
                f"of several receptacles the smallest counts for {self._listed(several)}"
            )
        refuse_cycles(chosen, _ADVICE)
        return [self._relation(id_, holder) for id_, holder in chosen.items()]

    def _receptacles(self) -> dict[str, list[str]]:
        """Receptacles by object, as both sides of the relation say it."""
        table: dict[str, dict[str, None]] = {id_: {} for id_ in self._objects}
        on_floors, differing = [], []
        for id_, thing in self._objects.items():
            for parent in thing.parentReceptacles or ():
                if parent in self._objects:
                    table[id_][parent] = None
                    said = self._objects[parent].receptacleObjectIds
                    if said is not None and id_ not in said:
                        differing.append(id_)
                elif parent.split("|")[0] == "Floor":
                    on_floors.append(id_)
                else:
                    raise _dangling(id_, "parentReceptacles", parent)
        for id_, thing in self._objects.items():
            for child in thing.receptacleObjectIds or ():
                if child not in self._objects:
                    raise _dangling(id_, "receptacleObjectIds", child)
                if id_ not in table[child]:
                    table[child][id_] = None
                    differing.append(child)
        if on_floors:
            self._notes.append(
                f"{self._listed(on_floors)} stand on a Floor that is not listed: "
                "taken as the floor of their room"
            )
        if differing:
            self._notes.append(
                "parentReceptacles and receptacleObjectIds differ, what either says counts: "
                f"{self._listed(dict.fromkeys(differing))}"
            )
        return {id_: list(parents) for id_, parents in table.items()}

    def _volume(self, id_: str) -> float:
        box = self._boxes[id_]
        return box[1][0] * box[1][1] * box[1][2] if box is not None else math.inf

    def _relation(self, item: str, holder: str) -> SceneRelation:
        legs = (self._ids[item], self._ids[holder])
        ours, theirs = self._boxes[item], self._boxes[holder]
        if ours is not None and theirs is not None and _bottom(ours) >= _top(theirs) - ON_TOP:
            return SceneRelation("on", legs)
        return SceneRelation(word_for(self._objects[holder].objectType), legs, BY_TYPE)

    def _listed(self, ids: Iterable[str]) -> str:
        return list_names(sorted(self._ids[id_] for id_ in ids))


def _dangling(element: str, key: str, missing: str) -> SceneError:
    return SceneError(
        f"{key} names {missing!r}, which is not listed", element=element, advice=_ADVICE
    )


def _floors(objects: Sequence[ThorObject]) -> list[ThorObject]:
    """The floors of rooms; in ProcTHOR (``room|2``) without that of the whole house."""
    floors = [thing for thing in objects if thing.objectType == "Floor"]
    rooms = [floor for floor in floors if floor.objectId.startswith("room|")]
    return rooms or floors


def _kind_of_room(scene: str) -> str:
    """iTHOR numbers its scenes by kind of room: 1 to 30 are kitchens, and so on."""
    match = _ITHOR_SCENE.fullmatch(scene)
    if match is not None:
        for first, kind in _ITHOR_ROOMS:
            if first <= int(match[1]) < first + _ROOMS_OF_A_KIND:
                return kind
    return "room"


def _states(thing: ThorObject) -> dict[str, AttributeValue]:
    states: dict[str, AttributeValue] = {}
    for can, name, value in (
        (thing.openable, "is_open", thing.isOpen),
        (thing.toggleable, "is_on", thing.isToggled),
        (thing.dirtyable, "is_dirty", thing.isDirty),
        (thing.canFillWithLiquid, "is_filled", thing.isFilledWithLiquid),
    ):
        if can:
            states[name] = value
    return states


def _upright(element: str, box: UprightBox) -> Box:
    _check_corners(element, box)
    size = UNITY.extents(box.size.values)
    if min(size) < 0.0:
        raise SceneError(
            f"axisAlignedBoundingBox has the negative size {size}",
            element=element,
            advice=_ADVICE,
        )
    return Pose(UNITY.point(box.center.values)), size


def _check_corners(element: str, box: UprightBox) -> None:
    """Centre and size must say the same as the corners."""
    for axis, corners in enumerate(zip(*box.cornerPoints or (), strict=True)):
        centre, half = box.center.values[axis], box.size.values[axis] / 2.0
        gap = max(abs(min(corners) - centre + half), abs(max(corners) - centre - half))
        if gap > _CORNERS_DIFFER:
            raise SceneError(
                f"axisAlignedBoundingBox: cornerPoints differ from center and size by {gap:.3g} m",
                element=element,
                advice=_ADVICE,
            )


def _bottom(box: Box) -> float:
    return box[0].position[2] - box[1][2] / 2.0


def _top(box: Box) -> float:
    return box[0].position[2] + box[1][2] / 2.0
