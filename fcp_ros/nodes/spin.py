# SPDX-License-Identifier: Apache-2.0
"""Running nodes: an executor with enough threads, and an end that always comes."""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.logging import get_logger
from rclpy.signals import SignalHandlerOptions

from fcp_ros.nodes.base import ManagedNode

THREADS_PER_NODE = 8
"""Executor threads for each node: requests that wait for a worker each hold one."""

STOP_TIMEOUT = 5.0
"""Seconds to wait for the executor's thread at the end."""


ANSWER_TIMEOUT = 5.0
"""Seconds to wait at the end for requests that are being answered."""


def _nothing() -> None:
    """A task that only wakes an executor."""


class ExecutorThread:
    """A MultiThreadedExecutor that spins in a thread of its own and survives failing callbacks.

    Arguments:
        nodes: what to spin.
        context: the ROS context of the nodes.
    """

    def __init__(self, nodes: Sequence[ManagedNode], context: Context) -> None:
        # The count is explicit: by default it is that of the cores, and one thread deadlocks.
        self.executor = MultiThreadedExecutor(
            num_threads=max(1, len(nodes)) * THREADS_PER_NODE, context=context
        )
        self._nodes = tuple(nodes)
        self._context = context
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="executor", daemon=True)
        for node in nodes:
            self.executor.add_node(node)

    def start(self) -> None:
        """Begin to spin."""
        self._thread.start()

    def stop(self) -> None:
        """Answer what was asked, end the executor, then shut the nodes down and destroy them."""
        for node in self._nodes:
            node.retire(ANSWER_TIMEOUT)
        self._stopping.set()
        if self._thread.is_alive():
            self.executor.create_task(_nothing)  # wakes it, unlike the executor's own wake()
            self._thread.join(STOP_TIMEOUT)
        self.executor.shutdown(timeout_sec=STOP_TIMEOUT)
        for node in self._nodes:
            node.finish()
            node.destroy_node()

    def _spin(self) -> None:
        while not self._stopping.is_set() and self._context.ok():
            try:
                self.executor.spin_once()
            except ExternalShutdownException:
                return
            except Exception:
                if self._stopping.is_set() or not threading.main_thread().is_alive():
                    return  # the process ends, and the executor's pool has gone first
                # One failing callback must not take all nodes with it.
                get_logger("fcp_ros").error(f"callback: {traceback.format_exc().rstrip()}")


@contextmanager
def running(nodes: Sequence[ManagedNode], context: Context) -> Iterator[ExecutorThread]:
    """Spin `nodes` while the body runs; they are shut down and destroyed afterwards."""
    thread = ExecutorThread(nodes, context)
    thread.start()
    try:
        yield thread
    finally:
        thread.stop()


@contextmanager
def stop_on_signals(stop: threading.Event) -> Iterator[None]:
    """Let SIGINT and SIGTERM set `stop`; only the main thread can, elsewhere nothing happens."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    previous = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, lambda _number, _frame: stop.set())
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def run_node(make: Callable[..., ManagedNode], args: Sequence[str] | None = None) -> int:
    """The body of a node's ``main()``: run it alone until SIGINT or SIGTERM.

    Arguments:
        make: constructor of the node; called with ``context``.
        args: command line with ROS arguments; None takes that of the process.

    Returns:
        The exit code: 0, or 1 when the node could not be constructed.
    """
    context = Context()
    rclpy.init(args=args, context=context, signal_handler_options=SignalHandlerOptions.NO)
    stop = threading.Event()
    try:
        with stop_on_signals(stop):
            try:
                node: Any = make(context=context)
            except Exception as error:  # a wrong parameter: rclpy has no common base class
                get_logger("fcp_ros").fatal(f"the node can't start: {error}")
                return 1
            with running([node], context):
                stop.wait()
    finally:
        context.try_shutdown()
    return 0
