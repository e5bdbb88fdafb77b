# SPDX-License-Identifier: Apache-2.0
"""Boxes from the point clouds or meshes that a tool saved beside its description of each thing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from fcp_ros.scene.formats.frames import SourceFrame
from fcp_ros.scene.graph.elements import Pose, Vector
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.shapes.surfaces import import_open3d, read_surfaces
from fcp_ros.scene.shapes.upright_box import STRAY, fit_upright_box


def boxes_of_clouds(
    paths: Mapping[str, Path], frame: SourceFrame, max_bytes: int
) -> tuple[dict[str, tuple[Pose, Vector]], tuple[str, ...]]:
    """The upright box of each thing's points.

    Args:
        paths: A PLY or PCD file by the thing's id.
        frame: Frame and unit of the points.
        max_bytes: Largest size of all files together (bytes).

    Returns:
        Pose and size (m) by id, and notes. Without Open3D no boxes, and a note that says so.

    Raises:
        SceneError: A file is damaged or too large.
    """
    if not paths:
        return {}, ()
    try:
        import_open3d()
    except SceneError as missing:
        return {}, (f"the point clouds of {len(paths)} objects are not read: {missing}",)
    boxes = {}
    for id_, surface in zip(paths, read_surfaces(list(paths.values()), max_bytes), strict=True):
        own = surface.points * frame.unit
        turned = np.stack([sign * own[:, axis] for axis, sign in _axes(frame)], axis=1)
        boxes[id_] = fit_upright_box(turned, 0.0 if len(surface.triangles) else STRAY)
    return boxes, (f"the boxes of {len(boxes)} objects are those of their point clouds",)


def _axes(frame: SourceFrame) -> list[tuple[int, int]]:
    return list(zip(frame.axes, frame.signs, strict=True))
