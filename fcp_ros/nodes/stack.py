# SPDX-License-Identifier: Apache-2.0
"""Several nodes in one process under one executor, started and stopped together."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from fcp_ros.nodes.registry import NODES
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import ParameterValue
from fcp_ros.nodes.runtime.spin import ExecutorThread

LOG_LEVELS = ("debug", "info", "warn", "error", "fatal")
LOOK_EVERY = 0.01
"""Seconds between two looks at nodes that start."""

START_TIMEOUT = 60.0
"""Seconds for all nodes to become active."""


class StartError(RuntimeError):
    """The nodes can't be started; one sentence which one, why, and what to do."""


@dataclass(frozen=True)
class StackOptions:
    """What to start, and how.

    Attributes:
        nodes: names from `registry.NODES`.
        namespace: of all nodes, such as "robot_1"; "" for none.
        params_file: ROS parameter file; None: the defaults of the nodes.
        domain: parameter ``domain`` of every node that has it; "" leaves it.
        scene: parameter ``scene`` of the scene_graph node; "" leaves it.
        use_sim_time: time comes from ``/clock``.
        autostart: nodes configure and activate themselves; None leaves it to ``params_file``.
        log_level: one of `LOG_LEVELS`.
        overrides: node -> parameter -> value; wins over everything else.
        ros_args: more ROS arguments, from ``--ros-args`` on.
        domain_id: ROS domain; None takes ROS_DOMAIN_ID.
    """

    nodes: tuple[str, ...] = tuple(NODES)
    namespace: str = ""
    params_file: Path | None = None
    domain: str = ""
    scene: str = ""
    use_sim_time: bool = False
    autostart: bool | None = None
    log_level: str = "info"
    overrides: Mapping[str, Mapping[str, ParameterValue]] = field(default_factory=dict)
    ros_args: tuple[str, ...] = ()
    domain_id: int | None = None

    def arguments(self) -> list[str]:
        """The ROS command line that the context is initialised with."""
        arguments = ["fcp_ros", *self.ros_args, "--ros-args", "--log-level", self.log_level]
        if self.params_file is not None:
            arguments += ["--params-file", str(self.params_file)]
        return arguments

    def overrides_of(self, node: str) -> list[Parameter]:
        """The parameters that one node is given in its constructor."""
        values: dict[str, ParameterValue] = {}
        if self.use_sim_time:
            values["use_sim_time"] = True
        if self.autostart is not None:
            values["autostart"] = self.autostart
        if self.domain:
            values["domain"] = self.domain
        if self.scene and node == "scene_graph":
            values["scene"] = self.scene
        values.update(self.overrides.get(node, {}))
        return [Parameter(name, value=value) for name, value in values.items()]


class NodeStack:
    """Nodes in one process; a context manager that starts and stops them.

    Attributes:
        nodes: name -> node, while it runs.
        context: their ROS context, while it runs.
    """

    def __init__(self, options: StackOptions) -> None:
        self.options = options
        self.nodes: dict[str, ManagedNode] = {}
        self.context = Context()
        self._thread: ExecutorThread | None = None

    def start(self) -> None:
        """Make the nodes and spin them.

        Raises:
            StartError: an option is wrong, or a node can't be constructed; nothing runs then.
        """
        options = self.options
        self._check(options)
        try:
            rclpy.init(
                args=options.arguments(),
                context=self.context,
                domain_id=options.domain_id,
                signal_handler_options=SignalHandlerOptions.NO,
            )
        except Exception as error:  # rclpy has no common base class for wrong arguments
            raise StartError(f"ROS could not be initialised: {error}") from error
        try:
            for name in options.nodes:
                self.nodes[name] = self._make(name)
        except StartError:
            self.stop()
            raise
        self._thread = ExecutorThread(tuple(self.nodes.values()), self.context)
        self._thread.start()
        # A thread that still spins when the interpreter ends aborts the process.
        atexit.register(self.stop)

    def wait_active(
        self, timeout: float = START_TIMEOUT, stop: Callable[[], bool] = lambda: False
    ) -> None:
        """Wait until every node that starts itself is active.

        Arguments:
            timeout: seconds to wait.
            stop: ends the wait early when it says so.

        Raises:
            StartError: a node could not be configured or activated, or it took too long.
        """
        end = time.monotonic() + timeout
        while late := [name for name, node in self.nodes.items() if _is_starting(node)]:
            for name, node in self.nodes.items():
                if node.fault:
                    raise StartError(f"The node {name} did not start. {node.fault}")
            if time.monotonic() > end:
                raise StartError(f"Not active after {timeout:g} s: {', '.join(late)}.")
            if stop():
                return
            time.sleep(LOOK_EVERY)

    def stop(self) -> None:
        """Shut all nodes down; safe to be called twice."""
        atexit.unregister(self.stop)
        if self._thread is not None:
            self._thread.stop()
            self._thread = None
        else:
            for node in self.nodes.values():
                node.finish()
                node.destroy_node()
        self.nodes.clear()
        self.context.try_shutdown()

    def __enter__(self) -> NodeStack:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _make(self, name: str) -> ManagedNode:
        keywords: dict[str, Any] = {
            "context": self.context,
            "parameter_overrides": self.options.overrides_of(name),
        }
        if self.options.namespace:
            keywords["namespace"] = self.options.namespace
        try:
            return NODES[name](**keywords)
        except Exception as error:  # a wrong parameter or namespace: no common base class
            raise StartError(f"The node {name} can't be made: {error}") from error

    @staticmethod
    def _check(options: StackOptions) -> None:
        unknown: Sequence[str] = [name for name in options.nodes if name not in NODES]
        if unknown or not options.nodes:
            raise StartError(
                f"There is no node {', '.join(unknown) or '(none given)'}: choose from "
                f"{', '.join(NODES)}."
            )
        if options.log_level not in LOG_LEVELS:
            raise StartError(
                f"There is no log level {options.log_level}: choose from {', '.join(LOG_LEVELS)}."
            )
        if options.params_file is not None and not options.params_file.is_file():
            raise StartError(f"There is no parameter file {options.params_file}.")


def _is_starting(node: ManagedNode) -> bool:
    return node.parameters.flag("autostart") and not node.is_active
