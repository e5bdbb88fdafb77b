# SPDX-License-Identifier: Apache-2.0
"""Geometry of the sources: their coordinate frames, and the boxes that they write.

Everything becomes REP-103 (x forward, y left, z up, metres, right-handed) in one conversion. Every
source frame is the canonical one with its axes renamed or reversed, so a conversion is exact, and a
box keeps its extents in another order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.elements import Pose, Quaternion, Vector

Floats = NDArray[np.float64]
Axes = tuple[int, int, int]

CORNER_TOLERANCE = 0.005
"""Greatest distance (m) of a corner from its place in the box that three others span."""

_FLAT = 1e-3
_STEPS = np.array(list(product((0.0, 1.0), repeat=3)))


@dataclass(frozen=True)
class SourceFrame:
    """A frame whose axes are those of REP-103 under other names."""

    axes: Axes  # The source's axis (0, 1, 2) for each of x, y, z of REP-103
    signs: Axes  # 1 where the axis has the same direction, -1 where it is reversed
    unit: float = 1.0  # Length of the source's unit (m)

    @property
    def is_left_handed(self) -> bool:
        """True if the source's frame is a mirror image of ours."""
        even = self.axes in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        return math.prod(self.signs) * (1 if even else -1) < 0

    def to_point(self, source: Sequence[float]) -> Vector:
        """Convert a position of the source (its unit) to x, y, z (m)."""
        x, y, z = (
            sign * self.unit * source[axis]
            for axis, sign in zip(self.axes, self.signs, strict=True)
        )
        return x, y, z

    def to_extents(self, source: Sequence[float]) -> Vector:
        """Convert full extents along the source's axes (its unit) to those along x, y, z (m)."""
        x, y, z = (self.unit * source[axis] for axis in self.axes)
        return x, y, z

    def to_orientation(self, source: Sequence[float]) -> Quaternion:
        """Convert a rotation of the source (quaternion x, y, z, w) to one about our axes.

        It turns the box whose extents ``to_extents`` gives. In a left-handed frame, rotations have
        the opposite sense.
        """
        turn = -1 if self.is_left_handed else 1
        x, y, z = (
            turn * sign * source[axis] for axis, sign in zip(self.axes, self.signs, strict=True)
        )
        return x, y, z, source[3]

    def rename_axes(self, vectors: Floats) -> Floats:
        """Return vectors (..., 3) with the axes of REP-103, still in the source's unit."""
        renamed: Floats = vectors[..., list(self.axes)] * np.array(self.signs, dtype=np.float64)
        return renamed


REP_103 = SourceFrame(axes=(0, 1, 2), signs=(1, 1, 1))
"""Our own frame: x forward, y left, z up, right-handed, metres."""

Y_UP = SourceFrame(axes=(0, 2, 1), signs=(1, -1, 1))
"""Right-handed with y up (USD, HOV-SG): z of the source points towards our -y."""


class PlacedBox(NamedTuple):
    """A box: the pose of its centre, and its full extents (m) along its own axes."""

    pose: Pose
    size: Vector

    @property
    def bottom(self) -> float:
        """Height of the underside of an upright box (m)."""
        return self.pose.position[2] - self.size[2] / 2.0

    @property
    def top(self) -> float:
        """Height of the upper side of an upright box (m)."""
        return self.pose.position[2] + self.size[2] / 2.0


