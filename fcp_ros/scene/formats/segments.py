# SPDX-License-Identifier: Apache-2.0
"""Reader of a folder of segments: one mesh or point cloud (PLY, PCD) for each thing.

Segmentation leaves such folders where there is no scene graph yet. A file's name is the thing's id,
and without its number the label: ``dining_table_2.ply``. Frame: z up, metres. Boxes are upright and
turned for the best fit; relations follow from them.
"""

from __future__ import annotations

import re
from pathlib import Path

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
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
    return SceneGraph.of(nodes, source=file.name)


def _list_surface_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)


def _build_node(path: Path, surface: Surface) -> SceneNode:
    id_ = _UNSAFE.sub("_", path.stem)
    is_mesh = bool(len(surface.triangles))
    pose, size = fit_upright_box(surface.points, 0.0 if is_mesh else STRAY)
    attributes = {} if id_ == path.stem else {"source_id": path.stem}
    category = normalise_label(id_).replace(" ", "_")
    return SceneNode(id_, Layer.OBJECT, category, pose=pose, size=size, attributes=attributes)
