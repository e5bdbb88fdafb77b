# SPDX-License-Identifier: Apache-2.0
"""The route of a plan through a scene: the stops where its steps happen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.polygons import find_floor_levels, underside

_SAME = 1e-6  # Stops that are nearer to each other (m) are one


@dataclass(frozen=True)
class Stop:
    """A point of the route. ``x``, ``y``: position in the scene's frame, metres."""

    x: float
    y: float
    level: float  # Height of the floor there, metres
    top: float  # Height of the top of the thing there, metres; at least the level
    # Indices of the plan steps that happen here; empty for a point that is passed
    steps: tuple[int, ...]


Route = tuple[Stop, ...]
"""The stops of one robot, none twice in a row."""


def trace_routes(graph: SceneGraph, steps: Sequence[Sequence[str]]) -> tuple[Route, ...]:
    """Trace the way of each robot of a plan, beginning where it stands, in the order of the plan.

    A step happens at the largest known thing that it names (the table rather than the mug on it);
    a step that names only rooms and a passage leads through the passage to the last room named.
    """
    named = [[graph.nodes[name] for name in step if name in graph.nodes] for step in steps]
    rooms = {
        relation.elements[0]: relation.elements[1]
        for name in ("in_room", "at")
        for relation in graph.relations_named(name)
        if len(relation.elements) == 2
    }
    levels = find_floor_levels(graph)
    robot = _find_start(graph, named)
    routes: dict[str, list[Stop]] = {}
    for index, nodes in enumerate(named):
        # The robot that acts is named first; a person may be named, too.
        robot = next((node for node in nodes if _is_placed_agent(node)), robot)
        key = "" if robot is None else robot.id
        if key not in routes:
            stops = routes[key] = []
            if robot is not None:
                _extend_route(stops, robot, _find_level(robot, levels, rooms), ())
        for node, acts in _find_visited(nodes):
            level = _find_level(node, levels, rooms)
            _extend_route(routes[key], node, level, (index,) if acts else ())
    return tuple(map(tuple, routes.values()))


def _find_start(graph: SceneGraph, named: Sequence[Sequence[SceneNode]]) -> SceneNode | None:
    """Return the first agent named by the plan, or else any agent."""
    nodes = [*(node for nodes in named for node in nodes), *graph.nodes.values()]
    return next(filter(_is_placed_agent, nodes), None)


def _is_placed_agent(node: SceneNode) -> bool:
    return node.layer is Layer.AGENT and node.pose is not None


def _find_visited(nodes: Sequence[SceneNode]) -> list[tuple[SceneNode, bool]]:
    """Return the nodes that a step visits, each with True if the step happens there."""
    placed = [node for node in nodes if node.pose is not None and node.layer is not Layer.AGENT]
    rooms = [node for node in placed if node.layer is Layer.ROOM]
    things = [node for node in placed if node.layer is Layer.OBJECT]
    solid = [node for node in things if node.category != "floor"] or things
    if len(rooms) >= 2:
        return [*((node, False) for node in things), (rooms[-1], True)]
    if solid:
        return [(max(solid, key=_footprint), True)]
    return [(rooms[-1], True)] if rooms else []


def _extend_route(stops: list[Stop], node: SceneNode, level: float, steps: tuple[int, ...]) -> None:
    """Append a point, or add its steps to the last stop if the robot is there already."""
    assert node.pose is not None  # callers keep placed nodes only
    x, y, z = node.pose.position
    if stops and abs(stops[-1].x - x) < _SAME and abs(stops[-1].y - y) < _SAME:
        last = stops[-1]
        stops[-1] = replace(last, steps=last.steps + steps)
    else:
        extent = node.size[2] if node.size is not None and node.layer is Layer.OBJECT else 0.0
        top = level if node.layer is Layer.ROOM else max(level, z + extent / 2.0)
        stops.append(Stop(x, y, level, top, steps))


def _find_level(node: SceneNode, levels: Mapping[str, float], rooms: Mapping[str, str]) -> float:
    """Return the height of the floor of a node's room, or else of its own underside."""
    room = node.id if node.layer is Layer.ROOM else rooms.get(node.id, "")
    bottom = levels.get(room, underside(node))
    return 0.0 if bottom is None else bottom


def _footprint(node: SceneNode) -> float:
    return node.size[0] * node.size[1] if node.size is not None else 0.0
