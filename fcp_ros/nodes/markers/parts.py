# SPDX-License-Identifier: Apache-2.0
"""Parts of a scene that are drawn, in the order of their importance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from geometry_msgs.msg import Pose as PoseMessage
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from fcp_ros.nodes.markers.drawing import Drawing, arrow, colour, colour_of, extents, point, text
from fcp_ros.nodes.markers.elements import (
    draw_boxes,
    draw_doors,
    draw_robots,
    draw_rooms,
    label_robots,
    label_rooms,
    label_things,
)
from fcp_ros.scene.graph.elements import Layer, Provenance, SceneNode, SceneRelation, Vector
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import FLOOR
from fcp_ros.scene.shapes.polygons import inner_point, underside
from fcp_ros.scene.shapes.route import Stop, trace_route

# --- the route of the present plan, with the numbers of its steps ---

PlanSteps = tuple[tuple[str, ...], ...]
"""The names in each step of a plan."""

ROUTE_WIDTH = 0.06
"""Width of the route (m)."""

LIFT = 0.08
"""Height of the route above the floor (m)."""

NUMBER_LIFT = 0.4
"""Height of the numbers above the top of the thing there, and its name (m)."""

NUMBER_HEIGHT = 0.22
"""Height of the numbers (m)."""

DISC = 0.3
"""Diameter of the discs at the stops (m)."""

PAINT = (0.95, 0.35, 0.05)


def draw_route(graph: SceneGraph, steps: PlanSteps) -> Iterator[Drawing]:
    """Draw the namespaces ``plan/route`` (arrows) and ``plan/steps`` (numbers, from 1)."""
    stops = trace_route(graph, steps) if steps else ()
    for index, (a, b) in enumerate(pairwise(stops)):
        ends = _raise_stop(a, LIFT), _raise_stop(b, LIFT)
        yield Drawing("plan/route", index, ends, partial(_make_leg, *ends))
    for place, at in _group_stops(stops).items():
        numbers = [index + 1 for stop in at for index in stop.steps]
        above = (place[0], place[1], max(stop.top for stop in at) + NUMBER_LIFT)
        yield Drawing("plan/steps", (place, "disc"), (), partial(_make_disc, place))
        yield Drawing(
            "plan/steps",
            (place, "number"),
            (above, *numbers),
            partial(_make_number, above, numbers),
        )


def _group_stops(stops: tuple[Stop, ...]) -> dict[Vector, list[Stop]]:
    """Group the stops with steps by place: the robot may return to one."""
    places: dict[Vector, list[Stop]] = {}
    for stop in stops:
        if stop.steps:
            places.setdefault(_raise_stop(stop, LIFT), []).append(stop)
    return places


def _raise_stop(stop: Stop, lift: float) -> Vector:
    return stop.x, stop.y, stop.level + lift


def _make_leg(start: Vector, end: Vector) -> Marker:
    return arrow(start, end, ROUTE_WIDTH, colour(*PAINT, 0.9))


def _make_disc(place: Vector) -> Marker:
    marker = Marker(type=Marker.CYLINDER, color=colour(*PAINT))
    marker.pose = PoseMessage(position=point(place))
    marker.scale = extents((DISC, DISC, 0.02))
    return marker


def _make_number(above: Vector, numbers: list[int]) -> Marker:
    return text(", ".join(map(str, numbers)), above, NUMBER_HEIGHT, colour(*PAINT))


# --- relations as arrows and lines: a namespace and a colour for each name ---

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


# --- parts of a scene that are drawn, in the order of their importance ---

RELATIONS = ("on", "inside", "under", "near", "adjacent", "connected", "holding")
"""Relations that are drawn by default: not in_room, which is obvious."""


@dataclass(frozen=True)
class View:
    """The content of the markers.

    Attributes:
        graph: The scene.
        steps: The present plan; empty for none.
        relations: Names of the relations to draw.
    """

    graph: SceneGraph
    steps: PlanSteps = ()
    relations: frozenset[str] = frozenset(RELATIONS)


_ORDER: tuple[tuple[str, Callable[[View], Iterable[Drawing]]], ...] = (
    ("plan", lambda view: draw_route(view.graph, view.steps)),
    ("robots", lambda view: draw_robots(view.graph)),
    ("rooms", lambda view: draw_rooms(view.graph)),
    ("doors", lambda view: draw_doors(view.graph)),
    ("boxes", lambda view: draw_boxes(view.graph)),
    ("relations", lambda view: draw_relations(view.graph, view.relations)),
    ("labels", lambda view: label_robots(view.graph)),
    ("labels", lambda view: label_rooms(view.graph)),
    ("labels", lambda view: label_things(view.graph)),
)

PARTS: Mapping[str, str] = {
    "rooms": "rooms, floors",
    "doors": "doors",
    "boxes": "boxes",
    "robots": "robots",
    "relations": "relations/<name>",
    "labels": "labels/rooms, labels/robots, labels/things",
    "plan": "plan/route, plan/steps",
}
"""Parts that can be chosen -> their namespaces."""


def draw_parts(view: View, parts: Iterable[str]) -> Iterator[Drawing]:
    """Draw the chosen parts, most important first: labels are the first to be left out."""
    chosen = frozenset(parts)
    for part, draw in _ORDER:
        if part in chosen:
            yield from draw(view)
