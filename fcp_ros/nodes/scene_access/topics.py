# SPDX-License-Identifier: Apache-2.0
"""The topics by which a node follows the scene graph."""

from __future__ import annotations

from collections.abc import Callable

from fcp_ros.msg import SceneGraph, SceneGraphChange
from fcp_ros.nodes.conversions.errors import ConversionError
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.scene_access.world import World


def follow_scene(node: ManagedNode, world: World, changed: Callable[[], None]) -> None:
    """Subscribe to ``scene_graph`` and ``scene_changes`` (in `configure`).

    Arguments:
        node: that subscribes.
        world: takes in what comes.
        changed: called when the state is another one.
    """

    def receiver(topic: str, take: Callable[[bytes], bool]) -> Callable[[bytes], None]:
        def receive(data: bytes) -> None:
            try:
                is_new = take(data)
            except ConversionError as error:
                node.get_logger().warning(f"a message on {topic} was ignored: {error}")
                return
            if is_new:
                changed()

        return receive

    graphs = receiver("scene_graph", world.receive_graph)
    changes = receiver("scene_changes", world.receive_change)
    node.subscribe_state(SceneGraph, "scene_graph", graphs, raw=True)
    node.subscribe_events(SceneGraphChange, "scene_changes", changes, raw=True)
