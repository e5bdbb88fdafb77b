# SPDX-License-Identifier: Apache-2.0
"""Conventions of Unity that AI2-THOR and ProcTHOR share: frame, vectors, receptacles."""

from __future__ import annotations

import math

from fcp_ros.scene.formats.geometry import SourceFrame
from fcp_ros.scene.formats.validation import Coordinate, ToolModel
from fcp_ros.scene.graph.elements import Pose, Quaternion, Vector

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
    sx, sy, sz = (math.sin(math.radians(angle) / 2.0) for angle in (x, y, z))
    cx, cy, cz = (math.cos(math.radians(angle) / 2.0) for angle in (x, y, z))
    return (
        sx * cy * cz + cx * sy * sz,
        cx * sy * cz - sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
        cx * cy * cz + sx * sy * sz,
    )


def choose_relation(receptacle_type: str) -> str:
    """Return ``inside`` or ``on``: the usual relation of things to a receptacle of a type."""
    return "inside" if receptacle_type in _CONTAINERS else "on"
