# SPDX-License-Identifier: Apache-2.0
"""Reader of AI2-THOR's event metadata: ``event.metadata`` of an iTHOR or ProcTHOR scene as JSON.

- Frame: Unity's (left-handed, y up) becomes REP-103 as (z, -x, y), a rotation about y one about -z.
- Ids such as ``Fridge|-00.50|+00.90|+00.50`` are renamed (``identifiers``).
- Boxes: the oriented box if given (of things that can be picked up); else the upright box, which is
  too large for furniture that stands askew.
- Receptacles: one word for on and in. A thing on the receptacle's top is ``on`` it, else the
  receptacle's type decides. Of several receptacles the smallest counts.
- Rooms: one for each ``Floor`` object, with the outline of its box; iTHOR's scene number gives its
  kind. Without a ``Floor`` there is no room in the file.
- States: ``is_open``, ``is_on``, ``is_dirty`` and ``is_filled``, for things that can have them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Annotated

from pydantic import Field

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import PlacedBox, SourceFrame, fit_box_to_corners
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.source_graph import PlainIds, SourceId, assign_ids, build_source_graph
from fcp_ros.scene.formats.validation import Coordinate, Flag, Name, Position, ToolModel, validate
from fcp_ros.scene.graph.elements import (
    AttributeValue,
    Layer,
    Pose,
    Quaternion,
    SceneError,
    SceneNode,
    SceneRelation,
    Vector,
)
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import from_euler
from fcp_ros.scene.shapes.polygons import box_corners

UNITY = SourceFrame(axes=(2, 0, 1), signs=(1, -1, 1))
"""x right, y up, z forward, left-handed, metres. A rotation about y is one about -z here."""

BY_TYPE = 0.8
"""Confidence of ``on`` or ``inside`` where only the receptacle's type decides between them."""

_CONTAINERS = frozenset(
    {"Bathtub", "BathtubBasin", "Bowl", "Box", "Cabinet", "ClothesDryer", "Cup", "Drawer"}
    | {"Fridge", "GarbageCan", "LaundryHamper", "Microwave", "Mug", "Pot", "Safe", "Sink"}
    | {"SinkBasin", "Toaster", "WashingMachine"}
)
"""Object types that things are put into; things stand on all other receptacles."""

STRUCTURE = frozenset({"Wall", "Ceiling"})
"""Object types whose boxes would seem to contain whole rooms."""


class UnityVector(ToolModel):
    """A position (m), an extent (m) or Euler angles (degrees) in Unity's frame."""

    x: Coordinate
    y: Coordinate
    z: Coordinate

    @property
    def values(self) -> Vector:
        """The numbers x, y, z."""
        return self.x, self.y, self.z


class UnityPose(ToolModel):
    """A position, and a rotation by Euler angles unless it is unknown."""

    position: UnityVector
    rotation: UnityVector | None = None

    def to_pose(self) -> Pose:
        """Convert to REP-103."""
        turn = (0.0, 0.0, 0.0, 1.0)
        if self.rotation is not None:
            turn = to_unity_quaternion(*self.rotation.values)
        return Pose(UNITY.to_point(self.position.values), UNITY.to_orientation(turn))


def to_unity_quaternion(x: float, y: float, z: float) -> Quaternion:
    """Convert Unity's Euler angles (degrees) to a quaternion x, y, z, w, still in Unity's frame.

    Unity rotates about its fixed axes in the order z, x, y.
    """
    return from_euler(*map(math.radians, (x, y, z)), order="zxy")


def choose_relation(receptacle_type: str) -> str:
    """Return ``inside`` or ``on``: the usual relation of things to a receptacle of a type."""
    return "inside" if receptacle_type in _CONTAINERS else "on"


# --- reader of AI2-THOR's event metadata ---

EightCorners = Annotated[list[Position], Field(min_length=8, max_length=8)]


class UprightBox(ToolModel):
    """``axisAlignedBoundingBox``; its corners are redundant."""

    center: UnityVector
    size: UnityVector
    cornerPoints: EightCorners | None = None


class TurnedBox(ToolModel):
    """``objectOrientedBoundingBox``: corners only."""

    cornerPoints: EightCorners


class ThorObject(UnityPose):
    """One entry of ``objects``."""

    objectId: Name
    objectType: Name
    openable: Flag = False
    isOpen: Flag = False
    toggleable: Flag = False
    isToggled: Flag = False
    dirtyable: Flag = False
    isDirty: Flag = False
    canFillWithLiquid: Flag = False
    isFilledWithLiquid: Flag = False
    isPickedUp: Flag = False
    parentReceptacles: list[Name] | None = None
    receptacleObjectIds: list[Name] | None = None
    axisAlignedBoundingBox: UprightBox | None = None
    objectOrientedBoundingBox: TurnedBox | None = None


