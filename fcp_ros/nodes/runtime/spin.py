# SPDX-License-Identifier: Apache-2.0
"""Running nodes: a thread for each, and an orderly end."""

from __future__ import annotations

import select
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.signals import SignalHandlerOptions

from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.rclpy_repairs import spin_until
from fcp_ros.nodes.runtime.transports import avoid_shared_memory

STOP_TIMEOUT = 5.0
"""Seconds to wait for a thread at the end."""

EVENT_LOOK = 0.1
"""Seconds between two looks at an event in the main thread, which a signal must be able to wake."""

ANSWER_TIMEOUT = 5.0
"""Seconds to wait at the end for requests that are still being answered."""


def _do_nothing() -> None:
    """Only wake an executor, as a task of it."""


class NodeThreads:
    """Spins each node in a thread of its own, and survives failing callbacks.

    No callback blocks its thread while it waits, so that one thread is enough for a node. A node
    that works, such as one that is being configured, does not hold up the others.
    """

    def __init__(self, nodes: Sequence[ManagedNode], context: Context) -> None:
        self._nodes = tuple(nodes)
        self._stopping = threading.Event()
        self._executors: list[SingleThreadedExecutor] = []
        self._threads: list[threading.Thread] = []
        for node in nodes:
            executor = SingleThreadedExecutor(context=context)
            executor.add_node(node)
            self._executors.append(executor)
            self._threads.append(
                threading.Thread(
                    target=spin_until,
                    args=(self._stopping, executor, context),
                    name=node.get_name(),
                    daemon=True,
                )
            )

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def find_dead(self) -> list[str]:
        return [thread.name for thread in self._threads if not thread.is_alive()]

    def stop(self) -> None:
        """Answer pending requests, end the threads, then shut the nodes down and destroy them."""
        for node in self._nodes:
            node.retire(ANSWER_TIMEOUT)
        self._stopping.set()
        for executor, thread in zip(self._executors, self._threads, strict=True):
            if thread.is_alive():
                executor.create_task(_do_nothing)  # wakes it, unlike the executor's own wake()
                thread.join(STOP_TIMEOUT)
            executor.shutdown(timeout_sec=STOP_TIMEOUT)
        for node in self._nodes:
            node.finish()
            node.destroy_node()


@contextmanager
def running(nodes: Sequence[ManagedNode], context: Context) -> Iterator[None]:
    threads = NodeThreads(nodes, context)
    threads.start()
    try:
        yield
    finally:
        threads.stop()


class StopRequest:
    """A request to stop, by SIGINT, SIGTERM or from within this process; a context manager.

    Signals are noticed in the main thread only; elsewhere `event` alone counts. A handler must not
    take a lock, so it only notes the signal; a byte through a socket wakes `wait`, even if the
    signal comes just before the wait begins.

    After a signal the process is ending, and further signals are ignored until it has: Ctrl-C in a
    terminal reaches a launched node twice, from the terminal and from ``ros2 launch``, and the
    second must not kill it while it cleans up. Without a signal the previous handlers are restored.
    `event`: set by others in this process; none by default.
    """

    def __init__(self, event: threading.Event | None = None) -> None:
        self._event = event
        self._signalled = False
        self._previous: dict[int, Any] = {}
        self._bells: tuple[socket.socket, socket.socket] | None = None
        self._previous_bell = -1

    def __call__(self) -> bool:
        return self._signalled or (self._event is not None and self._event.is_set())

    def wait(self) -> None:
        if self._bells is None:  # there are no signals outside of the main thread
            assert self._event is not None, "nothing could ever end this wait"
            self._event.wait()
            return
        while not self():
            rung, _, _ = select.select(
                [self._bells[0]], [], [], None if self._event is None else EVENT_LOOK
            )
            for bell in rung:
                bell.recv(4096)

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            self._bells = socket.socketpair()
            for bell in self._bells:
                bell.setblocking(False)
            self._previous_bell = signal.set_wakeup_fd(
                self._bells[1].fileno(), warn_on_full_buffer=False
            )
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, signal.SIG_IGN if self._signalled else handler)
        if self._bells is not None:
            signal.set_wakeup_fd(self._previous_bell)
            for bell in self._bells:
                bell.close()
            self._bells = None

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._signalled = True


def run_node(make: Callable[..., ManagedNode]) -> int:
    """Run one node alone until SIGINT or SIGTERM: the body of its ``main()``.

    `make`: constructor of the node; called with ``context``, which has the ROS arguments of the
    process. Returns the exit code: 0, or 1 when the node could not be constructed.
    """
    avoid_shared_memory()
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    try:
        with StopRequest() as stop:
            try:
                node = make(context=context)
            except Exception as error:  # a wrong parameter: rclpy has no common base class
                get_logger("fcp_ros").fatal(f"the node can't start: {error}")
                return 1
            with running([node], context):
                stop.wait()
    finally:
        context.try_shutdown()
    return 0
