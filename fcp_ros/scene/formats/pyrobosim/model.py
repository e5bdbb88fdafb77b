# SPDX-License-Identifier: Apache-2.0
"""Models of a pyrobosim world file and its metadata files, for pydantic.

Like in pyrobosim 5.0, poses are mappings or lists, quaternions have w first, and angles are in
radians unless the file says degrees.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from fcp_ros.scene.formats.validation import Coordinate, Extent, Flag, Name, Share, ToolModel
from fcp_ros.scene.graph.elements import Pose, Quaternion
from fcp_ros.scene.graph.transforms import normalise

Corner = Annotated[list[Coordinate], Field(min_length=2, max_length=2)]
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
        return Pose(
            at, _rotate_in_turn(scale * angles.roll, scale * angles.pitch, scale * angles.yaw)
        )


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
        """Convert to a pose."""
        numbers = [float(number) for number in self.numbers]
        x, y, z = [*numbers, 0.0][:3]
        rest = numbers[3:]
        if len(rest) == 4:
            w, a, b, c = rest
            return Pose((x, y, z), normalise((a, b, c, w)))
        roll, pitch, yaw = [0.0, 0.0, 0.0, *rest][-3:]
        return Pose((x, y, z), _rotate_in_turn(roll, pitch, yaw))


AnyPose = PoseEntry | PoseList


def _rotate_in_turn(roll: float, pitch: float, yaw: float) -> Quaternion:
    """Return the rotation about x, then about the new y, then about the new z (rad)."""
    (sx, cx), (sy, cy), (sz, cz) = (
        (math.sin(angle / 2.0), math.cos(angle / 2.0)) for angle in (roll, pitch, yaw)
    )
    return (
        sx * cy * cz + cx * sy * sz,
        cx * sy * cz - sx * cy * sz,
        cx * cy * sz + sx * sy * cz,
        cx * cy * cz - sx * sy * sz,
    )


class Footprint(ToolModel):
    """A ground plan in the thing's own axes."""

    type: Literal["box", "circle", "polygon", "mesh", "parent"]
    dims: tuple[Positive, Positive] | None = None
    radius: Positive | None = None
    coords: list[Corner] | None = Field(default=None, min_length=3)
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
    footprint: Footprint | list[Corner]
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
    conn_points: list[Corner] = Field(default_factory=list)
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
