# SPDX-License-Identifier: Apache-2.0
"""The route of the present plan, with the numbers of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from geometry_msgs.msg import Pose as PoseMessage
from visualization_msgs.msg import Marker

from fcp_ros.nodes.markers.drawing import Drawing, arrow, colour, extents, point, text
from fcp_ros.scene.graph.elements import Vector
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.route import Stop, trace_route

PlanSteps = tuple[tuple[str, ...], ...]
"""The names in each step of a plan."""

WIDTH = 0.06
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
    return arrow(start, end, WIDTH, colour(*PAINT, 0.9))


def _make_disc(place: Vector) -> Marker:
    marker = Marker(type=Marker.CYLINDER, color=colour(*PAINT))
    marker.pose = PoseMessage(position=point(place))
    marker.scale = extents((DISC, DISC, 0.02))
    return marker


def _make_number(above: Vector, numbers: list[int]) -> Marker:
    return text(", ".join(map(str, numbers)), above, NUMBER_HEIGHT, colour(*PAINT))
