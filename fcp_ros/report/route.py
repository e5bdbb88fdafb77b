# SPDX-License-Identifier: Apache-2.0
"""The way that a plan takes through a scene, as seen from above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.planning import PlanStep
from fcp_ros.scene import Layer, SceneGraph, SceneNode


@dataclass(frozen=True)
class Stop:
    """A point of the route.

    Attributes:
        x, y: position in the scene's frame, metres.
        steps: indexes of the plan steps that happen here; empty for a point that is passed by.
    """

    x: float
    y: float
    steps: tuple[int, ...]


def route_of(graph: SceneGraph, steps: Sequence[PlanStep]) -> tuple[Stop, ...]:
    """Returns the stops of a plan, beginning where the acting robot stands.

    A step happens at the largest known thing that it names (the table rather than the mug on it);
    a step that names only rooms and a passage leads through the passage to the last room named.

    Args:
        graph: the scene that was planned on.
        steps: the plan's steps, in order.

    Returns:
        The stops, consecutive ones at different places; empty where nothing has a known pose.
    """
    stops: list[Stop] = []
    start = _start(graph, steps)
    if start is not None:
        stops.append(start)
    for index, step in enumerate(steps):
        nodes = [graph.nodes[name] for _, name in step.arguments if name in graph.nodes]
        for x, y, acts in _points(nodes):
            _extend(stops, x, y, (index,) if acts else ())
    return tuple(stops)


def _start(graph: SceneGraph, steps: Sequence[PlanStep]) -> Stop | None:
    """Where the first agent named by the plan (or else any agent) stands."""
    named = [
        graph.nodes[name] for step in steps for _, name in step.arguments if name in graph.nodes
    ]
    for node in [*named, *graph.nodes.values()]:
        if node.layer is Layer.AGENT and node.pose is not None:
            return Stop(node.pose.position[0], node.pose.position[1], ())
    return None


def _points(nodes: Sequence[SceneNode]) -> list[tuple[float, float, bool]]:
    """Points that a step with these arguments visits, each with whether it acts there."""
    placed = [node for node in nodes if node.pose is not None and node.layer is not Layer.AGENT]
    rooms = [node for node in placed if node.layer is Layer.ROOM]
    things = [node for node in placed if node.layer is Layer.OBJECT]
    solid = [node for node in things if node.category != "floor"] or things
    if len(rooms) >= 2:
        points = [(*_xy(node), False) for node in things]
        return [*points, (*_xy(rooms[-1]), True)]
    if solid:
        return [(*_xy(max(solid, key=_footprint)), True)]
    return [(*_xy(rooms[-1]), True)] if rooms else []


def _extend(stops: list[Stop], x: float, y: float, steps: tuple[int, ...]) -> None:
    """Appends a point, or adds its steps to the last stop when the robot is there already."""
    if stops and abs(stops[-1].x - x) < 1e-6 and abs(stops[-1].y - y) < 1e-6:
        last = stops[-1]
        stops[-1] = Stop(last.x, last.y, last.steps + steps)
    else:
        stops.append(Stop(x, y, steps))


def _xy(node: SceneNode) -> tuple[float, float]:
    assert node.pose is not None  # callers keep placed nodes only
    return node.pose.position[0], node.pose.position[1]


def _footprint(node: SceneNode) -> float:
    return node.size[0] * node.size[1] if node.size is not None else 0.0
