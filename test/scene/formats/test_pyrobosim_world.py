# SPDX-License-Identifier: Apache-2.0
"""pyrobosim worlds: poses, footprints, hallways, names, metadata files, and bad files.

What the package makes of ``test_world.yaml`` was printed with pyrobosim 5.0.1 (PyPI) and stands
here as numbers: polygons of rooms and locations, poses, heights and lines of hallways.
"""

import math
from pathlib import Path
from typing import Any

import pytest
from scene_documents import changed
from twin_house import Lacks, differences, truth_of

from fcp_ros.foundation.yaml_text import dump_yaml
from fcp_ros.scene import (
    Layer,
    SceneError,
    SceneGraph,
    SceneLimits,
    complete_relations,
    load_scene,
    read_scene,
)

LACKS = Lacks(levels=True, sizes=True, on_or_inside=True, door_boxes=True)
"""Objects and hallways have no heights, and a parent is no word for on or in."""

WORLD: dict[str, Any] = {
    "params": {"wall_height": 2.0},
    "metadata": {"locations": "furniture.yaml", "objects": ["$PWD/wares.yaml"]},
    "rooms": [
        {"name": "hall", "footprint": {"type": "box", "dims": [4, 2]}},
        {
            "name": "den",
            "footprint": [[0, 0], [2, 0], [2, 2], [0, 2]],
            "pose": {"position": {"x": 3}},
        },
    ],
    "hallways": [{"room_start": "hall", "room_end": "den", "width": 0.8, "is_open": False}],
    "locations": [
        {"category": "table", "parent": "hall", "pose": [1, 0, 0, math.pi / 2]},
        {"name": "rack", "category": "shelf", "parent": "den", "pose": {"position": {"x": 4}}},
        {"category": "table", "parent": "den"},
    ],
    "objects": [
        {"category": "mug", "parent": "table0", "pose": [1, 0.1]},
        {"category": "mug", "parent": "rack_low"},
    ],
    "robots": [{"location": "hall"}],
}
FURNITURE = {
    "table": {"footprint": {"type": "box", "dims": [1.0, 0.5], "height": 0.7}},
    "shelf": {
        "footprint": {"type": "circle", "radius": 0.3, "height": 1.5, "offset": [0.1, 0]},
        "locations": [
            {"name": "low", "footprint": {"type": "parent", "height": 0.4}},
            {"name": "high"},
        ],
    },
}
WARES = {"mug": {"footprint": {"type": "circle", "radius": 0.04, "height": 0.1}}}


def write(value: Any, path: Path) -> Path:
    path.write_text(dump_yaml(value))
    return path


@pytest.fixture
def load(tmp_path: Path) -> Any:
    write(FURNITURE, tmp_path / "furniture.yaml")
    write(WARES, tmp_path / "wares.yaml")

    def load_(world: Any, limits: SceneLimits | None = None) -> SceneGraph:
        return read_scene(write(world, tmp_path / "world.yaml"), limits=limits)

    return load_


def words(graph: SceneGraph) -> set[str]:
    return {str(relation) for relation in graph.relations}


def test_the_twin_house(data_dir: Path) -> None:
    graph = load_scene(data_dir / "pyrobosim" / "twin_house_world.yaml")
    truth = truth_of(data_dir / "twin_house_expected.json")
    assert differences(graph, truth, LACKS) == []
    assert graph.notes == ()
    for entry in truth["objects"][:4]:  # furniture has heights: it is compared in full
        node = graph.nodes[entry["id"]]
        assert node.pose.position == pytest.approx(entry["center"], abs=0.01)
        assert node.size == pytest.approx(entry["size"], abs=0.01)
        assert math.degrees(node.pose.yaw) == pytest.approx(entry["yaw_deg"], abs=1)
    door = graph.nodes["door_1"]
    assert door.pose.position[:2] == pytest.approx((4.2, 1.5))
    assert set(door.polygon) == {(4.0, 1.05), (4.0, 1.95), (4.4, 1.95), (4.4, 1.05)}
    assert graph.nodes["robot"].pose.position == (2.0, 2.0, 0.0)


