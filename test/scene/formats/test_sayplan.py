# SPDX-License-Identifier: Apache-2.0
"""SayPlan-style graphs: layers, links, what lies where, passages, and bad files."""

from pathlib import Path
from typing import Any

import pytest
from scene_documents import changed, read_damaged, written
from twin_house import Lacks, differences, truth_of

from fcp_ros.scene import Layer, SceneError, SceneGraph, SceneLimits, load_scene, read_scene

TWIN = "sayplan/twin_house_sayplan.json"
LACKS = Lacks(
    labels={"refrigerator": "fridge", "dining_table": "table"},
    outlines=True,
    heights=True,
    doors=True,
    positions=True,
    sizes=True,
)
"""There is no geometry, ids stand for labels, and doors are poses between rooms."""


def document(*links: str, **nodes: list[Any]) -> dict[str, Any]:
    return {
        "nodes": {
            layer: [node if isinstance(node, dict) else {"id": node} for node in listed]
            for layer, listed in nodes.items()
        },
        "links": list(links),
    }


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def load_(document: Any, limits: SceneLimits | None = None) -> SceneGraph:
        return read_scene(written(document, tmp_path / "scene.json"), limits=limits)

    return load_


def words(graph: SceneGraph) -> set[str]:
    return {str(relation) for relation in graph.relations}


def test_the_twin_house(data_dir: Path) -> None:
    graph = load_scene(data_dir / TWIN)
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), LACKS) == []
    assert graph.nodes["pose_door_1"].category == "passage"
    assert graph.nodes["fridge_1"].attributes == {
        "affordances": "open, close, access",
        "is_open": False,
    }
    assert graph.nodes["agent"].layer is Layer.AGENT
    assert "at(agent, kitchen_1)" in words(graph)
    assert graph.notes == ()


def test_what_nodes_leave_out_links_say(load: Any) -> None:
    graph = load(
        document(
            "hall↔table_1",
            "table_1 <-> mug_1",
            "agent<->apple_1",
            room=["hall"],
            agent=[{"id": "agent", "location": "table_1"}],
            asset=["table_1"],
            object=["mug_1", "apple_1"],
        )
    )
    assert words(graph) == {"on(mug_1, table_1)", "holding(agent, apple_1)", "at(agent, hall)"}
    assert graph.nodes["table_1"].parents == ("hall",)
    assert "it is not said whether mug_1 lie on or in their parents: on is taken" in graph.notes


def test_rooms_are_connected_directly_through_one_pose_or_through_several(load: Any) -> None:
    graph = load(
        document(
            "a<->p1", "p1<->b",
            "b<->c",
            "c<->p2", "p2<->p3", "p3<->d",
            "d<->p4", "p4<->e", "p4<->f",
            "a<->p5",
            room=list("abcdef"),
            pose=["p1", "p2", "p3", "p4", "p5"],
        )
    )  # fmt: skip
    assert words(graph) == {
        "connected(a, b, p1)",
        "connected(b, c)",
        "connected(c, d)",
        "connected(d, e)",
        "connected(d, f)",
        "connected(e, f)",
    }
    assert {node.id for node in graph.in_layer(Layer.PLACE)} == {"p2", "p3", "p4", "p5"}


def test_ids_with_spaces_are_renamed(load: Any) -> None:
    item = {"id": "red mug", "parent": "tall shelf 2", "attributes": {"relation": "inside"}}
    graph = load(document(room=["hall"], asset=[{"id": "tall shelf 2"}], object=[item]))
    assert words(graph) == {"inside(red_mug_1, tall_shelf_1)"}
    assert graph.nodes["tall_shelf_1"].attributes == {"source_id": "tall shelf 2"}
    assert graph.nodes["red_mug_1"].category == "red_mug"


# ---- bad files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("nodes", "asset", 0, "room"), "living_room_1", "is linked with 'kitchen_1'"),
        (("nodes", "asset", 0, "room"), "cellar", "no node 'cellar'"),
        (("nodes", "asset", 0, "room"), "mug_1", "is no room"),
        (("nodes", "asset", 1, "id"), "fridge_1", "given to two elements"),
        (("nodes", "object", 0, "parent"), "apple_1", "lies on or in itself"),
        (("nodes", "object", 0, "parent"), "pose_door_1", "can't hold anything"),
        (("nodes", "object", 0, "parent"), 7, "object[0] (apple_1).parent"),
        (("nodes", "object", 0, "id"), "", "object[0]"),
        (("nodes", "agent", 0, "location"), "cellar", "no node 'cellar'"),
        (("links", 0), "kitchen_1-pose_door_1", "written as a<->b"),
        (("links", 0), "kitchen_1<->cellar", "no node 'cellar'"),
        (("links", 8), "table_1<->apple_1", "belongs to 'counter_1'"),
        (("nodes", "room"), {}, "nodes.room"),
        (("nodes", "room"), [], "no node 'kitchen_1'"),
    ],
)
def test_bad_entries_are_refused(
    load: Any, data_dir: Path, place: tuple[Any, ...], value: Any, reason: str
) -> None:
    import json

    twin = json.loads((data_dir / TWIN).read_text())
    with pytest.raises(SceneError) as refusal:
        load(changed(twin, place, value))
    assert reason in str(refusal.value)
    assert "scene.json" in str(refusal.value)


def test_a_circle_of_objects_is_refused(load: Any) -> None:
    items = [{"id": "a", "parent": "b"}, {"id": "b", "parent": "a"}]
    with pytest.raises(SceneError, match="lies on or in itself"):
        load(document(object=items))


def test_ids_that_differ_in_case_only_are_renamed_and_told(load: Any) -> None:
    graph = load(document(room=["Hall", "hall"]))
    assert set(graph.nodes) == {"Hall", "hall_1"}
    assert any("differ in case only" in note for note in graph.notes)


def test_too_many_nodes_are_refused_unread(load: Any) -> None:
    bomb = {"nodes": {"object": [None] * 60, "asset": [None] * 60}, "links": []}
    with pytest.raises(SceneError, match="more than the limit of 100"):
        load(bomb, SceneLimits(max_nodes=100))


def test_damaged_files(data_dir: Path, tmp_path: Path) -> None:
    graphs, refusals = read_damaged(data_dir / TWIN, tmp_path / "scene.json", seed=23)
    assert graphs + refusals == 500
    assert refusals > 250
