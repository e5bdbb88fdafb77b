# SPDX-License-Identifier: Apache-2.0
"""Reader of ProcTHOR houses (schema 1.0.0): rooms, doors, walls, and places of assets.

- Frame and ids: as for AI2-THOR (``ai2thor``). A room's id comes from its type (``kitchen_1``).
- Objects have a position and a rotation, but no size: that is in Unity's assets. The label is the
  type in the id (``Apple|surface|2|2``); generators that write the asset's name there, without its
  digits or underscores (``CountertopLx``), get the asset's name as it is (``Countertop_L_10x4``).
- ``children`` lists the things on or in an object; its type decides between the two.
- A door joins ``room0`` and ``room1``; a door with one room twice leads outside and is left out.
  Its place counts along ``wall0``, from that wall's first corner: if that wall is not listed,
  the door has no place. Walls have no thickness, so doors have none.
- A wall that is ``empty`` is an opening between its room and the one on its other side.
- A room is as high as its walls; without walls its height is unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.ai2thor import (
    BY_TYPE,
    UNITY,
    UnityPose,
    UnityVector,
    choose_relation,
)
from fcp_ros.scene.formats.geometry import PlacedBox
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.source_graph import SourceId, assign_ids, build_source_graph
from fcp_ros.scene.formats.validation import Flag, Name, Share, ToolModel, keys_of_first, validate
from fcp_ros.scene.graph.elements import (
    AttributeValue,
    Layer,
    Pose,
    SceneError,
    SceneNode,
    SceneRelation,
    Vector,
)
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.polygons import Polygon, centroid

Outline = Annotated[list[UnityVector], Field(min_length=3)]


class ProcthorRoom(ToolModel):
    """One entry of ``rooms``."""

    id: Name
    roomType: Name
    floorPolygon: Outline


class ProcthorWall(ToolModel):
    """One entry of ``walls``: upright; ``empty`` is an open boundary between two rooms."""

    id: Name
    roomId: Name
    polygon: Annotated[list[UnityVector], Field(min_length=4)]
    empty: Flag = False


class ProcthorHole(ToolModel):
    """One entry of ``doors`` or ``windows``.

    ``holePolygon`` has two opposite corners: x along ``wall0`` from its first corner, y upward.
    """

    id: Name
    assetId: Name
    room0: Name
    room1: Name
    wall0: Name
    holePolygon: Annotated[list[UnityVector], Field(min_length=2)]
    openable: Flag = False
    openness: Share | None = None


class ProcthorObject(UnityPose):
    """One entry of ``objects``, or of another one's ``children``."""

    id: Name
    assetId: str = ""
    openness: Share | None = None
    isOn: Flag | None = None
    isDirty: Flag | None = None
    children: list[ProcthorObject] = Field(default_factory=list)


class ProcthorMetadata(ToolModel):
    """``metadata``; the agent is the robot at its start."""

    agent: UnityPose | None = None


class ProcthorHouse(ToolModel):
    """The whole file."""

    rooms: list[ProcthorRoom]
    walls: list[ProcthorWall] = Field(default_factory=list)
    doors: list[ProcthorHole] = Field(default_factory=list)
    windows: list[ProcthorHole] = Field(default_factory=list)
    objects: list[ProcthorObject] = Field(default_factory=list)
    metadata: ProcthorMetadata = Field(default_factory=ProcthorMetadata)


_ROBOT = "|agent"
_NO_LETTER = re.compile(r"[^A-Za-z]")
_SIZES_OF_ASSET = re.compile(r"(?:_\w*\d\w*)+$")

BESIDE = 0.02
"""Greatest distance (m) of the middle of an open boundary from the room's outline beyond."""

BEYOND_WALL = 0.05  # Greatest length (m) of a hole beyond its wall