def test_a_world_in_small(load: Any) -> None:
    graph = load(WORLD)
    assert words(graph) == {
        "connected(hall, den, hall_den_hall)",
        "on(mug0, table0)",
        "on(mug1, rack)",
        "at(robot0, hall)",
    }
    table, rack, mug = (graph.nodes[name] for name in ("table0", "rack", "mug0"))
    assert graph.nodes["table1"].parents == ("den",)
    assert table.pose.position == pytest.approx((1.0, 0.0, 0.35))
    assert table.size == (1.0, 0.5, 0.7)
    assert math.degrees(table.pose.yaw) == pytest.approx(90)
    assert table.polygon == ()
    assert rack.pose.position == pytest.approx((4.1, 0.0, 0.75))
    assert rack.size == pytest.approx((0.6, 0.6, 1.5))
    assert mug.pose.position == pytest.approx((1.0, 0.1, 0.75)), "on the table, 0.1 m high"
    assert graph.nodes["mug1"].attributes == {"surface": "rack_low"}
    assert graph.nodes["den"].polygon == ((3, 0), (5, 0), (5, 2), (3, 2))
    assert graph.nodes["den"].height == 2.0
    door = graph.nodes["hall_den_hall"]
    assert door.attributes == {"is_open": False, "is_locked": False, "passage_width": 0.8}
    assert door.pose.position == pytest.approx((2.5, 0.625, 0.0)), "between (2, .5) and (3, .75)"
    assert graph.notes == (
        "1 objects have no pose, as pyrobosim puts them anywhere on their parents: mug1",
    )


# ---- poses --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pose", "orientation"),
    [
        ({"rotation_quat": {"w": 0.5, "x": 0.5, "y": 0.5, "z": 0.5}}, (0.5, 0.5, 0.5, 0.5)),
        ({"rotation_quat": {"w": 0.6, "z": 0.8}}, (0, 0, 0.8, 0.6)),
        ([0, 0, 0, 0.6, 0, 0, 0.8], (0, 0, 0.8, 0.6)),
        ({"rotation_quat": {"w": 3, "z": 4}, "rotation_eul": {"yaw": 1}}, (0, 0, 0.8, 0.6)),
        ({"rotation_eul": {"yaw": 90, "angle_units": "degrees"}}, (0, 0, 0.707107, 0.707107)),
        ([0, 0, 0, math.pi / 2], (0, 0, 0.707107, 0.707107)),
        ([0, 0], (0, 0, 0, 1)),
        ([0, 0, 0], (0, 0, 0, 1)),
    ],
)
def test_poses_in_all_their_forms(load: Any, pose: Any, orientation: tuple[float, ...]) -> None:
    world = changed(WORLD, ("robots", 0, "pose"), pose)
    assert load(world).nodes["robot0"].pose.orientation == pytest.approx(orientation, abs=1e-6)


def test_angles_turn_about_the_new_axes(load: Any) -> None:
    """The package gives w, x, y, z = 0.98185617, 0.06407135, 0.09115755, 0.1534393."""
    expected = (0.06407135, 0.09115755, 0.1534393, 0.98185617)
    for pose in (
        {"rotation_eul": {"roll": 0.1, "pitch": 0.2, "yaw": 0.3}},
        [0, 0, 0, 0.1, 0.2, 0.3],
    ):
        node = load(changed(WORLD, ("robots", 0, "pose"), pose)).nodes["robot0"]
        assert node.pose.orientation == pytest.approx(expected, abs=1e-7)


def test_relative_poses_are_moved_along_the_axes_of_the_world(load: Any) -> None:
    """table0 is at (1, 0) and turned by 90 degrees: 0.1 m along x stays along x."""
    pose = {"position": {"x": 0.1}, "relative_to": "table0"}
    node = load(changed(WORLD, ("objects", 0, "pose"), pose)).nodes["mug0"]
    assert node.pose.position == pytest.approx((1.1, 0.0, 0.75))
    assert math.degrees(node.pose.yaw) == pytest.approx(90)


# ---- what pyrobosim draws at random -------------------------------------------------------------


@pytest.mark.parametrize(
    ("parent", "place", "confidence"),
    [
        ({"choices": ["rack", "table0"], "probabilities": [0.3, 0.7]}, "table0", 0.7),
        ({"choices": ["rack", "table0"]}, "rack", 0.5),
        (["table1", "rack"], "table1", 0.5),
        ("table", "table0", 0.5),
        ("den table", "table1", 1.0),
    ],
)
def test_the_likeliest_place_is_taken(
    load: Any, parent: Any, place: str, confidence: float
) -> None:
    graph = load(changed(WORLD, ("objects", 0, "parent"), parent))
    (relation,) = (r for r in graph.relations_named("on") if r.elements[0] == "mug0")
    assert relation.elements[1] == place
    assert relation.confidence == confidence
    drawn = [note for note in graph.notes if "draws at random" in note]
    assert bool(drawn) == (confidence < 1.0)


