# SPDX-License-Identifier: Apache-2.0
"""The nodes by name: one explicit table.

A node's module is imported when the node is made, so that a process with only some of the nodes
does not load what the others need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fcp_ros.nodes.runtime.managed_node import ManagedNode

NodeMaker = Callable[..., ManagedNode]


def _scene_graph(**kwargs: Any) -> ManagedNode:
    from fcp_ros.nodes.scene_graph.node import SceneGraphNode

    return SceneGraphNode(**kwargs)


def _grounder(**kwargs: Any) -> ManagedNode:
    from fcp_ros.nodes.grounder.node import GrounderNode

    return GrounderNode(**kwargs)


def _planner(**kwargs: Any) -> ManagedNode:
    from fcp_ros.nodes.planner.node import PlannerNode

    return PlannerNode(**kwargs)


def _executive(**kwargs: Any) -> ManagedNode:
    from fcp_ros.nodes.executive.node import ExecutiveNode

    return ExecutiveNode(**kwargs)


def _simulated_executor(**kwargs: Any) -> ManagedNode:
    from fcp_ros.nodes.simulated_executor.node import SimulatedExecutorNode

    return SimulatedExecutorNode(**kwargs)


NODES: Mapping[str, NodeMaker] = {
    "scene_graph": _scene_graph,
    "grounder": _grounder,
    "planner": _planner,
    "executive": _executive,
    "simulated_executor": _simulated_executor,
}
"""Name -> constructor (keyword arguments are those of `rclpy.node.Node`), in starting order."""
