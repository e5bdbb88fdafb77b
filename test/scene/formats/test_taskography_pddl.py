# SPDX-License-Identifier: Apache-2.0
"""Taskography problems: names, case, what is where, and bad files; the published ones as well."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from damaged_files import COPIES
from scene_documents import read_damaged

from fcp_ros.scene import Layer, SceneError, SceneGraph, SceneLimits, load_scene, read_scene

OBJECTS = """
    Robot - agent
    room1_Kitchen room2_living_room - room ; rooms
    place1_receptacle1_oven place2_receptacle2_dining_table place3_door_room2_living_room - place
    location_Xpos1_Ypos2_place1_room1_floorA loc2 loc3 - location
    receptacle1_oven receptacle2_dining_table - receptacle
    item1_cup_smallitem item2_potted_plant_largeitem - item
    cup - iclass
"""
INIT = """
    (inroom robot room2_living_room) (inplace robot place3_door_room2_living_room)
    (atlocation robot loc3)
    (placeinroom place1_receptacle1_oven room1_kitchen)
    (placeinroom place2_receptacle2_dining_table room2_living_room)
    (placeinroom place3_door_room2_living_room room2_living_room)
    (locationinplace location_xpos1_ypos2_place1_room1_floora place1_receptacle1_oven)
    (locationinplace loc2 place2_receptacle2_dining_table)
    (locationinplace loc3 place3_door_room2_living_room)
    (receptacleatlocation receptacle1_oven location_Xpos1_Ypos2_place1_room1_floorA)
    (receptacleatlocation receptacle2_dining_table loc2)
    (itematlocation item1_cup_smallitem loc2)
    (inreceptacle item1_cup_smallitem RECEPTACLE1_OVEN)
    (itematlocation item2_potted_plant_largeitem loc3)
    (receptacleopeningtype receptacle1_oven)
    (roomsconnected room1_kitchen room2_living_room)
    (roomsconnected room2_living_room room1_kitchen)
    (itemclass item1_cup_smallitem cup) (not (holdsany robot))
"""


def problem(objects: str = OBJECTS, init: str = INIT) -> str:
    return f"""; a comment
(DEFINE (Problem p) (:domain taskographyv2tiny1)
  (:objects {objects})
  (:init {init})
  (:goal (and (inreceptacle item1_cup_smallitem receptacle2_dining_table))))
