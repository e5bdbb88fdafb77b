# SPDX-License-Identifier: Apache-2.0
"""Parts of a scene that are drawn, in the order of their importance."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise

from geometry_msgs.msg import Point, Vector3
from geometry_msgs.msg import Pose as PoseMessage
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from fcp_ros.foundation.labels import is_named, normalise_label
from fcp_ros.nodes.conversions.common import pose_to_ros
from fcp_ros.scene.graph.elements import Layer, Provenance, SceneNode, SceneRelation, Vector
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import DOORS, FLOOR
from fcp_ros.scene.shapes.polygons import find_floor_levels, inner_point, triangulate, underside
from fcp_ros.scene.shapes.route import Stop, trace_routes

# --- drawings ---

THIN = 1e-3
"""Least extent (m) of a marker: RViz refuses one without extent, which flat things have."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A marker to make."""

    namespace: str  # The marker's ``ns``, which people switch on and off
    # The thing it stands for, unique in the namespace and the same as long as that exists
    key: Hashable
    # All that its looks depend on; while that is equal, it is not sent again
    made_of: tuple[object, ...]
    make: Callable[[], Marker]  # Makes it, without ``ns``, ``id`` and ``header``


def colour(red: float, green: float, blue: float, alpha: float = 1.0) -> ColorRGBA:
    return ColorRGBA(r=red, g=green, b=blue, a=alpha)


def colour_of(word: str, alpha: float = 1.0) -> ColorRGBA:
    """Derive a colour from a word, the same in every process (unlike Python's hash)."""
    hue = (zlib.crc32(word.encode()) % 360) / 360.0
    return colour(*colorsys.hsv_to_rgb(hue, 0.5, 0.9), alpha)


def point(position: Vector) -> Point:
    x, y, z = position
    return Point(x=float(x), y=float(y), z=float(z))


def extents(size: Vector) -> Vector3:
    """Make the scale of a marker that shows extents (m)."""
    x, y, z = (max(float(extent), THIN) for extent in size)
    return Vector3(x=x, y=y, z=z)


def caption(node: SceneNode) -> str:
    """Name a node by its id, and by its category if the id does not contain that."""
    category = normalise_label(node.category)
    says_it = category in normalise_label(node.id) or not is_named(node.category)
    return node.id if says_it else f"{node.id} {category}"


def text(words: str, at: Vector, height: float, paint: ColorRGBA) -> Marker:
    """Make a text that faces the viewer; `height` is that of a capital letter (m)."""
    marker = Marker(type=Marker.TEXT_VIEW_FACING, text=words, color=paint)
    marker.pose = PoseMessage(position=point(at))
    marker.scale.z = height
    return marker


def arrow(start: Vector, end: Vector, width: float, paint: ColorRGBA) -> Marker:
    """Make an arrow between two points; `width` is that of its shaft (m)."""
    marker = Marker(type=Marker.ARROW, color=paint, points=[point(start), point(end)])
    marker.scale = Vector3(x=width, y=2.5 * width, z=4.0 * width)
    return marker


# --- elements of the scene as markers ---

LINE_WIDTH = 0.04
"""Width of outlines (m)."""

ROOM_LABEL_HEIGHT = 0.25
"""Height of capital letters of a room's name (m)."""

UNKNOWN_HEIGHT = 2.4
"""Assumed height of rooms of unknown height (m)."""

_CLEAR = 0.2
"""Distance of a name above its room (m)."""


