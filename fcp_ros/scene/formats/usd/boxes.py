# SPDX-License-Identifier: Apache-2.0
"""Oriented boxes around the geometry of prims, in the frame of the prim and in metres.

USD multiplies row vectors with matrices (p' = p M): the rows of a matrix are the images of the
axes. A box is the same under any naming of its axes, so they are named here such that z is the most
upright one: then the yaw means the same whichever axis the asset was modelled along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.formats.frames import SourceFrame
from fcp_ros.scene.graph.elements import Pose, Vector

Floats = NDArray[np.float64]

_CORNERS = np.array([(x, y, z) for x in (0, 3) for y in (1, 4) for z in (2, 5)], dtype=np.intp)


@dataclass(frozen=True)
class Box:
    """A box: its centre and orientation, and its full extents (m)."""

    pose: Pose
    size: Vector

    @property
    def bottom(self) -> float:
        """Height of the underside of an upright box (m)."""
        return self.pose.position[2] - self.size[2] / 2.0


def geometry_corners(geometry: Sequence[Sequence[Any]], frame: SourceFrame) -> Floats:
    """The corners of extents, shape (n, 8, 3), in REP-103 and metres.

    Args:
        geometry: For each (owner, least and greatest x, y, z as six numbers, matrix as 16).
        frame: The stage's.
    """
    extents = np.array([entry[1] for entry in geometry], dtype=np.float64).reshape(-1, 6)
    matrices = np.array([entry[2] for entry in geometry], dtype=np.float64).reshape(-1, 4, 4)
    with np.errstate(over="ignore", invalid="ignore"):
        corners = extents[:, _CORNERS] @ matrices[:, :3, :3] + matrices[:, None, 3, :3]
        return in_rep_103(corners, frame) * frame.unit


def in_rep_103(vectors: Floats, frame: SourceFrame) -> Floats:
    """Vectors (..., 3) with their axes named as in REP-103; the unit stays."""
    renamed: Floats = vectors[..., list(frame.axes)] * np.array(frame.signs, dtype=np.float64)
    return renamed


def box_axes(matrix: Sequence[float], frame: SourceFrame, *, as_named: bool = False) -> Floats:
    """Unit axes x, y, z (rows) of the boxes of a prim.

    Args:
        matrix: The prim's local-to-world matrix (16).
        frame: The stage's.
        as_named: Keep the names of the axes (of a stage that is z up).
    """
    rows: Floats = in_rep_103(np.array(matrix, dtype=np.float64).reshape(4, 4)[:3, :3], frame)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(rows).all() or (lengths < 1e-12).any():
        return np.eye(3)
    rows = rows / lengths
    if np.abs(rows @ rows.T - np.eye(3)).max() > 1e-6:  # sheared: the nearest right angles
        left, _, right = np.linalg.svd(rows)
        rows = left @ right
    if as_named and np.linalg.det(rows) > 0.0:
        return rows
    upright = int(np.argmax(np.abs(rows[:, 2])))
    z = rows[upright] * (1.0 if rows[upright, 2] >= 0.0 else -1.0)
    x = rows[0] if upright != 0 else rows[1]
    return np.array([x, np.cross(z, x), z])


def box_around(corners: Sequence[Floats], axes: Floats) -> Box:
    """The least box with these axes around points (each entry (m, 3), metres)."""
    along = np.concatenate(corners) @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    x, y, z = (float(value) for value in (low + high) / 2.0 @ axes)
    width, depth, height = (float(value) for value in high - low)
    return Box(Pose((x, y, z), _quaternion(axes)), (width, depth, height))


def _quaternion(axes: Floats) -> tuple[float, float, float, float]:
    """x, y, z, w of the rotation that brings the unit axes to these ones (rows)."""
    if np.array_equal(axes, np.eye(3)):
        return 0.0, 0.0, 0.0, 1.0
    from scipy.spatial.transform import Rotation

    x, y, z, w = (float(part) for part in Rotation.from_matrix(axes.T).as_quat())
    return x, y, z, w