def raise_upright_axes(axes: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Rename the axes of boxes (rows, (n, 3, 3)) so that z is the most upright one.

    Then yaw has the same meaning whichever axis an asset was modelled along. The other two axes
    keep their order, and axes of a left-handed frame become right-handed. Returns the axes, and the
    numbers of the axes that they were, shape (n, 3).
    """
    rows = np.arange(len(axes))
    up = np.argmax(np.abs(axes[:, :, 2]), axis=1)
    first, second = np.where(up == 0, 1, 0), np.where(up == 2, 1, 2)
    z = axes[rows, up]
    z = z * np.copysign(1.0, z[:, 2:])
    x = axes[rows, first]
    return np.stack([x, np.cross(z, x), z], axis=1), np.stack([first, second, up], axis=1)


def find_upright_axes(rows: Floats) -> Floats:
    """Return the unit axes x, y, z (rows) of a box, z being the most upright one.

    ``rows`` are the images of the axes of its frame in REP-103, of any length.
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(rows).all() or (lengths < 1e-12).any():
        return np.eye(3)
    rows = rows / lengths
    if np.abs(rows @ rows.T - np.eye(3)).max() > 1e-6:  # sheared: the nearest right angles
        left, _, right = np.linalg.svd(rows)
        rows = left @ right
    axes: Floats = raise_upright_axes(rows[None])[0][0]
    return axes


def to_quaternions(axes: Floats) -> Floats:
    """Convert rotations, given as the images of x, y, z in rows (n, 3, 3), to x, y, z, w (n, 4)."""
    turns = np.tile(np.array((0.0, 0.0, 0.0, 1.0)), (len(axes), 1))
    turned = (axes != np.eye(3)).any(axis=(1, 2))
    if turned.any():
        from scipy.spatial.transform import Rotation

        turns[turned] = Rotation.from_matrix(axes[turned].transpose(0, 2, 1)).as_quat()
    return turns


def fit_box_to_corners(corners: Sequence[Sequence[float]], heading: float) -> PlacedBox | None:
    """Find the box that has these eight corners (m), in any order.

    Its z axis is the most upright edge. Its x axis is the other edge that is closest to ``heading``
    (rad about z). None if they are not those of a box, or it is thinner than a millimetre.
    """
    if len(corners) != 8 or any(len(corner) != 3 for corner in corners):
        return None
    points = np.array(corners, dtype=np.float64)
    spokes = points[1:] - points[0]
    lengths = np.linalg.norm(spokes, axis=1)
    if lengths.min() < _FLAT:
        return None
    # The two shortest of the seven ways to the other corners are edges; the third edge is the way
    # at right angles to both.
    ways = spokes / lengths[:, None]
    first, second, *others = np.argsort(lengths, kind="stable").tolist()
    slant = np.abs(ways[others] @ ways[[first, second]].T).sum(axis=1)
    chosen = [first, second, others[int(slant.argmin())]]
    gaps = np.linalg.norm(points[:, None] - (points[0] + _STEPS @ spokes[chosen]), axis=2)
    if max(gaps.min(axis=0).max(), gaps.min(axis=1).max()) > CORNER_TOLERANCE:
        return None
    edges, sizes = ways[chosen], lengths[chosen].tolist()
    up = int(np.abs(edges[:, 2]).argmax())
    level = [edge for edge in range(3) if edge != up]
    along = edges @ (math.cos(heading), math.sin(heading), 0.0)
    level.sort(key=lambda edge: -abs(along[edge]))
    x = edges[level[0]] * math.copysign(1.0, along[level[0]])
    z = edges[up] * math.copysign(1.0, edges[up, 2])
    size = (sizes[level[0]], sizes[level[1]], sizes[up])
    return place_box(points.mean(axis=0), np.array([x, np.cross(z, x), z]), size)


def place_box(centre: Floats, axes: Floats, size: Vector) -> PlacedBox:
    """Return the box with a centre (m), axes x, y, z (rows), and full extents (m) along them."""
    x, y, z = centre.tolist()
    i, j, k, w = to_quaternions(axes[None])[0].tolist()
    return PlacedBox(Pose((x, y, z), (i, j, k, w)), size)


def fit_box(corners: Sequence[Floats], axes: Floats) -> PlacedBox:
    """Fit the least box with these axes around points (each entry (m, 3), metres)."""
    along = np.concatenate(corners) @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    width, depth, height = (high - low).tolist()
    return place_box((low + high) / 2.0 @ axes, axes, (width, depth, height))