class ThorItem(ToolModel):
    """One entry of ``inventoryObjects``: an object that the agent holds."""

    objectId: Name


class EventMetadata(ToolModel):
    """``event.metadata``."""

    sceneName: Name
    agent: UnityPose
    inventoryObjects: list[ThorItem] | None = None
    objects: list[ThorObject]


ON_TOP = 0.02  # Greatest depth (m) of a thing's bottom below a receptacle's top that it stands on

_CORNERS_DIFFER = 0.01
_AGENT = "|agent"
_ROOM_OF = "room of "
_ITHOR_SCENE = re.compile(r"FloorPlan(\d+)(?:_physics)?")
_ITHOR_ROOMS = ((1, "kitchen"), (201, "living_room"), (301, "bedroom"), (401, "bathroom"))
_ROOMS_OF_A_KIND = 30


def is_ai2thor(file: SceneFile) -> bool:
    """Return True for an event's metadata: a scene name, an agent and objects."""
    return file.has_keys("sceneName", "agent", "objects")


def read_ai2thor(file: SceneFile) -> SceneGraph:
    """Read an event's metadata; raises SceneError naming each wrong entry."""
    file.check_counts("objects")
    return _EventReader(validate(EventMetadata, file.document)).build(file.name)


class _EventReader:
    """An event's metadata, converted to a graph."""

    def __init__(self, metadata: EventMetadata) -> None:
        self._metadata = metadata
        floors = _find_floors(metadata.objects)
        kind = _find_room_kind(metadata.sceneName) if len(floors) == 1 else "room"
        self._floors = {floor.objectId: kind for floor in floors}
        self._objects = {o.objectId: o for o in metadata.objects if not self._is_structure(o)}
        self._ids: PlainIds = assign_ids(self._list_elements())
        self._notes = list(self._ids.notes)
        left_out = len(metadata.objects) - len(self._objects)
        if left_out:
            self._notes.append(f"{left_out} walls, ceilings and floors of houses were left out")
        self._boxes = {id_: self._choose_box(thing) for id_, thing in self._objects.items()}

    def build(self, source: str) -> SceneGraph:
        held = self._find_held()
        robot = self._ids[_AGENT]
        relations = [SceneRelation("holding", (robot, self._ids[id_])) for id_ in held]
        relations += self._relate_placed(held)
        nodes = [
            *(self._build_room(id_, kind) for id_, kind in self._floors.items()),
            *(self._build_object(thing) for thing in self._objects.values()),
            SceneNode(robot, Layer.AGENT, "robot", self._metadata.agent.to_pose()),
        ]
        return build_source_graph(nodes, relations, source=source, notes=self._notes)

    def _is_structure(self, thing: ThorObject) -> bool:
        is_floor = thing.objectType == "Floor"
        return thing.objectType in STRUCTURE or (is_floor and thing.objectId not in self._floors)

    def _list_elements(self) -> Iterator[tuple[SourceId, str]]:
        for floor, kind in self._floors.items():
            yield _ROOM_OF + floor, kind
        for thing in self._metadata.objects:
            if not self._is_structure(thing):
                yield thing.objectId, thing.objectType
        yield _AGENT, "robot"

    def _choose_box(self, thing: ThorObject) -> PlacedBox | None:
        """Return the oriented box, else the upright one."""
        upright = thing.axisAlignedBoundingBox
        box = None if upright is None else _build_upright_box(thing.objectId, upright)
        if thing.objectOrientedBoundingBox is None:
            return box
        heading = thing.to_pose().yaw
        corners = thing.objectOrientedBoundingBox.cornerPoints
        turned = fit_box_to_corners([UNITY.to_point(corner) for corner in corners], heading)
        if turned is None:
            self._notes.append(
                f"the oriented box of {self._ids[thing.objectId]} is flat or no box: "
                "the upright one is taken"
            )
        return turned or box

    def _build_room(self, floor: str, kind: str) -> SceneNode:
        box = self._boxes[floor]
        return SceneNode(
            self._ids[_ROOM_OF + floor],
            Layer.ROOM,
            kind,
            polygon=box_corners(*box) if box is not None and min(box.size[:2]) > 0.0 else (),
        )

    def _build_object(self, thing: ThorObject) -> SceneNode:
        box = self._boxes[thing.objectId]
        is_floor = thing.objectId in self._floors
        return SceneNode(
            self._ids[thing.objectId],
            Layer.OBJECT,
            thing.objectType,
            pose=box.pose if box is not None else thing.to_pose(),
            size=box.size if box is not None else None,
            attributes={**self._ids.attributes(thing.objectId), **_read_states(thing)},
            parents=(self._ids[_ROOM_OF + thing.objectId],) if is_floor else (),
        )

    def _find_held(self) -> list[str]:
        """Find the objects that the agent holds, by its inventory and by the objects themselves."""
        listed_items = self._metadata.inventoryObjects
        inventory = {item.objectId for item in listed_items or ()}
        picked_up = {id_ for id_, thing in self._objects.items() if thing.isPickedUp}
        for id_ in sorted(inventory - self._objects.keys()):
            raise _describe_dangling("agent", "inventoryObjects", id_)
        differing = inventory ^ picked_up
        if differing and listed_items is not None:
            self._notes.append(
                "inventoryObjects and isPickedUp differ, an object in either counts as held: "
                f"{self._list_ids(differing)}"
            )
        return [id_ for id_ in self._objects if id_ in inventory or id_ in picked_up]

    def _relate_placed(self, held: Collection[str]) -> list[SceneRelation]:
        """Derive ``on`` and ``inside`` from the receptacles, each thing in one place."""
        receptacles = self._find_receptacles()
        chosen = {
            id_: min(parents, key=self._measure_volume)
            for id_, parents in receptacles.items()
            if parents and id_ not in held
        }
        several = [id_ for id_ in chosen if len(receptacles[id_]) > 1]
        if several:
            self._notes.append(
                f"of several receptacles the smallest counts for {self._list_ids(several)}"
            )
        return [self._relate(id_, holder) for id_, holder in chosen.items()]

    def _find_receptacles(self) -> dict[str, list[str]]:
        """Collect the receptacles of each object from both sides of the relation."""
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
                    raise _describe_dangling(id_, "parentReceptacles", parent)
        for id_, thing in self._objects.items():
            for child in thing.receptacleObjectIds or ():
                if child not in self._objects:
                    raise _describe_dangling(id_, "receptacleObjectIds", child)
                if id_ not in table[child]:
                    table[child][id_] = None
                    differing.append(child)
        if on_floors:
            self._notes.append(
                f"{self._list_ids(on_floors)} stand on a Floor that is not listed: "
                "taken as the floor of their room"
            )
        if differing:
            self._notes.append(
                "parentReceptacles and receptacleObjectIds differ, a relation in either counts: "
                f"{self._list_ids(dict.fromkeys(differing))}"
            )
        return {id_: list(parents) for id_, parents in table.items()}

    def _measure_volume(self, id_: str) -> float:
        box = self._boxes[id_]
        return math.prod(box.size) if box is not None else math.inf

    def _relate(self, item: str, holder: str) -> SceneRelation:
        legs = (self._ids[item], self._ids[holder])
        ours, theirs = self._boxes[item], self._boxes[holder]
        if ours is not None and theirs is not None and ours.bottom >= theirs.top - ON_TOP:
            return SceneRelation("on", legs)
        return SceneRelation(choose_relation(self._objects[holder].objectType), legs, BY_TYPE)

    def _list_ids(self, ids: Iterable[str]) -> str:
        return list_names(sorted(self._ids[id_] for id_ in ids))


