# SPDX-License-Identifier: Apache-2.0
"""Random scenes to be written, and where a scene read back differs from what was written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, SceneRelation

EXACT = 1e-4

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


def unsaid_losses(before: SceneGraph, after: SceneGraph, notes: Sequence[str]) -> list[str]:
    """What differs though no note of the writer names it; nodes that one names may differ."""
    said = " ".join(notes)
    found = [] if before.frame_id == after.frame_id else ["the frame"]
    for node in before.nodes.values():
        if node.id in said:
            continue
        twin = after.nodes.get(node.id)
        if twin is None:
            found.append(f"{node.id} is missing")
            continue
        if set(twin.parents) != {parent for parent in node.parents if parent in after.nodes}:
            found.append(f"{node.id}: parents {twin.parents}, not {node.parents}")
        found += [f"{node.id}: {what}" for what in _different(node, twin)]
    if "relations" not in said:
        kept = {relation.key for relation in after.relations}
        for relation in before.relations:
            legs = relation.elements
            is_loop = relation.name == "connected" and legs[0] == legs[1]
            if relation.key not in kept and not is_loop and not any(leg in said for leg in legs):
                found.append(f"{relation} is missing")
    return found


def _different(node: SceneNode, twin: SceneNode) -> Iterable[str]:
    for what in ("layer", "category", "attributes"):
        if getattr(node, what) != getattr(twin, what):
            yield f"{what} {getattr(twin, what)}, not {getattr(node, what)}"
    pairs = [
        ("size", node.size or (), twin.size or ()),
        ("height", (node.height or 0.0,), (twin.height or 0.0,)),
        ("outline", sum(node.polygon, ()), sum(twin.polygon, ())),
        ("position", _position(node), _position(twin)),
    ]
    for what, ours, theirs in pairs:
        if len(ours) != len(theirs) or any(
            abs(a - b) > EXACT for a, b in zip(ours, theirs, strict=True)
        ):
            yield f"{what} {theirs}, not {ours}"
    if node.size is not None and not _turned_alike(node, twin):
        yield f"orientation {twin.pose}, not {node.pose}"


def _position(node: SceneNode) -> tuple[float, ...]:
    return node.pose.position if node.pose is not None else ()


def _turned_alike(node: SceneNode, twin: SceneNode) -> bool:
    if node.pose is None or twin.pose is None:
        return True  # said with the position
    alike = sum(a * b for a, b in zip(node.pose.orientation, twin.pose.orientation, strict=True))
    return abs(alike) > 1.0 - EXACT
