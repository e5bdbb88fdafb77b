# SPDX-License-Identifier: Apache-2.0
"""Layout of a pyrobosim world: names, poses and outlines of its entries, and references to them.

Names and rules are those of pyrobosim 5.0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from fcp_ros.scene.formats.pyrobosim.model import (
    AnyPose,
    CategoryEntry,
    Footprint,
    HallwayEntry,
    LocationEntry,
    ObjectEntry,
    Place,
    PlaceChoice,
    RoomEntry,
    SurfaceEntry,
    World,
)
from fcp_ros.scene.graph.elements import Pose, SceneError, Vector
from fcp_ros.scene.graph.transforms import multiply
from fcp_ros.scene.shapes.polygons import Corner, Polygon, area, bounds, centroid

_CIRCLE_CORNERS = 32


@dataclass(frozen=True)
class PlacedShape:
    """A footprint in the world."""

    pose: Pose  # Centre of the box if its height is known, else of its underside
    size: Vector | None  # Extents of the box (m); None if the height or the footprint is unknown
    outline: Polygon  # Corners (m) of the footprint; empty if unknown
    is_box: bool  # True if the outline is redundant, given pose and size


def place_footprint(footprint: Footprint | None, base: Pose) -> PlacedShape:
    """Place the footprint of a thing with its underside at ``base``; only the yaw turns it."""
    own = _draw_own_outline(footprint)
    if footprint is None or not own:
        return PlacedShape(base, None, (), False)
    x0, y0, x1, y1 = bounds(own)
    placed = _read_offset(footprint)
    (middle,) = move_points(move_points((((x0 + x1) / 2.0, (y0 + y1) / 2.0),), placed), base)
    outline = move_points(move_points(own, placed), base)
    low = base.position[2]
    yaw = base.yaw + placed.yaw
    height = footprint.height
    if not height:
        return PlacedShape(Pose.at(*middle, low, yaw), None, outline, False)
    return PlacedShape(
        Pose.at(*middle, low + height / 2.0, yaw),
        (x1 - x0, y1 - y0, height),
        outline,
        footprint.type == "box",
    )


def _draw_own_outline(footprint: Footprint | None) -> Polygon:
    """Return corners in the thing's axes, before the offset; empty for meshes and ``parent``."""
    if footprint is None:
        return ()
    if footprint.dims is not None and footprint.type == "box":
        x, y = footprint.dims[0] / 2.0, footprint.dims[1] / 2.0
        return (-x, -y), (x, -y), (x, y), (-x, y)
    if footprint.radius is not None and footprint.type == "circle":
        turns = (2.0 * math.pi * corner / _CIRCLE_CORNERS for corner in range(_CIRCLE_CORNERS))
        radius = footprint.radius
        return tuple((radius * math.cos(turn), radius * math.sin(turn)) for turn in turns)
    if footprint.coords is not None and footprint.type == "polygon":
        return tuple((float(x), float(y)) for x, y in footprint.coords)
    return ()


def draw_outline(footprint: Footprint, base: Pose | None) -> Polygon:
    """Return the corners (m) of a footprint, moved by its offset and then to a pose."""
    placed = move_points(_draw_own_outline(footprint), _read_offset(footprint))
    return placed if base is None else move_points(placed, base)


def _read_offset(footprint: Footprint) -> Pose:
    """Read x, y, z, yaw as far as given; a third number is z, as in all lists of pyrobosim."""
    x, y, _, yaw = (*(footprint.offset or ()), 0.0, 0.0, 0.0, 0.0)[:4]
    return Pose.at(x, y, 0.0, yaw)


def move_points(points: Sequence[Corner], pose: Pose) -> Polygon:
    """Turn points by a pose's yaw and move them to its position."""
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    left, up = pose.position[:2]
    return tuple((left + cos * x - sin * y, up + sin * x + cos * y) for x, y in points)


def _resolve_relative(pose: Pose, entity: Pose) -> Pose:
    """Resolve a pose relative to an entity by the rules of pyrobosim.

    The entity's rotation turns the thing, but not its offset: that is along the world's axes.
    """
    x, y, z = (a + b for a, b in zip(pose.position, entity.position, strict=True))
    return Pose((x, y, z), multiply(pose.orientation, entity.orientation))


