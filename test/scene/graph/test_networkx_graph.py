# SPDX-License-Identifier: Apache-2.0
"""Scene graphs for networkx, and through GraphML and back by networkx."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from written_scenes import scenes

from fcp_ros.scene import (
    Layer,
    Pose,
    Provenance,
    SceneGraph,
    SceneNode,
    SceneRelation,
    save_scene,
)


@pytest.fixture
def small() -> SceneGraph:
    """Two rooms with a door between them, and a parrot that watches itself."""
    return SceneGraph.of(
        [
            SceneNode("hall", Layer.ROOM, "hall", polygon=((0, 0), (1, 0), (1, 2)), height=2.5),
            SceneNode("bath", Layer.ROOM, "bath"),
            SceneNode("door", Layer.OBJECT, "door", attributes={"is_open": False, "n": 2**70}),
            SceneNode(
                "polly",
                Layer.AGENT,
                "parrot",
                Pose((1.0, 2.0, 3.0), (0.0, 0.0, 1.0, 0.0)),
                (0.1, 0.2, 0.3),
                parents=("hall", "bath"),
            ),
        ],
        [
            SceneRelation("connected", ("hall", "bath", "door"), 0.5, Provenance.GEOMETRIC),
            SceneRelation("closed", ("door",)),
            SceneRelation("watches", ("polly", "polly")),
            SceneRelation("parent", ("polly", "hall")),
            SceneRelation("parent", ("polly", "hall", "door")),
        ],
        frame_id="odom",
        sequence=7,
        source="here",
        notes=["a note"],
    )


def test_nodes_and_their_data(small: SceneGraph) -> None:
    found = small.to_networkx()
    assert found.graph == {
        "frame_id": "odom",
        "sequence": 7,
        "source": "here",
        "notes": ("a note",),
    }
    assert list(found) == ["hall", "bath", "door", "polly"]
    assert found.nodes["bath"] == {"layer": "room", "category": "bath", "attributes": {}}
    assert found.nodes["polly"] == {
        "layer": "agent",
        "category": "parrot",
        "position": (1.0, 2.0, 3.0),
        "orientation": (0.0, 0.0, 1.0, 0.0),
        "size": (0.1, 0.2, 0.3),
        "attributes": {},
    }
    assert found.nodes["hall"]["polygon"] == ((0, 0), (1, 0), (1, 2))
    assert found.nodes["hall"]["height"] == 2.5
    assert found.nodes["door"]["attributes"] == {"is_open": False, "n": 2**70}


def test_edges_and_their_data(small: SceneGraph) -> None:
    found = small.to_networkx()
    assert set(found.edges(keys=True)) == {
        ("polly", "hall", "parent"),
        ("polly", "bath", "parent"),
        ("hall", "bath", ("connected", "door")),
        ("door", "door", ("closed",)),
        ("polly", "polly", "watches"),
        ("polly", "hall", ("parent",)),
        ("polly", "hall", ("parent", "door")),
    }
    assert found.edges["hall", "bath", ("connected", "door")] == {
        "relation": "connected",
        "elements": ("hall", "bath", "door"),
        "confidence": 0.5,
        "provenance": "geometric",
    }
    assert found.edges["polly", "bath", "parent"] == {}


def test_the_values_are_those_of_the_scene(small: SceneGraph) -> None:
    found = small.to_networkx()
    found.nodes["door"]["attributes"]["is_open"] = True
    assert small.nodes["door"].attributes["is_open"] is False


def read_back(path: Path) -> Any:
    return nx.read_graphml(path, force_multigraph=True)


def test_graphml_holds_what_networkx_has(small: SceneGraph, tmp_path: Path) -> None:
    notes = save_scene(small, tmp_path / "small.graphml")
    assert notes == (
        "GraphML has no place for whole numbers of more than 64 bits: door.attribute_n",
    )
    found = read_back(tmp_path / "small.graphml")
    assert found.graph["frame_id"] == "odom"
    assert json.loads(found.graph["notes"]) == ["a note"]
    polly = found.nodes["polly"]
    assert [polly[f"position_{axis}"] for axis in "xyz"] == [1.0, 2.0, 3.0]
    assert [polly[f"orientation_{axis}"] for axis in "xyzw"] == [0.0, 0.0, 1.0, 0.0]
    assert [polly[f"size_{axis}"] for axis in "xyz"] == [0.1, 0.2, 0.3]
    assert json.loads(found.nodes["hall"]["polygon"]) == [[0, 0], [1, 0], [1, 2]]
    assert found.nodes["door"]["attribute_is_open"] is False
    assert found.nodes["door"]["attribute_n"] == str(2**70)
    told = Counter((start, end, data["relation"]) for start, end, data in found.edges(data=True))
    assert told == Counter(
        {
            ("hall", "bath", "connected"): 1,
            ("door", "door", "closed"): 1,
            ("polly", "polly", "watches"): 1,
            ("polly", "hall", "parent"): 3,
            ("polly", "bath", "parent"): 1,
        }
    )
    (connected,) = [d for *_, d in found.edges(data=True) if d["relation"] == "connected"]
    assert json.loads(connected["elements"]) == ["hall", "bath", "door"]
    assert (connected["confidence"], connected["provenance"]) == (0.5, "geometric")


def test_what_xml_cannot_hold_is_said(tmp_path: Path) -> None:
    nodes = [
        SceneNode(id_, Layer.OBJECT, label, attributes={"a\uffff": "b\r"})
        for id_, label in (("x\uffff", "cup"), ("x\ufffe", "cup\ufffe"), ("x?", "cup"))
    ]
    notes = save_scene(SceneGraph.of(nodes), tmp_path / "odd.graphml")
    assert (
        notes == ("GraphML has no place for characters that XML cannot hold: x?, x?.a?",) or notes
    )
    found = read_back(tmp_path / "odd.graphml")
    assert list(found) == ["x?", "x?_2", "x?_3"]
    assert found.nodes["x?_2"] == {"layer": "object", "category": "cup?", "attribute_a?": "b?"}


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(graph=scenes())
def test_graphml_of_any_scene(graph: SceneGraph) -> None:
    with TemporaryDirectory() as folder:
        notes = save_scene(graph, Path(folder) / "scene.graphml")
        found = read_back(Path(folder) / "scene.graphml")
    assert len(found.edges) == graph.relation_count + sum(
        len(node.parents) for node in graph.nodes.values()
    )
    if notes:
        return
    assert list(found) == list(graph.nodes)
    for id_, node in graph.nodes.items():
        data = found.nodes[id_]
        assert (data["layer"], data["category"]) == (node.layer.value, node.category)
        assert data.get("height") == node.height
        if node.pose is not None:
            assert tuple(data[f"position_{axis}"] for axis in "xyz") == node.pose.position
        expected = {f"attribute_{k}": v for k, v in node.attributes.items()}
        assert {k: v for k, v in data.items() if k.startswith("attribute_")} == expected


def test_networkx_is_imported_on_demand() -> None:
    program = "import sys, fcp_ros.scene, fcp_ros.cset; print('networkx' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert shown.stdout.strip() == "False"
