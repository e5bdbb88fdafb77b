# SPDX-License-Identifier: Apache-2.0
"""The way of the present plan, with the numbers of its steps."""

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
"""Width of the way (m)."""

LIFT = 0.08
"""How far above the floor the way is drawn (m)."""

NUMBER_LIFT = 0.4
"""How far above the top of what is there the numbers stand: above its name (m)."""

NUMBER_HEIGHT = 0.22
"""Height of the numbers (m)."""

DISC = 0.3
"""Diameter of the discs at the stops (m)."""

PAINT = (0.95, 0.35, 0.05)


def draw_route(graph: SceneGraph, steps: PlanSteps) -> Iterator[Drawing]:
    """Namespaces ``plan/route`` (arrows from stop to stop) and ``plan/steps`` (numbers, from 1)."""
    stops = trace_route(graph, steps) if steps else ()
    for index, (a, b) in enumerate(pairwise(stops)):
        ends = _at(a, LIFT), _at(b, LIFT)
        yield Drawing("plan/route", index, ends, partial(_leg, *ends))
    for place, at in _places(stops).items():
        numbers = [index + 1 for stop in at for index in stop.steps]
        above = (place[0], place[1], max(stop.top for stop in at) + NUMBER_LIFT)
        yield Drawing("plan/steps", (place, "disc"), (), partial(_disc, place))
        yield Drawing(
            "plan/steps",
            (place, "number"),
            (above, *numbers),
            partial(_number, above, numbers),
        )


def _places(stops: tuple[Stop, ...]) -> dict[Vector, list[Stop]]:
    """The stops with steps, by place: the robot may come back to one."""
    places: dict[Vector, list[Stop]] = {}
    for stop in stops:
        if stop.steps:
            places.setdefault(_at(stop, LIFT), []).append(stop)
    return places


def _at(stop: Stop, lift: float) -> Vector:
    return stop.x, stop.y, stop.level + lift


def _leg(start: Vector, end: Vector) -> Marker:
    return arrow(start, end, WIDTH, colour(*PAINT, 0.9))


def _disc(place: Vector) -> Marker:
    marker = Marker(type=Marker.CYLINDER, color=colour(*PAINT))
    marker.pose = PoseMessage(position=point(place))
    marker.scale = extents((DISC, DISC, 0.02))
    return marker


def _number(above: Vector, numbers: list[int]) -> Marker:
    return text(", ".join(map(str, numbers)), above, NUMBER_HEIGHT, colour(*PAINT))
