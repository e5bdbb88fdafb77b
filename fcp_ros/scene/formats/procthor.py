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

import math
from collections.abc import Iterator, Mapping
from typing import Any

from fcp_ros.scene.formats.frames import UNITY
from fcp_ros.scene.formats.identifiers import SourceId, plain_ids
from fcp_ros.scene.formats.procthor_model import (
    HouseHole,
    HouseObject,
    HouseRoom,
    HouseWall,
    ProcthorHouse,
)
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.formats.thor import BY_TYPE, pose_of, word_for
from fcp_ros.scene.formats.validation import validated
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import (
    AttributeValue,
    Layer,
    Pose,
    SceneGraph,
    SceneNode,
    SceneRelation,
    Vector,
)
from fcp_ros.scene.relations.draft import listed
from fcp_ros.scene.shapes.footprint import Polygon, centroid, distance

_ADVICE = "Write the house again as ProcTHOR has it (schema 1.0.0)."
_ROBOT = "|agent"
_BESIDE = 0.02
"""How far (m) the middle of an open boundary may be from the outline of the room beyond."""
_BEYOND_WALL = 0.05
"""How far (m) a hole may reach beyond its wall."""


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
        self._openings = self._open_boundaries()
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
        tops = [
            UNITY.point(corner.values)[2]
            for wall in self._house.walls
            if wall.roomId == room.id
            for corner in wall.polygon
        ]
        height = max(tops, default=level) - level
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
            box = self._hole_box(door)
            if box is None:
                unplaced.append(id_)
            nodes.append(
                SceneNode(
                    id_,
                    Layer.OBJECT,
                    _door_category(door),
                    pose=box[0] if box is not None else None,
                    size=box[1] if box is not None else None,
                    attributes={**self._ids.attributes(door.id), "is_open": _is_open(door)},
                )
            )
            relations.append(SceneRelation("connected", (*rooms, id_)))
        if outside:
            self._notes.append(f"doors that lead outside were left out: {listed(outside)}")
        if unplaced:
            self._notes.append(
                f"the wall of {listed(unplaced)} is not listed: where it is, is not known"
            )
        return nodes

    def _window(self, window: HouseHole) -> SceneNode:
        box = self._hole_box(window)
        return SceneNode(
            self._ids[window.id],
            Layer.OBJECT,
            "window",
            pose=box[0] if box is not None else None,
            size=box[1] if box is not None else None,
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

    def _hole_box(self, hole: HouseHole) -> tuple[Pose, Vector] | None:
        """Box of a door or window: its x axis along the wall, its thickness that of the wall."""
        wall = self._walls.get(hole.wall0)
        if wall is None:
            return None
        start, end = _foot(wall)
        length = math.dist(start, end)
        along = sorted(corner.x for corner in hole.holePolygon)
        upward = sorted(corner.y for corner in hole.holePolygon)
        if along[0] < -_BEYOND_WALL or along[-1] > length + _BEYOND_WALL or length == 0.0:
            raise SceneError(
                f"its hole reaches from {along[0]} to {along[-1]} m along a wall of {length:.3g} m",
                element=hole.id,
                advice=_ADVICE,
            )
        share = (along[0] + along[-1]) / 2.0 / length
        x, y = (a + share * (b - a) for a, b in zip(start[:2], end[:2], strict=True))
        z = start[2] + (upward[0] + upward[-1]) / 2.0
        yaw = math.atan2(end[1] - start[1], end[0] - start[0])
        return Pose.at(x, y, z, yaw), (along[-1] - along[0], 0.0, upward[-1] - upward[0])

    def _open_boundaries(self) -> dict[str, tuple[str, str]]:
        """The two rooms of each open boundary, by the id of one of its (usually two) walls."""
        found: dict[str, tuple[str, str]] = {}
        seen = set()
        for wall in self._house.walls:
            if not wall.empty or wall.roomId not in self._outlines:
                continue
            middle = _middle(wall)
            away = {
                room: distance(outline, middle[:2])
                for room, outline in self._outlines.items()
                if room != wall.roomId
            }
            beyond = min(away, key=lambda room: away[room], default="")
            key = (frozenset((wall.roomId, beyond)), round(middle[0], 1), round(middle[1], 1))
            if beyond and away[beyond] <= _BESIDE and key not in seen:
                seen.add(key)
                found[wall.id] = wall.roomId, beyond
        return found

    def _opening_nodes(self, relations: list[SceneRelation]) -> Iterator[SceneNode]:
        for wall_id, rooms in self._openings.items():
            wall = self._walls[wall_id]
            start, end = _foot(wall)
            height = max(corner.y for corner in wall.polygon) - start[2]
            yaw = math.atan2(end[1] - start[1], end[0] - start[0])
            x, y, z = _middle(wall)
            id_ = self._ids[wall_id]
            relations.append(
                SceneRelation("connected", (self._ids[rooms[0]], self._ids[rooms[1]], id_))
            )
            yield SceneNode(
                id_,
                Layer.OBJECT,
                "opening",
                pose=Pose.at(x, y, z + height / 2.0, yaw),
                size=(math.dist(start, end), 0.0, max(height, 0.0)),
                attributes=self._ids.attributes(wall_id),
            )


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


def _foot(wall: HouseWall) -> tuple[Vector, Vector]:
    """Start and end of a wall's lower edge: its two lowest corners, in their order."""
    first, second = sorted(wall.polygon, key=lambda corner: corner.y)[:2]
    return UNITY.point(first.values), UNITY.point(second.values)


def _middle(wall: HouseWall) -> Vector:
    start, end = _foot(wall)
    x, y, z = ((a + b) / 2.0 for a, b in zip(start, end, strict=True))
    return x, y, z


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
