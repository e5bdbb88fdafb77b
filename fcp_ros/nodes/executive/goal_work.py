# SPDX-License-Identifier: Apache-2.0
"""What the executive does for a goal of ``execute_plan`` or ``achieve_goal``, in its thread."""

from __future__ import annotations

from dataclasses import dataclass

from fcp_ros.action import AchieveGoal, ExecutePlan
from fcp_ros.domain.model import Domain
from fcp_ros.execution.dispatch_model import DispatchResult, DispatchStatus
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.execution.policy import Decision, FollowUp, ReplanPolicy
from fcp_ros.msg import ExecutionState
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.msg import PlanResult as PlanResultMessage
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.plan import step_from_ros
from fcp_ros.nodes.executive.error_codes import GoalError, PlanError
from fcp_ros.nodes.executive.events import Ticket
from fcp_ros.nodes.executive.plan_runner import PlanRunner
from fcp_ros.nodes.executive.reports import GoalReport
from fcp_ros.nodes.executive.waiting_room import Planned, WaitingRoom, WaitSettings
from fcp_ros.nodes.runtime.goal_end import GoalEnd
from fcp_ros.nodes.scene_access.follower import NoSceneError
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.model.status import PlanStatus

PLAN_CODES = {
    DispatchStatus.SUCCEEDED: PlanError.NONE,
    DispatchStatus.STEP_FAILED: PlanError.STEP_FAILED,
    DispatchStatus.STEP_TIMED_OUT: PlanError.STEP_TIMED_OUT,
    DispatchStatus.NO_EXECUTOR: PlanError.NO_EXECUTOR,
    DispatchStatus.CANCELLED: PlanError.CANCELLED,
}
"""How a dispatched plan ended -> error code of execute_plan."""

STATES = {
    GoalEnd.SUCCEEDED: ExecutionState.SUCCEEDED,
    GoalEnd.CANCELLED: ExecutionState.CANCELLED,
    GoalEnd.ABORTED: ExecutionState.FAILED,
}
"""How a goal ended -> what the executive says it is doing."""


@dataclass(frozen=True)
class WorkTools:
    """What is needed for any goal: from the node, once it is configured."""

    domain: Domain
    runner: PlanRunner
    waiting: WaitingRoom
    settings: WaitSettings


@dataclass(frozen=True)
class Ended:
    """How a goal ended: for the client, with its error code and one sentence."""

    end: GoalEnd
    code: PlanError | GoalError
    message: str


class PlanWork:
    """Executes a plan that somebody else has made.

    Arguments:
        tools: of the node.
        ticket: the goal.
        report: its account.
    """

    def __init__(self, tools: WorkTools, ticket: Ticket, report: GoalReport) -> None:
        self._tools = tools
        self._ticket = ticket
        self._report = report
        self._done = 0

    def run(self) -> tuple[GoalEnd, ExecutePlan.Result]:
        """Work on the goal to its end."""
        return self.finish(self._execute())

    def finish(self, ended: Ended) -> tuple[GoalEnd, ExecutePlan.Result]:
        """State and result for an end."""
        self._report.state(STATES[ended.end], ended.message)
        result = ExecutePlan.Result(
            error_code=int(ended.code),
            error_msg="" if ended.code == PlanError.NONE else ended.message,
            steps_done=self._done,
            outcomes=self._report.outcomes,
        )
        return ended.end, result

    def _execute(self) -> Ended:
        plan = self._ticket.goal.request.plan
        if not plan.steps and not plan.goal:
            text = "The plan is empty and has no goal: send one that make_plan returned."
            return Ended(GoalEnd.ABORTED, PlanError.INVALID_PLAN, text)
        steps, problem = prepare(self._tools, self._ticket, plan)
        if self._ticket.cancelled.is_set():
            return self._cancelled("Cancelled before the first step.")
        if problem:
            return Ended(GoalEnd.ABORTED, PlanError.INVALID_PLAN, problem)
        self._report.executing(plan)
        result = self._tools.runner.run(self._ticket, plan, steps, self._report)
        self._done = result.steps_done
        if result.status is DispatchStatus.SUCCEEDED:
            return Ended(GoalEnd.SUCCEEDED, PlanError.NONE, result.message)
        if result.status is DispatchStatus.CANCELLED:
            return self._cancelled(result.message)
        return Ended(GoalEnd.ABORTED, PLAN_CODES[result.status], result.message)

    def _cancelled(self, message: str) -> Ended:
        if self._ticket.interrupted:
            text = f"{self._ticket.interrupted} {message}"
            return Ended(GoalEnd.ABORTED, PlanError.NODE_INACTIVE, text)
        return Ended(GoalEnd.CANCELLED, PlanError.CANCELLED, message)


