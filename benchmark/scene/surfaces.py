# SPDX-License-Identifier: Apache-2.0
"""Support by ray casting and boxes from points, beside boxes alone and Open3D's own boxes."""

from __future__ import annotations

import numpy as np

from benchmark.tables import Verdict, best_seconds, in_milliseconds
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.shapes.boxes import fit_upright_box
from fcp_ros.scene.shapes.surfaces import Surface, find_supports_by_rays, import_open3d

POINTS = 500
"""Points of each cloud, as in SCENE_FORMATS.md."""


def measure(quick: bool) -> list[Verdict]:
    """Measure this part; without Open3D, return one figure that says so."""
    try:
        library = import_open3d()
    except SceneError as error:
        return [Verdict("Open3D", str(error))]
    count = 100 if quick else 1_000
    things = _things(count)
    found = find_supports_by_rays(things)
    assert len(found) == count // 2, f"{len(found)} of {count // 2} things stand on their tables"
    rays = best_seconds(lambda: find_supports_by_rays(things), 3)
    clouds = [_cloud(number) for number in range(count)]
    ours = best_seconds(lambda: [fit_upright_box(cloud) for cloud in clouds], 3)
    vectors = [library.utility.Vector3dVector(cloud) for cloud in clouds]
    theirs = best_seconds(
        lambda: [library.geometry.OrientedBoundingBox.create_from_points(v) for v in vectors], 3
    )
    return [
        Verdict(f"supports of {count:,} meshes by 81 rays each", in_milliseconds(rays)),
        Verdict(f"upright boxes of {count:,} clouds of {POINTS} points", in_milliseconds(ours)),
        Verdict(
            "the same by Open3D's principal axes (boxes may tilt)",
            f"{in_milliseconds(theirs)}, {theirs / ours:.1f} times ours",
        ),
    ]


def _things(count: int) -> list[Surface]:
    """Build tables in rows, with a thing on each."""
    surfaces = []
    for number in range(count // 2):
        x, y = 2.0 * (number % 30), 2.0 * (number // 30)
        surfaces += [_box((x, y, 0.7), (1.2, 0.8, 0.05)), _box((x, y, 0.775), (0.1, 0.1, 0.1))]
    return surfaces


def _box(centre: tuple[float, float, float], size: tuple[float, float, float]) -> Surface:
    mesh = import_open3d().geometry.TriangleMesh.create_box(*size)
    mesh = mesh.translate(np.subtract(centre, np.array(size) / 2.0))
    return Surface(np.asarray(mesh.vertices), np.asarray(mesh.triangles).astype(np.int64))


def _cloud(seed: int) -> np.ndarray:
    points: np.ndarray = np.random.default_rng(seed).uniform(-1.0, 1.0, (POINTS, 3))
    return points * (0.5, 0.3, 0.2)
