# SPDX-License-Identifier: Apache-2.0
"""Reader of ProcTHOR houses (schema 1.0.0): rooms, doors and where which asset stands.

- Frame and ids: as for AI2-THOR (``ai2thor``). A room's id comes from its type (``kitchen_1``).
- Objects have a position and a turn, but no size: that is in Unity's assets.
- ``children`` says what an object holds, but not whether on or in: its type decides.
- A door joins ``room0`` and ``room1``; one whose two rooms are the same leads outside and is left
  out. Its place counts along ``wall0``, from that wall's first corner: where that wall is not
  listed, the door has no place. Walls have no thickness, so doors have none.
- A wall that is ``empty`` is an opening between its room and the one on its other side.
- A room is as high as its walls; without walls its height is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.frames import UNITY
from fcp_ros.scene.formats.identifiers import SourceId, plain_ids
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.formats.thor.common import BY_TYPE, pose_of, word_for
from fcp_ros.scene.formats.thor.procthor_model import (
    HouseHole,
    HouseObject,
    HouseRoom,
    ProcthorHouse,
)
from fcp_ros.scene.formats.thor.procthor_walls import (
    Box,
    hole_box,
    open_boundaries,
    tops_of_walls,
    wall_box,
)
from fcp_ros.scene.formats.validation import validated
from fcp_ros.scene.graph.elements import AttributeValue, Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.polygons import Polygon, centroid

_ADVICE = "Write the house again as ProcTHOR has it (schema 1.0.0)."
_ROBOT = "|agent"


def is_procthor(file: SceneFile) -> bool:
    """Whether the document has rooms with ``floorPolygon``, or ProcTHOR's parameters."""
    document = file.document
    if file.syntax is not Syntax.JSON or not isinstance(document, dict):
        return False
    rooms = document.get("rooms")
    if not isinstance(rooms, list):
        return False
    first = rooms[0] if rooms else None
    is_room = isinstance(first, dict) and "floorPolygon" in first
    return is_room or "proceduralParameters" in document


def read_procthor(file: SceneFile) -> SceneGraph:
    """The graph of a house; raises SceneError naming each wrong entry."""
    file.limits.check_nodes(_count(file.document, file.limits.max_nodes), file.name)
    house = validated(ProcthorHouse, file.document, file.name, _ADVICE)
    return _Reading(house).graph(file.name)


def _count(document: Mapping[str, Any], most: int) -> int:
    """Entries of a house, before anything is made of them (stops above ``most``)."""
    waiting = [document.get(key) for key in ("rooms", "walls", "doors", "windows", "objects")]
    count = 0
    while waiting and count <= most:
        entries = waiting.pop()
        if isinstance(entries, list):
            count += len(entries)
            waiting += [entry.get("children") for entry in entries if isinstance(entry, dict)]
    return count


