# SPDX-License-Identifier: Apache-2.0
"""Full and incremental updates of Hydra's graph, beside spark-dsg's own graph; plain values."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fcp_ros.nodes.scene_graph.hydra import DsgMessage, DsgStream
from fcp_ros.scene import SceneError, SceneGraph, SceneLimits, SequenceGap
from fcp_ros.scene.formats.spark_dsg.binary import decode_binary
from fcp_ros.scene.formats.spark_dsg.dsg_reader import build_message_graph

dsg = pytest.importorskip("spark_dsg", reason="needs spark-dsg")

LIMITS = SceneLimits()


@pytest.fixture
def house(repository: Path):
    file = repository / "test" / "scene" / "data" / "twin_house_spark_v1.1.3.sparkdsg"
    return dsg.DynamicSceneGraph.load(str(file))


@pytest.fixture
def stream(house):
    """A stream that has the whole house, as update 1."""
    stream = DsgStream("dsg", LIMITS)
    stream.take(DsgMessage(house.to_binary(False), "map", sequence=1))
    return stream


def part(graph, symbols: list):
    """A graph of some nodes, and the edges between these."""
    cut = dsg.DynamicSceneGraph()
    for symbol in symbols:
        node = graph.get_node(symbol)
        cut.add_node(node.layer, symbol, node.attributes)
    for edge in graph.edges:
        if cut.has_node(edge.source) and cut.has_node(edge.target):
            cut.insert_edge(edge.source, edge.target)
    return cut.to_binary(False)


def decoded(graph) -> SceneGraph:
    return build_message_graph(decode_binary(graph.to_binary(False), "dsg", LIMITS), "dsg")


def same(found: SceneGraph, expected: SceneGraph) -> bool:
    nodes = {
        id_: (n.layer, n.category, n.pose, n.size, n.polygon, set(n.parents))
        for id_, n in found.nodes.items()
    }
    others = {
        id_: (n.layer, n.category, n.pose, n.size, n.polygon, set(n.parents))
        for id_, n in expected.nodes.items()
    }
    connected = {frozenset(r.elements) for r in found.relations}
    return nodes == others and connected == {frozenset(r.elements) for r in expected.relations}


def test_a_full_update_is_the_graph(stream, house):
    found = stream.take(DsgMessage(house.to_binary(False), "world", sequence=2))
    assert found.frame_id == "world"
    assert same(found, decoded(house))
    assert stream.take(DsgMessage(house.to_binary(False))) is not None, "senders that don't count"


def test_what_moved_and_what_is_new(stream, house):
    mug = dsg.NodeSymbol("O", 0)
    moved = house.get_node(mug).attributes
    moved.position = [2.0, 1.0, 0.9]
    moved.bounding_box = dsg.BoundingBox([0.5, 0.5, 1.0], moved.position)
    attributes = dsg.ObjectNodeAttributes()
    attributes.position = [1.0, 1.0, 1.0]
    new = dsg.NodeSymbol("O", 99)
    house.add_node(2, new, attributes)
    found = stream.take(DsgMessage(part(house, [mug, new]), "map", is_full=False, sequence=2))
    assert "O99" in found.nodes
    assert same(found, decoded(house))


def test_parents_outside_of_the_update_stay(stream, house):
    child = next(node.id for node in house.nodes if node.parents())
    found = stream.take(DsgMessage(part(house, [child]), "map", is_full=False, sequence=2))
    assert same(found, decoded(house))


def test_deleted_nodes_and_edges(stream, house):
    gone = dsg.NodeSymbol("O", 0)
    house.remove_node(gone)
    ends = [dsg.NodeSymbol("R", 0).value, dsg.NodeSymbol("P", 0).value]
    # Not the library's edge: it refers to memory that is freed with the edge.
    assert house.has_edge(*ends)
    house.remove_edge(*ends)
    message = DsgMessage(
        dsg.DynamicSceneGraph().to_binary(False),
        "map",
        is_full=False,
        sequence=2,
        deleted_nodes=[gone.value, dsg.NodeSymbol("O", 12345).value],
        deleted_edges=ends,
    )
    found = stream.take(message)
    assert "O0" not in found.nodes
    assert same(found, decoded(house))


def test_a_room_keeps_its_outline(stream, house):
    room = dsg.NodeSymbol("R", 0)
    before = decoded(house).nodes["R0"]
    assert before.polygon
    found = stream.take(DsgMessage(part(house, [room]), "map", is_full=False, sequence=2))
    assert found.nodes["R0"].polygon == before.polygon


@pytest.mark.parametrize("seed", range(10))
def test_many_updates_lead_to_the_whole(stream, house, seed):
    """Beside the whole graph of the library, which went through the same."""
    rng = random.Random(seed)
    for sequence in range(2, 12):
        objects = [n.id for n in house.nodes if n.id.category == "O"]
        changed = rng.sample(objects, k=min(3, len(objects)))
        for symbol in changed:
            house.get_node(symbol).attributes.position = [rng.uniform(0, 9) for _ in range(3)]
        new = dsg.NodeSymbol("O", 100 + sequence)
        house.add_node(2, new, dsg.ObjectNodeAttributes())
        deleted = [s for s in objects if s not in changed][:1] if rng.random() < 0.5 else []
        for symbol in deleted:
            house.remove_node(symbol)
        message = DsgMessage(
            part(house, [*changed, new]), "map", False, sequence, [s.value for s in deleted]
        )
        found = stream.take(message)
    assert same(found, decoded(house))


# --- what does not fit --------------------------------------------------------------------------


def test_a_gap_waits_for_a_full_update(stream, house):
    late = DsgMessage(part(house, []), "map", is_full=False, sequence=4)
    with pytest.raises(SequenceGap, match="update 4 came after update 1"):
        stream.take(late)
    with pytest.raises(SequenceGap, match="no graph before it"):
        stream.take(late)
    assert stream.take(DsgMessage(house.to_binary(False), "map", sequence=5)) is not None
    assert stream.take(DsgMessage(part(house, []), "map", False, 6)) is not None


def test_a_late_update_is_left_out(stream, house):
    assert stream.take(DsgMessage(part(house, []), "map", is_full=False, sequence=1)) is None
    assert stream.take(DsgMessage(part(house, []), "map", is_full=False, sequence=2)) is not None


def test_a_sender_that_counts_anew_is_not_late_for_ever(stream, house):
    """Its full update was missed: the last number of its run before was no promise (issue 28)."""
    stream.take(DsgMessage(house.to_binary(False), "map", sequence=2**63 - 1))
    with pytest.raises(SequenceGap, match="update 2 came after update 9223372036854775807"):
        stream.take(DsgMessage(part(house, []), "map", is_full=False, sequence=2))
    assert stream.take(DsgMessage(house.to_binary(False), "map", sequence=3)) is not None
    assert stream.take(DsgMessage(part(house, []), "map", is_full=False, sequence=4)) is not None


def test_an_incremental_update_first():
    with pytest.raises(SequenceGap, match=r"no graph before it.*full update"):
        DsgStream("dsg", LIMITS).take(DsgMessage(b"", is_full=False))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"frame_id": "odom"}, "in the frame 'odom', the graph before in 'map'"),
        ({"deleted_edges": [1]}, "an end without another"),
        ({"content": b"\x01\x02"}, "dsg"),
    ],
)
def test_contradictions_are_refused_and_a_full_update_awaited(stream, house, change, reason):
    fields = {"content": part(house, []), "frame_id": "map", "is_full": False, "sequence": 2}
    with pytest.raises(SceneError, match=reason):
        stream.take(DsgMessage(**{**fields, **change}))
    with pytest.raises(SequenceGap):
        stream.take(DsgMessage(**fields))


def test_too_many_nodes_are_refused(house):
    with pytest.raises(SceneError, match="more than the limit of 5"):
        DsgStream("dsg", SceneLimits(5)).take(DsgMessage(house.to_binary(False)))
