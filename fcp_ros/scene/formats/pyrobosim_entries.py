# SPDX-License-Identifier: Apache-2.0
"""Entries of a pyrobosim world file and its metadata files, for pydantic, and their shapes placed.

Names and rules are those of pyrobosim 5.0: poses are mappings or lists, quaternions have w first,
and angles are in radians unless the file says degrees.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from fcp_ros.scene.formats.validation import Coordinate, Extent, Flag, Name, Share, ToolModel
from fcp_ros.scene.graph.elements import Pose, Vector
from fcp_ros.scene.graph.transforms import from_euler, multiply, normalise
from fcp_ros.scene.shapes.polygons import Corner, Polygon, bounds, centroid

CornerEntry = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]
Positive = Annotated[Extent, Field(gt=0.0)]


class _Position(ToolModel):
    x: Coordinate = 0.0
    y: Coordinate = 0.0
    z: Coordinate = 0.0


class _Angles(ToolModel):
    roll: Coordinate = 0.0
    pitch: Coordinate = 0.0
    yaw: Coordinate = 0.0
    angle_units: Literal["radians", "degrees"] = "radians"


class _Turn(ToolModel):
    w: Coordinate = 0.0
    x: Coordinate = 0.0
    y: Coordinate = 0.0
    z: Coordinate = 0.0

    @model_validator(mode="after")
    def _check_length(self) -> _Turn:
        if math.hypot(self.w, self.x, self.y, self.z) < 1e-6:
            raise ValueError("this quaternion has no length: write w, x, y, z")
        return self


class PoseEntry(ToolModel):
    """A pose as a mapping; ``rotation_quat`` takes precedence over ``rotation_eul``."""

    position: _Position = Field(default_factory=_Position)
    rotation_eul: _Angles | None = None
    rotation_quat: _Turn | None = None
    relative_to: Name | None = None

    def to_pose(self) -> Pose:
        """Convert to a pose without ``relative_to``; normalises quaternions, as pyrobosim does."""
        at = (float(self.position.x), float(self.position.y), float(self.position.z))
        if self.rotation_quat is not None:
            turn = self.rotation_quat
            return Pose(at, normalise((turn.x, turn.y, turn.z, turn.w)))
        angles = self.rotation_eul or _Angles()
        scale = math.pi / 180.0 if angles.angle_units == "degrees" else 1.0
        # About x, then the new y, then the new z.
        turns = (scale * angle for angle in (angles.roll, angles.pitch, angles.yaw))
        return Pose(at, from_euler(*turns, order="zyx"))


class PoseList(ToolModel):
    """A pose: x, y, z, then yaw, or roll, pitch, yaw, or a quaternion w, x, y, z."""

    numbers: list[Coordinate]

    @model_validator(mode="before")
    @classmethod
    def _accept_list(cls, value: object) -> object:
        return {"numbers": value} if isinstance(value, list) else value

    @model_validator(mode="after")
    def _check_length(self) -> PoseList:
        if len(self.numbers) not in (2, 3, 4, 6, 7):
            raise ValueError("a pose has 2, 3, 4, 6 or 7 numbers")
        if len(self.numbers) == 7 and math.hypot(*self.numbers[3:]) < 1e-6:
            raise ValueError("this quaternion has no length: write w, x, y, z")
        return self

    @property
    def relative_to(self) -> None:
        """None: a list is never relative to anything."""

    def to_pose(self) -> Pose:
        numbers = [float(number) for number in self.numbers]
        x, y, z = [*numbers, 0.0][:3]
        rest = numbers[3:]
        if len(rest) == 4:
            w, a, b, c = rest
            return Pose((x, y, z), normalise((a, b, c, w)))
        roll, pitch, yaw = [0.0, 0.0, 0.0, *rest][-3:]
        return Pose((x, y, z), from_euler(roll, pitch, yaw, order="zyx"))


AnyPose = PoseEntry | PoseList


class Footprint(ToolModel):
    """A ground plan in the thing's own axes."""

    type: Literal["box", "circle", "polygon", "mesh", "parent"]
    dims: tuple[Positive, Positive] | None = None
    radius: Positive | None = None
    coords: list[CornerEntry] | None = Field(default=None, min_length=3)
    offset: Annotated[list[Coordinate], Field(min_length=2, max_length=4)] | None = None
    height: Extent | None = None

    @model_validator(mode="after")
    def _check_numbers(self) -> Footprint:
        needed = {"box": "dims", "circle": "radius", "polygon": "coords"}.get(self.type)
        if needed is not None and getattr(self, needed) is None:
            raise ValueError(f"a footprint of type {self.type} needs {needed}")
        return self


