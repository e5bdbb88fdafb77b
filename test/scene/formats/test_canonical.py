# SPDX-License-Identifier: Apache-2.0
"""The canonical format: written and read back, in both syntaxes, and its short form."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import Atom, Constant, Text, to_text
from fcp_ros.scene import (
    Layer,
    Pose,
    Provenance,
    SceneError,
    SceneGraph,
    SceneNode,
    SceneRelation,
    read_scene,
    write_scene,
)

GRAPH = SceneGraph.of(
    [
        SceneNode(
            "küche", Layer.ROOM, "kitchen", polygon=((0.0, 0.0), (4.0, 0.0), (4.0, 3.0)), height=2.5
        ),
        SceneNode(
            "O(3)",
            Layer.OBJECT,
            "dining_table",
            pose=Pose.at(1.0, 2.0, 0.375, yaw=0.1234567891),
            size=(1.4, 0.8, 0.75),
            attributes={"is_open": False, "drawers": 2, "mass": 12.5, "colour": "white"},
            parents=("küche",),
        ),
        SceneNode("tilted", Layer.OBJECT, "book", Pose((0.0, 0.0, 0.0), (0.6, 0.0, 0.0, 0.8))),
        SceneNode("robot_1", Layer.AGENT, "robot"),
    ],
    [
        SceneRelation("in_room", ("O(3)", "küche")),
        SceneRelation("at", ("robot_1", "küche"), 0.5, Provenance.INFERRED),
    ],
    frame_id="odom",
    sequence=4,
    notes=["a note"],
)


@pytest.mark.parametrize("name", ["scene.json", "scene.yaml", "scene.yml"])
def test_a_graph_reads_back_as_it_was_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_scene(GRAPH, path)
    read = read_scene(path)
    assert read.nodes == GRAPH.nodes
    assert read.relations == GRAPH.relations
    assert (read.frame_id, read.sequence, read.notes) == ("odom", 4, ("a note",))
    assert read.source == str(path)


finite = st.floats(-1e6, 1e6)


def test_json_has_one_line_a_node_and_the_short_yaw(tmp_path: Path) -> None:
    graph = SceneGraph.of(
        [
            SceneNode(id_, Layer.OBJECT, "table", Pose.at(0, 0, 0, yaw=0.5235987755982988))
            for id_ in "ab"
        ]
    )
    path = tmp_path / "scene.json"
    write_scene(graph, path)
    lines = path.read_text().splitlines()
    assert sum('"yaw_deg": 30.0' in line for line in lines) == 2


def minimal(**changes: Any) -> dict[str, Any]:
    node = {"id": "a", "layer": "object", "category": "mug"}
    return {"format": "fcp_ros/scene", "nodes": [node], **changes}


def with_node(**changes: Any) -> dict[str, Any]:
    return minimal(nodes=[{"id": "a", "layer": "object", "category": "mug", **changes}])


def test_little_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(minimal()))
    node = read_scene(path).nodes["a"]
    assert (node.pose, node.size, node.parents) == (None, None, ())


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (minimal(version=2), "version"),
        (minimal(nodez=[]), "nodez: Extra inputs"),
        (with_node(layer="attic"), "nodes[0] (a).layer"),
        (with_node(position=[1, 2]), "nodes[0] (a).position"),
        (with_node(position=[float("nan"), 2, 3]), "finite"),
        (with_node(position=[1e999, 2, 3]), "finite"),
        (with_node(yaw_deg=3), "an orientation needs a position"),
        (with_node(position=[0, 0, 0], yaw_deg=3, orientation=[0, 0, 0, 1]), "not both"),
        (with_node(attributes={"x": [1]}), "attributes"),
        (with_node(colour="red"), "nodes[0] (a).colour: Extra inputs"),
        (minimal(relations=[["on"]]), "relations[0]"),
        (minimal(nodes=[{"id": 1}] * 9), "more"),
        (with_node(position=[1e200, 0, 0]), "a: the position holds a number beyond 10,000,000 m"),
        (with_node(id="a\nb"), "holds the control character"),
    ],
)
def test_wrong_entries_are_named(tmp_path: Path, document: dict[str, Any], words: str) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(document))
    with pytest.raises(SceneError) as caught:
        read_scene(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))


HOUSE = """
rooms:
  - {id: kitchen, cls: kitchen, polygon: [[0, 0], [4, 0], [4, 3], [0, 3]]}
  - {id: hall}
doors:
  - {id: door, rooms: [kitchen, hall], open: false}
objects:
  - {id: cup, cls: cup, room: kitchen, center: [1, 1, 0.5], yaw_deg: 90, state: {full: true}}
