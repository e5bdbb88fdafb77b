# SPDX-License-Identifier: Apache-2.0
"""Geometry of the prims on a USD stage: oriented boxes and surfaces, in REP-103 and metres.

USD multiplies row vectors with matrices (p' = p M): the rows of a matrix are the images of the
axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.formats.geometry import (
    Floats,
    SourceFrame,
    raise_upright_axes,
)
from fcp_ros.scene.formats.usd.stage import StageMeshes
from fcp_ros.scene.formats.validation import FARTHEST
from fcp_ros.scene.shapes.surfaces import Surface

_CORNERS = np.array([(x, y, z) for x in (0, 3) for y in (1, 4) for z in (2, 5)], dtype=np.intp)


def compute_corners(geometry: Sequence[Sequence[Any]], frame: SourceFrame) -> Floats:
    """Return the corners of extents, shape (n, 8, 3), in REP-103 and metres.

    Args:
        geometry: Entries (owner, least and greatest x, y, z as six numbers, matrix as 16 numbers).
        frame: The frame of the stage.
    """
    extents = np.array([entry[1] for entry in geometry], dtype=np.float64).reshape(-1, 6)
    matrices = np.array([entry[2] for entry in geometry], dtype=np.float64).reshape(-1, 4, 4)
    with np.errstate(over="ignore", invalid="ignore"):
        corners = extents[:, _CORNERS] @ matrices[:, :3, :3] + matrices[:, None, 3, :3]
        return frame.rename_axes(corners) * frame.unit


def choose_axes(matrix: Sequence[float], frame: SourceFrame, *, as_named: bool = False) -> Floats:
    """Return the unit axes x, y, z (rows) of the boxes of a prim, with z as the most upright.

    Args:
        matrix: The prim's local-to-world matrix (16 numbers).
        frame: The frame of the stage.
        as_named: Keep the names of the axes (of a stage that is z up).
    """
    rows: Floats = frame.rename_axes(np.array(matrix, dtype=np.float64).reshape(4, 4)[:3, :3])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(rows).all() or (lengths < 1e-12).any():
        return np.eye(3)
    rows = rows / lengths
    if np.abs(rows @ rows.T - np.eye(3)).max() > 1e-6:  # sheared: the nearest right angles
        left, _, right = np.linalg.svd(rows)
        rows = left @ right
    if as_named and np.linalg.det(rows) > 0.0:
        return rows
    named: Floats = raise_upright_axes(rows[None])[0][0]
    return named


Numbers = NDArray[np.int64]

_BOX = np.array(
    [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3], dtype=np.int64
)
"""Faces of a box with the corners of `compute_corners`."""


def build_surfaces(
    found: Mapping[str, Any], meshes: StageMeshes, frame: SourceFrame, owners: Sequence[int]
) -> dict[int, Surface]:
    """Build a surface for each thing that has geometry: its meshes, and boxes for other shapes.

    Args:
        found: The contents of the stage, from `stage_decoder`.
        meshes: Its meshes.
        frame: The frame of the stage.
        owners: For each prim, the number of the thing that it belongs to, or -1.

    Returns:
        Surfaces in REP-103 and metres, by the number of the thing.
    """
    parts: dict[int, list[tuple[Floats, Numbers]]] = {}
    geometry = found["geometry"]
    boxes = compute_corners(geometry, frame)
    for number, (owner, _, matrix) in enumerate(geometry):
        points, triangles = boxes[number], triangulate_faces(np.full(6, 4), _BOX)
        counts, corners = meshes.counts[number], meshes.corners[number]
        if _is_mesh(meshes.points[number], counts, corners):
            turn = np.array(matrix, dtype=np.float64).reshape(4, 4)
            placed = meshes.points[number] @ turn[:3, :3] + turn[3, :3]
            points = frame.rename_axes(placed) * frame.unit
            triangles = triangulate_faces(counts, corners)
        is_placed = np.isfinite(points).all() and np.abs(points).max() <= FARTHEST
        if is_placed and owners[owner] >= 0:
            parts.setdefault(owners[owner], []).append((points, triangles))
    return {thing: _join(surfaces) for thing, surfaces in parts.items()}


def _is_mesh(points: Floats, counts: Numbers, corners: Numbers) -> bool:
    """Return True if there is a mesh whose faces refer to existing points."""
    if not len(points) or not corners.size or counts.min(initial=0) < 0:
        return False
    return bool(counts.sum() == corners.size and corners.min() >= 0 and corners.max() < len(points))


def triangulate_faces(counts: Numbers, corners: Numbers) -> Numbers:
    """Split faces into triangles around their first corner, shape (n, 3).

    Args:
        counts: Number of corners of each face; faces with fewer than three are left out.
        corners: Numbers of points, face after face.
    """
    starts = np.cumsum(counts) - counts
    inner = np.maximum(counts - 2, 0)
    first = np.repeat(starts, inner)
    step = np.arange(inner.sum()) - np.repeat(np.cumsum(inner) - inner, inner)
    return np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], axis=1)


def _join(parts: Sequence[tuple[Floats, Numbers]]) -> Surface:
    offsets = np.cumsum([0, *(len(points) for points, _ in parts[:-1])])
    triangles = [own + offset for (_, own), offset in zip(parts, offsets, strict=True)]
    return Surface(np.concatenate([points for points, _ in parts]), np.concatenate(triangles))