def test_an_object_without_parent_is_nowhere(load: Any) -> None:
    graph = load(changed(WORLD, ("objects", 1), {"category": "mug"}))
    assert [r.elements for r in graph.relations_named("on")] == [("mug0", "table0")]
    assert any(note.startswith("1 objects have no parent") for note in graph.notes)


def test_a_surface_of_unknown_height_is_told(load: Any) -> None:
    world = changed(WORLD, ("metadata", "locations"), [])
    graph = load(world)
    assert graph.nodes["mug0"].pose.position == pytest.approx((1.0, 0.1, 0.05))
    assert any("lie on surfaces of unknown height" in n and n.endswith("mug0") for n in graph.notes)


def test_robots_at_locations_are_in_their_rooms(load: Any) -> None:
    graph = load(changed(WORLD, ("robots", 0, "location"), ["rack", "hall"]))
    assert "at(robot0, den)" in words(graph)
    assert graph.nodes["robot0"].attributes == {"location": "rack"}
    assert "pyrobosim draws the place of robot0 at random: rack is taken" in graph.notes


# ---- the package's own worlds -------------------------------------------------------------------


@pytest.fixture
def worlds(shared_dir: Path) -> Path:
    return shared_dir / "bench" / "scenes" / "pyrobosim"


def test_the_test_world_is_what_pyrobosim_makes_of_it(worlds: Path) -> None:
    graph = load_scene(worlds / "test_world.yaml")
    rooms = {
        "kitchen": ((-1.0, -1.0), (1.5, -1.0), (1.5, 1.5), (0.5, 1.5)),
        "bedroom": ((1.75, 2.5), (3.5, 2.5), (3.5, 4.0), (1.75, 4.0)),
        "bathroom": ((-1.0, 1.0), (-1.0, 3.5), (-3.0, 3.5), (-2.5, 1.0)),
    }
    assert {room.id: room.polygon for room in graph.in_layer(Layer.ROOM)} == rooms
    assert graph.nodes["kitchen"].pose.position[:2] == pytest.approx((0.5714286, 0.0714286))
    locations = {  # x, y, yaw, height; the package's z is the underside's
        "table0": (0.85, -0.5, -1.5707963, 0.5),
        "my_desk": (3.15, 3.65, 0.0, 0.3),
        "counter0": (-2.45, 2.5, 1.7662732, 0.75),
    }
    for name, (x, y, yaw, height) in locations.items():
        node = graph.nodes[name]
        assert node.pose.position == pytest.approx((x, y, height / 2))
        assert node.pose.yaw == pytest.approx(yaw)
        assert node.size[2] == height
    assert graph.nodes["trash"].size is None, "a mesh"
    assert graph.nodes["banana0"].pose.position == pytest.approx((1.0, -0.5, 0.5))
    assert graph.nodes["banana0"].pose.yaw == pytest.approx(-2.4347, abs=1e-4)
    assert graph.nodes["apple0"].pose.position == pytest.approx((3.2, 3.5, 0.3))
    parents = {r.elements[0]: r.elements[1] for r in graph.relations_named("on")}
    assert {name: parents[name] for name in ("gala", "fuji", "water0", "banana1", "soda")} == {
        "gala": "table0",
        "fuji": "trash",
        "water0": "counter0",
        "banana1": "counter0",
        "soda": "my_desk",
    }
    connected = {
        frozenset(r.elements[:2]): r.elements[2] for r in graph.relations_named("connected")
    }
    assert connected == {
        frozenset(("kitchen", "bathroom")): "hall_bathroom_kitchen",
        frozenset(("bathroom", "bedroom")): "hall_bathroom_bedroom",
        frozenset(("kitchen", "bedroom")): "hall_bedroom_kitchen",
    }


def test_doors_stand_on_the_lines_of_the_hallways(worlds: Path) -> None:
    """The package's lines: (0.5714, 0.0714) to (-1.881, 2.3095); (-1.881, 3.1095) to
    (2.625, 3.1095); (1, 0.5), (2.5, 0.5), (2.5, 3). The doors are halfway between the walls: the
    second from x = -1 to x = 1.75; the third from (1.5, 0.5) over the corner to (2.5, 2.5).
    """
    graph = read_scene(worlds / "test_world.yaml")
    x, y = graph.nodes["hall_bathroom_kitchen"].pose.position[:2]
    slope = (2.3095 - 0.0714) / (-1.881 - 0.5714)
    assert y - 0.0714 == pytest.approx(slope * (x - 0.5714), abs=1e-3)
    assert graph.nodes["hall_bathroom_bedroom"].pose.position == pytest.approx(
        (0.375, 3.1095238, 0.0)
    )
    assert graph.nodes["hall_bedroom_kitchen"].pose.position == pytest.approx((2.5, 1.0, 0.0))


