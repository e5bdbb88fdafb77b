# SPDX-License-Identifier: Apache-2.0
"""Decodes meshes (DAE, GLB, glTF, OBJ, STL, PLY, OFF) by trimesh in the sandbox (see bodies.py).

Nothing of this package is imported (see `foundation.sandbox`).
"""

from __future__ import annotations

from typing import Any


class UnusableMesh(Exception):
    """A mesh that cannot be used; the message says why, a clause."""


REFUSAL = UnusableMesh


def prepare() -> None:
    """Import trimesh once for all files; it takes half a second."""
    import trimesh  # noqa: F401


def decode(path: str, part: str) -> tuple[None, dict[str, Any]]:
    """Return the corners (m) of a mesh's convex hull, shape (n, 3); ``part`` "" for all of it."""
    import numpy
    import trimesh

    library: Any = trimesh
    scene = library.load_scene(path, process=False, skip_materials=True)
    found = [numpy.zeros((0, 3))]
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        vertices = numpy.asarray(scene.geometry[name].vertices, dtype=float).reshape(-1, 3)
        if part in ("", node, name):
            found.append(vertices @ matrix[:3, :3].T + matrix[:3, 3])
    points = numpy.concatenate(found)
    points = points[numpy.isfinite(points).all(axis=1)]
    if not len(points):
        raise UnusableMesh(f"it has no part {part!r}" if part else "it is empty")
    try:
        points = library.convex.hull_points(points)
    except Exception:  # flat, or too few: all of its points are as good
        points = numpy.unique(points, axis=0)
    unit = library.units.unit_conversion(scene.units, "meters") if scene.units else 1.0
    return None, {"points": points * unit}