def is_procthor(file: SceneFile) -> bool:
    """Return True if the document has rooms with ``floorPolygon``, or ProcTHOR's parameters."""
    if not file.has_keys("rooms") or not isinstance(file.document["rooms"], list):
        return False
    is_room = "floorPolygon" in keys_of_first(file.document["rooms"])
    return is_room or "proceduralParameters" in file.document


def read_procthor(file: SceneFile) -> SceneGraph:
    """Read a house; raises SceneError naming each wrong entry."""
    file.limits.check_nodes(_count_entries(file.document, file.limits.max_nodes), file.name)
    house = validate(ProcthorHouse, file.document)
    return _HouseReader(house).build(file.name)


def _count_entries(document: Mapping[str, Any], most: int) -> int:
    """Count the entries of a house before they are validated; stop above ``most``."""
    waiting = [document.get(key) for key in ("rooms", "walls", "doors", "windows", "objects")]
    count = 0
    while waiting and count <= most:
        entries = waiting.pop()
        if isinstance(entries, list):
            count += len(entries)
            waiting += [entry.get("children") for entry in entries if isinstance(entry, dict)]
    return count


class _HouseReader:
    """A house, converted to a graph."""

    def __init__(self, house: ProcthorHouse) -> None:
        self._house = house
        self._rooms = {room.id: room for room in house.rooms}
        self._walls = {wall.id: wall for wall in house.walls}
        self._outlines = {room.id: _build_outline(room) for room in house.rooms}
        self._objects = list(_walk_objects(house))
        self._openings = find_openings(house.walls, self._outlines)
        self._tops = _find_wall_tops(house.walls)
        self._ids = assign_ids(self._list_elements())
        self._notes = list(self._ids.notes)

    def build(self, source: str) -> SceneGraph:
        agent = self._house.metadata.agent
        relations: list[SceneRelation] = []
        nodes = [self._build_room(room) for room in self._house.rooms]
        nodes += self._build_doors(relations)
        nodes += self._build_openings(relations)
        nodes += [self._build_window(window) for window in self._house.windows]
        nodes += [self._build_object(thing) for thing, _ in self._objects]
        relations += [
            SceneRelation(
                choose_relation(_to_type(holder)),
                (self._ids[thing.id], self._ids[holder.id]),
                BY_TYPE,
            )
            for thing, holder in self._objects
            if holder is not None
        ]
        if agent is not None:
            nodes.append(SceneNode(self._ids[_ROBOT], Layer.AGENT, "robot", agent.to_pose()))
        return build_source_graph(nodes, relations, source=source, notes=self._notes)

    def _list_elements(self) -> Iterator[tuple[SourceId, str]]:
        for room in self._house.rooms:
            yield room.id, room.roomType
        for door in self._house.doors:
            yield door.id, _choose_door_category(door)
        for window in self._house.windows:
            yield window.id, "window"
        for wall in self._openings:
            yield wall, "opening"
        for thing, _ in self._objects:
            yield thing.id, _to_type(thing)
        yield _ROBOT, "robot"

    def _build_room(self, room: ProcthorRoom) -> SceneNode:
        outline = self._outlines[room.id]
        level = UNITY.to_point(room.floorPolygon[0].values)[2]
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

    def _build_doors(self, relations: list[SceneRelation]) -> list[SceneNode]:
        nodes, outside, unplaced = [], [], []
        for door in self._house.doors:
            rooms = [self._require_room(door.id, room) for room in (door.room0, door.room1)]
            id_ = self._ids[door.id]
            if rooms[0] == rooms[1]:
                outside.append(door.id)
                continue
            pose, size = self._place_hole(door)
            if pose is None:
                unplaced.append(id_)
            nodes.append(
                SceneNode(
                    id_,
                    Layer.OBJECT,
                    _choose_door_category(door),
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
                f"the walls of {list_names(unplaced)} are not listed: the doors have no place"
            )
        return nodes

    def _build_window(self, window: ProcthorHole) -> SceneNode:
        pose, size = self._place_hole(window)
        return SceneNode(
            self._ids[window.id],
            Layer.OBJECT,
            "window",
            pose=pose,
            size=size,
            attributes=self._ids.attributes(window.id),
            parents=(self._require_room(window.id, window.room0),),
        )

    def _build_object(self, thing: ProcthorObject) -> SceneNode:
        return SceneNode(
            self._ids[thing.id],
            Layer.OBJECT,
            _to_type(thing),
            pose=thing.to_pose(),
            attributes={**self._ids.attributes(thing.id), **_read_states(thing)},
        )

    def _require_room(self, element: str, room: str) -> str:
        if room not in self._rooms:
            raise SceneError(f"it names the room {room!r}, which is not listed", element=element)
        return self._ids[room]

    def _place_hole(self, hole: ProcthorHole) -> PlacedBox | tuple[None, None]:
        """Place a door or window; (None, None) if its wall is not listed."""
        wall = self._walls.get(hole.wall0)
        return (None, None) if wall is None else place_hole(hole, wall)

    def _build_openings(self, relations: list[SceneRelation]) -> Iterator[SceneNode]:
        for wall, rooms in self._openings.items():
            id_ = self._ids[wall]
            legs = (self._ids[rooms[0]], self._ids[rooms[1]], id_)
            relations.append(SceneRelation("connected", legs))
            pose, size = _place_wall(self._walls[wall])
            attributes = self._ids.attributes(wall)
            yield SceneNode(id_, Layer.OBJECT, "opening", pose, size, attributes=attributes)


def _walk_objects(house: ProcthorHouse) -> Iterator[tuple[ProcthorObject, ProcthorObject | None]]:
    waiting: list[tuple[ProcthorObject, ProcthorObject | None]] = [
        (thing, None) for thing in reversed(house.objects)
    ]
    while waiting:
        thing, holder = waiting.pop()
        yield thing, holder
        waiting += [(child, thing) for child in reversed(thing.children)]


def _build_outline(room: ProcthorRoom) -> Polygon:
    corners = [UNITY.to_point(corner.values)[:2] for corner in room.floorPolygon]
    if len(corners) > 3 and corners[0] == corners[-1]:
        corners.pop()
    return tuple(corners)


def _to_type(thing: ProcthorObject) -> str:
    """Return ``Apple`` for ``Apple|surface|2|2``, or the asset's name if the id has a piece of it.

    Types of AI2-THOR are words in camel case (``CounterTop``).
    """
    type_ = thing.id.split("|")[0] or "unknown"
    asset = _SIZES_OF_ASSET.sub("", thing.assetId)
    if not thing.assetId or (type_[0].isupper() and _join(type_) != _join(thing.assetId)):
        return type_
    is_whole = _join(type_) == _join(asset) and _count_words(type_) >= _count_words(asset)
    return type_ if is_whole else thing.assetId


def _join(name: str) -> str:
    return _NO_LETTER.sub("", name).lower()


def _count_words(name: str) -> int:
    return len(normalise_label(name).split())


def _choose_door_category(door: ProcthorHole) -> str:
    """Call a frame, which has no leaf that could be shut, a doorway."""
    return "doorway" if door.assetId.startswith("Doorframe") else "door"


def _is_open(door: ProcthorHole) -> bool:
    return door.assetId.startswith("Doorframe") or (door.openness or 0.0) > 0.0


def _read_states(thing: ProcthorObject) -> dict[str, AttributeValue]:
    states: dict[str, AttributeValue] = {}
    if thing.openness is not None:
        states["is_open"] = thing.openness > 0.0
    if thing.isOn is not None:
        states["is_on"] = thing.isOn
    if thing.isDirty is not None:
        states["is_dirty"] = thing.isDirty
    return states


# ---- walls: upright rectangles without thickness; places in a wall count along its foot, from the
# first of its two lowest corners


def place_hole(hole: ProcthorHole, wall: ProcthorWall) -> PlacedBox:
    """Return the box of a door or window: without thickness, its x axis along the wall."""
    start, end = _find_foot(wall)
    length = math.dist(start, end)
    along = sorted(corner.x for corner in hole.holePolygon)
    upward = sorted(corner.y for corner in hole.holePolygon)
    if along[0] < -BEYOND_WALL or along[-1] > length + BEYOND_WALL or length == 0.0:
        raise SceneError(
            f"its hole reaches from {along[0]} to {along[-1]} m along a wall of {length:.3g} m",
            element=hole.id,
        )
    share = (along[0] + along[-1]) / 2.0 / length
    x, y = (a + share * (b - a) for a, b in zip(start[:2], end[:2], strict=True))
    z = start[2] + (upward[0] + upward[-1]) / 2.0
    size = (along[-1] - along[0], 0.0, upward[-1] - upward[0])
    return PlacedBox(Pose.at(x, y, z, _measure_yaw(start, end)), size)


def _place_wall(wall: ProcthorWall) -> PlacedBox:
    """Return the box of a whole wall, its x axis along it."""
    start, end = _find_foot(wall)
    height = max(corner.y for corner in wall.polygon) - start[2]
    x, y, z = _find_middle(wall)
    size = (math.dist(start, end), 0.0, max(height, 0.0))
    return PlacedBox(Pose.at(x, y, z + height / 2.0, _measure_yaw(start, end)), size)


def _find_wall_tops(walls: Iterable[ProcthorWall]) -> dict[str, float]:
    """Return the greatest height (m) of the walls of each room."""
    tops: dict[str, float] = {}
    for wall in walls:
        top = max(corner.y for corner in wall.polygon)
        tops[wall.roomId] = max(top, tops.get(wall.roomId, top))
    return tops


def find_openings(
    walls: Iterable[ProcthorWall], outlines: Mapping[str, Polygon]
) -> dict[str, tuple[str, str]]:
    """Find the two rooms of each open boundary, by the id of one of its (usually two) walls."""
    empty = [wall for wall in walls if wall.empty and wall.roomId in outlines]
    found: dict[str, tuple[str, str]] = {}
    seen = set()
    for wall, beyond in zip(empty, _find_rooms_beyond(empty, outlines), strict=True):
        x, y, _ = _find_middle(wall)
        key = (frozenset((wall.roomId, beyond)), round(x, 1), round(y, 1))
        if beyond and key not in seen:
            seen.add(key)
            found[wall.id] = wall.roomId, beyond
    return found


def _find_rooms_beyond(walls: Sequence[ProcthorWall], outlines: Mapping[str, Polygon]) -> list[str]:
    """Find the nearest other room whose outline the middle of each wall is on; "" for none."""
    if not walls:
        return []
    import shapely

    rooms = list(outlines)
    rings = [shapely.LineString([*outlines[room], outlines[room][0]]) for room in rooms]
    middles = shapely.points([_find_middle(wall)[:2] for wall in walls])
    near = shapely.STRtree(rings).query(middles, predicate="dwithin", distance=BESIDE)
    best = [(math.inf, "")] * len(walls)
    for number, ring in near.T.tolist():
        if rooms[ring] != walls[number].roomId:
            away = float(shapely.distance(middles[number], rings[ring]))
            best[number] = min(best[number], (away, rooms[ring]))
    return [room for _, room in best]


def _find_foot(wall: ProcthorWall) -> tuple[Vector, Vector]:
    first, second = sorted(wall.polygon, key=lambda corner: corner.y)[:2]
    return UNITY.to_point(first.values), UNITY.to_point(second.values)


def _find_middle(wall: ProcthorWall) -> Vector:
    start, end = _find_foot(wall)
    x, y, z = ((a + b) / 2.0 for a, b in zip(start, end, strict=True))
    return x, y, z


def _measure_yaw(start: Vector, end: Vector) -> float:
    return math.atan2(end[1] - start[1], end[0] - start[0])
