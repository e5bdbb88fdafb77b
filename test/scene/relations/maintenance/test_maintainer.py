# SPDX-License-Identifier: Apache-2.0
"""The maintainer, beside a full derivation after every change."""

from dataclasses import replace

import pytest
from circles import find_circle, find_parent_circle
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.scene import (
    Layer,
    Pose,
    Provenance,
    RelationMaintainer,
    RelationOptions,
    SceneDelta,
    SceneError,
    SceneGraph,
    SceneNode,
    SceneRelation,
    apply_delta,
    complete_relations,
)

EVERYTHING = RelationOptions(also=frozenset({"under", "near"}))


def room(id_: str, x: float, z: float = 1.25) -> SceneNode:
    corners = ((x, 0.0), (x + 4.0, 0.0), (x + 4.0, 4.0), (x, 4.0))
    return SceneNode(id_, Layer.ROOM, "room", Pose.at(x + 2, 2, z), polygon=corners, height=2.5)


def differences(found: SceneGraph, expected: SceneGraph) -> list[str]:
    """What is different between two graphs, whatever the order."""
    here = {relation.key: relation for relation in found.relations}
    there = {relation.key: relation for relation in expected.relations}
    return [
        *(f"{id_}: {found.nodes.get(id_)} for {expected.nodes.get(id_)}"
          for id_ in sorted({*found.nodes, *expected.nodes})
          if found.nodes.get(id_) != expected.nodes.get(id_)),
        *(f"{here.get(key)} for {there.get(key)}: {here.get(key)!r} {there.get(key)!r}"
          for key in sorted({*here, *there})
          if here.get(key) != there.get(key)),
    ]  # fmt: skip


# ---- random scenes and changes -------------------------------------------------------------------

# Few places, so that things often lie on, in, under and near each other.
STEP = st.sampled_from([0.5, 0.8, 0.8, 1.1, 1.1, 1.4, 2.0, 4.2, 5.0, 20.0])
SHAPE = (
    st.sampled_from(  # size, and heights of the centre: on the floor, on a table, inside it, ...
        [
            ((0.1, 0.1, 0.1), (0.05, 0.85, 0.85, 0.4, 0.95, 1.65, 2.3)),
            ((0.3, 0.2, 0.02), (0.01, 0.81, 0.81, 0.3)),
            ((1.0, 1.0, 0.8), (0.4, 0.4, 1.2)),
            ((0.5, 2.0, 1.6), (0.8, 1.6)),
            ((3.0, 3.0, 0.1), (0.05, 1.0)),
        ]
    )
)
HOLDING = ["table", "table", "cabinet", "chair", "bookcase", "hook"]
LABEL = st.sampled_from([*["thing"] * 6, *HOLDING, "picture", "window", "door", "floor"])
IDS = [f"o{number}" for number in range(9)]
NAMES = ["on", "inside", "under", "in_room", "at", "part_of", "near", "holding", "connected"]


@st.composite
def objects(draw: st.DrawFn, id_: str) -> SceneNode:
    size, heights = draw(SHAPE)
    height = draw(st.sampled_from(heights))
    pose = Pose.at(draw(STEP), draw(STEP), height, draw(st.sampled_from([0.0, 0.7])))
    known = draw(st.sampled_from([2, 2, 2, 2, 2, 2, 1, 0]))
    attributes = draw(st.sampled_from([{}, {}, {"is_open": False}, {"is_open": True}]))
    return SceneNode(
        id_,
        Layer.OBJECT,
        draw(LABEL),
        pose=pose if known else None,
        size=size if known == 2 else None,
        attributes=attributes,
        parents=draw(st.sampled_from([(), (), (), ("a",), ("p",), ("a", "b")])),
    )


