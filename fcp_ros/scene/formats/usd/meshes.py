# SPDX-License-Identifier: Apache-2.0
"""The surfaces of the things on a USD stage: their meshes; boxes for cubes and the like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.formats.frames import SourceFrame
from fcp_ros.scene.formats.usd.boxes import geometry_corners, in_rep_103
from fcp_ros.scene.formats.usd.stage import StageMeshes
from fcp_ros.scene.formats.validation import FARTHEST
from fcp_ros.scene.shapes.surfaces import Surface

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

_BOX = np.array(
    [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3], dtype=np.int64
)
"""Faces of a box whose corners `geometry_corners` gives."""


def surfaces_of_stage(
    found: Mapping[str, Any], meshes: StageMeshes, frame: SourceFrame, owners: Sequence[int]
) -> dict[int, Surface]:
    """One surface for each thing that has geometry.

    Args:
        found: What `program` found.
        meshes: Its meshes.
        frame: The stage's.
        owners: By prim the number of the thing that it belongs to.

    Returns:
        Surfaces in REP-103 and metres, by the number of the thing.
    """
    parts: dict[int, list[tuple[Floats, Numbers]]] = {}
    geometry = found["geometry"]
    boxes = geometry_corners(geometry, frame)
    for number, (owner, _, matrix) in enumerate(geometry):
        points, triangles = boxes[number], fan(np.full(6, 4), _BOX)
        counts, corners = meshes.counts[number], meshes.corners[number]
        if _is_mesh(meshes.points[number], counts, corners):
            turn = np.array(matrix, dtype=np.float64).reshape(4, 4)
            placed = meshes.points[number] @ turn[:3, :3] + turn[3, :3]
            points, triangles = in_rep_103(placed, frame) * frame.unit, fan(counts, corners)
        if np.isfinite(points).all() and np.abs(points).max() <= FARTHEST:
            parts.setdefault(owners[owner], []).append((points, triangles))
    return {thing: _joined(surfaces) for thing, surfaces in parts.items()}


def _is_mesh(points: Floats, counts: Numbers, corners: Numbers) -> bool:
    """Whether there is a mesh, and its faces name points that are there."""
    if not len(points) or not corners.size or counts.min(initial=0) < 0:
        return False
    return bool(counts.sum() == corners.size and corners.min() >= 0 and corners.max() < len(points))


def fan(counts: Numbers, corners: Numbers) -> Numbers:
    """Faces as triangles around their first corner, shape (n, 3).

    Args:
        counts: How many corners each face has; those with fewer than three are left out.
        corners: Numbers of points, face after face.
    """
    starts = np.cumsum(counts) - counts
    inner = np.maximum(counts - 2, 0)
    first = np.repeat(starts, inner)
    step = np.arange(inner.sum()) - np.repeat(np.cumsum(inner) - inner, inner)
    return np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], axis=1)


def _joined(parts: Sequence[tuple[Floats, Numbers]]) -> Surface:
    offsets = np.cumsum([0, *(len(points) for points, _ in parts[:-1])])
    triangles = [own + offset for (_, own), offset in zip(parts, offsets, strict=True)]
    return Surface(np.concatenate([points for points, _ in parts]), np.concatenate(triangles))