def draw_rooms(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespaces ``rooms`` (outlines) and ``floors`` (areas) of rooms with a polygon."""
    for node, level in _find_outlines(graph):
        yield Drawing("rooms", node.id, (node, level), partial(_make_outline, node, level))
        yield Drawing("floors", node.id, (node, level), partial(_make_area, node, level))


def label_rooms(graph: SceneGraph) -> Iterator[Drawing]:
    for node, level in _find_outlines(graph):
        yield Drawing("labels/rooms", node.id, (node, level), partial(_make_name, node, level))


def _find_outlines(graph: SceneGraph) -> Iterator[tuple[SceneNode, float]]:
    levels = find_floor_levels(graph)
    return ((n, levels.get(n.id, 0.0)) for n in graph.in_layer(Layer.ROOM) if n.polygon)


def _make_outline(node: SceneNode, level: float) -> Marker:
    marker = Marker(type=Marker.LINE_STRIP, color=colour_of(node.id))
    marker.scale.x = LINE_WIDTH
    above = level + LINE_WIDTH / 2.0
    marker.points = [point((x, y, above)) for x, y in (*node.polygon, node.polygon[0])]
    return marker


def _make_area(node: SceneNode, level: float) -> Marker:
    marker = Marker(type=Marker.TRIANGLE_LIST, color=colour_of(node.id, alpha=0.2))
    marker.scale = extents((1.0, 1.0, 1.0))
    corners = (corner for triangle in triangulate(node.polygon) for corner in triangle)
    marker.points = [point((x, y, level)) for x, y in corners]
    return marker


def _make_name(node: SceneNode, level: float) -> Marker:
    x, y = inner_point(node.polygon)
    above = level + (node.height or UNKNOWN_HEIGHT) + _CLEAR
    return text(caption(node), (x, y, above), ROOM_LABEL_HEIGHT, colour(1.0, 1.0, 1.0))


UNKNOWN_SIZE = 0.1
"""Diameter of the ball that stands for a thing of unknown size (m)."""

LABEL_HEIGHT = 0.12
"""Height of capital letters of a thing's name (m)."""

SMALL_LABEL_HEIGHT = 0.07
"""That of a thing smaller than `SMALL`."""

SMALL = 0.3
"""Things whose largest extent is less (m) get small labels, so that a shelf stays readable."""

AGENT_SIZE = (0.4, 0.4, 0.4)
"""Assumed size of agents of unknown size (m)."""

HEADING_LENGTH = 0.6
"""Length of the arrow along an agent's heading (m)."""

OPEN = (0.2, 0.75, 0.3, 0.3)
CLOSED = (0.85, 0.2, 0.15, 0.8)
NEITHER = (0.6, 0.6, 0.6, 0.4)


def draw_doors(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespace ``doors``: open ones green, closed ones red, others grey."""
    for node in _find_things(graph):
        if _is_door(node):
            yield Drawing("doors", node.id, (node,), partial(_make_door, node))


def draw_boxes(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespace ``boxes``: everything else, in the colour of its category."""
    for node in _find_things(graph):
        if not _is_door(node):
            yield Drawing("boxes", node.id, (node,), partial(_make_box, node))


def draw_robots(graph: SceneGraph) -> Iterator[Drawing]:
    """Draw the namespace ``robots``: robots, people and animals, with an arrow ahead."""
    for node in _find_agents(graph):
        yield Drawing("robots", (node.id, "body"), (node,), partial(_make_body, node))
        yield Drawing("robots", (node.id, "heading"), (node,), partial(_make_heading, node))


def label_robots(graph: SceneGraph) -> Iterator[Drawing]:
    for node in _find_agents(graph):
        yield Drawing("labels/robots", node.id, (node,), partial(_make_label, node))


def label_things(graph: SceneGraph) -> Iterator[Drawing]:
    for node in _find_things(graph):
        yield Drawing("labels/things", node.id, (node,), partial(_make_label, node))


def _find_things(graph: SceneGraph) -> Iterator[SceneNode]:
    """Find objects with known poses; floors are drawn with their rooms."""
    for node in graph.nodes.values():
        if node.layer is Layer.OBJECT and node.pose is not None and node.category != FLOOR:
            yield node


def _find_agents(graph: SceneGraph) -> Iterator[SceneNode]:
    return (node for node in graph.in_layer(Layer.AGENT) if node.pose is not None)


def _is_door(node: SceneNode) -> bool:
    return normalise_label(node.category) in DOORS


def _make_door(node: SceneNode) -> Marker:
    is_open = node.attributes.get("is_open")
    look = OPEN if is_open is True else CLOSED if is_open is False else NEITHER
    return _make_solid(node, colour(*look))


def _make_box(node: SceneNode) -> Marker:
    return _make_solid(node, colour_of(node.category, alpha=0.6))


def _make_solid(node: SceneNode, paint: ColorRGBA) -> Marker:
    assert node.pose is not None
    marker = Marker(type=Marker.CUBE, pose=pose_to_ros(node.pose), color=paint)
    if node.size is None:
        marker.type = Marker.SPHERE
        marker.scale = extents((UNKNOWN_SIZE,) * 3)
    else:
        marker.scale = extents(node.size)
    return marker


def _make_body(node: SceneNode) -> Marker:
    assert node.pose is not None
    marker = Marker(type=Marker.CYLINDER, pose=pose_to_ros(node.pose))
    marker.color = colour_of(node.category, alpha=0.8)
    marker.scale = extents(node.size or AGENT_SIZE)
    return marker


def _make_heading(node: SceneNode) -> Marker:
    assert node.pose is not None
    marker = Marker(type=Marker.ARROW, pose=pose_to_ros(node.pose))
    marker.pose.position.z += (node.size or AGENT_SIZE)[2] / 4.0
    marker.color = colour_of(node.category)
    marker.scale = Vector3(x=HEADING_LENGTH, y=0.06, z=0.06)  # an arrow by pose: length and widths
    return marker


def _make_label(node: SceneNode) -> Marker:
    assert node.pose is not None
    extent = node.size or ((UNKNOWN_SIZE,) * 3 if node.layer is Layer.OBJECT else AGENT_SIZE)
    height = LABEL_HEIGHT if max(extent) >= SMALL else SMALL_LABEL_HEIGHT
    x, y, z = node.pose.position
    above = (x, y, z + extent[2] / 2.0 + height)
    return text(caption(node), above, height, colour(1.0, 1.0, 1.0))


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
    routes = trace_routes(graph, steps)
    for index, (a, b) in enumerate(chain.from_iterable(map(pairwise, routes))):
        ends = _raise_stop(a, LIFT), _raise_stop(b, LIFT)
        yield Drawing("plan/route", index, ends, partial(_make_leg, *ends))
    for place, at in _group_stops(chain.from_iterable(routes)).items():
        numbers = [index + 1 for stop in at for index in stop.steps]
        above = (place[0], place[1], max(stop.top for stop in at) + NUMBER_LIFT)
        yield Drawing("plan/steps", (place, "disc"), (), partial(_make_disc, place))
        yield Drawing(
            "plan/steps",
            (place, "number"),
            (above, *numbers),
            partial(_make_number, above, numbers),
        )


def _group_stops(stops: Iterable[Stop]) -> dict[Vector, list[Stop]]:
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


# --- the steps that are being done, above who does them

DOING_LIFT = 0.25
"""Height of these words above an agent's name (m)."""

Doing = tuple[tuple[str, str], ...]
"""An element, and what it does now in words."""


def draw_doing(graph: SceneGraph, doing: Doing) -> Iterator[Drawing]:
    for name, words in doing:
        node = graph.nodes.get(name)
        if node is not None and node.layer is Layer.AGENT and node.pose is not None:
            yield Drawing("plan/running", name, (node, words), partial(_make_doing, node, words))


def _make_doing(node: SceneNode, words: str) -> Marker:
    assert node.pose is not None
    x, y, z = node.pose.position
    above = (x, y, z + (node.size or AGENT_SIZE)[2] / 2.0 + LABEL_HEIGHT + DOING_LIFT)
    return text(words, above, LABEL_HEIGHT, colour(*PAINT))


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
    # Relations to a floor are left out: everything stands on one.
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
    """The content of the markers."""

    graph: SceneGraph
    steps: PlanSteps = ()  # The present plan; empty for none
    doing: Doing = ()
    relations: frozenset[str] = frozenset(RELATIONS)  # Names of the relations to draw


_ORDER: tuple[tuple[str, Callable[[View], Iterable[Drawing]]], ...] = (
    ("plan", lambda view: draw_doing(view.graph, view.doing)),
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
    "plan": "plan/route, plan/steps, plan/running",
}
"""Parts that can be chosen -> their namespaces."""


def draw_parts(view: View, parts: Iterable[str]) -> Iterator[Drawing]:
    """Draw the chosen parts, most important first: labels are the first to be left out."""
    chosen = frozenset(parts)
    for part, draw in _ORDER:
        if part in chosen:
            yield from draw(view)
