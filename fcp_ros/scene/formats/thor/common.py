# SPDX-License-Identifier: Apache-2.0
"""What AI2-THOR and ProcTHOR have in common: Unity's vectors, and receptacles of either kind."""

from __future__ import annotations

from fcp_ros.scene.formats.frames import UNITY, unity_euler
from fcp_ros.scene.formats.validation import Coordinate, ToolModel
from fcp_ros.scene.graph.elements import Pose, Vector

BY_TYPE = 0.8
"""Confidence of ``on`` or ``inside`` where only the receptacle's type says which."""

_CONTAINERS = frozenset(
    {"Bathtub", "BathtubBasin", "Bowl", "Box", "Cabinet", "ClothesDryer", "Cup", "Drawer"}
    | {"Fridge", "GarbageCan", "LaundryHamper", "Microwave", "Mug", "Pot", "Safe", "Sink"}
    | {"SinkBasin", "Toaster", "WashingMachine"}
)
"""Object types that things are put into; on all other receptacles they stand."""

STRUCTURE = frozenset({"Wall", "Ceiling"})
"""Object types whose boxes would seem to hold whole rooms."""


class UnityVector(ToolModel):
    """A position (m), an extent (m) or Euler angles (degrees) in Unity's frame."""

    x: Coordinate
    y: Coordinate
    z: Coordinate

    @property
    def values(self) -> Vector:
        """The three of them."""
        return self.x, self.y, self.z


def pose_of(position: UnityVector, rotation: UnityVector | None) -> Pose:
    """A pose in REP-103 from a position and Euler angles of Unity."""
    turn = unity_euler(*rotation.values) if rotation is not None else (0.0, 0.0, 0.0, 1.0)
    return Pose(UNITY.point(position.values), UNITY.orientation(turn))


def word_for(receptacle_type: str) -> str:
    """``inside`` or ``on``: what being held by a receptacle of a type means."""
    return "inside" if receptacle_type in _CONTAINERS else "on"
