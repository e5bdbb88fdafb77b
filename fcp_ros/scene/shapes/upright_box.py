# SPDX-License-Identifier: Apache-2.0
"""The smallest upright box around points: level, turned about the vertical for the best fit.

Things stand on floors and tops, so their boxes are level; a box that may tilt fits the noise of a
scan better and the thing worse. The best turn has one side along an edge of the convex hull
(Freeman and Shapira, *Determining the minimum-area encasing rectangle*, 1975).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.elements import Pose, Vector

Floats = NDArray[np.float64]

STRAY = 0.005
"""Share of a scanned thing's points that readers leave beyond each side of its box."""

_QUARTER = math.pi / 2.0


def fit_upright_box(points: Floats, stray: float = 0.0) -> tuple[Pose, Vector]:
    """Fit the upright box of least footprint.

    Args:
        points: Shape (n, 3), n >= 1, metres.
        stray: Share of the points, in [0, 0.5), that may lie beyond each side of the box:
            segmentation leaves a few points of the background with a thing.

    Returns:
        Pose (yaw in (-45, 45] degrees) and size (m) along the box's own axes.
    """
    yaw = _find_best_yaw(_drop_stray(points, stray)[:, :2])
    cos, sin = math.cos(yaw), math.sin(yaw)
    own = np.column_stack(
        (
            cos * points[:, 0] + sin * points[:, 1],
            cos * points[:, 1] - sin * points[:, 0],
            points[:, 2],
        )
    )
    low, high = (
        np.quantile(own, (stray, 1.0 - stray), axis=0) if stray else (own.min(0), own.max(0))
    )
    across, along, up = ((low + high) / 2.0).tolist()
    size_x, size_y, size_z = (high - low).tolist()
    pose = Pose.at(cos * across - sin * along, sin * across + cos * along, up, yaw)
    return pose, (size_x, size_y, size_z)


def _drop_stray(points: Floats, stray: float) -> Floats:
    if not stray:
        return points
    low, high = np.quantile(points, (stray, 1.0 - stray), axis=0)
    kept = points[((points >= low) & (points <= high)).all(axis=1)]
    return kept if len(kept) else points


def _find_best_yaw(points: Floats) -> float:
    """Find the yaw (rad) in (-pi/4, pi/4] of the rectangle of least area around plane points."""
    edges = _find_hull_edges(points)
    angles = np.unique(np.round(np.arctan2(edges[:, 1], edges[:, 0]) % _QUARTER, 9))
    if not len(angles):
        return 0.0
    cos, sin = np.cos(angles), np.sin(angles)
    middle = points.mean(axis=0)  # areas are exact far from the origin too
    x, y = (points - middle).T
    width = np.ptp(cos[:, None] * x + sin[:, None] * y, axis=1)
    depth = np.ptp(cos[:, None] * y - sin[:, None] * x, axis=1)
    areas = width * depth
    # Among equally good turns, take the one nearest to the axes.
    turns = np.where(angles > _QUARTER / 2.0, angles - _QUARTER, angles)
    good = areas <= areas.min() * (1.0 + 1e-9) + 1e-15
    return float(turns[good][np.argmin(np.abs(turns[good]))])


def _find_hull_edges(points: Floats) -> Floats:
    """Return the edges of the convex hull, shape (k, 2); for points on one line, its direction."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        corners = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):  # fewer than three points, or all on one line
        spread = points - points.mean(axis=0)
        far = spread[np.argmax((spread**2).sum(axis=1))]
        return far[None, :] if far.any() else np.zeros((0, 2))
    edges: Floats = np.roll(corners, -1, axis=0) - corners
    return edges