class GoalWork:
    """Plans for a goal, executes, and plans anew as the policy says.

    Arguments:
        tools: of the node.
        ticket: the goal.
        report: its account.
        policy: when to plan anew.
    """

    def __init__(
        self, tools: WorkTools, ticket: Ticket, report: GoalReport, policy: ReplanPolicy
    ) -> None:
        self._tools = tools
        self._ticket = ticket
        self._report = report
        self._policy = policy
        self._plan_result = PlanResultMessage()

    def run(self) -> tuple[GoalEnd, AchieveGoal.Result]:
        """Work on the goal to its end; `policy.max_replans` bounds the rounds."""
        ended = self._round("Planning.")
        while isinstance(ended, Decision):
            self._report.replans += 1
            ended = self._round(f"Planning anew: {ended.reason}")
        return self.finish(ended)

    def finish(self, ended: Ended) -> tuple[GoalEnd, AchieveGoal.Result]:
        """State and result for an end."""
        self._report.state(STATES[ended.end], ended.message)
        result = AchieveGoal.Result(
            error_code=int(ended.code),
            error_msg="" if ended.code == GoalError.NONE else ended.message,
            replans=self._report.replans,
            plan_result=self._plan_result,
            outcomes=self._report.outcomes,
        )
        return ended.end, result

    def _round(self, why: str) -> Ended | Decision:
        """Plan and execute once; returns the end, or the decision to plan anew."""
        planned = self._make_plan(why)
        if self._ticket.cancelled.is_set():
            return self._cancelled("Cancelled while planning.")
        if planned is not None:
            return planned
        plan = self._plan_result.plan
        steps, problem = prepare(self._tools, self._ticket, plan)
        if self._ticket.cancelled.is_set():
            return self._cancelled("Cancelled before the first step.")
        if problem:
            return self._follow(self._policy.decide_without_start(problem, self._report.replans))
        self._report.executing(plan)
        result = self._tools.runner.run(self._ticket, plan, steps, self._report)
        return self._follow(self._policy.decide(result, self._report.replans), result)

    def _make_plan(self, why: str) -> Ended | None:
        """Ask for a plan; returns the end of the goal where there is none."""
        self._report.planning(why)
        planned: Planned = self._tools.waiting.plan(
            self._ticket,
            self._ticket.goal.request.request,
            self._tools.settings,
            self._report.planning_progress,
        )
        if planned.result is None:
            code = GoalError.TIMED_OUT if planned.timed_out else GoalError.PLANNING_FAILED
            self._plan_result = PlanResultMessage()
            self._plan_result.status.message = planned.problem
            return Ended(GoalEnd.ABORTED, code, planned.problem)
        self._plan_result = planned.result
        if not _is_solved(planned.result):
            return Ended(GoalEnd.ABORTED, GoalError.PLANNING_FAILED, planned.result.status.message)
        return None

    def _follow(self, decision: Decision, result: DispatchResult | None = None) -> Ended | Decision:
        if decision.follow_up is FollowUp.ACHIEVED:
            return Ended(GoalEnd.SUCCEEDED, GoalError.NONE, decision.reason)
        if decision.follow_up is FollowUp.CANCELLED:
            return self._cancelled(decision.reason)
        if decision.follow_up is FollowUp.EXHAUSTED:
            return Ended(GoalEnd.ABORTED, GoalError.REPLANS_EXHAUSTED, decision.reason)
        if decision.follow_up is FollowUp.FAILED and result is not None:
            return Ended(GoalEnd.ABORTED, _code_of_failure(result), decision.reason)
        if self._report.outcomes:
            self._tools.waiting.await_learning(
                self._ticket,
                self._report.outcomes[-1],
                self._tools.domain.graded,
                self._tools.settings,
            )
        if self._ticket.cancelled.is_set():
            return self._cancelled("Cancelled before planning anew.")
        return decision

    def _cancelled(self, message: str) -> Ended:
        if self._ticket.interrupted:
            text = f"{self._ticket.interrupted} {message}"
            return Ended(GoalEnd.ABORTED, GoalError.NODE_INACTIVE, text)
        return Ended(GoalEnd.CANCELLED, GoalError.CANCELLED, message)


def prepare(
    tools: WorkTools, ticket: Ticket, plan: PlanMessage
) -> tuple[tuple[PlanStep, ...], str]:
    """Read a plan and check that it can be done from the present state.

    Returns:
        Its steps, and a sentence why it can't be done ("" if it can).
    """
    try:
        steps = tuple(step_from_ros(step) for step in plan.steps)
    except ConversionError as error:
        return (), f"The plan can't be read: {error}."
    tools.waiting.await_scene(ticket, plan.scene_sequence_number, tools.settings)
    try:
        return steps, tools.runner.problem(steps)
    except NoSceneError as error:
        return steps, str(error)


def _is_solved(result: PlanResultMessage) -> bool:
    try:
        return PlanStatus(result.status.code).solved
    except ValueError:
        return False


def _code_of_failure(result: DispatchResult) -> GoalError:
    """Error code of achieve_goal for a plan whose failure no new plan helps with."""
    if result.status is DispatchStatus.STEP_TIMED_OUT:
        return GoalError.TIMED_OUT
    outcome = result.last_outcome
    if outcome is not None and outcome.code is OutcomeCode.CANCELLED:
        return GoalError.CANCELLED  # by somebody else, at the executor
    # Its executor is not there, refuses such a step, or disappeared while it acted.
    return GoalError.NO_EXECUTOR
