# SPDX-License-Identifier: Apache-2.0
"""Scene graphs for networkx."""

import subprocess
import sys

import pytest

from fcp_ros.scene import (
    Layer,
    Pose,
    Provenance,
    SceneGraph,
    SceneNode,
    SceneRelation,
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


def test_networkx_is_imported_on_demand() -> None:
    program = "import sys, fcp_ros.scene, fcp_ros.cset; print('networkx' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert shown.stdout.strip() == "False"