agents:
  - {id: tidy, cls: robot, room: hall}
relations:
  - [closed, door]
"""


def test_the_house_layout_in_yaml(tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    path.write_text(HOUSE)
    graph = read_scene(path)
    assert graph.nodes["door"].attributes == {"is_open": False}
    assert graph.nodes["cup"].attributes == {"full": True}
    assert graph.nodes["cup"].parents == ("kitchen",)
    assert graph.nodes["tidy"].layer is Layer.AGENT
    keys = {relation.key for relation in graph.relations}
    assert keys == {("closed", ("door",)), ("connected", ("kitchen", "hall", "door"))}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("room: kitchen", "room: cellar", "cup: its parent 'cellar'"),
        ("rooms: [kitchen, hall]", "rooms: [kitchen]", "doors[0] (door).rooms"),
        ("id: cup", "id: door", "door: this id is given to two nodes"),
        ("center: [1, 1, 0.5]", "centre: [1, 1, 0.5]", "objects[0] (cup).centre: Extra"),
    ],
)
def test_wrong_entries_of_a_house_are_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = tmp_path / "house.yaml"
    path.write_text(HOUSE.replace(old, new))
    with pytest.raises(SceneError) as caught:
        read_scene(path)
    assert words in str(caught.value)


def test_of_things_that_hold_each_other_one_place_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    nodes = [{"id": id_, "layer": "object", "category": "box"} for id_ in "abc"]
    relations = [["on", "a", "b"], ["inside", "b", "c"], ["on", "c", "b"]]
    path.write_text(json.dumps(minimal(nodes=nodes, relations=relations)))
    graph = read_scene(path)
    assert [str(r) for r in graph.relations] == ["on(a, b)", "inside(b, c)"]
    assert graph.notes[-1].endswith("left out: on(c, b)")
    relations[2] = ["on", "a", "c"]  # two holders, but no circle
    path.write_text(json.dumps(minimal(nodes=nodes, relations=relations)))
    assert len(read_scene(path).relations) == 3
    house = {"objects": [{"id": id_, "cls": "box"} for id_ in "ab"]}
    path.write_text(json.dumps({**house, "relations": [["on", "a", "b"], ["on", "b", "a"]]}))
    assert [str(relation) for relation in read_scene(path).relations] == ["on(a, b)"]


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"category": "mug"', '"category": "mug", "category": "cup"', "nodes[0] (a).category"),
        ('"nodes"', '"nodes": [], "nodes"', "nodes"),
        ('{"id"', '{}, {"id": "b", "id"', "nodes[1] (a).id"),
        ('"mug"', '"mug", "attributes": {"x": 1, "x": 2}', "nodes[0] (a).attributes.x"),
        ('"id"', '"attributes": {}, "id": "a", "id"', "nodes[0] (a).id"),
    ],
)
def test_a_key_that_is_there_twice_is_refused_at_its_place(
    tmp_path: Path, old: str, new: str, place: str
) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(minimal()).replace(old, new))
    with pytest.raises(SceneError) as caught:
        read_scene(path)
    assert str(caught.value).startswith(f"{path}: {place}: this key is there twice")


def test_the_greatest_numbers_are_those_of_maps_of_the_earth(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(with_node(position=[500_000.0, 9_999_999.0, -6e6])))
    assert read_scene(path).nodes["a"].pose == Pose.at(500_000.0, 9_999_999.0, -6e6)


def test_words_of_goals_quotes_and_markup_are_ids(tmp_path: Path) -> None:
    """Goals quote such ids, pages escape them: nothing is lost by allowing them."""
    path = tmp_path / "scene.json"
    ids = ["not", "and", "forall", 'a "b"', "<b>x</b>", "[red]", "ü"]
    things = [SceneNode(id_, Layer.OBJECT, "mug") for id_ in ids]
    write_scene(SceneGraph.of(things), path)
    assert list(read_scene(path).nodes) == ids
    for id_ in ids:
        (term, _) = parse_expression(to_text(Atom("on", (Constant(id_), Constant("t"))))).arguments
        assert (term.value if isinstance(term, Text) else term.name) == id_


def test_an_outline_that_crosses_itself_is_noted_once(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(with_node(polygon=[[0, 0], [4, 3], [4, 0], [0, 3]])))
    graph = read_scene(path)
    assert graph.notes == (
        "the polygon of a crosses itself (the edge (0.0, 0.0) to (4.0, 3.0) and the edge "
        "(4.0, 0.0) to (0.0, 3.0)): what it goes around twice counts as outside; "
        "list its corners along the walls",
    )
    write_scene(graph, path)
    assert read_scene(path) == graph
