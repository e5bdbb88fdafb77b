# SPDX-License-Identifier: Apache-2.0
"""Servers are alive while their process is: here or elsewhere, with a lease or without."""

from __future__ import annotations

import time

import pytest
import rclpy
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions

from fcp_ros.action import MakePlan
from fcp_ros.nodes.calls.sign_of_life import watch_action
from fcp_ros.nodes.runtime.qos import DEAD_AFTER, status_qos
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer


@pytest.fixture
def serve(probe):
    """Starts an action server on a node."""
    return lambda node, name, **more: SafeActionServer(
        node, MakePlan, name, lambda _goal: MakePlan.Result(), **more
    )


LEASE = 0.45
"""The lease that the docs name: two assertions in a row may be late."""


@pytest.mark.parametrize("more", [{"status_pub_qos_profile": status_qos(LEASE)}, {}])
def test_a_server_in_the_same_process_does_not_die(probe, serve, until, more):
    """Fast DDS does not assert the liveliness of a participant to itself."""
    name = f"neighbour_{len(more)}"
    life = watch_action(probe.node, name)
    server = serve(probe.node, name, **more)
    client = probe.action(MakePlan, name)
    end = time.monotonic() + 2.5 * DEAD_AFTER
    until(lambda: life.is_dead or time.monotonic() > end, "some time")
    assert not life.is_dead
    assert client.server_is_ready()
    life.close()
    server.destroy()


def test_a_server_that_does_nothing_stays_alive(probe, serve, until):
    changes = []
    life = watch_action(probe.node, "stranger", lambda: changes.append(life.is_dead))
    context = Context()
    rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("stranger", context=context)
    serve(node, "stranger", status_pub_qos_profile=status_qos(LEASE))
    until(lambda: changes == [False], "the server")
    end = time.monotonic() + 2.5 * DEAD_AFTER
    until(lambda: time.monotonic() > end, "some time without work")
    assert changes == [False], "the middleware asserts it, whatever the process does"
    life.close()
    node.destroy_node()
    context.try_shutdown()