class _Reading:
    """One house on its way to a graph."""

    def __init__(self, house: ProcthorHouse) -> None:
        self._house = house
        self._rooms = {room.id: room for room in house.rooms}
        self._walls = {wall.id: wall for wall in house.walls}
        self._outlines = {room.id: _outline(room) for room in house.rooms}
        self._objects = list(_all_objects(house))
        self._openings = open_boundaries(house.walls, self._outlines)
        self._tops = tops_of_walls(house.walls)
        self._ids = plain_ids(self._named())
        self._notes = list(self._ids.notes)

    def graph(self, source: str) -> SceneGraph:
        agent = self._house.metadata.agent
        relations: list[SceneRelation] = []
        nodes = [self._room(room) for room in self._house.rooms]
        nodes += self._doors(relations)
        nodes += self._opening_nodes(relations)
        nodes += [self._window(window) for window in self._house.windows]
        nodes += [self._object(thing) for thing, _ in self._objects]
        relations += [
            SceneRelation(
                word_for(_type(holder)), (self._ids[thing.id], self._ids[holder.id]), BY_TYPE
            )
            for thing, holder in self._objects
            if holder is not None
        ]
        if agent is not None:
            pose = pose_of(agent.position, agent.rotation)
            nodes.append(SceneNode(self._ids[_ROBOT], Layer.AGENT, "robot", pose))
        return SceneGraph.of(nodes, relations, source=source, notes=self._notes)

    def _named(self) -> Iterator[tuple[SourceId, str]]:
        for room in self._house.rooms:
            yield room.id, room.roomType
        for door in self._house.doors:
            yield door.id, _door_category(door)
        for window in self._house.windows:
            yield window.id, "window"
        for wall in self._openings:
            yield wall, "opening"
        for thing, _ in self._objects:
            yield thing.id, _type(thing)
        yield _ROBOT, "robot"

    def _room(self, room: HouseRoom) -> SceneNode:
        outline = self._outlines[room.id]
        level = UNITY.point(room.floorPolygon[0].values)[2]
        height = self._tops.get(room.id, level) - level
        x, y = centroid(outline)
        return SceneNode(
            self._ids[room.id],
            Layer.ROOM,
            room.roomType,
            pose=Pose((x, y, level + max(height, 0.0) / 2.0)),
            polygon=outline,
            height=height if height > 0.0 else None,
            attributes=self._ids.attributes(room.id),
        )

    def _doors(self, relations: list[SceneRelation]) -> list[SceneNode]:
        nodes, outside, unplaced = [], [], []
        for door in self._house.doors:
            rooms = [self._known_room(door.id, room) for room in (door.room0, door.room1)]
            id_ = self._ids[door.id]
            if rooms[0] == rooms[1]:
                outside.append(door.id)
                continue
            pose, size = self._hole_box(door)
            if pose is None:
                unplaced.append(id_)
            nodes.append(
                SceneNode(
                    id_,
                    Layer.OBJECT,
                    _door_category(door),
                    pose=pose,
                    size=size,
                    attributes={**self._ids.attributes(door.id), "is_open": _is_open(door)},
                )
            )
            relations.append(SceneRelation("connected", (*rooms, id_)))
        if outside:
            self._notes.append(f"doors that lead outside were left out: {list_names(outside)}")
        if unplaced:
            self._notes.append(
                f"the wall of {list_names(unplaced)} is not listed: where it is, is not known"
            )
        return nodes

    def _window(self, window: HouseHole) -> SceneNode:
        pose, size = self._hole_box(window)
        return SceneNode(
            self._ids[window.id],
            Layer.OBJECT,
            "window",
            pose=pose,
            size=size,
            attributes=self._ids.attributes(window.id),
            parents=(self._known_room(window.id, window.room0),),
        )

    def _object(self, thing: HouseObject) -> SceneNode:
        return SceneNode(
            self._ids[thing.id],
            Layer.OBJECT,
            _type(thing),
            pose=pose_of(thing.position, thing.rotation),
            attributes={**self._ids.attributes(thing.id), **_states(thing)},
        )

    def _known_room(self, element: str, room: str) -> str:
        if room not in self._rooms:
            raise SceneError(
                f"it names the room {room!r}, which is not listed", element=element, advice=_ADVICE
            )
        return self._ids[room]

    def _hole_box(self, hole: HouseHole) -> Box | tuple[None, None]:
        """Pose and size of a door or window; (None, None) where its wall is not listed."""
        wall = self._walls.get(hole.wall0)
        return (None, None) if wall is None else hole_box(hole, wall, _ADVICE)

    def _opening_nodes(self, relations: list[SceneRelation]) -> Iterator[SceneNode]:
        for wall, rooms in self._openings.items():
            id_ = self._ids[wall]
            legs = (self._ids[rooms[0]], self._ids[rooms[1]], id_)
            relations.append(SceneRelation("connected", legs))
            pose, size = wall_box(self._walls[wall])
            attributes = self._ids.attributes(wall)
            yield SceneNode(id_, Layer.OBJECT, "opening", pose, size, attributes=attributes)


def _all_objects(house: ProcthorHouse) -> Iterator[tuple[HouseObject, HouseObject | None]]:
    """Each object with the one that holds it."""
    waiting: list[tuple[HouseObject, HouseObject | None]] = [
        (thing, None) for thing in reversed(house.objects)
    ]
    while waiting:
        thing, holder = waiting.pop()
        yield thing, holder
        waiting += [(child, thing) for child in reversed(thing.children)]


def _outline(room: HouseRoom) -> Polygon:
    corners = [UNITY.point(corner.values)[:2] for corner in room.floorPolygon]
    if len(corners) > 3 and corners[0] == corners[-1]:
        corners.pop()
    return tuple(corners)


def _type(thing: HouseObject) -> str:
    """``Apple`` of ``Apple|surface|2|2``."""
    return thing.id.split("|")[0] or "unknown"


def _door_category(door: HouseHole) -> str:
    """A frame has no leaf that could be shut."""
    return "doorway" if door.assetId.startswith("Doorframe") else "door"


def _is_open(door: HouseHole) -> bool:
    return door.assetId.startswith("Doorframe") or (door.openness or 0.0) > 0.0


def _states(thing: HouseObject) -> dict[str, AttributeValue]:
    states: dict[str, AttributeValue] = {}
    if thing.openness is not None:
        states["is_open"] = thing.openness > 0.0
    if thing.isOn is not None:
        states["is_on"] = thing.isOn
    if thing.isDirty is not None:
        states["is_dirty"] = thing.isDirty
    return states
