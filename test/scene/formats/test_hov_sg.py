# SPDX-License-Identifier: Apache-2.0
"""HOV-SG folders: y up, outlines and boxes, references both ways, and damaged files."""

import json
import math
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scene_documents import written
from twin_house import Lacks, differences, truth_of

from fcp_ros.scene import Layer, SceneError, SceneLimits, load_scene, read_scene
from fcp_ros.scene.shapes.polygons import area, contains

LACKS = Lacks(
    ids=True,
    doors=True,
    levels=True,
    sizes=True,
    states=True,
    relations=frozenset({"on", "inside", "connected"}),
)
"""The twin's objects have outlines without heights, as HOV-SG writes them for a view from above."""


@pytest.fixture
def folder(data_dir: Path, tmp_path: Path) -> Path:
    """A copy of the twin house that may be changed."""
    return Path(shutil.copytree(data_dir / "hovsg" / "graph", tmp_path / "graph"))


def change(file: Path, **values: Any) -> None:
    written({**json.loads(file.read_text()), **values}, file)


def test_the_twin_house(data_dir: Path) -> None:
    graph = load_scene(data_dir / "hovsg" / "graph")
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), LACKS) == []
    floor = graph.nodes["floor_1"]
    assert floor.layer is Layer.FLOOR
    assert set(floor.polygon) == {(0, 0), (9.4, 0), (9.4, 4), (0, 4)}
    assert graph.nodes["kitchen_1"].parents == ("floor_1",)
    assert graph.nodes["dining_table_1"].attributes == {"source_id": "0_1_0"}
    assert graph.notes[0].startswith("the vertices of 8 objects have no heights")


def test_y_up_becomes_z_up(folder: Path) -> None:
    """1 m right, 2 m up, 3 m behind the origin of HOV-SG is (1, -3, 2) here."""
    corners = [[x, y, z] for x in (0.9, 1.1) for y in (1.8, 2.2) for z in (2.7, 3.3)]
    change(folder / "objects" / "0_0_2.json", vertices=corners)
    node = read_scene(folder).nodes["apple_1"]
    assert node.pose.position == pytest.approx((1.0, -3.0, 2.0))
    assert node.size == pytest.approx((0.2, 0.6, 0.4))
    assert node.polygon == ()


def test_a_turned_box(folder: Path) -> None:
    """0.4 m by 0.2 m, turned by 30 degrees about the vertical (anticlockwise from above)."""
    cos, sin = math.cos(math.radians(30)), math.sin(math.radians(30))
    corners = [
        [x * cos - y * sin, z, -(x * sin + y * cos)]
        for x in (-0.2, 0.2)
        for y in (-0.1, 0.1)
        for z in (0.0, 1.0)
    ]
    change(folder / "objects" / "0_0_2.json", vertices=corners)
    node = read_scene(folder).nodes["apple_1"]
    assert node.size == pytest.approx((0.4, 0.2, 1.0))
    assert math.degrees(node.pose.yaw) == pytest.approx(30)


def test_a_room_keeps_its_outline_unless_that_crosses_itself(folder: Path) -> None:
    corner = [[0, 0], [4, 0], [4, -1], [1, -1], [1, -3], [0, -3]]
    change(folder / "rooms" / "0_0.json", vertices=corner, room_zero_level=3.0)
    room = read_scene(folder).nodes["kitchen_1"]
    assert room.polygon == ((0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3))
    assert room.pose.position[2] == pytest.approx(3.0 + 2.5 / 2)
    change(folder / "rooms" / "0_0.json", vertices=[[0, 0], [4, -3], [4, 0], [0, -3]])
    graph = read_scene(folder)
    assert len(graph.nodes["kitchen_1"].polygon) == 4
    assert any(note.endswith("are drawn around them: kitchen_1") for note in graph.notes)


def points_in(shape: Any, step: float = 0.05) -> list[list[float]]:
    """The points of a raster over 4 m by 3 m that are in a shape, as HOV-SG's x, z; shuffled."""
    raster = [
        (i * step, j * step) for i in range(int(4 / step) + 1) for j in range(int(3 / step) + 1)
    ]
    points = [[x, -y] for x, y in raster if shape(x, y)]
    random.Random(1).shuffle(points)
    return points


def test_a_room_is_drawn_around_its_points(folder: Path) -> None:
    """HOV-SG itself writes all points of a room: here an L without its upper right quarter."""
    change(folder / "rooms" / "0_0.json", vertices=points_in(lambda x, y: x <= 2 or y <= 1.5))
    outline = read_scene(folder).nodes["kitchen_1"].polygon
    assert area(outline) == pytest.approx(12 - 3, rel=0.05)
    inside = contains(outline, np.array([(1.0, 2.5), (3.5, 1.0), (3.5, 2.5)]))
    assert inside.tolist() == [True, True, False]
    assert len(outline) < 40


