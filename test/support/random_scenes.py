# SPDX-License-Identifier: Apache-2.0
"""Strategies for scene graphs of any shape that messages can carry, and for changes of them."""

from __future__ import annotations

from dataclasses import replace

from builtin_interfaces.msg import Time
from hypothesis import strategies as st

from fcp_ros.nodes.conversions.scene import SceneUpdate
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=12
)
coordinates = st.floats(-1e6, 1e6)
# Without -0.0: it is equal to 0.0, and what is equal to what was sent before is sent as before.
singles = st.floats(-1e4, 1e4, width=32).map(lambda number: number + 0.0)
attributes = st.dictionaries(
    names,
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)
    | names,
    max_size=4,
)


stamps = st.builds(Time, sec=st.integers(-(2**31), 2**31 - 1), nanosec=st.integers(0, 2**32 - 1))


@st.composite
def nodes(draw, id_: str) -> SceneNode:
    yaw = draw(st.floats(-3.0, 3.0))
    pose = Pose.at(draw(coordinates), draw(coordinates), draw(coordinates), yaw)
    sizes = st.tuples(*[st.floats(0.0, 100.0)] * 3)
    corners = st.lists(st.tuples(singles, singles), min_size=3, max_size=6).map(tuple)
    return SceneNode(
        id=id_,
        layer=draw(st.sampled_from(Layer)),
        category=draw(names),
        pose=draw(st.none() | st.just(pose)),
        size=draw(st.none() | sizes),
        polygon=draw(st.just(()) | corners),
        height=draw(st.none() | st.floats(0.1, 100.0)),
        attributes=draw(attributes),
    )


@st.composite
def graphs(draw) -> SceneGraph:
    ids = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    made = [draw(nodes(id_)) for id_ in ids]
    # Parents among earlier nodes only, so that the hierarchy has no cycle.
    made = [
        replace(node, parents=tuple(draw(st.sets(st.sampled_from(ids[:i])))) if i else ())
        for i, node in enumerate(made)
    ]
    keys = draw(
        st.lists(
            st.tuples(names, st.lists(st.sampled_from(ids), min_size=1, max_size=3).map(tuple)),
            max_size=4,
            unique=True,
        )
    )
    relations = [
        SceneRelation(
            name, elements, draw(st.integers(0, 1000)) / 1000, draw(st.sampled_from(Provenance))
        )
        for name, elements in keys
    ]
    return SceneGraph.of(
        made, relations, frame_id=draw(names), sequence=draw(st.integers(0, 2**62)), source="x"
    )


@st.composite
def updates(draw) -> SceneUpdate:
    """An update of any kind; what it says need not fit together."""
    graph, other = draw(graphs()), draw(graphs())
    return SceneUpdate(
        stamp=draw(stamps),
        frame_id=graph.frame_id,
        is_full=draw(st.booleans()),
        delta=SceneDelta(
            sequence=draw(st.integers(-(2**63), 2**63 - 1)),
            upserted=tuple(graph.nodes.values()),
            removed=tuple(draw(st.lists(names, max_size=3))),
            added=graph.relations,
            dropped=other.relations,
        ),
        source=draw(st.just("") | names),
    )


@st.composite
def changes(draw) -> SceneUpdate:
    """What an update changed; it need not fit together."""
    return replace(
        draw(updates()),
        previous=draw(st.integers(0, 2**63 - 1)),
        changed=tuple(draw(st.lists(names, max_size=4))),
        renamed=tuple(draw(st.lists(st.tuples(names, names), max_size=3))),
    )
