# SPDX-License-Identifier: Apache-2.0
"""An executor that runs a tree of py_trees for each step (needs the extra ``trees``)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.nodes.executors.step_server import StepRun, StepServer
from fcp_ros.planning.model.plan import PlanStep

MakeTree = Callable[[PlanStep], Behaviour]
"""Makes the tree for a step, with everything set up; raises ValueError to refuse the step."""


class TreeExecutor:
    """Serves ExecuteStep under the name of an executor; one step at a time.

    The tree is ticked by a timer of the node while a step runs. SUCCESS is SUCCEEDED; FAILURE is
    EXECUTION_FAILED with the feedback message of the behaviour at the tip, and so is an exception.
    A cancel request stops the tree (its behaviours get `terminate` with INVALID) and ends the goal.
    A second step meanwhile is refused as BUSY. Nothing waits, so any executor may spin the node.
    Give the node a `LifeSign`, so that others notice within a second if the process dies.
    """

    def __init__(
        self,
        node: Node,
        name: str,  # of the executor in the domain
        make_tree: MakeTree,
        *,
        period: float = 0.1,  # seconds between two ticks
    ) -> None:
        self._node: Any = node
        self._make_tree = make_tree
        self._root: Behaviour | None = None
        self._lock = threading.Lock()
        """Guards the tree."""
        group = MutuallyExclusiveCallbackGroup()
        self._timer = self._node.create_timer(period, self._tick, callback_group=group)
        self._timer.cancel()  # runs with a step only
        self._server = StepServer(node, name, self._begin, group=group)

    def close(self) -> None:
        with self._lock:
            run = self._server.run
            if run is not None:
                self._interrupt(run, OutcomeCode.NODE_INACTIVE, "The executor was closed.")
        self._node.destroy_timer(self._timer)
        self._server.destroy()

    def _begin(self, run: StepRun) -> None:
        with self._lock:
            self._root = self._make_tree(run.step)
            self._timer.reset()

    def _tick(self) -> None:
        with self._lock:
            run, root = self._server.run, self._root
            if run is None or root is None:
                return
            if run.goal.is_cancel_requested:
                self._interrupt(run, OutcomeCode.CANCELLED, f"{run.step} was cancelled.")
                return
            try:
                root.tick_once()
            except Exception as error:  # of the caller's behaviours
                text = f"The tree for {run.step} failed: {type(error).__name__}: {error}"
                # To its parents a behaviour that raised never ran: they would not stop it.
                self._interrupt(run, OutcomeCode.EXECUTION_FAILED, text, _list_leaves(root))
                return
            said = _find_message(root)
            if root.status is Status.SUCCESS:
                self._end(run, OutcomeCode.SUCCEEDED, said)
            elif root.status is not Status.RUNNING:
                self._end(run, OutcomeCode.EXECUTION_FAILED, said)
            else:
                run.tell(_measure_progress(root), said)

    def _interrupt(
        self, run: StepRun, code: OutcomeCode, message: str, behaviours: Iterable[Behaviour] = ()
    ) -> None:
        """Stop a tree that has not ended by itself; `behaviours`: to stop in place of the root."""
        roots = () if self._root is None else (self._root,)
        for behaviour in behaviours or roots:
            try:
                behaviour.stop(Status.INVALID)
            except Exception as error:  # of the caller's making; the goal must end all the same
                self._node.get_logger().error(f"The tree for {run.step} did not stop: {error}")
        self._end(run, code, message)

    def _end(self, run: StepRun, code: OutcomeCode, message: str) -> None:
        self._timer.cancel()
        self._root = None
        self._server.end(run, Outcome(code, message))


def _find_message(root: Behaviour) -> str:
    tip = root.tip()
    return "" if tip is None else str(tip.feedback_message)


def _measure_progress(root: Behaviour) -> float:
    leaves = _list_leaves(root)
    return sum(leaf.status is Status.SUCCESS for leaf in leaves) / len(leaves)


def _list_leaves(root: Behaviour) -> list[Behaviour]:
    return [behaviour for behaviour in root.iterate() if not behaviour.children]
