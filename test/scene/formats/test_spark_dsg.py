# SPDX-License-Identifier: Apache-2.0
"""Spark-DSG files: ids, labels, boxes, hierarchy and agents, on graphs written here and real ones.

Graphs are written with the spark-dsg package itself, in both syntaxes.
"""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from twin_house import Lacks, differences, truth_of

from fcp_ros.scene import Layer, Pose, Provenance, SceneError, SceneGraph, load_scene, read_scene
from fcp_ros.scene.formats.spark_dsg.dsg_reader import read_label_space

dsg = pytest.importorskip("spark_dsg")

Key = dsg.NodeSymbol


def semantic(kind: Any, position: tuple[float, float, float], name: str, label: int) -> Any:
    attributes = kind()
    attributes.position = np.array(position, dtype=float)
    attributes.name = name
    attributes.semantic_label = label
    return attributes


def add_object(graph: Any, index: int, name: str, label: int, box: Any = None) -> None:
    attributes = semantic(dsg.ObjectNodeAttributes, (index, 0.0, 0.5), name, label)
    if box is not None:
        attributes.bounding_box = box
    graph.add_node(dsg.DsgLayers.OBJECTS, Key("O", index), attributes)


def add_place(graph: Any, index: int, position: tuple[float, float, float]) -> None:
    attributes = dsg.PlaceNodeAttributes()
    attributes.position = np.array(position, dtype=float)
    graph.add_node(dsg.DsgLayers.PLACES, Key("p", index), attributes)


def add_room(graph: Any, index: int, box: Any = None) -> None:
    attributes = semantic(dsg.RoomNodeAttributes, (5.0 * index, 0.0, 1.0), f"R({index})", 0)
    if box is not None:
        attributes.bounding_box = box
    graph.add_node(dsg.DsgLayers.ROOMS, Key("R", index), attributes)


def add_agent_pose(graph: Any, prefix: str, index: int, x: float) -> None:
    from datetime import timedelta

    attributes = dsg.AgentNodeAttributes()
    attributes.position = np.array((x, 0.0, 0.0))
    attributes.timestamp = timedelta(seconds=index)
    attributes.world_R_body = dsg.Quaternion(math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    attributes.external_key = index
    graph.add_node(2, Key(prefix, index).value, attributes, ord(prefix))


def box(centre: tuple[float, float, float], size: tuple[float, float, float]) -> Any:
    return dsg.BoundingBox(np.array(size, dtype=np.float32), np.array(centre, dtype=np.float32))


@pytest.fixture(params=["scene.json", "scene.sparkdsg"])
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    def through_file(graph: Any) -> SceneGraph:
        path = tmp_path / request.param
        graph.save(str(path), False)
        return read_scene(path)

    return through_file


def test_ids_are_plain_unique_names_or_else_symbols(read: Any) -> None:
    graph = dsg.DynamicSceneGraph()
    names = ("mug_1", "O(1)", "chair", "chair", "O5", "two words", "", "1st")
    for index, name in enumerate(names):
        add_object(graph, index, name, 1)
    assert list(read(graph).nodes) == ["mug_1", "O1", "O2", "O3", "O4", "O5", "O6", "O7"]


def test_labels_come_from_the_label_space(read: Any) -> None:
    graph = dsg.DynamicSceneGraph()
    for index, label in enumerate((3, 9, 4294967295)):
        add_object(graph, index, "", label)
    graph.metadata.add({"labelspaces": {"_l2p0": [[3, "mug"]]}})
    scene = read(graph)
    assert [node.category for node in scene.nodes.values()] == ["mug", "label_9", "unknown"]
    assert any(note.startswith("2 objects have no name for their label") for note in scene.notes)


def test_boxes_that_are_missing_or_broken_are_unknown(read: Any) -> None:
    graph = dsg.DynamicSceneGraph()
    add_object(graph, 0, "", 1)
    add_object(graph, 1, "", 1, box((1.5, 0, 0), (1, 2, 3)))
    add_object(graph, 2, "", 1, box((1, 0, 0), (-1, 2, 3)))
    add_object(graph, 3, "", 1, box((1, 0, 0), (1, float("inf"), 3)))
    scene = read(graph)
    assert [node.size for node in scene.nodes.values()] == [None, (1.0, 2.0, 3.0), None, None]
    assert scene.nodes["O1"].pose.position == (1.5, 0.0, 0.0)
    assert scene.nodes["O0"].pose.position == (0.0, 0.0, 0.5)
    assert any(note.startswith("3 objects have no usable bounding box") for note in scene.notes)


def test_a_turned_box_keeps_its_yaw(read: Any) -> None:
    cos, sin = math.cos(0.7), math.sin(0.7)
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]], dtype=np.float32)
    turned = dsg.BoundingBox(
        dsg.BoundingBoxType.RAABB, np.ones(3, np.float32), np.zeros(3, np.float32), turn
    )
    graph = dsg.DynamicSceneGraph()
    add_object(graph, 0, "", 1, turned)
    assert read(graph).nodes["O0"].pose.yaw == pytest.approx(0.7, abs=1e-5)


