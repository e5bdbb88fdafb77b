# SPDX-License-Identifier: Apache-2.0
"""Graphs made by deltas: what they look up, and what they refuse, as if made anew."""

import random
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
    apply_delta,
)
from fcp_ros.scene.graph.checks import CASE_NOTE

IDS = ["a", "A", "b", "B", "c", "d", "e"]
NAMES = ["on", "near", "door"]


@st.composite
def nodes(draw: st.DrawFn, ids: list[str]) -> SceneNode:
    parents = st.lists(st.sampled_from(ids), max_size=2, unique=draw(st.booleans()))
    return SceneNode(
        draw(st.sampled_from(ids)),
        draw(st.sampled_from([Layer.ROOM, Layer.OBJECT])),
        draw(st.sampled_from(["thing", "table"])),
        pose=Pose.at(draw(st.integers(0, 2)), 0, 0),
        parents=tuple(draw(parents)) if draw(st.integers(0, 3)) == 0 else (),
    )


@st.composite
def relations(draw: st.DrawFn, ids: list[str]) -> SceneRelation:
    legs = draw(st.lists(st.sampled_from(ids), min_size=1, max_size=2))
    confidence = draw(st.sampled_from([0.5, 1.0]))
    return SceneRelation(draw(st.sampled_from(NAMES)), tuple(legs), confidence)


@st.composite
def deltas(draw: st.DrawFn, graph: SceneGraph) -> SceneDelta:
    """Mostly right ones; about one in four is wrong in one way or another."""
    present = list(graph.nodes)
    upserted = draw(st.lists(nodes(IDS), max_size=3, unique_by=lambda node: node.id))
    fresh = {node.id for node in upserted}
    removed = draw(st.lists(st.sampled_from([*present, "z"]), max_size=2))
    if draw(st.integers(0, 5)):
        removed = [id_ for id_ in removed if id_ in graph.nodes and id_ not in fresh]
        there = (set(present) | fresh) - set(removed)
        upserted = [
            replace(node, parents=tuple(p for p in node.parents if p in there)) for node in upserted
        ]
    left = [id_ for id_ in IDS if id_ in graph.nodes or id_ in fresh]
    left = [id_ for id_ in left if id_ not in removed or not draw(st.integers(0, 8))] or ["z"]
    added = draw(st.lists(relations(left), max_size=3, unique_by=lambda relation: relation.key))
    stated = list(graph.relations)
    dropped = draw(st.lists(st.sampled_from(stated), max_size=2)) if stated else []
    return SceneDelta(
        graph.sequence + 1, tuple(upserted), tuple(removed), tuple(added), tuple(dropped)
    )


def plainly(graph: SceneGraph, delta: SceneDelta) -> SceneGraph:
    """The result of a delta, made and checked as a whole."""
    upserted = {node.id: node for node in delta.upserted}
    for id_ in delta.removed:
        if id_ not in graph.nodes or id_ in upserted:
            raise SceneError("removed", element=id_)
    left = {id_: node for id_, node in graph.nodes.items() if id_ not in delta.removed}
    left.update(upserted)
    for id_, node in left.items():
        parents = tuple(parent for parent in node.parents if parent not in delta.removed)
        left[id_] = replace(node, parents=parents)
    keys = {relation.key for relation in delta.dropped}
    stated = {
        relation.key: relation
        for relation in graph.relations
        if relation.key not in keys and not set(relation.elements) & set(delta.removed)
    }
    stated.update((relation.key, relation) for relation in delta.added)
    return SceneGraph(
        left, tuple(stated.values()), graph.frame_id, delta.sequence, graph.source, graph.notes
    )


def outcome(apply, graph: SceneGraph, delta: SceneDelta) -> SceneGraph | SceneError:  # type: ignore[no-untyped-def]
    try:
        return apply(graph, delta)
    except SceneError as error:
        return error


def assert_looks_up_right(graph: SceneGraph) -> None:
    for id_ in [*IDS, "z"]:
        of = [relation for relation in graph.relations if id_ in relation.elements]
        assert list(graph.relations_of(id_)) == of
        below = [node.id for node in graph.nodes.values() if id_ in node.parents]
        assert list(graph.children_of(id_)) == below
    for name in NAMES:
        named = [relation for relation in graph.relations if relation.name == name]
        assert list(graph.relations_named(name)) == named
    for layer in Layer:
        assert list(graph.in_layer(layer)) == [n for n in graph.nodes.values() if n.layer is layer]
    for relation in graph.relations:
        assert graph.relation(relation.name, *relation.elements) is relation
    assert graph.relation("on") is None
    assert graph.relation_count == len(graph.relations)


@given(st.data(), st.booleans())
def test_a_delta_gives_what_a_graph_made_anew_is(data: st.DataObject, prepared: bool) -> None:
    graph = SceneGraph.of([SceneNode("a", Layer.ROOM, "kitchen")], source="file.json")
    if prepared:
        graph.prepare()
    for _ in range(data.draw(st.integers(1, 6))):
        delta = data.draw(deltas(graph))
        reached = outcome(apply_delta, graph, delta)
        truth = outcome(plainly, graph, delta)
        if isinstance(truth, SceneError):
            assert isinstance(reached, SceneError), (delta, truth)
            assert reached.source == "file.json"
            continue
        # The note on ids that differ in case only is that of the graph before.
        assert reached == truth.with_notes(reached.notes)
        assert list(reached.nodes) == list(truth.nodes)
        assert_looks_up_right(reached)
        graph = reached


