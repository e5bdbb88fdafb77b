# SPDX-License-Identifier: Apache-2.0
"""All nodes in one process (``fcp up``, or ``ros2 run fcp_ros fcp_nodes``)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence

from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.spin import StopRequest
from fcp_ros.nodes.stack import NodeStack, StackOptions, StartError

ReadyCallback = Callable[[Mapping[str, ManagedNode]], None]


def run_nodes(
    options: StackOptions,
    ready_callback: ReadyCallback | None = None,
    stop_event: threading.Event | None = None,
) -> None:
    """Run nodes until SIGINT, SIGTERM or `stop_event`, then shut them down cleanly.

    Arguments:
        options: which nodes, and how.
        ready_callback: called once with name -> node, as soon as all nodes are active (those
            that don't start themselves: as soon as they are there).
        stop_event: set it to stop; from any thread.

    Raises:
        StartError: they could not be started; everything is shut down again.
    """
    with StopRequest(stop_event) as stop, NodeStack(options) as stack:
        stack.wait_active(stop=stop)
        if stop():
            return
        if ready_callback is not None:
            ready_callback(stack.nodes)
        stop.wait()


def main(args: Sequence[str] | None = None) -> int:
    """Run all nodes with the ROS arguments of the command line; returns the exit code."""
    given = tuple(sys.argv[1:] if args is None else args)
    try:
        run_nodes(StackOptions(ros_args=given))
    except StartError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
