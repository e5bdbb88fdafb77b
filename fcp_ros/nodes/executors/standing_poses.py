# SPDX-License-Identifier: Apache-2.0
"""The pose at which a robot stands in a place of the scene graph, for bases that drive there."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fcp_ros.scene.graph.elements import Layer, Pose, SceneError, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph

STAND_X, STAND_Y, STAND_YAW = "stand_x", "stand_y", "stand_yaw"
"""Attributes of a node: where a robot stands there (m), and its heading (rad; 0 if left out)."""


@dataclass(frozen=True)
class StandingPose:
    """A pose on the floor."""

    frame_id: str
    x: float  # m
    y: float  # m
    yaw: float  # rad


def find_standing_pose(graph: SceneGraph, id_: str) -> StandingPose:
    """Find where a robot stands in or at an element; raises SceneError if the graph doesn't say.

    By the element's attributes; else a node of the layer ``place`` (free space, as Hydra finds it)
    is its own pose, and a room has that of the place in it which is closest to the room's middle.
    The middle of a room or thing itself is never taken: a table may stand there, and does where it
    is the thing.
    """
    node = graph.nodes.get(id_)
    if node is None:
        raise SceneError(
            "the scene graph has no such element", element=id_, advice="Name one that it has."
        )
    if STAND_X in node.attributes or STAND_Y in node.attributes:
        x, y = (_read_number(node, name) for name in (STAND_X, STAND_Y))
        yaw = _read_number(node, STAND_YAW) if STAND_YAW in node.attributes else 0.0
        return StandingPose(graph.frame_id, x, y, yaw)
    pose = node.pose if node.layer is Layer.PLACE else _find_place(graph, node)
    if pose is None:
        raise SceneError(
            "the scene graph does not say where a robot stands there",
            element=id_,
            advice=f"Give it the attributes {STAND_X} and {STAND_Y} (m) and {STAND_YAW} (rad), in "
            f"the frame {graph.frame_id}, or let perception add nodes of the layer place.",
        )
    return StandingPose(graph.frame_id, pose.position[0], pose.position[1], pose.yaw)


def _find_place(graph: SceneGraph, node: SceneNode) -> Pose | None:
    """Find the place in a room that is closest to its middle, of several the first by id."""
    if node.layer is not Layer.ROOM or node.pose is None:
        return None
    middle = node.pose.position[:2]
    children = (graph.nodes[id_] for id_ in graph.children_of(node.id))
    places = [
        (math.dist(middle, child.pose.position[:2]), child.id, child.pose)
        for child in children
        if child.layer is Layer.PLACE and child.pose is not None
    ]
    return min(places, key=lambda place: place[:2])[2] if places else None


def _read_number(node: SceneNode, name: str) -> float:
    value = node.attributes.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise SceneError(
            f"its attribute {name} is {value!r}", element=node.id, advice="Give a finite number."
        )
    return float(value)
