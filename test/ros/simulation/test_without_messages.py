# SPDX-License-Identifier: Apache-2.0
"""Without the messages of the standard, the bridge says what to do."""

from __future__ import annotations

from lone_nodes import lone_node

from fcp_ros.nodes.runtime import optional_packages
from fcp_ros.nodes.runtime.lifecycle import NodeState
from fcp_ros.nodes.simulation.bridge import SimulationBridge


def test_without_the_messages_it_says_what_to_do(ros_environment, monkeypatch, until):
    monkeypatch.setattr(optional_packages, "find_interfaces", lambda _package, _kind: None)
    with lone_node(SimulationBridge, "without_messages") as node:
        until(lambda: node.fault, "the reason")
        assert "the package simulation_interfaces is not installed" in node.fault
        assert "docs/simulators.md" in node.fault
        assert node.state is NodeState.UNCONFIGURED
