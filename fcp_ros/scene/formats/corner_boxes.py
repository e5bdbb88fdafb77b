# SPDX-License-Identifier: Apache-2.0
"""A box from its eight corners, in whatever order they come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fcp_ros.scene.graph.graph import Pose, Vector

TOLERANCE = 0.005
"""How far (m) a corner may be from where the box that three others make has one."""

_FLAT = 1e-3


def box_of_corners(
    corners: Sequence[Sequence[float]], heading: float
) -> tuple[Pose, Vector] | None:
    """Pose of the centre, and full extents (m), of the box that has these corners.

    Its z axis is the edge that is most upright; its x axis the one of the others that is closest
    to a heading.

    Args:
        corners: Eight of x, y, z (m), in any order.
        heading: Angle of the x axis about z (rad), as far as the corners leave a choice.

    Returns:
        None where they are not the corners of a box, or it is thinner than a millimetre.
    """
    points = np.array(corners, dtype=np.float64)
    if points.shape != (8, 3):
        return None
    edges = _edges(points[1:] - points[0])
    if edges is None:
        return None
    lengths = np.linalg.norm(edges, axis=1)
    steps = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    gaps = np.linalg.norm(points[:, None] - (points[0] + steps @ edges), axis=2)
    if gaps.min(axis=0).max() > TOLERANCE or gaps.min(axis=1).max() > TOLERANCE:
        return None
    axes = edges / lengths[:, None]
    up = int(np.argmax(np.abs(axes[:, 2])))
    level = [axis for axis in range(3) if axis != up]
    forward = np.array([np.cos(heading), np.sin(heading), 0.0])
    first = max(level, key=lambda axis: abs(float(axes[axis] @ forward)))
    second = next(axis for axis in level if axis != first)
    z = axes[up] * np.copysign(1.0, axes[up][2])
    x = axes[first] * np.copysign(1.0, axes[first] @ forward)
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_matrix(np.stack([x, np.cross(z, x), z], axis=1)).as_quat()
    a, b, c, w = turn.tolist()
    width, depth, height = (float(lengths[axis]) for axis in (first, second, up))
    px, py, pz = points.mean(axis=0).tolist()
    return Pose((px, py, pz), (a, b, c, w)), (width, depth, height)


def _edges(spokes: np.ndarray) -> np.ndarray | None:
    """Which three of the seven ways from one corner to the others are edges of the box.

    The two shortest are; the third is the one at right angles to both.
    """
    lengths = np.linalg.norm(spokes, axis=1)
    order = np.argsort(lengths)
    if lengths[order[0]] < _FLAT:
        return None
    directions = spokes / lengths[:, None]
    slant = np.abs(directions @ directions[order[:2]].T).sum(axis=1)
    slant[order[:2]] = np.inf
    edges: np.ndarray = spokes[[order[0], order[1], int(np.argmin(slant))]]
    return edges
