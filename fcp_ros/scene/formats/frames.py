# SPDX-License-Identifier: Apache-2.0
"""Coordinate frames of the sources, and their one conversion to REP-103 (x forward, y left, z up).

Every frame here is the canonical one with its axes renamed or reversed. So a conversion is exact,
and a box keeps its extents, only in another order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.scene.graph.elements import Quaternion, Vector

Axes = tuple[int, int, int]


@dataclass(frozen=True)
class SourceFrame:
    """A frame whose axes are those of REP-103 under other names.

    Attributes:
        axes: For x, y, z of REP-103 the number of the source's axis (0, 1, 2).
        signs: For each whether it is the source's axis (1) or its reverse (-1).
        unit: Length of the source's unit (m).
    """

    axes: Axes
    signs: Axes
    unit: float = 1.0

    @property
    def is_left_handed(self) -> bool:
        """Whether the source's frame is a mirror image of ours."""
        even = self.axes in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        return math.prod(self.signs) * (1 if even else -1) < 0

    def point(self, source: Sequence[float]) -> Vector:
        """A position of the source (its unit) as x, y, z (m)."""
        x, y, z = (
            sign * self.unit * source[axis]
            for axis, sign in zip(self.axes, self.signs, strict=True)
        )
        return x, y, z

    def extents(self, source: Sequence[float]) -> Vector:
        """Full extents along the source's axes (its unit) as those along x, y, z (m)."""
        x, y, z = (self.unit * source[axis] for axis in self.axes)
        return x, y, z

    def orientation(self, source: Sequence[float]) -> Quaternion:
        """A rotation of the source (quaternion x, y, z, w) as one about our axes.

        It turns the box whose extents ``extents`` gives. In a left-handed frame the sense of
        turning is the opposite one.
        """
        turn = -1 if self.is_left_handed else 1
        x, y, z = (
            turn * sign * source[axis] for axis, sign in zip(self.axes, self.signs, strict=True)
        )
        return x, y, z, source[3]


REP_103 = SourceFrame(axes=(0, 1, 2), signs=(1, 1, 1))
"""Our own: x forward, y left, z up, right-handed, metres."""

UNITY = SourceFrame(axes=(2, 0, 1), signs=(1, -1, 1))
"""Unity: x right, y up, z forward, left-handed, metres. A turn about y is one about -z here."""

Y_UP = SourceFrame(axes=(0, 2, 1), signs=(1, -1, 1))
"""Right-handed with y up (USD, HOV-SG): turned a quarter about x, z points towards -y."""


def unity_euler(x: float, y: float, z: float) -> Quaternion:
    """Unity's Euler angles (degrees) as a quaternion x, y, z, w, still in Unity's frame.

    Unity turns about its fixed axes in the order z, x, y.
    """
    sx, sy, sz = (math.sin(math.radians(angle) / 2.0) for angle in (x, y, z))
    cx, cy, cz = (math.cos(math.radians(angle) / 2.0) for angle in (x, y, z))
    return (
        sx * cy * cz + cx * sy * sz,
        cx * sy * cz - sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
        cx * cy * cz + sx * sy * sz,
    )