class SurfaceEntry(ToolModel):
    """A part of a location on which objects may be."""

    name: Name | None = None
    footprint: Footprint | None = None


class CategoryEntry(ToolModel):
    """A category of locations or objects, as a metadata file describes it."""

    footprint: Footprint
    locations: list[SurfaceEntry] = Field(default_factory=list)


class PlaceChoice(ToolModel):
    """One of several places, drawn at random when pyrobosim loads the world."""

    choices: list[Name] = Field(min_length=1)
    probabilities: list[Share] | None = None

    @model_validator(mode="after")
    def _check_probabilities(self) -> PlaceChoice:
        if self.probabilities is not None and len(self.probabilities) != len(self.choices):
            raise ValueError("there must be as many probabilities as choices")
        return self


Place = Name | list[Name] | PlaceChoice
Paths = Name | list[Name]


class Parameters(ToolModel):
    """General parameters of the world."""

    wall_height: Positive | None = None


class Metadata(ToolModel):
    """Paths of the files that describe the categories."""

    locations: Paths = Field(default_factory=list)
    objects: Paths = Field(default_factory=list)


class RoomEntry(ToolModel):
    """A room; its footprint may be a plain list of corners."""

    name: Name | None = None
    footprint: Footprint | list[CornerEntry]
    pose: AnyPose | None = None
    height: Extent | None = None


class HallwayEntry(ToolModel):
    """A hallway between two rooms, along a line."""

    name: Name | None = None
    room_start: Name
    room_end: Name
    width: Positive
    conn_method: Literal["auto", "angle", "points"] = "auto"
    conn_angle: Coordinate = 0.0
    conn_points: list[CornerEntry] = Field(default_factory=list)
    offset: Coordinate = 0.0
    is_open: Flag = True
    is_locked: Flag = False

    @model_validator(mode="after")
    def _check_points(self) -> HallwayEntry:
        if self.conn_method == "points" and len(self.conn_points) < 2:
            raise ValueError("conn_points needs two points at least")
        return self


class LocationEntry(ToolModel):
    """A piece of furniture."""

    name: Name | None = None
    category: Name
    parent: Name
    pose: AnyPose = Field(default_factory=PoseEntry)
    is_open: Flag = True
    is_locked: Flag = False
    is_charger: Flag = False


class ObjectEntry(ToolModel):
    """A thing that can be carried; without a pose it is anywhere on its parent."""

    name: Name | None = None
    category: Name
    parent: Place | None = None
    pose: AnyPose | None = None


class RobotEntry(ToolModel):
    """A robot; without a pose it is anywhere in its location."""

    name: Name | None = None
    radius: Extent | None = None
    location: Place | None = None
    pose: AnyPose | None = None


class World(ToolModel):
    """A world file."""

    params: Parameters = Field(default_factory=Parameters)
    metadata: Metadata = Field(default_factory=Metadata)
    rooms: list[RoomEntry] = Field(default_factory=list)
    hallways: list[HallwayEntry] = Field(default_factory=list)
    locations: list[LocationEntry] = Field(default_factory=list)
    objects: list[ObjectEntry] = Field(default_factory=list)
    robots: list[RobotEntry] = Field(default_factory=list)


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


def resolve_relative(pose: Pose, entity: Pose) -> Pose:
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
