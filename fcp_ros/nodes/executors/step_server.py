# SPDX-License-Identifier: Apache-2.0
"""The action ExecuteStep under the name of an executor: one step at a time, in calls.

Nodes that serve it in another way (a person's, the simulated one) read and end steps as here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from fcp_ros.action import ExecuteStep
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.foundation.wording import hide_controls
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.plan import step_from_ros
from fcp_ros.nodes.conversions.step_outcome import outcome_to_result
from fcp_ros.nodes.runtime.goal_jobs import GoalEnd, end_goal
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer, make_wakeable
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefusal
from fcp_ros.planning.model.plan import PlanStep

RESULT_TIMEOUT = 60
"""Seconds that results are kept for those who ask late."""

_ENDS = {OutcomeCode.SUCCEEDED: GoalEnd.SUCCEEDED, OutcomeCode.CANCELLED: GoalEnd.CANCELLED}


def read_step(request: ExecuteStep.Goal, refusal: RequestRefusal | None) -> PlanStep | Outcome:
    """Read a step; return the outcome of one that is refused or can't be read.

    `refusal`: what the node has against the request (`ManagedNode.refusal`).
    """
    if refusal is not None:
        is_wrong = refusal.kind is RefusalKind.INVALID_REQUEST
        code = OutcomeCode.INVALID_ACTION if is_wrong else OutcomeCode.NODE_INACTIVE
        return Outcome(code, refusal.sentence)
    try:
        return step_from_ros(request.step)
    except ConversionError as error:
        return Outcome(OutcomeCode.INVALID_ACTION, f"The step can't be read: {error}.")


def end_step(
    goal: ServerGoalHandle, outcome: Outcome, *, simulated: bool = False
) -> ExecuteStep.Result:
    end_goal(goal, _ENDS.get(outcome.code, GoalEnd.ABORTED))
    return outcome_to_result(outcome, simulated=simulated)


@dataclass(eq=False)
class StepRun:
    """A step at work."""

    goal: ServerGoalHandle
    step: PlanStep
    done: Future
    finish: Callable[[], None]  # sets `done`
    told: tuple[float, str] = (0.0, "")  # the last feedback
    outcome: Outcome | None = None

    def tell(self, progress: float, message: str) -> None:
        """Publish feedback, unless it says the same as the last; `progress` in [0, 1]."""
        now = (progress, hide_controls(message))
        if now != self.told and self.outcome is None:
            self.told = now
            self.goal.publish_feedback(ExecuteStep.Feedback(progress=now[0], message=now[1]))


class StepServer:
    """Serves ExecuteStep for one executor; a second step meanwhile is refused as BUSY.

    Nothing here waits, so any executor of rclpy may spin the node. The first end of a step counts.
    """

    def __init__(
        self,
        node: Node,
        name: str,  # of the executor in the domain
        # Starts a step and returns at once; raises ValueError to refuse it (INVALID_ACTION)
        begin: Callable[[StepRun], None],
        *,
        # Called with the step that somebody asked to cancel, maybe twice, and maybe before the
        # goal's status says so
        cancel: Callable[[StepRun], None] | None = None,
        group: CallbackGroup | None = None,
    ) -> None:
        self._node: Any = node
        self._begin = begin
        self._cancel = cancel
        self._run: StepRun | None = None
        self._lock = threading.RLock()
        """Guards `_run`, and that a run ends once."""
        self._cancelled: set[bytes] = set()
        """Goals that were cancelled and have not ended; one may be before its step has begun."""
        self._server: Any = SafeActionServer(
            node,
            ExecuteStep,
            name,
            self._execute,
            callback_group=group,
            cancel_callback=self._on_cancel,
            result_timeout=RESULT_TIMEOUT,
        )

    @property
    def run(self) -> StepRun | None:
        return self._run

    def end(self, run: StepRun, outcome: Outcome) -> None:
        with self._lock:
            if run.outcome is not None:
                return
            run.outcome = Outcome(outcome.code, hide_controls(outcome.message), outcome.quality)
            if self._run is run:
                self._run = None
        run.finish()

    def destroy(self) -> None:
        self._server.destroy()

    async def _execute(self, goal: ServerGoalHandle) -> ExecuteStep.Result:
        begun = self._start(goal)
        if isinstance(begun, StepRun):
            await begun.done
            assert begun.outcome is not None
            begun = begun.outcome
        self._cancelled.discard(bytes(goal.goal_id.uuid))
        return end_step(goal, begun)

    def _start(self, goal: ServerGoalHandle) -> StepRun | Outcome:
        """Start a step; return the outcome if there is nothing to start."""
        with self._lock:
            if self._run is not None:
                return Outcome(OutcomeCode.BUSY, f"Still busy with {self._run.step}.")
            step = read_step(goal.request, None)
            if isinstance(step, Outcome):
                return step
            run = StepRun(goal, step, *make_wakeable(self._node.executor))
            self._run = run
        try:
            self._begin(run)
        except ValueError as error:
            self.end(run, Outcome(OutcomeCode.INVALID_ACTION, str(error)))
        if self._cancel is not None and bytes(goal.goal_id.uuid) in self._cancelled:
            self._cancel(run)
        return run

    def _on_cancel(self, goal: ServerGoalHandle) -> CancelResponse:
        self._cancelled.add(bytes(goal.goal_id.uuid))
        run = self._run
        if self._cancel is not None and run is not None and run.goal.goal_id == goal.goal_id:
            self._cancel(run)
        return CancelResponse.ACCEPT
