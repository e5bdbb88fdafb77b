# SPDX-License-Identifier: Apache-2.0
"""Decodes meshes and point clouds by Open3D in the sandbox (see surfaces.py).

Nothing of this package is imported (see `foundation.sandbox`).
"""

from __future__ import annotations

from typing import Any


def prepare() -> None:
    """Import Open3D once for all files; it takes seconds."""
    import open3d  # noqa: F401


def decode(path: str) -> tuple[None, dict[str, Any]]:
    """Return points and triangles of a file."""
    import numpy
    import open3d

    library: Any = open3d
    if path.lower().endswith(".pcd"):
        points = numpy.asarray(library.io.read_point_cloud(path).points)
        return None, {"points": points, "triangles": numpy.zeros((0, 3))}
    mesh = library.io.read_triangle_mesh(path)
    points, triangles = numpy.asarray(mesh.vertices), numpy.asarray(mesh.triangles)
    return None, {"points": points, "triangles": triangles}
