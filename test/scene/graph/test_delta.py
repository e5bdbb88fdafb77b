# SPDX-License-Identifier: Apache-2.0
"""Deltas: applied in sequence, refused when they do not belong to the graph."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene import (
    Layer,
    Pose,
    Provenance,
    SceneDelta,
    SceneError,
    SceneGraph,
    SceneNode,
    SceneRelation,
    SequenceGap,
    apply_delta,
    compute_delta,
)


def node(id_: str, x: float = 0.0, parents: tuple[str, ...] = ()) -> SceneNode:
    return SceneNode(id_, Layer.OBJECT, "thing", pose=Pose.at(x, 0, 0), parents=parents)


GRAPH = SceneGraph.of(
    [node("a"), node("b", parents=("a",)), node("c")],
    [SceneRelation("on", ("b", "a")), SceneRelation("on", ("c", "a"))],
    sequence=7,
    source="scene.json",
)


def test_a_delta_adds_changes_and_removes() -> None:
    moved = node("b", x=2.0)
    delta = SceneDelta(
        8,
        upserted=(moved, node("d")),
        removed=("c",),
        added=(SceneRelation("on", ("d", "b")),),
        dropped=(SceneRelation("on", ("b", "a"), 0.1, Provenance.INFERRED),),
    )
    after = apply_delta(GRAPH, delta)
    assert list(after.nodes) == ["a", "b", "d"]
    assert after.nodes["b"] == moved
    assert [str(relation) for relation in after.relations] == ["on(d, b)"]
    assert after.sequence == 8
    assert GRAPH.sequence == 7


@pytest.mark.parametrize("sequence", [0, 6, 7, 9])
def test_a_gap_or_a_late_delta_is_refused(sequence: int) -> None:
    with pytest.raises(SequenceGap, match=r"needs 8.*Ask for a full update"):
        apply_delta(GRAPH, SceneDelta(sequence))


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (SceneDelta(8, removed=("z",)), "z: the delta removes this node"),
        (SceneDelta(8, removed=("a", "a")), None),
        (SceneDelta(8, upserted=(node("a"),), removed=("a",)), "also upserts it"),
        (SceneDelta(8, dropped=(SceneRelation("on", ("a", "c")),)), "does not have it"),
        (SceneDelta(8, upserted=(node("e", parents=("z",)),)), "its parent 'z'"),
        (SceneDelta(8, added=(SceneRelation("on", ("a", "z")),)), "names 'z'"),
    ],
)
def test_a_delta_of_another_graph_is_refused(delta: SceneDelta, words: str | None) -> None:
    if words is None:
        assert "a" not in apply_delta(GRAPH, delta).nodes
        return
    with pytest.raises(SceneError) as caught:
        apply_delta(GRAPH, delta)
    assert words in str(caught.value)
    assert "scene.json" in str(caught.value)


def test_children_of_a_removed_node_stay() -> None:
    after = apply_delta(GRAPH, SceneDelta(8, removed=("a",)))
    assert after.nodes["b"].parents == ()
    assert after.relations == ()


IDS = [f"n{i}" for i in range(6)]


@st.composite
def graphs(draw: st.DrawFn) -> SceneGraph:
    ids = draw(st.lists(st.sampled_from(IDS), unique=True, min_size=1))
    nodes = [node(id_, x=draw(st.integers(0, 2))) for id_ in ids]
    pairs = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), unique=True))
    return SceneGraph.of(nodes, [SceneRelation("beside", pair) for pair in pairs])


@given(graphs(), graphs())
def test_the_delta_between_two_graphs_leads_from_one_to_the_other(
    before: SceneGraph, after: SceneGraph
) -> None:
    reached = apply_delta(before, compute_delta(before, after))
    assert reached.nodes == after.nodes
    assert set(reached.relations) == set(after.relations)
    assert reached.sequence == before.sequence + 1


def test_no_difference_is_an_empty_delta() -> None:
    assert compute_delta(GRAPH, replace(GRAPH, sequence=3)).is_empty
