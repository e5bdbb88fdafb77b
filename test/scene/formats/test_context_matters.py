# SPDX-License-Identifier: Apache-2.0
"""The Context Matters instances: a small one written here, and the published ones."""

import json
from pathlib import Path
from typing import Any

import pytest
from small_household import MAPPING, SCHEMA

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cset import facts
from fcp_ros.cset.constraints import find_conflicts
from fcp_ros.scene import Layer, SceneError, load_scene

HOUSES: dict[str, Any] = {
    "Small": {
        "rooms": [
            {"id": 1, "category": "kitchen", "label": "kitchen_1"},
            {"id": 2, "category": "hall", "label": "hall_2"},
        ],
        "objects": [
            {"id": 1, "cls": "sink", "kind": "receptacle", "size": None, "room": 1},
            {"id": 2, "cls": "apple", "kind": "item", "size": "small", "room": 2, "in": 1},
            {"id": 3, "cls": "vase", "kind": "item", "size": "medium", "room": 2},
        ],
        "room_edges": [[1, 2]],
    }
}
INSTANCES: list[dict[str, Any]] = [
    {
        "id": "split/Small/problem_1",
        "scene": "Small",
        "goal": "tidy up",
        "init_loc": "hall_2",
        "relaxation_expected": None,
        "added": [{"label": "mug into it_4", "cls": "mug", "room": "hall_2"}],
    },
    {"id": "split/Lost/problem_1", "scene": "Lost", "goal": "", "init_loc": "x", "added": []},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "instances.json").write_text(json.dumps(INSTANCES))
    (tmp_path / "scenes_from_taskography.json").write_text(json.dumps(HOUSES))
    return tmp_path


def test_an_instance_becomes_a_scene(folder: Path) -> None:
    scene = load_scene(f"{folder}/instances.json#split/Small/problem_1")
    keys = {relation.key for relation in scene.relations}
    passage = "hall_2__kitchen_1_passage"
    assert keys == {
        ("at", ("robot_1", "hall_2")),
        ("connected", ("hall_2", "kitchen_1", passage)),
        ("connected", ("kitchen_1", "hall_2", passage)),
        ("in_room", ("sink_1", "kitchen_1")),
        ("in_room", ("apple_2", "kitchen_1")),
        ("in_room", ("vase_3", "hall_2")),
        ("in_room", ("mug_into_it_4", "hall_2")),
        ("in_room", ("kitchen_1_floor", "kitchen_1")),
        ("in_room", ("hall_2_floor", "hall_2")),
        ("on", ("sink_1", "kitchen_1_floor")),
        ("on", ("apple_2", "sink_1")),
        ("on", ("vase_3", "hall_2_floor")),
        ("on", ("mug_into_it_4", "hall_2_floor")),
    }
    assert any("apple_2 is listed in hall_2 but lies on sink_1" in note for note in scene.notes)
    assert all(node.pose is None for node in scene.nodes.values())


def test_in_and_on_are_told_apart_by_the_types(folder: Path) -> None:
    scene = load_scene(f"{folder}/instances.json#split/Small/problem_1")
    state = scene_to_instance(scene, SCHEMA, MAPPING)
    assert ("inside", ("apple_2", "sink_1")) in facts(state.instance)


@pytest.mark.parametrize(
    ("fragment", "words"),
    [
        ("", "it holds 2 instances"),
        ("#nothing", "there is no instance 'nothing'"),
        ("#split/Lost/problem_1", "its house Lost is not in"),
    ],
)
def test_which_instance_must_be_clear(folder: Path, fragment: str, words: str) -> None:
    with pytest.raises(SceneError) as caught:
        load_scene(f"{folder}/instances.json{fragment}")
    assert words in str(caught.value)
    assert "Small" in str(caught.value)


def test_the_published_instances(shared_dir: Path) -> None:
    file = shared_dir / "bench" / "context_matters" / "instances.json"
    houses = json.loads(file.with_name("scenes_from_taskography.json").read_text())
    ids = [one["id"] for one in json.loads(file.read_text()) if one["scene"] in houses]
    assert len(ids) == 69
    for id_ in ids:
        scene = load_scene(f"{file}#{id_}")
        rooms = {room.id for room in scene.in_layer(Layer.ROOM)}
        assert rooms == {r.elements[0] for r in scene.relations_named("connected")}
        assert not [note for note in scene.notes if "no connection" in note]
        state = scene_to_instance(scene, SCHEMA, MAPPING)
        assert not find_conflicts(state.instance)
        located = {fact.arguments[0] for fact in facts(state.instance, ["on", "inside"])}
        items = {state.instance.name_of(id_) for id_ in state.instance.elements("item")}
        assert items == located
