# SPDX-License-Identifier: Apache-2.0
"""Reader of a folder of segments: one mesh or point cloud (PLY, PCD) for each thing.

Segmentation leaves such folders where there is no scene graph yet. A file's name is the thing's id,
and without its number the label: ``dining_table_2.ply``. Frame: z up, metres. Boxes are upright and
turned for the best fit. Supports are measured on the surfaces, so those relations count as given.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.supports import find_supports_on_surfaces
from fcp_ros.scene.shapes.boxes import STRAY, fit_upright_box
from fcp_ros.scene.shapes.surfaces import SUFFIXES, Surface, read_surfaces

_UNSAFE = re.compile(r"\W+")


def is_segments(file: SceneFile) -> bool:
    """Return True for a folder that holds meshes or point clouds, and no folders."""
    if file.syntax is not Syntax.FOLDER:
        return False
    entries = list(file.path.iterdir())
    return bool(_list_surface_files(file.path)) and not any(entry.is_dir() for entry in entries)


def read_segments(file: SceneFile) -> SceneGraph:
    """Read a folder of segments; raises SceneError naming the file that is wrong."""
    paths = [file.resolve_beside(path.name) for path in _list_surface_files(file.path)]
    file.limits.check_nodes(len(paths), file.name)
    surfaces = read_surfaces(paths, file.limits.max_bytes)
    nodes = [_build_node(path, surface) for path, surface in zip(paths, surfaces, strict=True)]
    closed = map(_close, surfaces)
    relations = find_supports_on_surfaces(
        dict(zip((node.id for node in nodes), closed, strict=True))
    )
    return SceneGraph.of(nodes, relations, source=file.name, notes=_write_notes(surfaces))


def _list_surface_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)


def _build_node(path: Path, surface: Surface) -> SceneNode:
    id_ = _UNSAFE.sub("_", path.stem)
    is_mesh = bool(len(surface.triangles))
    pose, size = fit_upright_box(surface.points, 0.0 if is_mesh else STRAY)
    attributes = {} if id_ == path.stem else {"source_id": path.stem}
    category = normalise_label(id_).replace(" ", "_")
    return SceneNode(id_, Layer.OBJECT, category, pose=pose, size=size, attributes=attributes)


def _close(surface: Surface) -> Surface:
    """Return a surface that rays can meet: a mesh unchanged, a point cloud's convex hull."""
    if len(surface.triangles):
        return surface
    from scipy.spatial import ConvexHull, QhullError

    try:
        return Surface(surface.points, ConvexHull(surface.points).simplices.astype(np.int64))
    except (QhullError, ValueError):  # flat or too few points
        return surface


def _write_notes(surfaces: list[Surface]) -> list[str]:
    clouds = sum(not len(surface.triangles) for surface in surfaces)
    if not clouds:
        return []
    return [
        f"{clouds} of {len(surfaces)} segments are point clouds: their supports are measured on "
        "their convex hulls"
    ]