@pytest.mark.parametrize("dummy", [None, box((0, 0, 0), (0.1, 0.1, 0.1))])
def test_a_room_without_a_box_is_as_large_as_its_places(read: Any, dummy: Any) -> None:
    graph = dsg.DynamicSceneGraph()
    add_room(graph, 0, dummy)
    corners = ((0, 0), (4, 0), (4, 3), (0, 3), (2, 1))
    for index, (x, y) in enumerate(corners):
        add_place(graph, index, (x, y, 1.0))
        graph.insert_edge(Key("R", 0), Key("p", index))
    scene = read(graph)
    assert set(scene.nodes["R0"].polygon) == set(corners[:4])
    assert scene.nodes["R0"].height is None
    assert scene.nodes["p4"].layer is Layer.PLACE
    assert scene.nodes["p4"].parents == ("R0",)


def test_several_parents_and_connected_rooms(read: Any) -> None:
    graph = dsg.DynamicSceneGraph()
    add_room(graph, 0, box((0, 0, 1), (4, 4, 2)))
    add_room(graph, 1, box((5, 0, 1), (4, 4, 2)))
    for index in (0, 1):
        add_place(graph, index, (5.0 * index, 0, 0))
        graph.insert_edge(Key("R", index), Key("p", index))
    add_object(graph, 0, "", 1)
    for index in (0, 1):
        graph.insert_edge(Key("p", index), Key("O", 0), enforce_single_parent=False)
    graph.insert_edge(Key("R", 0), Key("R", 1))
    scene = read(graph)
    assert set(scene.nodes["O0"].parents) == {"p0", "p1"}
    assert [relation.key for relation in scene.relations] == [("connected", ("R0", "R1"))]


def test_the_last_pose_of_each_agent_counts(read: Any) -> None:
    graph = dsg.DynamicSceneGraph()
    add_object(graph, 0, "", 1)
    for index in (0, 2, 1):
        add_agent_pose(graph, "a", index, x=float(index))
    alone = read(graph)
    assert [node.id for node in alone.in_layer(Layer.AGENT)] == ["robot_1"]
    assert alone.nodes["robot_1"].pose.position == (2.0, 0.0, 0.0)
    assert alone.nodes["robot_1"].pose.yaw == pytest.approx(math.pi / 2)
    add_agent_pose(graph, "b", 0, x=7.0)
    both = read(graph)
    assert [node.id for node in both.in_layer(Layer.AGENT)] == ["robot_a", "robot_b"]


def test_the_parents_of_an_agent_are_its_last_places(read: Any) -> None:
    graph = dsg.DynamicSceneGraph()
    add_room(graph, 0, box((0, 0, 1), (4, 4, 2)))
    add_place(graph, 0, (0.0, 0.0, 0.0))
    graph.insert_edge(Key("R", 0), Key("p", 0))
    for index in range(2):
        add_agent_pose(graph, "a", index, x=float(index))
    graph.insert_edge(Key("p", 0), Key("a", 1))
    assert read(graph).nodes["robot_1"].parents == ("p0",)


def test_parents_are_in_higher_layers_so_edges_form_no_circle(read: Any) -> None:
    """Whichever way round an edge is written, and however many there are."""
    graph = dsg.DynamicSceneGraph()
    add_room(graph, 0)
    add_place(graph, 0, (0.0, 0.0, 0.0))
    add_object(graph, 0, "", 1)
    graph.insert_edge(Key("O", 0), Key("R", 0))
    graph.insert_edge(Key("R", 0), Key("p", 0))
    graph.insert_edge(Key("p", 0), Key("O", 0))
    scene = read(graph)
    assert set(scene.nodes["O0"].parents) == {"p0", "R0"}
    assert scene.nodes["R0"].parents == ()


