# SPDX-License-Identifier: Apache-2.0
"""The two syntaxes of Spark-DSG, decoded here and by the library: they must say the same."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spark_graphs import as_columns, differences, graph_of_all_kinds

from fcp_ros.scene import SceneError, SceneLimits, read_scene
from fcp_ros.scene.formats.spark_dsg.binary import MARK, decode_binary
from fcp_ros.scene.formats.spark_dsg.dsg_reader import build_message_graph, decode_json
from fcp_ros.scene.formats.spark_dsg.raw import convert_matrices, normalise_turns, to_symbol
from fcp_ros.scene.graph.graph import SceneGraph

dsg = pytest.importorskip("spark_dsg")

LIMITS = SceneLimits(max_nodes=1_000)


@pytest.mark.parametrize("seed", range(12))
def test_both_syntaxes_say_what_the_library_says(tmp_path: Path, seed: int) -> None:
    """All attribute types, with mesh, features, metadata and labels."""
    graph = graph_of_all_kinds(dsg, seed)
    nodes = as_columns(graph, tmp_path / "scene.json")
    document = json.loads((tmp_path / "scene.json").read_text())
    binary = decode_binary(graph.to_binary(), "a topic", LIMITS)
    plain = decode_json(document, "a file")
    ends = sorted(sorted((edge["source"], edge["target"])) for edge in document["edges"])
    for raw in (binary, plain):
        assert differences(raw, nodes) == []
        assert sorted(sorted((raw.keys[a], raw.keys[b])) for a, b in raw.edges) == ends
        assert raw.label_spaces == {(2, 0): {3: "mug"}}
    for row, (stamp, turn) in binary.agents.items():
        attributes = nodes[binary.keys[row]]["attributes"]
        assert stamp == attributes["timestamp"]
        assert turn == pytest.approx([attributes["world_R_body"][part] for part in "wxyz"])


def read_message(message: bytes, labels: dict[int, str] | None = None) -> SceneGraph:
    return build_message_graph(decode_binary(message, "dsg", LIMITS), "dsg", labels)


def test_a_message_has_no_header(data_dir: Path) -> None:
    file = data_dir / "twin_house_spark_v1.1.3.sparkdsg"
    message = dsg.DynamicSceneGraph.load(str(file)).to_binary()
    assert not message.startswith(MARK)
    graph = read_message(message)
    named = read_scene(file).nodes.values()
    assert [(n.layer, n.category, n.pose, n.size) for n in graph.nodes.values()] == [
        (n.layer, n.category, n.pose, n.size) for n in named
    ]
    assert graph.source == "dsg"


def test_ids_of_a_message_are_those_of_every_message() -> None:
    """A name that is unique in one message need not be in the next."""
    graph = dsg.DynamicSceneGraph()
    for number in range(2):
        attributes = dsg.ObjectNodeAttributes()
        attributes.name = "mug"
        graph.add_node(2, dsg.NodeSymbol("O", number), attributes)
        ids = list(read_message(graph.to_binary()).nodes)
        assert ids == [f"O{n}" for n in range(number + 1)]


def test_labels_of_a_message_can_be_given() -> None:
    graph = dsg.DynamicSceneGraph()
    attributes = dsg.ObjectNodeAttributes()
    attributes.semantic_label = 5
    graph.add_node(2, dsg.NodeSymbol("O", 0), attributes)
    message = graph.to_binary()
    assert read_message(message).nodes["O0"].category == "label_5"
    named = read_message(message, {5: "chair"})
    assert named.nodes["O0"].category == "chair"
    assert named.notes == ("1 objects have no usable bounding box: their size is unknown",)


def house(data_dir: Path) -> bytes:
    return (data_dir / "twin_house_spark_v1.1.3.sparkdsg").read_bytes()


def refusal(content: bytes, limits: SceneLimits = LIMITS) -> str:
    with pytest.raises(SceneError) as caught:
        decode_binary(content, "scene", limits)
    assert str(caught.value).startswith("scene: ")
    return str(caught.value)


VERSION = b"\xcc\x01\xcc\x01\xcc\x03"


def test_too_old_a_version_says_what_to_do(data_dir: Path) -> None:
    message = refusal(house(data_dir).replace(VERSION, b"\xcc\x01\xcc\x00\xcc\x06", 1))
    assert "it is of version 1.0.6" in message
    assert "save it again" in message


def test_a_newer_version_is_read_while_its_layout_is_the_same(data_dir: Path) -> None:
    newer = house(data_dir).replace(VERSION, b"\xcc\x02\xcc\x00\xcc\x00", 1)
    assert len(decode_binary(newer, "scene", LIMITS).keys) == 43
    assert "2.0.0, newer than this decoder" in refusal(newer.replace(b"fridge_1\xcc", b"fridge_1"))


def test_places_had_a_field_less_before_1_1_3(tmp_path: Path) -> None:
    graph = dsg.DynamicSceneGraph()
    graph.add_node(3, dsg.NodeSymbol("p", 0), dsg.PlaceNodeAttributes())
    path = tmp_path / "scene.sparkdsg"
    graph.save(str(path), False)
    content = path.read_bytes()
    end = b"\xc2\x01\x00\x01\xc2"  # anti_frontier, end of nodes, no edges, no mesh
    assert content.endswith(end)
    older = content.removesuffix(end) + end[1:]
    older = older.replace(VERSION, b"\xcc\x01\xcc\x01\xcc\x02", 1)
    assert decode_binary(older, "scene", LIMITS).keys == decode_binary(content, "x", LIMITS).keys
    assert "unexpected bytes" in refusal(content.removesuffix(end) + end[1:])


def test_lengths_that_ask_for_gigabytes_are_refused_at_once(data_dir: Path) -> None:
    content = house(data_dir)
    names = content.index(b"\xdd\x09\0\0\0\xdd\x0e\0\0\0NodeAttributes")
    huge = content[: names + 1] + b"\xff\xff\xff\xff" + content[names + 5 :]
    assert "more than there are bytes" in refusal(huge)


def test_too_many_nodes_are_refused_while_counting(data_dir: Path) -> None:
    assert "more than the limit of 5" in refusal(house(data_dir), SceneLimits(max_nodes=5))


def test_bytes_after_the_end(data_dir: Path) -> None:
    assert "3 bytes after the end" in refusal(house(data_dir) + b"abc")


def test_two_nodes_with_one_symbol(data_dir: Path) -> None:
    content = house(data_dir)
    one, two = (b"\xcf" + struct.pack("<Q", (ord("O") << 56) + number) for number in (1, 2))
    assert "node O1" in refusal(content.replace(two, one))


def test_an_edge_to_nowhere(data_dir: Path) -> None:
    content = house(data_dir)
    edge = content.rindex(b"\xdd\x03\0\0\0\xcf")
    wrong = content[: edge + 6] + struct.pack("<Q", (ord("X") << 56) + 9) + content[edge + 14 :]
    assert "an edge names X9, which is no node" in refusal(wrong)


def test_a_field_that_is_missing(data_dir: Path) -> None:
    for name in ("name", "semantic_label", "position", "type"):
        wrong = document(data_dir)
        del wrong["nodes"][3]["attributes"][name]
        with pytest.raises(SceneError, match=rf"nodes\[3\].*has no '{name}'"):
            decode_json(wrong, "scene.json")


def test_a_layer_that_is_not_listed(data_dir: Path) -> None:
    node = b"\xdd\4\0\0\0\xd3\2"
    wrong = house(data_dir).replace(node, node[:-1] + b"\x42", 1)
    assert "a node is in layer 66[0], which is not listed" in refusal(wrong)


def test_symbols() -> None:
    assert to_symbol((ord("O") << 56) + 33) == "O33"
    assert to_symbol(5692549928996306947) == "O3", "exact, though no float holds it"
    assert to_symbol(7) == "node_7"
    assert to_symbol((0xE9 << 56) + 1).startswith("node_")


def test_orientations_that_are_none() -> None:
    matrices = np.array(
        [np.eye(3), np.diag([1.0, 1.0, -1.0]), np.zeros((3, 3)), np.eye(3) * np.nan]
    )
    turns = convert_matrices(matrices)
    assert turns[0].tolist() == [0.0, 0.0, 0.0, 1.0]
    assert np.isnan(turns[1:]).all(), "a mirror, zeros and NaN are no rotations"
    given = normalise_turns(np.array([[0.0, 0.0, 0.0, 1.01], [0.0] * 4, [1.0, 1.0, 0.0, 0.0]]))
    assert given[0].tolist() == [0.0, 0.0, 0.0, 1.0]
    assert np.isnan(given[1:]).all()


def document(data_dir: Path) -> Any:
    return json.loads((data_dir / "twin_house_spark_v1.1.3.json").read_text())


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("nodes", 3, "id"), 2**64, "does not fit into 64 bits"),
        (("nodes", 3, "id"), 1.5, "the id of some node is no int"),
        (("nodes", 3, "attributes"), None, "nodes[3]"),
        (("nodes", 3, "attributes", "position"), [1, 2], "its position has not 3 numbers"),
        (("nodes", 3, "attributes", "position"), [1, "2", 3], "holds what is no number"),
        (("nodes", 3, "attributes", "position"), [1, 10**400, 3], "too large a number"),
        (("nodes", 3, "attributes", "name"), 5, "the name of some node is no str"),
        (
            ("nodes", 3, "attributes", "bounding_box", "dimensions"),
            [1, 2],
            "its dimensions has not",
        ),
        (("nodes", 3, "layer"), 7, "a node is in layer 7[0], which is not listed"),
        (("edges", 2), {}, "edges[2]: "),
        (("edges", 2, "source"), "a", "is no whole number"),
        (("edges", 2, "source"), 12, "an edge names node_12"),
        (("edges",), {}, "are no lists"),
    ],
)
def test_wrong_fields_of_json_are_named(
    data_dir: Path, path: tuple[Any, ...], value: Any, words: str
) -> None:
    wrong = document(data_dir)
    place = wrong
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    with pytest.raises(SceneError) as caught:
        decode_json(wrong, "scene.json")
    assert words in str(caught.value)
