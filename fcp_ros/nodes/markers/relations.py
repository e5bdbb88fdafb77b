# SPDX-License-Identifier: Apache-2.0
"""Relations as arrows and lines: a namespace and a colour for each name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from fcp_ros.nodes.markers.drawing import Drawing, arrow, colour, colour_of, point
from fcp_ros.scene.graph.elements import Layer, Provenance, SceneNode, SceneRelation, Vector
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import FLOOR
from fcp_ros.scene.shapes.levels import underside
from fcp_ros.scene.shapes.polygons import inner_point

WIDTH = 0.02
"""Width of lines and of the shafts of arrows (m)."""

SHORTEST = 0.15
"""Least length of an arrow (m): a mug is nearer to its table than that."""

COLOURS: Mapping[str, tuple[float, float, float]] = {
    "on": (0.25, 0.55, 1.0),
    "inside": (1.0, 0.6, 0.1),
    "under": (0.55, 0.4, 0.9),
    "near": (0.8, 0.8, 0.8),
    "adjacent": (0.7, 0.7, 0.5),
    "connected": (0.2, 0.8, 0.35),
    "holding": (0.95, 0.2, 0.6),
}
"""By name; other relations get the colour of their name."""

PROVENANCE_ALPHA: Mapping[Provenance, float] = {
    Provenance.GIVEN: 1.0,
    Provenance.GEOMETRIC: 0.75,
    Provenance.INFERRED: 0.4,
}
"""Opacity of a relation by its origin; a lower confidence fades it further."""

_SYMMETRIC = frozenset({"near", "adjacent", "connected"})


def draw_relations(graph: SceneGraph, names: AbstractSet[str]) -> Iterator[Drawing]:
    """Draw the namespaces ``relations/<name>``: relations between nodes with known poses.

    Relations to a floor are left out: everything stands on one.
    """
    drawn = set()
    for relation in graph.relations:
        if relation.name not in names or len(relation.elements) < 2:
            continue
        nodes = tuple(graph.nodes[element] for element in relation.elements)
        if any(node.pose is None for node in nodes) or _is_on_floor(relation, nodes):
            continue
        key = _make_key(relation)
        if key not in drawn:
            drawn.add(key)
            yield Drawing(
                f"relations/{relation.name}",
                key,
                (relation, *nodes),
                partial(_make_marker, relation, nodes),
            )


def _make_key(relation: SceneRelation) -> tuple[str, ...]:
    """Return the elements, in one order for symmetric relations."""
    if relation.name not in _SYMMETRIC:
        return relation.elements
    return (*sorted(relation.elements[:2]), *relation.elements[2:])


def _is_on_floor(relation: SceneRelation, nodes: Sequence[SceneNode]) -> bool:
    return relation.name == "on" and nodes[1].category == FLOOR


def _make_marker(relation: SceneRelation, nodes: Sequence[SceneNode]) -> Marker:
    paint = _choose_colour(relation)
    if len(nodes) == 2 and relation.name not in _SYMMETRIC:
        start = _find_anchor(nodes[0])
        return arrow(start, _find_end(relation.name, start, nodes[1]), WIDTH, paint)
    # connected(room, room, door): through the door
    ordered = nodes if len(nodes) == 2 else (nodes[0], *nodes[2:], nodes[1])
    marker = Marker(type=Marker.LINE_STRIP, color=paint)
    marker.scale.x = WIDTH
    marker.points = [point(_find_anchor(node)) for node in ordered]
    return marker


def _choose_colour(relation: SceneRelation) -> ColorRGBA:
    alpha = PROVENANCE_ALPHA[relation.provenance] * (0.3 + 0.7 * relation.confidence)
    known = COLOURS.get(relation.name)
    return colour(*known, alpha) if known else colour_of(relation.name, alpha)


def _find_anchor(node: SceneNode) -> Vector:
    """Find the end of lines to a node: its middle, or the middle of its floor (rooms, doors)."""
    assert node.pose is not None
    x, y, z = node.pose.position
    if node.layer is Layer.OBJECT and node.category != "door":
        return x, y, z
    if node.layer is Layer.ROOM and node.polygon:
        x, y = inner_point(node.polygon)
    bottom = underside(node)
    return x, y, WIDTH + (z if bottom is None else bottom)


def _find_end(name: str, start: Vector, node: SceneNode) -> Vector:
    """Find the end of an arrow: straight down for "on", else the middle."""
    end = _find_anchor(node)
    if name == "on":
        return start[0], start[1], min(end[2], start[2] - SHORTEST)
    return end
