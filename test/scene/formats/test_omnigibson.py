# SPDX-License-Identifier: Apache-2.0
"""OmniGibson scenes: boxes, rooms, states, robots, doors, and bad files."""

import math
from pathlib import Path
from typing import Any

import pytest
from scene_documents import changed
from twin_house import Lacks, differences, truth_of

from fcp_ros.scene import Layer, SceneError, SceneLimits, load_scene

TWIN = "omnigibson/twin_house_best.json"
FILE = "scene.json"
LACKS = Lacks(
    ids=True,
    labels={
        "refrigerator": "fridge",
        "counter": "countertop",
        "couch": "sofa",
        "dining_table": "breakfast_table",
        "book": "hardback",
    },
    outlines=True,
    heights=True,
    doors=True,
    relations=frozenset({"connected"}),
)
"""Rooms are names only, and the twin lists no door."""

APPLE = "apple_twin04_0"
INFO = ("objects_info", "init_info", APPLE, "args")
STATE = ("state", "registry", "object_registry", APPLE)


def scene(**things: dict[str, Any]) -> dict[str, Any]:
    """A scene of objects by name; what is not said is a cup at the origin."""
    infos, states = {}, {}
    for name, thing in things.items():
        args = {"category": "cup", "in_rooms": [], "bounding_box": [0.1, 0.1, 0.1]}
        module = thing.get("class_module", "omnigibson.objects.dataset_object")
        infos[name] = {"class_module": module, "args": {**args, **thing, "name": name}}
        states[name] = {
            "root_link": {
                "pos": thing.get("pos", [0, 0, 0]),
                "ori": thing.get("ori", [0, 0, 0, 1]),
            },
            "joint_pos": thing.get("joint_pos", []),
            "non_kin": thing.get("non_kin", {}),
        }
    registry = {"system_registry": {}, "object_registry": states}
    return {"objects_info": {"init_info": infos}, "state": {"registry": registry}}


def test_the_twin_house(data_dir: Path) -> None:
    graph = load_scene(data_dir / TWIN)
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), LACKS) == []
    assert any("boxes are centred on the objects' base links" in note for note in graph.notes)
    assert any("is_open of fridge_twin00_0 is judged by joints" in note for note in graph.notes)


def test_a_box_by_hand(load: Any) -> None:
    """Turned left by 90 degrees: quaternions are x, y, z, w; the box counts along its own axes."""
    half = math.sqrt(0.5)
    graph = load(
        scene(shelf_1={"bounding_box": [1, 2, 3], "pos": [4, 5, 6], "ori": [0, 0, half, half]})
    )
    node = graph.nodes["shelf_1"]
    assert node.pose.position == (4.0, 5.0, 6.0)
    assert node.size == (1.0, 2.0, 3.0)
    assert math.degrees(node.pose.yaw) == pytest.approx(90.0)


def test_rooms_doors_and_structure(load: Any) -> None:
    graph = load(
        scene(
            cup_1={"in_rooms": ["kitchen_0"]},
            cup_2={"in_rooms": "living_room_0"},
            door_1={
                "category": "door",
                "in_rooms": ["kitchen_0", "living_room_0"],
                "joint_pos": [-1.2],
            },
            walls_1={"category": "walls", "bounding_box": [9, 9, 3], "in_rooms": ["kitchen_0"]},
        )
    )
    rooms = {node.id: node.category for node in graph.in_layer(Layer.ROOM)}
    assert rooms == {"kitchen_0": "kitchen", "living_room_0": "living_room"}
    assert ("kitchen_0", "living_room_0", "door_1") in {
        relation.elements for relation in graph.relations_named("connected")
    }
    assert graph.nodes["door_1"].attributes["is_open"] is True
    assert "walls_1" not in graph.nodes
    assert "1 walls, ceilings and floors were left out" in graph.notes


def test_states_robots_and_unknown_sizes(load: Any) -> None:
    graph = load(
        scene(
            lamp_1={"non_kin": {"ToggledOn": {"value": True}}, "bounding_box": None},
            fridge_1={"joint_pos": [0.0, 0.01]},
            robot0={
                "class_module": "omnigibson.robots.fetch",
                "joint_pos": [1.0],
                "pos": [1, 2, 0],
            },
        )
    )
    assert graph.nodes["lamp_1"].attributes == {"is_on": True}
    assert graph.nodes["lamp_1"].size is None
    assert graph.nodes["fridge_1"].attributes == {"is_open": False}
    robot = graph.nodes["robot0"]
    assert (robot.layer, robot.category, robot.attributes) == (Layer.AGENT, "robot", {})
    assert any("bounding_box is not given for lamp_1" in note for note in graph.notes)
    assert not any("no robot" in note for note in graph.notes)


def test_what_is_left_out_is_noted(load: Any) -> None:
    document = scene(cup_1={})
    document["state"]["registry"]["system_registry"] = {"water": {}}
    document["state"]["pos"] = [20.0, 0.0, 0.0]
    graph = load(document)
    assert "particle systems were left out: water" in graph.notes
    assert any("the scene stands at (20.0, 0.0, 0.0)" in note for note in graph.notes)


# ---- bad files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        ((*INFO, "name"), "pear_0", "calls it 'pear_0'"),
        ((*INFO, "bounding_box"), [0.1, -0.1, 0.1], "bounding_box"),
        ((*STATE, "root_link", "pos"), [math.nan, 0, 0], "pos"),
        ((*STATE, "root_link", "ori"), [0, 0, 0.7, 0.8], "no unit quaternion"),
        (("state", "registry", "object_registry"), {}, "no state in object_registry"),
        (("objects_info", "init_info"), {}, "init_info does not list it"),
    ],
)
def test_bad_entries_are_refused(
    load: Any, twin: Any, place: tuple[Any, ...], value: Any, reason: str
) -> None:
    with pytest.raises(SceneError) as refusal:
        load(changed(twin, place, value))
    assert reason in str(refusal.value)
    assert "scene.json" in str(refusal.value)


def test_too_many_objects_are_refused_unread(load: Any) -> None:
    with pytest.raises(SceneError, match="1000 nodes, more than the limit of 100"):
        load(
            {"objects_info": {"init_info": dict.fromkeys(map(str, range(1000)))}, "state": {}},
            SceneLimits(max_nodes=100),
        )
