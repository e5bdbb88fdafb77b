# SPDX-License-Identifier: Apache-2.0
"""Serves ``simulation_interfaces`` for a toy world, as Isaac Sim and Gazebo do for theirs.

Things and agents of the world's scene graph are the entities, by their ids; their frames are in the
middle of their boxes. Rooms are named poses with the tag ``room``, places are others.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from geometry_msgs.msg import Vector3
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from fcp_ros.nodes.conversions.common import pose_to_ros
from fcp_ros.nodes.simulation.calls import PACKAGE, to_service_name
from fcp_ros.nodes.simulation.reading import CATEGORY_TAGS, ROOM_TAG
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode
from fcp_ros.scene.graph.roles import is_robot
from fcp_ros.scene.shapes.polygons import bounds as polygon_bounds

FEATURES = (
    *("ENTITY_TAGS", "ENTITY_BOUNDS", "ENTITY_BOUNDS_BOX", "ENTITY_CATEGORIES"),
    *("ENTITY_STATE_GETTING", "ENTITY_INFO_GETTING"),
    *("NAMED_POSES", "POSE_BOUNDS"),
    "SIMULATION_STATE_GETTING",
)


class RefusedError(Exception):
    """A request that is refused, with the code of the result."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class SimulationServer:
    """The services of the standard for one world; `close` ends them."""

    def __init__(
        self,
        node: Node,
        world: Any,  # `ToyWorld` has its methods
        prefix: str,  # Before the names of the services, such as "/simulator"
        features: Sequence[str] | None = None,  # Names of those offered; None for all there are
    ) -> None:
        self._node = node
        self._world = world
        self._types = import_module(f"{PACKAGE}.srv")
        self._messages: Any = import_module(f"{PACKAGE}.msg")
        self.features = FEATURES if features is None else tuple(features)
        self.state = int(self._messages.SimulationState.STATE_PLAYING)
        self._lock = threading.Lock()
        group = ReentrantCallbackGroup()
        self._services = [
            node.create_service(
                getattr(self._types, kind),
                f"{prefix}/{to_service_name(kind)}",
                self._make_answer(serve),
                callback_group=group,
            )
            for kind, feature, serve in self._list_services()
            if feature is None or feature in self.features
        ]

    def close(self) -> None:
        while self._services:
            self._node.destroy_service(self._services.pop())

    def _list_services(
        self,
    ) -> Iterable[tuple[str, str | None, Callable[[Any, Any], None]]]:
        """Yield type, feature and function of each service."""
        yield "GetSimulatorFeatures", None, self._get_features
        yield "GetEntities", None, self._get_entities
        yield "GetEntitiesStates", "ENTITY_STATE_GETTING", self._get_states
        yield "GetEntityState", "ENTITY_STATE_GETTING", self._get_state
        yield "GetEntityInfo", "ENTITY_INFO_GETTING", self._get_info
        yield "GetEntityBounds", "ENTITY_BOUNDS", self._get_bounds
        yield "GetNamedPoses", "NAMED_POSES", self._get_named_poses
        yield "GetNamedPoseBounds", "POSE_BOUNDS", self._get_pose_bounds
        yield "GetSimulationState", "SIMULATION_STATE_GETTING", self._get_simulation_state

    def _make_answer(self, serve: Callable[[Any, Any], None]) -> Callable[[Any, Any], Any]:
        codes = self._messages.Result

        def answer(request: Any, response: Any) -> Any:
            result: Any = getattr(response, "result", None)  # GetSimulatorFeatures has none
            try:
                with self._lock:
                    serve(request, response)
            except RefusedError as error:
                result.result, result.error_message = error.code, str(error)
            except ValueError as error:
                result.result, result.error_message = codes.RESULT_OPERATION_FAILED, str(error)
            else:
                if result is not None:
                    result.result = codes.RESULT_OK
            return response

        return answer

    # --- entities -------------------------------------------------------------------------------

    def _list_entities(self) -> dict[str, SceneNode]:
        return {
            node.id: node
            for node in self._world.read_scene().nodes.values()
            if node.layer in (Layer.OBJECT, Layer.AGENT) and node.pose is not None
        }

    def _find(self, name: str) -> SceneNode:
        node = self._list_entities().get(name)
        if node is None:
            code = self._messages.Result.RESULT_NOT_FOUND
            raise RefusedError(code, f"there is no entity {name!r}")
        return node

    def _filter(self, filters: Any) -> list[SceneNode]:
        try:
            pattern = re.compile(filters.filter)
        except re.error as error:
            raise ValueError(f"the filter {filters.filter!r} is no expression: {error}") from None
        return [node for node in self._list_entities().values() if pattern.search(node.id)]

    def _find_kind(self, node: SceneNode) -> int:
        kinds = self._messages.EntityCategory
        if node.layer is Layer.AGENT:
            return int(kinds.CATEGORY_ROBOT if is_robot(node) else kinds.CATEGORY_HUMAN)
        is_fixed = node.attributes.get("is_movable") is False
        return int(kinds.CATEGORY_STATIC_OBJECT if is_fixed else kinds.CATEGORY_OBJECT)

    def _make_state(self, node: SceneNode) -> Any:
        assert node.pose is not None
        state = self._messages.EntityState(pose=pose_to_ros(node.pose))
        state.header.frame_id = "world"
        state.header.stamp = self._node.get_clock().now().to_msg()
        return state

    def _get_features(self, _request: Any, response: Any) -> None:
        kinds = self._messages.SimulatorFeatures
        response.features.features = [getattr(kinds, name) for name in self.features]
        response.features.custom_info = "fcp_ros"

    def _get_entities(self, request: Any, response: Any) -> None:
        response.entities = [node.id for node in self._filter(request.filters)]

    def _get_states(self, request: Any, response: Any) -> None:
        nodes = self._filter(request.filters)
        response.entities = [node.id for node in nodes]
        response.states = [self._make_state(node) for node in nodes]

    def _get_state(self, request: Any, response: Any) -> None:
        response.state = self._make_state(self._find(request.entity))

    def _get_info(self, request: Any, response: Any) -> None:
        node = self._find(request.entity)
        response.info.category.category = self._find_kind(node)
        response.info.description = str(node.attributes.get("description", ""))
        response.info.tags = _list_tags(node)

    def _get_bounds(self, request: Any, response: Any) -> None:
        node = self._find(request.entity)
        if node.size is not None:
            half = [extent / 2.0 for extent in node.size]
            response.bounds = self._make_box([-one for one in half], half)

    def _make_box(self, low: Sequence[float], high: Sequence[float]) -> Any:
        points = [Vector3(x=x, y=y, z=z) for x, y, z in (high, low)]
        return self._messages.Bounds(type=self._messages.Bounds.TYPE_BOX, points=points)

    # --- places ---------------------------------------------------------------------------------

    def _list_places(self) -> list[SceneNode]:
        nodes = self._world.read_scene().nodes.values()
        rooms = [node for node in nodes if node.layer is Layer.ROOM and node.polygon]
        return rooms + [n for n in nodes if n.layer is Layer.PLACE and n.pose is not None]

    def _get_named_poses(self, request: Any, response: Any) -> None:
        wanted = set(request.tags.tags)
        for node in self._list_places():
            named = self._messages.NamedPose(name=node.id)
            if node.layer is Layer.ROOM:
                x0, y0, x1, y1 = polygon_bounds(node.polygon)
                named.tags = [ROOM_TAG, *_list_tags(node)]
                named.pose = pose_to_ros(Pose(((x0 + x1) / 2.0, (y0 + y1) / 2.0, 0.0)))
            else:
                assert node.pose is not None
                named.pose = pose_to_ros(node.pose)
            if not wanted or wanted & set(named.tags):
                response.poses.append(named)

    def _get_pose_bounds(self, request: Any, response: Any) -> None:
        node = next((one for one in self._list_places() if one.id == request.name), None)
        if node is None:
            code = self._messages.Result.RESULT_NOT_FOUND
            raise RefusedError(code, f"there is no named pose {request.name!r}")
        if node.layer is Layer.ROOM:
            x0, y0, x1, y1 = polygon_bounds(node.polygon)
            half = (x1 - x0) / 2.0, (y1 - y0) / 2.0
            response.bounds = self._make_box((-half[0], -half[1], 0.0), (*half, node.height or 2.5))

    # --- simulation -----------------------------------------------------------------------------

    def _get_simulation_state(self, _request: Any, response: Any) -> None:
        response.state.state = self.state


def _list_tags(node: SceneNode) -> list[str]:
    return [f"{CATEGORY_TAGS[0]}{node.category}"]