"""


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def load_(text: str, limits: SceneLimits | None = None) -> SceneGraph:
        file = tmp_path / "problem.pddl"
        file.write_text(text)
        return read_scene(file, limits=limits)

    return load_


def words(graph: SceneGraph) -> set[str]:
    return {str(relation) for relation in graph.relations}


def test_a_problem_becomes_a_scene(load: Any) -> None:
    graph = load(problem())
    assert words(graph) == {
        "connected(room1_Kitchen, room2_living_room)",
        "inside(item1_cup_smallitem, receptacle1_oven)",
        "at(Robot, room2_living_room)",
    }
    assert {node.id: (node.layer, node.category) for node in graph.nodes.values()} == {
        "Robot": (Layer.AGENT, "robot"),
        "room1_Kitchen": (Layer.ROOM, "kitchen"),
        "room2_living_room": (Layer.ROOM, "living_room"),
        "place1_receptacle1_oven": (Layer.PLACE, "oven"),
        "place2_receptacle2_dining_table": (Layer.PLACE, "dining_table"),
        "place3_door_room2_living_room": (Layer.PLACE, "door"),
        "receptacle1_oven": (Layer.OBJECT, "oven"),
        "receptacle2_dining_table": (Layer.OBJECT, "dining_table"),
        "item1_cup_smallitem": (Layer.OBJECT, "cup"),
        "item2_potted_plant_largeitem": (Layer.OBJECT, "potted_plant"),
    }
    assert graph.nodes["receptacle1_oven"].attributes == {"is_open": False}
    assert graph.nodes["receptacle2_dining_table"].attributes == {}
    assert graph.nodes["item1_cup_smallitem"].attributes == {"size_class": "small"}
    assert graph.nodes["item2_potted_plant_largeitem"].parents == ("place3_door_room2_living_room",)
    assert graph.notes == (
        "item1_cup_smallitem is listed in room2_living_room but lies in receptacle1_oven in "
        "room1_Kitchen: the latter is taken",
        "facts that do not concern the scene were left out: itemclass (1), not (1)",
    )


def test_open_receptacles_and_held_items(load: Any) -> None:
    more = "(receptacleopened receptacle1_oven) (holds robot item2_potted_plant_largeitem)"
    graph = load(problem(init=INIT + more))
    assert graph.nodes["receptacle1_oven"].attributes == {"is_open": True}
    assert "holding(Robot, item2_potted_plant_largeitem)" in words(graph)


def test_rooms_of_things_follow_their_places(load: Any, tmp_path: Path) -> None:
    load(problem())
    graph = load_scene(tmp_path / "problem.pddl")
    assert {
        "in_room(receptacle1_oven, room1_Kitchen)",
        "in_room(item1_cup_smallitem, room1_Kitchen)",
        "in_room(item2_potted_plant_largeitem, room2_living_room)",
    } <= words(graph)


def test_names_that_are_no_plain_ids_are_renamed(load: Any) -> None:
    graph = load(problem(OBJECTS.replace("Robot ", "my-robot "), INIT.replace("robot", "my-robot")))
    assert graph.nodes["robot_1"].attributes == {"source_id": "my-robot"}
    assert "at(robot_1, room2_living_room)" in words(graph)


# ---- the published problems ---------------------------------------------------------------------


def layers(graph: SceneGraph) -> dict[str, int]:
    return dict(Counter(node.layer.value for node in graph.nodes.values()))


def test_the_first_version(shared_dir: Path) -> None:
    """v1 has no places and does not say which rooms are connected."""
    folder = shared_dir / "bench" / "scenes" / "taskography_pddl"
    graphs = {file.name: read_scene(file) for file in folder.glob("*.pddl")}
    assert {name.split("_3D")[1]: layers(graph) for name, graph in sorted(graphs.items())} == {
        "SceneGraph_Cottonport.pddl": {"agent": 1, "object": 54, "room": 25},
        "SceneGraph_Allensville.pddl": {"agent": 1, "object": 33, "room": 11},
    }
    tiny = graphs["v1_problem1200_tiny_3DSceneGraph_Allensville.pddl"]
    assert tiny.nodes["object10_vase"].category == "vase"
    assert tiny.nodes["receptacle33_dining_table"].parents == ("room8_dining_room",)
    assert "at(agent, room7_corridor)" in words(tiny)
    assert len(tiny.relations_named("on")) == 10
    assert tiny.relations_named("connected") == ()


def test_the_published_problems(shared_dir: Path) -> None:
    """21 problems of v2 to v5; all rooms can be reached, and everything is in a room."""
    files = sorted((shared_dir / "bench" / "taskography" / "problems").glob("*/problem*.pddl"))
    assert len(files) == 21
    for file in files:
        graph = load_scene(file)
        assert not [note for note in graph.notes if "no connection" in note or "not known" in note]
        assert len(graph.relations_named("at")) == 1
    counted = layers(read_scene(files[-1]))
    assert files[-1].parent.name == "taskographyv5tiny5bagslots5_test"
    assert counted == {"object": 39, "place": 49, "agent": 1, "room": 16}


def test_the_domain_file_is_no_scene(shared_dir: Path) -> None:
    folder = shared_dir / "bench" / "taskography" / "problems" / "taskographyv2tiny1"
    with pytest.raises(SceneError, match="the format is unknown"):
        read_scene(folder / "domain.pddl")


# ---- bad files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("objects", "init", "reason"),
    [
        ("ROBOT - agent", "", "the same object as Robot"),
        ("Robot - agent", "", "declared twice"),
        ("nobody", "", "nobody have no type"),
        ("a -", "", "stands between names and a type"),
        ("(a) - agent", "", "a list of words is expected"),
        ("", "(inroom robot nowhere)", "nowhere is no object"),
        ("", "(inroom robot loc2)", "loc2 is a location, not a room"),
        ("", "(inroom robot)", "needs 2 arguments"),
        ("", "(inroom robot room1_kitchen)", "robot has two of these"),
        ("", "(inreceptacle item1_cup_smallitem receptacle2_dining_table)", "has two of these"),
        ("", "(locationinroom loc3 room1_kitchen)", "its place place3_door"),
        ("", ")", "a `)` too many"),
    ],
)
def test_bad_entries_are_refused(load: Any, objects: str, init: str, reason: str) -> None:
    with pytest.raises(SceneError) as refusal:
        load(problem(OBJECTS + objects, INIT + init))
    assert reason in str(refusal.value)
    assert "problem.pddl" in str(refusal.value)


def test_an_agent_in_one_room_at_a_location_in_another_is_refused(load: Any) -> None:
    with pytest.raises(SceneError, match="its location is in room2_living_room"):
        load(
            problem(
                init=INIT.replace(
                    "(inroom robot room2_living_room)", "(inroom robot room1_kitchen)"
                )
            )
        )


def test_a_section_twice_is_refused(load: Any) -> None:
    with pytest.raises(SceneError, match="the section is there twice"):
        load(problem().replace("(:goal", "(:init) (:goal"))


def test_too_many_objects_are_refused_unread(load: Any) -> None:
    bomb = " ".join(f"room{i}_hall" for i in range(300))
    with pytest.raises(SceneError, match="more than the limit of 200"):
        load(problem(f"{bomb} - room", "(((not even facts)))"), SceneLimits(max_nodes=200))


def test_deep_nesting_does_no_harm(load: Any) -> None:
    with pytest.raises(SceneError):
        load(problem(init="(" * 100_000 + ")" * 100_000))


def test_damaged_files(tmp_path: Path) -> None:
    original = tmp_path / "original"
    original.write_text(problem())
    refused = read_damaged(original, tmp_path / "problem.pddl", seed=24)
    assert refused > 0.3 * COPIES