def _describe_dangling(element: str, key: str, missing: str) -> SceneError:
    return SceneError(f"{key} names {missing!r}, which is not listed", element=element)


def _find_floors(objects: Sequence[ThorObject]) -> list[ThorObject]:
    """Return the floors of rooms; in ProcTHOR (``room|2``) without that of the whole house."""
    floors = [thing for thing in objects if thing.objectType == "Floor"]
    rooms = [floor for floor in floors if floor.objectId.startswith("room|")]
    return rooms or floors


def _find_room_kind(scene: str) -> str:
    """Find the kind of room by iTHOR's scene number: 1 to 30 are kitchens, and so on."""
    match = _ITHOR_SCENE.fullmatch(scene)
    if match is not None:
        for first, kind in _ITHOR_ROOMS:
            if first <= int(match[1]) < first + _ROOMS_OF_A_KIND:
                return kind
    return "room"


def _read_states(thing: ThorObject) -> dict[str, AttributeValue]:
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


def _build_upright_box(element: str, box: UprightBox) -> PlacedBox:
    _check_corners(element, box)
    size = UNITY.to_extents(box.size.values)
    if min(size) < 0.0:
        raise SceneError(f"axisAlignedBoundingBox has the negative size {size}", element=element)
    return PlacedBox(Pose(UNITY.to_point(box.center.values)), size)


def _check_corners(element: str, box: UprightBox) -> None:
    """Raise SceneError if centre and size contradict the corners."""
    for axis, corners in enumerate(zip(*box.cornerPoints or (), strict=True)):
        centre, half = box.center.values[axis], box.size.values[axis] / 2.0
        gap = max(abs(min(corners) - centre + half), abs(max(corners) - centre - half))
        if gap > _CORNERS_DIFFER:
            raise SceneError(
                f"axisAlignedBoundingBox: cornerPoints differ from center and size by {gap:.3g} m",
                element=element,
            )