def draw_hallway(hallway: HallwayEntry, start: Polygon, end: Polygon) -> tuple[Corner, ...]:
    """Draw the middle line of a hallway: between the rooms' centres, at an angle, or as given."""
    if hallway.conn_method == "points":
        return tuple((float(x), float(y)) for x, y in hallway.conn_points)
    (x0, y0), (x1, y1) = centroid(start), centroid(end)
    angle, length = math.atan2(y1 - y0, x1 - x0), math.hypot(x1 - x0, y1 - y0)
    if hallway.conn_method == "angle":
        length *= math.cos(angle - hallway.conn_angle)
        angle = hallway.conn_angle
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = x0 - hallway.offset * sin, y0 + hallway.offset * cos
    return (x, y), (x + length * cos, y + length * sin)


def place_door(line: Sequence[Corner], width: float, start: Polygon, end: Polygon) -> PlacedShape:
    """Place a door in the middle of the part of a hallway that is between its rooms.

    Its height is unknown, so the pose is at the floor; x points along the hallway.
    """
    from shapely.geometry import LineString
    from shapely.geometry import Polygon as Ring

    rooms = Ring(start).buffer(0.0).union(Ring(end).buffer(0.0))
    between = _find_longest(LineString(line).difference(rooms)) or LineString(line)
    middle = between.interpolate(0.5, normalized=True)
    ahead = between.interpolate(0.51, normalized=True)
    yaw = math.atan2(ahead.y - middle.y, ahead.x - middle.x)
    passage = between.buffer(width / 2.0, cap_style="flat", join_style="mitre")
    outline = tuple((float(x), float(y)) for x, y in passage.exterior.coords[:-1])
    return PlacedShape(Pose.at(middle.x, middle.y, 0.0, yaw), None, outline, False)


def _find_longest(shape: object) -> Any:
    """Find the longest line of a shape; None if it has no line of some length."""
    lines = [line for line in getattr(shape, "geoms", [shape]) if getattr(line, "length", 0) > 1e-6]
    return max(lines, key=lambda line: line.length, default=None)


_SMALLEST = 1e-6
_Entry = TypeVar("_Entry")
_Thing = TypeVar("_Thing", LocationEntry, ObjectEntry)


