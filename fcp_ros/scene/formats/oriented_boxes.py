# SPDX-License-Identifier: Apache-2.0
"""Boxes from their centres, axes and extents, as 3RScan and ScanNet write them; all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from fcp_ros.scene.formats.three_dssg_model import OrientedBox
from fcp_ros.scene.graph.elements import Pose, Vector

TOLERANCE = 0.02
"""How far the axes of a box may be from being perpendicular and of length 1."""

PlacedBox: TypeAlias = tuple[Pose, Vector | None]


def placed_boxes(boxes: Sequence[OrientedBox]) -> list[PlacedBox]:
    """Pose and extents (m) of boxes whose z axis becomes the most upright of their own.

    The other two keep their order, so that a box whose axes are already ours stays as it is. A
    box's axes may be those of a left-handed frame: reversing one does not change the box. Where
    they are not perpendicular, the centre alone is known.
    """
    if not boxes:
        return []
    from scipy.spatial.transform import Rotation

    count = np.arange(len(boxes))
    axes = np.array([box.normalizedAxes for box in boxes], dtype=np.float64).reshape(-1, 3, 3)
    skew = np.abs(axes @ axes.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    usable = skew <= TOLERANCE
    axes[~usable] = np.eye(3)
    up = np.argmax(np.abs(axes[:, :, 2]), axis=1)
    first, second = np.where(up == 0, 1, 0), np.where(up == 2, 1, 2)
    x, z = axes[count, first], axes[count, up]
    z = z * np.copysign(1.0, z[:, 2:])
    turns = Rotation.from_matrix(np.stack([x, np.cross(z, x), z], axis=2)).as_quat()
    lengths = np.array([box.axesLengths for box in boxes], dtype=np.float64)
    sizes = np.stack([lengths[count, first], lengths[count, second], lengths[count, up]], axis=1)
    placed: list[PlacedBox] = []
    rows = zip(boxes, turns.tolist(), sizes.tolist(), usable.tolist(), strict=True)
    for box, (a, b, c, w), (width, depth, height), fine in rows:
        if fine:
            placed.append((Pose(box.centroid, (a, b, c, w)), (width, depth, height)))
        else:
            placed.append((Pose(box.centroid), None))
    return placed
