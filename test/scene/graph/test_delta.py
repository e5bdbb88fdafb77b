# SPDX-License-Identifier: Apache-2.0
"""Deltas: applied in sequence, refused when they do not belong to the graph."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene import (
    Layer,
    Pose,
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
