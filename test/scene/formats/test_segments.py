# SPDX-License-Identifier: Apache-2.0
"""Folders of meshes and point clouds, written and read by the real Open3D."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from damaged_files import COPIES, damaged
from twin_house import Lacks, differences, truth_of

from fcp_ros.scene import Layer, Pose, SceneError, SceneLimits, load_scene, read_scene
from fcp_ros.scene.shapes.polygons import box_corners
from fcp_ros.scene.shapes.surfaces import Surface, read_each_surface

LACKS = Lacks(rooms=True, doors=True, states=True, relations=frozenset({"in_room", "connected"}))


def test_without_open3d_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "open3d", None)
    (tmp_path / "mug.ply").write_bytes(b"ply\n")
    with pytest.raises(SceneError, match="pip install open3d"):
        read_scene(tmp_path)


@pytest.fixture(scope="module")
def o3d() -> object:
    return pytest.importorskip("open3d", reason="Open3D, an optional extra, is not installed")


def write_box(
    o3d: object, path: Path, pose: Pose, size: tuple[float, float, float], n: int
) -> None:
    """A box: as a mesh, or as a cloud of n points on its surface."""
    corners = [
        (x, y, pose.position[2] + side * size[2] / 2)
        for side in (-1, 1)
        for x, y in box_corners(pose, size)
    ]
    faces = [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7)]
    faces += [
        t for a in range(4) for b in [(a + 1) % 4] for t in ((a, b, b + 4), (a, b + 4, a + 4))
    ]
    mesh = o3d.geometry.TriangleMesh(
        o3d.utility.Vector3dVector(np.array(corners)), o3d.utility.Vector3iVector(np.array(faces))
    )
    if not n:
        o3d.io.write_triangle_mesh(str(path), mesh)
    else:
        o3d.io.write_point_cloud(str(path), mesh.sample_points_uniformly(n))


@pytest.fixture(params=["meshes", "clouds"])
def house(request: pytest.FixtureRequest, o3d: object, data_dir: Path, tmp_path: Path) -> Path:
    """The twin house as segments."""
    truth = truth_of(data_dir / "twin_house_expected.json")
    is_mesh = request.param == "meshes"
    for entry in truth["objects"]:
        pose = Pose.at(*entry["center"], yaw=np.radians(entry["yaw_deg"]))
        path = tmp_path / f"{entry['id']}.{'ply' if is_mesh else 'pcd'}"
        write_box(o3d, path, pose, tuple(entry["size"]), 0 if is_mesh else 40_000)
    return tmp_path


def test_the_twin_house(house: Path, data_dir: Path) -> None:
    """Clouds lose half a per cent of strays at each side: a centimetre for 1.8 m, so not there."""
    graph = load_scene(house)
    truth = truth_of(data_dir / "twin_house_expected.json")
    truth = {**truth, "objects": [{**e, "cls": e["id"][:-2]} for e in truth["objects"]]}
    clouds = any(path.suffix == ".pcd" for path in house.iterdir())
    found = differences(graph, truth, LACKS)
    if clouds:  # positions and relations, and sizes to 2 per cent
        found = [difference for difference in found if "has the size" not in difference]
        for entry in truth["objects"]:
            assert graph.nodes[entry["id"]].size == pytest.approx(
                entry["size"], rel=0.02, abs=0.002
            )
    assert found == []
    assert len(graph.in_layer(Layer.ROOM)) == 1
    assert any("has no room" in note for note in graph.notes)


def test_limits_and_links(o3d: object, tmp_path: Path) -> None:
    folder = tmp_path / "segments"
    folder.mkdir()
    for name in ("a_1", "b_1"):
        write_box(o3d, folder / f"{name}.ply", Pose.at(0, 0, 0), (1, 1, 1), 0)
    with pytest.raises(SceneError, match="more than the limit of 1"):
        read_scene(folder, limits=SceneLimits(max_nodes=1))
    with pytest.raises(SceneError, match="larger than the limit"):
        read_scene(folder, limits=SceneLimits(max_bytes=600))
    (folder / "b_1.ply").rename(tmp_path / "outside.ply")
    (folder / "b_1.ply").symlink_to(tmp_path / "outside.ply")
    with pytest.raises(SceneError, match="outside of its folder"):
        read_scene(folder)


def test_names_become_plain_ids(o3d: object, tmp_path: Path) -> None:
    write_box(o3d, tmp_path / "Dining Table (2).ply", Pose.at(0, 0, 0), (1, 1, 1), 0)
    (node,) = read_scene(tmp_path).nodes.values()
    assert node.attributes == {"source_id": "Dining Table (2)"}
    assert node.id.isidentifier()


@pytest.mark.parametrize("kind", ["mesh.ply", "cloud.ply", "cloud.pcd"])
def test_damaged_files(o3d: object, tmp_path: Path, kind: str) -> None:
    """Some of these crash the decoder, which must cost no more than the file itself."""
    whole = tmp_path / kind
    write_box(o3d, whole, Pose.at(1, 2, 3), (1, 2, 3), 0 if kind == "mesh.ply" else 60)
    copies = []
    for number, (_, content) in enumerate(damaged(whole.read_bytes())):
        copies.append(tmp_path / f"{number:03}{whole.suffix}")
        copies[-1].write_bytes(content)
    found = read_each_surface([whole, *copies, whole], max_bytes=10_000_000)
    assert isinstance(found[0], Surface)
    assert isinstance(found[-1], Surface)
    outcomes = Counter(type(one).__name__ for one in found)
    assert outcomes["Surface"] + outcomes["SceneError"] == COPIES + 2
    assert outcomes["SceneError"] > 0.4 * COPIES
    for copy, one in zip(copies, found[1:-1], strict=True):
        if isinstance(one, SceneError):
            assert copy.name in str(one)
        else:
            assert np.isfinite(one.points).all()
            assert one.triangles.size == 0 or one.triangles.max() < len(one.points)