@pytest.mark.parametrize(
    "delta",
    [
        SceneDelta(1, upserted=(SceneNode(" b", Layer.OBJECT, "x"),)),
        SceneDelta(1, upserted=(SceneNode("b", Layer.OBJECT, ""),)),
        SceneDelta(
            1, upserted=(SceneNode("b", Layer.OBJECT, "x", pose=Pose((0, float("nan"), 0))),)
        ),
        SceneDelta(1, upserted=(SceneNode("b", Layer.OBJECT, "x", size=(1, -1, 1)),)),
        SceneDelta(1, upserted=(SceneNode("b", Layer.OBJECT, "x", parents=("z",)),)),
        SceneDelta(1, upserted=(SceneNode("b", Layer.OBJECT, "x", parents=("b",)),)),
        SceneDelta(
            1,
            upserted=(
                SceneNode("c", Layer.OBJECT, "x", parents=("b",)),
                SceneNode("b", Layer.OBJECT, "x", parents=("c",)),
            ),
        ),
        SceneDelta(1, upserted=(SceneNode("r", Layer.ROOM, "x", parents=("a",)),)),
        SceneDelta(1, added=(SceneRelation("on", ("a", "z")),)),
        SceneDelta(1, added=(SceneRelation("on", ("a",), 2.0),)),
        SceneDelta(1, added=(SceneRelation("", ("a",)),)),
        SceneDelta(1, removed=("r",), added=(SceneRelation("in_room", ("a", "r")),)),
    ],
)
def test_the_errors_are_those_of_the_whole_graph(delta: SceneDelta) -> None:
    graph = SceneGraph.of(
        [SceneNode("r", Layer.ROOM, "kitchen"), SceneNode("a", Layer.OBJECT, "x", parents=("r",))],
        source="file.json",
    )
    reached, truth = outcome(apply_delta, graph, delta), outcome(plainly, graph, delta)
    assert isinstance(reached, SceneError)
    assert isinstance(truth, SceneError)
    if "back to itself" in truth.reason:  # a circle has no first node
        assert "back to itself" in reached.reason
    else:
        assert str(reached) == str(truth)


def test_a_delta_does_not_name_anything_twice() -> None:
    graph = SceneGraph.of([SceneNode("a", Layer.OBJECT, "x")])
    twice = (graph.nodes["a"], graph.nodes["a"])
    with pytest.raises(SceneError, match="a: the delta upserts this node twice"):
        apply_delta(graph, SceneDelta(1, upserted=twice))
    with pytest.raises(SceneError, match="given twice"):
        apply_delta(graph, SceneDelta(1, added=(SceneRelation("x", ("a",)),) * 2))


def test_a_circle_in_the_parents_is_told_whole_and_without_what_leads_to_it() -> None:
    chain = {"a": ("b",), "b": ("c",), "c": ("d",), "d": ("b",)}
    things = [SceneNode(id_, Layer.OBJECT, "x", parents=up) for id_, up in chain.items()]
    with pytest.raises(SceneError, match=r"b: its parents lead back to itself \(b > c > d > b\)"):
        SceneGraph.of(things)


def test_ids_that_differ_in_case_only_are_noted() -> None:
    def thing(id_: str) -> SceneNode:
        return SceneNode(id_, Layer.OBJECT, "x")

    graph = SceneGraph.of([thing("P1"), thing("p1"), thing("q")], notes=["first"])
    assert graph.notes == ("first", f"{CASE_NOTE}P1/p1")
    assert replace(graph, sequence=4).notes == graph.notes
    less = apply_delta(graph, SceneDelta(1, removed=("p1",)))
    assert less.notes == graph.notes
    assert replace(less, nodes=dict(less.nodes)).notes == ("first",)
    many = SceneGraph.of([thing(f"{c}{n}") for n in range(7) for c in "Pp"])
    assert many.notes[0].endswith("P4/p4 and 2 more")


def test_an_attribute_must_be_plain() -> None:
    node = SceneNode("a", Layer.OBJECT, "x", attributes={"tags": ["x"]})  # type: ignore[dict-item]
    with pytest.raises(SceneError, match="a: the attribute tags is a list"):
        SceneGraph.of([node])


def test_thousands_of_deltas_keep_a_graph_as_it_would_be_anew() -> None:
    """Overlays are folded on the way, which a few deltas do not reach."""
    draw = random.Random(1)
    things = [SceneNode(f"t{n}", Layer.OBJECT, "x", parents=("r",)) for n in range(300)]
    start = [SceneNode("r", Layer.ROOM, "kitchen"), *things]
    graph = SceneGraph.of(start, [SceneRelation("on", (t.id, "r")) for t in things])
    graph.prepare()
    for number in range(3000):
        old, new = f"t{draw.randrange(number, number + 300)}", f"t{number + 300}"
        old = old if old in graph.nodes else next(iter(graph.children_of("r")))
        graph = apply_delta(
            graph,
            SceneDelta(
                graph.sequence + 1,
                upserted=(SceneNode(new, Layer.OBJECT, "x", parents=("r",)),),
                removed=(old,),
                added=(SceneRelation("on", (new, "r")),),
            ),
        )
    assert len(graph.nodes) == 301
    anew = SceneGraph(dict(graph.nodes), graph.relations, sequence=graph.sequence)
    assert graph == anew
    for id_ in (*list(graph.nodes)[:20], "r"):
        assert graph.relations_of(id_) == anew.relations_of(id_)
        assert graph.children_of(id_) == anew.children_of(id_)
    assert graph.relations_named("on") == anew.relations_named("on")
