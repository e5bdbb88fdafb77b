# SPDX-License-Identifier: Apache-2.0
"""The nodes by name, and several of them in one process, started and stopped together.

A node's module is imported when the node is made, so that a process with only some of the nodes
does not load what the others need. ``fcp up`` and ``ros2 run fcp_ros fcp_nodes`` run all of them.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import rclpy
from rclpy.context import Context
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from fcp_ros.grounding.options import EvidenceWorld
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import ParameterValue
from fcp_ros.nodes.runtime.spin import NodeThreads, StopRequest
from fcp_ros.nodes.runtime.transports import avoid_shared_memory

NODES: Mapping[str, str] = {
    "scene_graph": "scene_graph.node:SceneGraphNode",
    "grounder": "grounder.node:GrounderNode",
    "task_planner": "planner.node:PlannerNode",
    "executive": "executive.node:ExecutiveNode",
    "simulated_executor": "executors.simulated_executor:SimulatedExecutorNode",
    "world_executor": "executors.world_executor:WorldExecutorNode",
}
"""Name -> module in this folder, and class, in starting order."""


USUAL_NODES = tuple(name for name in NODES if name != "world_executor")
"""The nodes with a robot that is simulated by the domain's rules."""

SIMULATED = {"simulated_executor", "world_executor"}

LOG_LEVELS = ("debug", "info", "warn", "error", "fatal")
LOOK_EVERY = 0.05
"""Seconds between two checks of starting nodes."""

START_TIMEOUT = 60.0
"""Seconds for all nodes to become active."""


class StartError(RuntimeError):
    """The nodes can't be started; the sentence names the node, the reason, and what to do."""


@dataclass(frozen=True)
class StackOptions:
    """The nodes to start, and their settings."""

    nodes: tuple[str, ...] = USUAL_NODES  # Names from `NODES`
    namespace: str = ""  # Namespace of all nodes, such as "robot_1"; "" for none
    params_file: Path | None = None  # ROS parameter file; None for the defaults of the nodes
    domain: str = ""  # Parameter ``domain`` of every node that has it; "" leaves it
    scene: str = ""  # Parameter ``scene`` of the scene_graph node; "" leaves it
    use_sim_time: bool = False  # True to take the time from ``/clock``
    # True if nodes configure and activate themselves; None leaves it to ``params_file``
    autostart: bool | None = None
    log_level: str = "info"  # One of `LOG_LEVELS`
    # Node -> parameter -> value; takes precedence over everything else
    overrides: Mapping[str, Mapping[str, ParameterValue]] = field(default_factory=dict)
    ros_args: tuple[str, ...] = ()  # More ROS arguments, from ``--ros-args`` on
    domain_id: int | None = None  # ROS domain; None takes ROS_DOMAIN_ID

    def arguments(self) -> list[str]:
        arguments = ["fcp_ros", *self.ros_args, "--ros-args", "--log-level", self.log_level]
        if self.params_file is not None:
            arguments += ["--params-file", str(self.params_file)]
        return arguments

    def overrides_of(self, node: str) -> list[Parameter]:
        values: dict[str, ParameterValue] = {}
        if self.use_sim_time:
            values["use_sim_time"] = True
        if self.autostart is not None:
            values["autostart"] = self.autostart
        if self.domain:
            values["domain"] = self.domain
        if self.scene and node == "scene_graph":
            values["scene"] = self.scene
        if node in ("grounder", "executive") and SIMULATED & {*self.nodes}:
            values["world"] = EvidenceWorld.SIMULATED.value
        values.update(self.overrides.get(node, {}))
        return [Parameter(name, value=value) for name, value in values.items()]


class NodeStack:
    """Nodes in one process; a context manager that starts and stops them."""

    def __init__(self, options: StackOptions) -> None:
        self.options = options
        self.nodes: dict[str, ManagedNode] = {}  # Name -> node, while it runs
        self.context = Context()  # Their ROS context, while it runs
        self._threads: NodeThreads | None = None

    def start(self) -> None:
        """Make the nodes and spin them.

        Raises StartError if an option is wrong, or a node can't be constructed; nothing runs then.
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
        self._threads = NodeThreads(tuple(self.nodes.values()), self.context)
        self._threads.start()
        # A thread that still spins when the interpreter ends aborts the process.
        atexit.register(self.stop)

    def wait_active(
        self, timeout: float = START_TIMEOUT, stop: Callable[[], bool] = lambda: False
    ) -> None:
        """Wait until every node that starts itself is active.

        `stop`: ends the wait early once it returns True. Raises StartError if a node could not be
        configured or activated, or it took too long; the sentence says which node is in which
        state, and how long it was waited for.
        """
        began = time.monotonic()
        while late := {name: node for name, node in self.nodes.items() if _is_starting(node)}:
            for name, node in self.nodes.items():
                if node.fault:
                    raise StartError(f"The node {name} did not start. {node.fault}")
            waited = time.monotonic() - began
            if waited > timeout:
                states = ", ".join(f"{name} ({node.state.value})" for name, node in late.items())
                raise StartError(f"Not active after {waited:.1f} s: {states}.{self._find_dead()}")
            if stop():
                return
            time.sleep(LOOK_EVERY)

    def stop(self) -> None:
        """Shut all nodes down; may be called twice."""
        atexit.unregister(self.stop)
        if self._threads is not None:
            self._threads.stop()
            self._threads = None
        else:
            for node in self.nodes.values():
                node.finish()
                node.destroy_node()
        self.nodes.clear()
        self.context.try_shutdown()

    def __enter__(self) -> NodeStack:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def _find_dead(self) -> str:
        """Return a sentence that names the nodes whose threads have ended; "" if none has."""
        dead = () if self._threads is None else self._threads.find_dead()
        return f" Their threads have ended: {', '.join(dead)}." if dead else ""

    def _make(self, name: str) -> ManagedNode:
        keywords: dict[str, Any] = {
            "context": self.context,
            "parameter_overrides": self.options.overrides_of(name),
        }
        if self.options.namespace:
            keywords["namespace"] = self.options.namespace
        try:
            return make_node(name, **keywords)
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


def make_node(name: str, **keywords: Any) -> ManagedNode:
    """Make one of `NODES`; the keywords are those of `rclpy.node.Node`."""
    module, _, kind = NODES[name].partition(":")
    make = getattr(import_module(f"fcp_ros.nodes.{module}"), kind)
    return cast(ManagedNode, make(**keywords))


def _is_starting(node: ManagedNode) -> bool:
    return node.parameters.flag("autostart") and not node.is_active


ReadyCallback = Callable[[Mapping[str, ManagedNode]], None]


def run_nodes(
    options: StackOptions,
    # Called once with name -> node, as soon as all nodes are active (those that don't start
    # themselves: as soon as they exist)
    ready_callback: ReadyCallback | None = None,
    stop_event: threading.Event | None = None,  # Set it to stop; from any thread
) -> None:
    """Run nodes until SIGINT, SIGTERM or `stop_event`, then shut them down cleanly.

    Raises StartError if they could not be started; everything is shut down again.
    """
    avoid_shared_memory()
    with StopRequest(stop_event) as stop, NodeStack(options) as stack:
        stack.wait_active(stop=stop)
        if stop():
            return
        if ready_callback is not None:
            ready_callback(stack.nodes)
        stop.wait()


def main() -> int:
    try:
        run_nodes(StackOptions(ros_args=tuple(sys.argv[1:])))
    except StartError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
