# SPDX-License-Identifier: Apache-2.0
"""Context Matters' houses and problem files, and damaged and bad files of all three kinds."""

import json
from pathlib import Path
from typing import Any

import pytest
from damaged_files import COPIES
from scene_documents import changed, read_damaged, written

from fcp_ros.scene import Layer, SceneError, SceneLimits, load_scene, read_scene

HOUSES: dict[str, Any] = {
    "Small": {
        "rooms": [
            {"id": 1, "category": "kitchen", "label": "kitchen_1"},
            {"id": 2, "category": "hall", "label": "hall_2"},
        ],
        "objects": [
            {"id": 1, "cls": "sink", "kind": "receptacle", "size": None, "room": 1},
            {"id": 2, "cls": "fork", "kind": "item", "size": "small", "room": 1, "in": 1},
        ],
        "room_edges": [[1, 2], [2, 1]],
    },
    "Other": {"rooms": [], "objects": [], "room_edges": []},
}
PROBLEMS = {
    "problems": {
        "problem_1": {
            "description": "",
            "graph": ["Small", "Lost"],
            "goal": "set the table",
            "objects": {"kitchenware": ["fork", "fork", "salad plate"]},
        }
    },
    "domain": {},
}
INSTANCES = [
    {"id": "a", "scene": "Small", "goal": "tidy up", "init_loc": "hall_2", "added": []},
    {"id": "b", "scene": "Small", "goal": "tidy up", "init_loc": "kitchen_1", "added": []},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    written(HOUSES, tmp_path / "scenes_from_taskography.json")
    written(PROBLEMS, tmp_path / "setup.json")
    written(INSTANCES, tmp_path / "instances.json")
    return tmp_path


def test_a_house_by_itself(folder: Path) -> None:
    graph = read_scene(f"{folder}/scenes_from_taskography.json#Small")
    assert {str(r) for r in graph.relations} == {
        "connected(hall_2, kitchen_1)",
        "on(fork_2, sink_1)",
    }
    assert graph.nodes["fork_2"].attributes == {"size_class": "small"}


def test_a_problem_adds_objects_that_are_nowhere(folder: Path) -> None:
    graph = load_scene(f"{folder}/setup.json#problem_1/Small")
    assert {"fork_1", "fork_2", "fork_3", "salad_plate_1"} <= graph.nodes.keys()
    assert graph.nodes["fork_3"].attributes == {"group": "kitchenware"}
    placed = {
        r.elements[0] for r in (*graph.relations_named("on"), *graph.relations_named("in_room"))
    }
    assert not {"fork_1", "fork_3", "salad_plate_1"} & placed
    assert (
        "the problem does not say where fork_1, fork_3, salad_plate_1 are: instances.json holds "
        "places that were drawn" in graph.notes
    )


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("setup.json#problem_1", "no problem/house 'problem_1'"),
        ("setup.json#problem_1/Lost", "no problem/house"),
        ("setup.json#problem_2/Small", "no problem/house"),
        ("scenes_from_taskography.json", "it holds 2 houses"),
        ("scenes_from_taskography.json#Lost", "no house 'Lost'"),
        ("scenes_from_taskography.json#Other", "empty"),
    ],
)
def test_which_one_must_be_clear(folder: Path, address: str, reason: str) -> None:
    with pytest.raises(SceneError, match=reason):
        read_scene(f"{folder}/{address}")


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("rooms", 1, "id"), 1, "two rooms have one number"),
        (("rooms", 1, "label"), "kitchen_1", "given to two nodes"),
        (("objects", 1, "id"), 1, "two objects have one number"),
        (("objects", 1, "in"), 7, "refers to 7"),
        (("room_edges", 0), [1, 3], "refers to 3"),
    ],
)
def test_bad_houses_are_refused(folder: Path, place: Any, value: Any, reason: str) -> None:
    written(changed(HOUSES, ("Small", *place), value), folder / "scenes_from_taskography.json")
    for address in ("scenes_from_taskography.json#Small", "instances.json#a"):
        with pytest.raises(SceneError, match=reason):
            read_scene(f"{folder}/{address}")


def test_two_instances_with_one_id_are_refused(folder: Path) -> None:
    written(changed(INSTANCES, (1, "id"), "a"), folder / "instances.json")
    with pytest.raises(SceneError, match="given to two instances"):
        read_scene(f"{folder}/instances.json#a")


def test_too_many_things_are_refused_unbuilt(folder: Path) -> None:
    for address in ("instances.json#a", "setup.json#problem_1/Small"):
        with pytest.raises(SceneError, match="more than the limit of 4"):
            read_scene(f"{folder}/{address}", limits=SceneLimits(max_nodes=4))


def test_a_problem_file_without_houses_is_refused(folder: Path) -> None:
    (folder / "scenes_from_taskography.json").unlink()
    with pytest.raises(SceneError, match="no such file"):
        read_scene(f"{folder}/setup.json#problem_1/Small")


@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("setup.json", "problem_1/Small"),
        ("scenes_from_taskography.json", "Small"),
        ("instances.json", "a"),
    ],
)
def test_damaged_files(folder: Path, name: str, fragment: str) -> None:
    original = folder / "original"
    original.write_bytes((folder / name).read_bytes())
    scene = Path(f"{folder / name}#{fragment}")
    refused = read_damaged(original, folder / name, 26, scene)
    assert refused > 0.3 * COPIES


def test_the_published_files(shared_dir: Path) -> None:
    """Three houses; laundry.json is asked in a fourth, which is not published with them."""
    folder = shared_dir / "bench" / "context_matters"
    rooms = {"Allensville": 11, "Parole": 7, "Shelbiana": 11}
    for name, count in rooms.items():
        graph = load_scene(f"{folder}/scenes_from_taskography.json#{name}")
        assert len(graph.in_layer(Layer.ROOM)) == count
    read = 0
    for file in ("dining_setup", "house_cleaning", "office_setup", "pc_assembly"):
        for problem in json.loads((folder / f"{file}.json").read_text())["problems"]:
            for name, count in rooms.items():
                graph = read_scene(f"{folder}/{file}.json#{problem}/{name}")
                assert len(graph.in_layer(Layer.ROOM)) == count
                read += 1
    assert read == 3 * (6 + 6 + 8 + 3)
    with pytest.raises(SceneError, match="no problem/house"):
        read_scene(f"{folder}/laundry.json#problem_1/Kemblesville")
