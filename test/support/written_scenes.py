# SPDX-License-Identifier: Apache-2.0
"""Random scenes to be written."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, SceneRelation

metres = st.floats(-50.0, 50.0).map(lambda number: round(number, 3))
extents = st.floats(0.05, 9.0).map(lambda number: round(number, 3))
plain = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)
odd = st.sampled_from(["O(3)", "Fridge|1.5", "müesli box", "0", "O7", "p1", "box", "World"])
labels = st.sampled_from(["mug", "dining_table", "door", "kitchen", "unknown", "room", "object"])
values = st.booleans() | st.integers(-(2**63), 2**63) | metres | st.text(max_size=3)
texts = st.sampled_from(["is_open", "mass", "id", "placed", "isOpen", "a b", "layer", "__x"])


@st.composite
def turns(draw: st.DrawFn) -> tuple[float, float, float, float]:
    """None, about z, or any."""
    kind = draw(st.sampled_from(["none", "yaw", "any"]))
    if kind == "none":
        return 0.0, 0.0, 0.0, 1.0
    if kind == "yaw":
        return Pose.at(0, 0, 0, yaw=draw(st.floats(-3.0, 3.0))).orientation
    parts = [draw(st.floats(-1.0, 1.0)) for _ in range(3)] + [1.0]
    length = math.sqrt(sum(part * part for part in parts))
    x, y, z, w = (part / length for part in parts)
    return x, y, z, w


@st.composite
def scenes(draw: st.DrawFn) -> SceneGraph:
    """Up to five nodes of all layers with what the formats have words for, and what not."""
    ids = draw(st.lists(plain | odd, min_size=1, max_size=5, unique=True))
    nodes: list[SceneNode] = []
    for id_ in ids:
        layer = draw(st.sampled_from(Layer))
        pose = draw(st.none() | st.builds(Pose, st.tuples(metres, metres, metres), turns()))
        corners = st.lists(st.tuples(metres, metres), min_size=3, max_size=5, unique=True)
        above = [node.id for node in nodes]
        nodes.append(
            SceneNode(
                id_,
                layer,
                draw(labels),
                pose=pose,
                size=draw(st.none() | st.tuples(extents, extents, extents)),
                polygon=tuple(draw(st.just([]) | corners)),
                height=draw(st.none() | extents),
                attributes=draw(st.dictionaries(texts, values, max_size=2)),
                parents=tuple(draw(st.lists(st.sampled_from(above), unique=True, max_size=2)))
                if above
                else (),
            )
        )
    legs = st.lists(st.sampled_from(ids), min_size=2, max_size=3).map(tuple)
    names = st.sampled_from(["on", "connected", "in_room", "part_of", "two words"])
    keys = draw(st.lists(st.tuples(names, legs), max_size=3, unique=True))
    rank = ids.index  # what holds something comes later: nothing lies on itself
    relations = [
        SceneRelation(name, elements)
        for name, elements in keys
        if name != "on" or len(elements) != 2 or rank(elements[0]) < rank(elements[1])
    ]
    return SceneGraph.of(nodes, relations, frame_id=draw(st.sampled_from(["map", "odom"])))