def test_an_object_is_the_hull_of_its_points(folder: Path) -> None:
    points = points_in(lambda x, y: 1 <= x <= 2 and 1 <= y <= 1.5)
    change(folder / "objects" / "0_0_2.json", vertices=points)
    node = read_scene(folder).nodes["apple_1"]
    assert area(node.polygon) == pytest.approx(0.5)
    assert node.pose.position == pytest.approx((1.5, 1.25, 0.0))


def test_what_has_no_name_is_unknown(folder: Path) -> None:
    change(folder / "objects" / "0_0_2.json", name=None)
    change(folder / "rooms" / "0_1.json", name="")
    graph = read_scene(folder)
    assert graph.nodes["unknown_1"].category == "unknown"
    assert any(note.startswith("2 elements have no name") for note in graph.notes)


# ---- bad files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "values", "reason"),
    [
        ("objects/0_0_2", {"room_id": "0_1"}, "which does not list it"),
        ("objects/0_0_2", {"room_id": "9"}, "which has no file"),
        ("objects/0_0_2", {"object_id": "0_0_1"}, "called 0_0_2.json, but the element"),
        ("objects/0_0_2", {"vertices": [[0.0, math.nan]]}, "vertices[0][1]"),
        ("rooms/0_0", {"objects": ["0_0_0"]}, "which does not list it"),
        ("rooms/0_0", {"floor_id": "1"}, "which has no file"),
        ("rooms/0_0", {"room_height": -1}, "room_height"),
        ("floors/0", {"rooms": ["0_0", "0_1", "0_2"]}, "no rooms/0_2.json"),
    ],
)
def test_bad_entries_are_refused(
    folder: Path, file: str, values: dict[str, Any], reason: str
) -> None:
    change(folder / f"{file}.json", **values)
    with pytest.raises(SceneError) as refusal:
        read_scene(folder)
    assert reason in str(refusal.value)
    assert str(folder) in str(refusal.value)


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "objects" / "0_0_2.json").unlink()
    with pytest.raises(SceneError, match=r"no objects/0_0_2\.json"):
        read_scene(folder)


def test_a_file_that_is_no_json_is_named(folder: Path) -> None:
    (folder / "objects" / "0_0_2.json").write_text("{")
    with pytest.raises(SceneError, match=r"0_0_2\.json"):
        read_scene(folder)


def test_a_link_out_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    file = folder / "objects" / "0_0_2.json"
    file.rename(tmp_path / "elsewhere.json")
    file.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(SceneError, match="outside of its folder"):
        read_scene(folder)


def test_too_many_files_are_refused_unread(folder: Path) -> None:
    for number in range(20):
        (folder / "objects" / f"{number}.json").write_text("no JSON at all")
    with pytest.raises(SceneError, match="more than the limit of 12"):
        read_scene(folder, limits=SceneLimits(max_nodes=12))


def test_another_folder_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "rooms").mkdir()
    with pytest.raises(SceneError, match="the format is unknown"):
        read_scene(tmp_path)


def test_point_clouds_give_heights(folder: Path, data_dir: Path) -> None:
    """As HOV-SG saves them: y up. With them the twin house lacks only what else HOV-SG lacks."""
    library = pytest.importorskip("open3d", reason="Open3D, an optional extra, is not installed")
    truth = truth_of(data_dir / "twin_house_expected.json")
    by_label = {entry["cls"]: entry for entry in truth["objects"]}
    for file in (folder / "objects").glob("*.json"):
        entry = by_label[json.loads(file.read_text())["name"].replace(" ", "_")]
        x, y, z = entry["center"]
        turn, half = math.radians(entry["yaw_deg"]), np.array(entry["size"]) / 2
        grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 11)] * 3), axis=-1).reshape(-1, 3) * half
        east = x + math.cos(turn) * grid[:, 0] - math.sin(turn) * grid[:, 1]
        north = y + math.sin(turn) * grid[:, 0] + math.cos(turn) * grid[:, 1]
        cloud = library.geometry.PointCloud()
        points = np.stack([east, z + grid[:, 2], -north], axis=1)
        cloud.points = library.utility.Vector3dVector(points)
        library.io.write_point_cloud(str(file.with_suffix(".ply")), cloud)
    graph = load_scene(folder)
    lacks = Lacks(ids=True, doors=True, states=True, relations=frozenset({"connected"}))
    assert differences(graph, truth, lacks) == []
    assert "the boxes of 8 objects are those of their point clouds" in graph.notes


def test_point_clouds_without_open3d(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "open3d", None)
    (folder / "objects" / "0_0_0.ply").write_bytes(b"ply")
    graph = read_scene(folder)
    (note,) = [note for note in graph.notes if "point clouds of 1 objects are not read" in note]
    assert "pip install open3d" in note