@st.composite
def starts(draw: st.DrawFn) -> SceneGraph:
    nodes = [
        room("a", 0.0),
        room("b", 4.4),
        SceneNode("p", Layer.PLACE, "place", parents=("b",)),
        SceneNode("robot", Layer.AGENT, "robot", pose=Pose.at(1, 1, 0)),
    ]
    if draw(st.booleans()):
        nodes.append(room("upstairs", 0.0, 4.25))
    nodes += [draw(objects(id_)) for id_ in IDS[: draw(st.integers(0, 9))]]
    related = draw(relations([node.id for node in nodes]))
    return SceneGraph.of(
        nodes,
        [r for r in related if r.name not in ("on", "inside") or r.elements[0] < r.elements[1]],
    )


@st.composite
def relations(draw: st.DrawFn, ids: list[str]) -> list[SceneRelation]:
    found = {}
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from(NAMES))
        legs = (draw(st.sampled_from(ids)), draw(st.sampled_from(ids)))
        confidence = draw(st.sampled_from([1.0, 0.7]))
        provenance = draw(st.sampled_from([Provenance.GIVEN, Provenance.GIVEN, *Provenance]))
        relation = SceneRelation(name, legs, confidence, provenance)
        found[relation.key] = relation
    return list(found.values())


@st.composite
def deltas(draw: st.DrawFn, graph: SceneGraph) -> SceneDelta:
    upserted: dict[str, SceneNode] = {}
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["object"] * 6 + ["attributes", "robot", "place", "room"]))
        if kind == "object":
            node = draw(objects(draw(st.sampled_from(IDS))))
        elif kind == "attributes":
            node = draw(st.sampled_from(list(graph.nodes.values())))
            node = replace(node, attributes={"is_open": draw(st.booleans())})
        elif kind == "robot":
            pose = Pose.at(draw(STEP), draw(STEP), 0.0)
            id_ = draw(st.sampled_from(["robot", "other"]))
            label = draw(st.sampled_from(["robot", "robot", "person"]))
            node = SceneNode(id_, Layer.AGENT, label, pose=pose)
        elif kind == "place":
            parents = draw(st.sampled_from([("a",), ("b",), ()]))
            node = SceneNode("p", Layer.PLACE, "place", parents=parents)
        else:
            node = draw(st.sampled_from([room("a", 0.3), room("b", 4.4), room("b", 4.2)]))
        if all(parent in graph.nodes for parent in node.parents):
            upserted[node.id] = node
    gone = [id_ for id_ in graph.nodes if id_ not in upserted and id_ in (*IDS, "p", "robot")]
    removed = draw(st.lists(st.sampled_from(gone), unique=True, max_size=1)) if gone else []
    upserted = {
        id_: replace(node, parents=tuple(p for p in node.parents if p not in removed))
        for id_, node in upserted.items()
    }
    present = [id_ for id_ in {**graph.nodes, **upserted} if id_ not in removed]
    dropped = []
    if graph.relations and draw(st.booleans()):
        dropped = draw(st.lists(st.sampled_from(graph.relations), unique=True, max_size=2))
        dropped = [r for r in dropped if not set(removed).intersection(r.elements)]
    keys = {relation.key for relation in dropped}
    added = [r for r in draw(relations(present)) if r.key not in keys]
    return SceneDelta(
        graph.sequence + 1, tuple(upserted.values()), tuple(removed), tuple(added), tuple(dropped)
    )


@given(starts(), st.sampled_from([RelationOptions(), EVERYTHING]), st.data())
@settings(max_examples=120, deadline=None)
def test_the_same_as_deriving_everything_anew(
    graph: SceneGraph, options: RelationOptions, data: st.DataObject
) -> None:
    maintainer = RelationMaintainer(graph, options)
    for _ in range(4):
        before = maintainer.graph
        delta = data.draw(deltas(before))
        try:
            raw = apply_delta(before, delta)
        except SceneError:
            with pytest.raises(SceneError):
                maintainer.advance(delta)
            assert maintainer.graph is before
            continue
        whole = maintainer.advance(delta)
        expected = complete_relations(raw, options)
        assert differences(apply_delta(before, whole), expected) == []
        assert differences(maintainer.graph, expected) == []
        assert find_circle(maintainer.graph) == []
        assert find_parent_circle(maintainer.graph) == []