def test_a_room_without_a_label_is_named_after_its_likeliest_class(read: Any) -> None:
    graph = dsg.DynamicSceneGraph()
    add_room(graph, 0)
    attributes = semantic(dsg.RoomNodeAttributes, (5.0, 0.0, 1.0), "", 0)
    attributes.semantic_class_probabilities = {"hall": 0.2, "kitchen": 0.7}
    graph.add_node(dsg.DsgLayers.ROOMS, Key("R", 1), attributes)
    assert [room.category for room in read(graph).in_layer(Layer.ROOM)] == ["room", "kitchen"]


@pytest.mark.parametrize("x", [math.nan, math.inf, -1e9])
def test_a_position_that_is_no_place_is_unknown(tmp_path: Path, x: float) -> None:
    graph = dsg.DynamicSceneGraph()
    add_object(graph, 0, "", 1)
    graph.get_node(Key("O", 0)).attributes.position = np.array([x, 0.0, 0.0])
    for name in ("scene.json", "scene.sparkdsg"):  # JSON has null for what is not finite
        graph.save(str(tmp_path / name), False)
        scene = read_scene(tmp_path / name)
        assert scene.nodes["O0"].pose is None
        assert "1 nodes have no usable position: it is unknown" in scene.notes


LABELS = "label_names:\n  - {label: 1, name: chair}\n  - {label: 2, name: table}\n"


def test_labels_from_a_label_space_beside_the_file(tmp_path: Path) -> None:
    graph = dsg.DynamicSceneGraph()
    add_object(graph, 0, "", 1)
    path = tmp_path / "dsg.json"
    graph.save(str(path), False)
    assert read_scene(path).nodes["O0"].category == "label_1"
    space = tmp_path / "my_label_space.yaml"
    space.write_text(LABELS)
    scene = read_scene(path)
    assert scene.nodes["O0"].category == "chair"
    assert "my_label_space.yaml, which lies beside the file" in scene.notes[0]
    (tmp_path / "other_label_space.yaml").write_text(LABELS.replace("chair", "stool"))
    scene = read_scene(path)
    assert scene.nodes["O0"].category == "label_1", "which of the two is not guessed"
    assert "name one as dsg.json#my_label_space.yaml" in scene.notes[0]
    assert read_scene(f"{path}#other_label_space.yaml").nodes["O0"].category == "stool"
    assert read_label_space(space) == {1: "chair", 2: "table"}


def test_the_label_space_of_the_file_comes_first(tmp_path: Path) -> None:
    graph = dsg.DynamicSceneGraph()
    add_object(graph, 0, "", 1)
    graph.metadata.add({"labelspaces": {"_l2p0": [[1, "mug"]]}})
    path = tmp_path / "dsg.json"
    graph.save(str(path), False)
    (tmp_path / "label_space.yaml").write_text(LABELS)
    assert read_scene(path).nodes["O0"].category == "mug"
    assert read_scene(f"{path}#label_space.yaml").nodes["O0"].category == "chair"


@pytest.mark.parametrize(
    ("fragment", "words"),
    [
        ("nothing.yaml", "there is no such file"),
        ("../outside.yaml", "which is outside of its folder"),
        ("wrong.yaml", "this is no label space"),
    ],
)
def test_a_label_space_that_cannot_be_used(tmp_path: Path, fragment: str, words: str) -> None:
    graph = dsg.DynamicSceneGraph()
    add_object(graph, 0, "", 1)
    path = tmp_path / "scenes" / "dsg.json"
    path.parent.mkdir()
    graph.save(str(path), False)
    (path.parent / "wrong.yaml").write_text("label_names: [chair]")
    (tmp_path / "outside.yaml").write_text(LABELS)
    with pytest.raises(SceneError, match=words):
        read_scene(f"{path}#{fragment}")


def test_layers_without_use_are_noted(read: Any) -> None:
    graph = dsg.DynamicSceneGraph()
    add_object(graph, 0, "", 1)
    graph.add_layer(1, 0, "SEGMENTS")
    graph.add_node(1, Key("s", 0), semantic(dsg.SemanticNodeAttributes, (0, 0, 0), "", 1))
    scene = read(graph)
    assert list(scene.nodes) == ["O0"]
    assert any("1 nodes of layer 1 were left out" in note for note in scene.notes)