class WorldLayout:
    """The entries of a world by name, with poses, outlines of rooms (m), and references checked."""

    def __init__(self, world: World, furniture: Mapping[str, CategoryEntry]) -> None:
        self._furniture = furniture
        self._name_all(world)
        self._place_all()

    def _name_all(self, world: World) -> None:
        """Index everything by name; entries without one get the name that pyrobosim gives."""
        self.rooms = _index_by_name(
            (room.name or f"room{i}", room) for i, room in enumerate(world.rooms)
        )
        between: Counter[tuple[str, ...]] = Counter()
        halls = []
        for hall in world.hallways:
            ends = tuple(sorted((hall.room_start, hall.room_end)))
            suffix = f"_{between[ends]}" if between[ends] else ""
            halls.append((hall.name or f"hall_{'_'.join(ends)}{suffix}", hall))
            between[ends] += 1
        self.hallways = _index_by_name(halls)
        self.locations = _index_by_name(_name_by_category(world.locations))
        self.objects = _index_by_name(_name_by_category(world.objects))
        self.robots = _index_by_name(
            (robot.name or f"robot{i}", robot) for i, robot in enumerate(world.robots)
        )

    def list_elements(self) -> Iterator[tuple[str, str]]:
        """Yield name and category of each entry."""
        yield from ((name, "room") for name in self.rooms)
        yield from ((name, "door") for name in self.hallways)
        yield from ((name, thing.category) for name, thing in self.locations.items())
        yield from ((name, thing.category) for name, thing in self.objects.items())
        yield from ((name, "robot") for name in self.robots)

    def _place_all(self) -> None:
        """Place rooms, locations and surfaces in order: later entries refer to earlier ones."""
        self.outlines: dict[str, Polygon] = {}
        self.poses: dict[str, Pose] = {}
        self.surfaces: dict[str, str] = {}
        for name, room in self.rooms.items():
            outline = self.outlines[name] = self._draw_room(name, room)
            pose = self.resolve_pose(room.pose, name)
            self.poses[name] = pose or Pose((*centroid(outline), 0.0))
        for name, location in self.locations.items():
            if location.parent not in self.rooms:
                reason = f"its parent {location.parent!r} is no room"
                raise SceneError(reason, element=name)
            pose = self.poses[name] = self.resolve_pose(location.pose, name) or Pose(
                (0.0, 0.0, 0.0)
            )
            for surface_name, surface in self._list_surfaces(name, location):
                self.surfaces[surface_name] = name
                self.poses[surface_name] = self._place_surface(location, surface, pose)

    def _draw_room(self, name: str, room: RoomEntry) -> Polygon:
        base = self.resolve_pose(room.pose, name)
        if isinstance(room.footprint, list):
            corners = tuple((float(x), float(y)) for x, y in room.footprint)
            outline = corners if base is None else move_points(corners, base)
        else:
            outline = draw_outline(room.footprint, base)
        if len(outline) < 3 or area(outline) < _SMALLEST:
            raise SceneError("its footprint is no outline", element=name)
        return outline

    def _list_surfaces(
        self, name: str, location: LocationEntry
    ) -> Iterator[tuple[str, SurfaceEntry]]:
        category = self._furniture.get(location.category)
        for number, surface in enumerate(category.locations if category else ()):
            yield f"{name}_{surface.name or f'loc{number}'}", surface

    def _place_surface(self, location: LocationEntry, surface: SurfaceEntry, pose: Pose) -> Pose:
        """Return the pose of a surface's middle, with the orientation of its location."""
        footprint = surface.footprint
        if footprint is None or footprint.type == "parent":
            footprint = self._furniture[location.category].footprint
        outline = draw_outline(footprint, pose)
        middle = centroid(outline) if outline else pose.position[:2]
        return Pose((*middle, 0.0), pose.orientation)

    def resolve_pose(self, entry: AnyPose | None, name: str) -> Pose | None:
        """Convert the pose of an entry to one in the world; None if it has none."""
        if entry is None:
            return None
        if entry.relative_to is None:
            return entry.to_pose()
        if entry.relative_to not in self.poses:
            reason = (
                f"its pose is relative to {entry.relative_to!r}, which is not defined before it"
            )
            raise SceneError(reason, element=name)
        return _resolve_relative(entry.to_pose(), self.poses[entry.relative_to])

    def find_surface_height(self, where: str | None, surface: str) -> float | None:
        """Find the height (m) of a surface above the floor; None if unknown."""
        category = self._furniture.get(self.locations[where].category) if where else None
        if where is None or category is None:
            return None
        for name, part in self._list_surfaces(where, self.locations[where]):
            if part.footprint is not None and part.footprint.height and surface in ("", name):
                return part.footprint.height
        return category.footprint.height or None

    def find_place(self, place: Place | None, name: str) -> tuple[str | None, str, float]:
        """Find a location, its surface if stated, and the probability of that choice."""
        if place is None:
            return None, "", 0.0
        chosen, share = choose_likeliest(place)
        if chosen in self.locations:
            return chosen, "", share
        if chosen in self.surfaces:
            return self.surfaces[chosen], chosen, share
        found = self._find_matching(chosen.split()) or self._find_undescribed(chosen)
        if not found:
            reason = f"there is no location {chosen!r}, and no category of that name"
            raise SceneError(reason, element=name)
        return found[0], "", share / len(found)

    def _find_undescribed(self, surface: str) -> list[str]:
        """Find the location of a surface (``counter0_left``) with an undescribed category."""
        names = [
            name
            for name, location in self.locations.items()
            if surface.startswith(f"{name}_") and location.category not in self._furniture
        ]
        return sorted(names, key=len)[-1:]

    def _find_matching(self, words: Sequence[str]) -> list[str]:
        """Find the locations that match a query such as ``kitchen table``, by room and category."""
        rooms = {word for word in words if word in self.rooms}
        return [
            name
            for name, location in self.locations.items()
            if all(word in (location.parent, location.category, name) for word in words)
            and (not rooms or location.parent in rooms)
            and set(words) != rooms
        ]


def _name_by_category(entries: Sequence[_Thing]) -> Iterator[tuple[str, _Thing]]:
    """Name the first table ``table0`` unless it has a name; those with a name count as well."""
    counts: Counter[str] = Counter()
    for entry in entries:
        yield entry.name or f"{entry.category}{counts[entry.category]}", entry
        counts[entry.category] += 1


def choose_likeliest(place: Place) -> tuple[str, float]:
    """Choose the likeliest of the places that pyrobosim draws from, and return its probability."""
    if isinstance(place, str):
        return place, 1.0
    if isinstance(place, PlaceChoice):
        names, shares = place.choices, place.probabilities
    else:
        names, shares = place, None
    if not names:
        raise SceneError("an empty list of places")
    if shares is None:
        return names[0], 1.0 / len(names)
    best = max(range(len(names)), key=lambda number: shares[number])
    return names[best], shares[best]


def _index_by_name(entries: Iterable[tuple[str, _Entry]]) -> dict[str, _Entry]:
    found: dict[str, _Entry] = {}
    for name, entry in entries:
        if name in found:
            raise SceneError("this name is given to two", element=name)
        found[name] = entry
    return found
