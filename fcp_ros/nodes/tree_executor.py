# SPDX-License-Identifier: Apache-2.0
"""An executor that runs a tree of py_trees for each step (needs the extra ``trees``)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from fcp_ros.action import ExecuteStep
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.foundation.wording import hide_controls
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.plan import step_from_ros
from fcp_ros.nodes.conversions.step_outcome import outcome_to_result
from fcp_ros.nodes.runtime.managed_node import GoalEnd, end_goal
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer, make_wakeable
from fcp_ros.planning.model.plan import PlanStep

MakeTree = Callable[[PlanStep], Behaviour]
"""Makes the tree for a step, with everything set up; raises ValueError to refuse the step."""

RESULT_TIMEOUT = 60
"""Seconds that results are kept for those who ask late."""

_ENDS = {OutcomeCode.SUCCEEDED: GoalEnd.SUCCEEDED, OutcomeCode.CANCELLED: GoalEnd.CANCELLED}


@dataclass
class _Run:
    """A tree at work on a step."""

    goal: ServerGoalHandle
    step: PlanStep
    root: Behaviour
    done: Future
    finish: Callable[[], None]  # sets `done`
    told: tuple[float, str] = (0.0, "")  # the last feedback
    outcome: Outcome | None = None


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
        self._run: _Run | None = None
        self._lock = threading.Lock()
        """Guards `_run`, and its tree."""
        group = MutuallyExclusiveCallbackGroup()
        self._timer = self._node.create_timer(period, self._tick, callback_group=group)
        self._timer.cancel()  # runs with a step only
        self._server: Any = SafeActionServer(
            node,
            ExecuteStep,
            name,
            self._execute,
            callback_group=group,
            cancel_callback=lambda _goal: CancelResponse.ACCEPT,
            result_timeout=RESULT_TIMEOUT,
        )

    def close(self) -> None:
        """Stop the tree, end its goal, and offer the action no longer."""
        with self._lock:
            if self._run is not None:
                self._interrupt(self._run, OutcomeCode.NODE_INACTIVE, "The executor was closed.")
        self._node.destroy_timer(self._timer)
        self._server.destroy()

    async def _execute(self, goal: ServerGoalHandle) -> ExecuteStep.Result:
        begun = self._begin(goal)
        if isinstance(begun, _Run):
            await begun.done
            assert begun.outcome is not None
            begun = begun.outcome
        end_goal(goal, _ENDS.get(begun.code, GoalEnd.ABORTED))
        return outcome_to_result(begun)

    def _begin(self, goal: ServerGoalHandle) -> _Run | Outcome:
        """Make the tree for a step; return the outcome if there is none."""
        with self._lock:
            if self._run is not None:
                return Outcome(OutcomeCode.BUSY, f"Still busy with {self._run.step}.")
            try:
                step = step_from_ros(goal.request.step)
                root = self._make_tree(step)
            except ConversionError as error:
                return Outcome(OutcomeCode.INVALID_ACTION, f"The step can't be read: {error}.")
            except ValueError as error:
                return Outcome(OutcomeCode.INVALID_ACTION, hide_controls(str(error)))
            self._run = _Run(goal, step, root, *make_wakeable(self._node.executor))
            self._timer.reset()
            return self._run

    def _tick(self) -> None:
        with self._lock:
            run = self._run
            if run is None:
                return
            if run.goal.is_cancel_requested:
                self._interrupt(run, OutcomeCode.CANCELLED, f"{run.step} was cancelled.")
                return
            try:
                run.root.tick_once()
            except Exception as error:  # of the caller's behaviours
                text = f"The tree for {run.step} failed: {type(error).__name__}: {error}"
                # To its parents a behaviour that raised never ran: they would not stop it.
                self._interrupt(run, OutcomeCode.EXECUTION_FAILED, text, _list_leaves(run.root))
                return
            said = _find_message(run.root)
            if run.root.status is Status.SUCCESS:
                self._end(run, OutcomeCode.SUCCEEDED, said)
            elif run.root.status is not Status.RUNNING:
                self._end(run, OutcomeCode.EXECUTION_FAILED, said)
            else:
                self._tell(run, (_measure_progress(run.root), said))

    def _tell(self, run: _Run, now: tuple[float, str]) -> None:
        if now != run.told:
            run.told = now
            run.goal.publish_feedback(ExecuteStep.Feedback(progress=now[0], message=now[1]))

    def _interrupt(
        self, run: _Run, code: OutcomeCode, message: str, behaviours: Iterable[Behaviour] = ()
    ) -> None:
        """Stop a tree that has not ended by itself; `behaviours`: to stop in place of the root."""
        for behaviour in behaviours or (run.root,):
            try:
                behaviour.stop(Status.INVALID)
            except Exception as error:  # of the caller's making; the goal must end all the same
                self._node.get_logger().error(f"The tree for {run.step} did not stop: {error}")
        self._end(run, code, message)

    def _end(self, run: _Run, code: OutcomeCode, message: str) -> None:
        self._timer.cancel()
        self._run = None
        run.outcome = Outcome(code, hide_controls(message))
        run.finish()


def _find_message(root: Behaviour) -> str:
    tip = root.tip()
    return "" if tip is None else str(tip.feedback_message)


def _measure_progress(root: Behaviour) -> float:
    """Return the share of the leaves that have succeeded."""
    leaves = _list_leaves(root)
    return sum(leaf.status is Status.SUCCESS for leaf in leaves) / len(leaves)


def _list_leaves(root: Behaviour) -> list[Behaviour]:
    return [behaviour for behaviour in root.iterate() if not behaviour.children]