# ---- the twin house ---------------------------------------------------------------------------

LACKS = Lacks(doors=True, states=True)


@pytest.mark.parametrize("suffix", ["json", "sparkdsg"])
def test_the_twin_house(data_dir: Path, suffix: str) -> None:
    truth = truth_of(data_dir / "twin_house_expected.json")
    scene = load_scene(data_dir / f"twin_house_spark_v1.1.3.{suffix}")
    assert differences(scene, truth, LACKS) == []
    passage = scene.nodes["kitchen_1__living_room_1_passage"]
    assert passage.pose is not None
    assert math.dist(passage.pose.position[:2], truth["doors"][0]["center"][:2]) < 0.01
    assert scene.notes == ("the scene has no robot: robot_1 was put in kitchen_1",)


# ---- a real apartment, mapped by Hydra ---------------------------------------------------------


@pytest.mark.parametrize("name", ["labelspace.json", "labelspace.sparkdsg"])
def test_the_real_apartment(shared_dir: Path, name: str) -> None:
    folder = shared_dir / "bench" / "scenes" / "spark_dsg"
    scene = load_scene(folder / f"apartment_v1.1.3_{name}")
    assert Counter(node.layer.value for node in scene.nodes.values()) == {
        "building": 1,
        "room": 1,
        "place": 185,
        "object": 8,  # seven mapped ones and the floor
        "agent": 1,
    }
    categories = Counter(node.category for node in scene.in_layer(Layer.OBJECT))
    assert categories == {"chair": 3, "lamp": 2, "table": 2, "floor": 1}
    assert len(scene.nodes["R0"].polygon) > 4
    assert {relation.elements for relation in scene.relations_named("at")} == {("robot_1", "R0")}
    assert {relation.elements[1] for relation in scene.relations_named("in_room")} == {"R0"}
    assert {relation.elements[1] for relation in scene.relations_named("on")} == {"R0_floor"}
    assert scene.relations_named("inside") == ()
    standing = {
        r.elements[0] for r in scene.relations_named("on") if r.provenance is Provenance.GEOMETRIC
    }
    assert standing == {"O0", "O33", "O56", "O61"}  # the lamps hang, one small table is on a step
    assert not {r.elements[0] for r in scene.relations_named("on")} & {"O11", "O84"}
    assert scene.notes == ("nothing is known that carries O11, O84: mounted, or it was not seen",)


def test_the_apartment_in_the_old_format(
    shared_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = shared_dir / "bench" / "scenes" / "spark_dsg"
    old = load_scene(folder / "apartment_v1.0.0.json")
    new = load_scene(folder / "apartment_v1.1.3_labelspace.json")
    assert {relation.key for relation in old.relations} == {r.key for r in new.relations}
    assert old.nodes["O33"].category == "label_16"
    assert any("7 objects have no name for their label" in note for note in old.notes)
    assert "name one as apartment_v1.0.0.json#hydra_ade20k_indoor_label_space.yaml" in old.notes[0]
    space = "hydra_uhumans2_apartment_label_space.yaml"
    named = load_scene(f"{folder / 'apartment_v1.0.0.json'}#{space}")
    assert named.nodes.keys() == new.nodes.keys()
    assert all(node.category == new.nodes[id_].category for id_, node in named.nodes.items())
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("box", ["gone", None])
def test_an_object_without_a_box_is_a_thing_of_unknown_size(tmp_path: Path, box: Any) -> None:
    """Perception has not fitted one yet: JSON leaves the box out, or writes null."""
    graph = dsg.DynamicSceneGraph()
    add_object(graph, 1, "mug", 3)
    graph.save(str(tmp_path / "scene.json"), False)
    document = json.loads((tmp_path / "scene.json").read_text())
    (node,) = (one for one in document["nodes"] if one["attributes"]["name"] == "mug")
    if box == "gone":
        del node["attributes"]["bounding_box"]
    else:
        node["attributes"]["bounding_box"] = box
    (tmp_path / "scene.json").write_text(json.dumps(document))
    thing = load_scene(tmp_path / "scene.json").nodes["mug"]
    assert thing.pose == Pose.at(1.0, 0.0, 0.5)
    assert thing.size is None