@pytest.mark.parametrize(
    ("name", "counts"),
    [  # rooms, hallways, locations, objects, robots
        ("test_world", (3, 3, 4, 8, 1)),
        ("test_world_multirobot", (3, 3, 5, 8, 3)),
        ("pddlstream_simple_world", (3, 3, 3, 7, 1)),
        ("roscon_2024_workshop_world", (5, 8, 7, 6, 1)),
        ("twin_house_world", (2, 1, 4, 4, 1)),
    ],
)
def test_all_worlds(worlds: Path, name: str, counts: tuple[int, ...]) -> None:
    graph = read_scene(worlds / f"{name}.yaml")
    rooms, doors, locations, objects, robots = counts
    things = graph.in_layer(Layer.OBJECT)
    assert len(graph.in_layer(Layer.ROOM)) == rooms
    assert len([node for node in things if node.category == "door"]) == doors
    assert len([node for node in things if "is_open" in node.attributes]) == doors + locations
    assert len(things) == doors + locations + objects
    assert len(graph.in_layer(Layer.AGENT)) == robots
    assert not [n for n in complete_relations(graph).notes if "no connection" in n]


# ---- metadata files -----------------------------------------------------------------------------


def test_pyrobosims_own_data_may_be_missing(load: Any) -> None:
    world = changed(WORLD, ("metadata", "locations"), "$DATA/example_location_data.yaml")
    graph = load(world)
    assert graph.nodes["rack"].size is None
    assert {"on(mug0, table0)", "on(mug1, rack)"} <= words(graph)
    assert graph.notes[:1] == (
        "$DATA/example_location_data.yaml is not beside the world: its shapes are unknown",
    )
    assert "no metadata describes table, shelf: their shapes are unknown" in graph.notes


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("nowhere.yaml", "there is no such file"),
        ("$PWD/nowhere.yaml", "there is no such file"),
        ("../outside.yaml", "outside of its folder"),
        ("/etc/passwd", "outside of its folder"),
        ("$DATA/../outside.yaml", "outside of its folder"),
        ("broken.yaml", "broken.yaml"),
        ("list.yaml", "list.yaml"),
    ],
)
def test_wrong_metadata_files_are_refused(
    load: Any, tmp_path: Path, path: str, reason: str
) -> None:
    (tmp_path.parent / "outside.yaml").write_text("table: {}\n")
    (tmp_path / "broken.yaml").write_text("table: [1, 2\n")
    (tmp_path / "list.yaml").write_text("- table\n")
    with pytest.raises(SceneError, match=reason):
        load(changed(WORLD, ("metadata", "locations"), path))


# ---- bad files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("rooms", 1, "name"), "hall", "given to two"),
        (("locations", 0, "parent"), "cellar", "'cellar' is no room"),
        (("objects", 0, "parent"), "cellar", "no location 'cellar'"),
        (("objects", 0, "parent"), [], "empty list"),
        (("objects", 0, "pose"), {"relative_to": "rug"}, "relative to 'rug'"),
        (("objects", 0, "pose"), {"rotation_quat": {}}, "no length"),
        (("objects", 0, "pose"), [1, 2, 3, 4, 5], "2, 3, 4, 6 or 7"),
        (("objects", 0, "pose"), [math.nan, 0], "numbers[0]"),
        (("objects", 0, "parent"), {"choices": ["rack"], "probabilities": []}, "as many"),
        (("hallways", 0, "room_end"), "cellar", "no room 'cellar'"),
        (("hallways", 0, "room_end"), "hall", "with itself"),
        (("hallways", 0, "conn_method"), "points", "two points"),
        (("rooms", 0, "footprint"), {"type": "box"}, "needs dims"),
        (("rooms", 0, "footprint"), [[0, 0], [1, 0], [2, 0]], "no outline"),
    ],
)
def test_bad_entries_are_refused(load: Any, place: Any, value: Any, reason: str) -> None:
    with pytest.raises(SceneError) as refusal:
        load(changed(WORLD, place, value))
    assert reason in str(refusal.value)
    assert "world.yaml" in str(refusal.value)


def test_too_many_entries_are_refused_unread(load: Any) -> None:
    bomb = changed(WORLD, ("objects",), [None] * 200)
    with pytest.raises(SceneError, match="more than the limit of 100"):
        load(bomb, SceneLimits(max_nodes=100))
