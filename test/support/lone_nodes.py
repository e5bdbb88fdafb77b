# SPDX-License-Identifier: Apache-2.0
"""A node of ours in a ROS context of its own, as in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from fcp_ros.nodes.runtime.spin import running


@contextmanager
def own_context(arguments: Sequence[str] = ()) -> Iterator[Context]:
    """A context by command line arguments, shut down at the end."""
    context = Context()
    no_handlers = SignalHandlerOptions.NO
    rclpy.init(args=list(arguments), context=context, signal_handler_options=no_handlers)
    try:
        yield context
    finally:
        context.try_shutdown()


@contextmanager
def lone_node(
    make: Callable[..., Any], namespace: str | None = None, *arguments: str, **parameters: Any
) -> Iterator[Any]:
    """Make a node (of `ManagedNode`) with parameters, and spin it until the end."""
    given = [Parameter(name, value=value) for name, value in parameters.items()]
    with own_context(arguments) as context:
        node = make(context=context, namespace=namespace, parameter_overrides=given)
        with running([node], context):
            yield node
