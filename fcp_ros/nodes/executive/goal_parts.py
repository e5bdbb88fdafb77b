# SPDX-License-Identifier: Apache-2.0
"""The common part of the courses of all goals: parts, ends, and how a plan begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fcp_ros.action import AchieveGoal, ExecutePlan
from fcp_ros.domain.model import Domain
from fcp_ros.execution.events import RoomChanged
from fcp_ros.execution.goal_conflicts import ConflictFinder
from fcp_ros.execution.goal_queue import WhenBusy
from fcp_ros.execution.kept_goals import KeepSettings
from fcp_ros.execution.plan_register import FindEncounter
from fcp_ros.msg import ExecutionState, PlanRequest, PlanStatus
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.plan import plan_from_ros
from fcp_ros.nodes.executive.fleet import Fleet
from fcp_ros.nodes.executive.goal_context import GoalContext
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.executive.outcome_delivery import OutcomeDelivery
from fcp_ros.nodes.executive.parameters import GoalError, PlanError, WaitSettings
from fcp_ros.nodes.executive.plan_runner import PlanRunner
from fcp_ros.nodes.executive.reports import GoalReport, StateBoard
from fcp_ros.nodes.executive.server_clients import PlannerClient
from fcp_ros.nodes.executive.standing_wish import GoalKeeping, OpenQuestions
from fcp_ros.nodes.executive.watches import NameWatch, SceneWatch
from fcp_ros.nodes.runtime.goal_jobs import GoalEnd
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefusal
from fcp_ros.nodes.scene_access.follower import NoSceneError
from fcp_ros.nodes.scene_access.reporter import SceneReporter
from fcp_ros.planning.model.plan import PlanStep

STATES = {
    GoalEnd.SUCCEEDED: ExecutionState.SUCCEEDED,
    GoalEnd.CANCELLED: ExecutionState.CANCELLED,
    GoalEnd.ABORTED: ExecutionState.FAILED,
}
"""End of a goal -> ``execution_state``."""

START_WAIT = 1.0
"""Seconds that a goal waits at its beginning for a lost scene graph: its node may be starting."""


@dataclass(frozen=True)
class ExecutiveParts:
    """The parts of the configured node that every goal needs."""

    domain: Domain
    threads: GoalThreads
    fleet: Fleet
    planner: PlannerClient
    delivery: OutcomeDelivery
    questions: OpenQuestions
    names: NameWatch
    scene_watch: SceneWatch
    reporter: SceneReporter
    board: StateBoard
    conflicts: ConflictFinder
    read_waits: Callable[[], WaitSettings]
    read_keeping: Callable[[], KeepSettings]

    def make_keeping(self, request: PlanRequest) -> GoalKeeping:
        find_present = self.fleet.find_present
        return GoalKeeping(request, self.domain, find_present, self.read_keeping())

    def make_runner(self, context: GoalContext) -> PlanRunner:
        return PlanRunner(
            self.fleet, self.threads, context, self.reporter, self.names, self.scene_watch
        )


@dataclass(frozen=True)
class Conclusion:
    """The end of a goal, with its error code and one sentence for the client."""

    end: GoalEnd
    code: int  # one of `PlanError` or `GoalError`
    message: str


def end_course(
    report: GoalReport,
    conclusion: Conclusion,
    result: Any,  # message of either action; what both have is filled in
) -> tuple[GoalEnd, Any]:
    """Publish the end of a goal; return it with the completed result."""
    report.publish_state(STATES[conclusion.end], conclusion.message)
    result.error_code = int(conclusion.code)
    result.error_msg = conclusion.message if conclusion.code else ""
    result.outcomes, result.late = report.outcomes, report.describe_delay()
    return conclusion.end, result


class Room:
    """Waits until a goal's plan has room beside those of other goals (`side_by_side`)."""

    def __init__(self, parts: ExecutiveParts, context: GoalContext, report: GoalReport) -> None:
        self._threads = parts.threads
        self._context = context
        self._report = report

    def wait(self, find: FindEncounter) -> str:
        """Wait until `find` finds no plan that is in the way, or the goal is cancelled.

        The wait ends, as each plan does: those that are in the way have begun before, or have
        waited longer. A goal that preempts has them stopped, one that is not to wait ends: then
        this returns why, one sentence; else "".
        """
        meeting = find()
        while meeting is not None and not self._context.is_cancelled:
            if self._threads.may_preempt(self._context, meeting.key):
                self._threads.preempt(self._context, meeting.key)
            elif self._threads.find_ticket(self._context).when_busy is WhenBusy.REJECT:
                return f"{meeting.reason} This one was not to wait."
            self._report.on_meeting(meeting.reason)
            self._await_change()
            meeting = find()
        self._report.on_room()
        return ""

    def _await_change(self) -> None:
        for event in self._threads.wait_events(self._context, None):
            if isinstance(event, RoomChanged) or self._context.is_cancelled:
                return


def prepare_plan(
    runner: PlanRunner, plan: PlanMessage, waits: WaitSettings
) -> tuple[tuple[PlanStep, ...], str]:
    """Read a plan and check that it is executable from the present state.

    Returns its steps, and a sentence why it is not executable ("" if it is).
    """
    try:
        steps = plan_from_ros(plan).steps
    except ConversionError as error:
        return (), f"The plan can't be read: {error}."
    runner.await_scene(plan.scene_sequence_number, waits.settle_time)
    try:
        problem = runner.world.take_up(steps, tuple((one.element, one.type) for one in plan.shifts))
        if problem:
            return steps, problem
        return steps, runner.find_problem(steps)
    except NoSceneError as error:
        return steps, str(error)


def conclude_cancelled(
    context: GoalContext,
    errors: Any,  # `PlanError` or `GoalError`
    message: str,
) -> Conclusion:
    """Return the end of a cancelled goal: aborted if it was the node itself that ended it."""
    if context.interruption is not None:
        text = f"{context.interruption.sentence} {message}"
        return Conclusion(GoalEnd.ABORTED, getattr(errors, context.interruption.code), text)
    return Conclusion(GoalEnd.CANCELLED, errors.CANCELLED, message)


# --- results of goals that are not worked on, for both actions ---

GoalResult = tuple[GoalEnd, Any]
"""The end of a goal, and its result message."""


def refuse(request: Any, refusal: RequestRefusal) -> GoalResult:
    code = refusal.kind.name
    is_plan = isinstance(request, ExecutePlan.Goal)
    if refusal.kind is RefusalKind.INVALID_REQUEST:
        code = "INVALID_PLAN" if is_plan else "PLANNING_FAILED"
    end, result = abort(request, code, refusal.sentence)
    if refusal.kind is RefusalKind.INVALID_REQUEST and not is_plan:
        result.plan_result.status.code = PlanStatus.INVALID_REQUEST
        result.plan_result.status.message = refusal.sentence
    return end, result


def abort(request: Any, code: str, sentence: str) -> GoalResult:
    """Return the end and the result of a goal, by the name of a code that both actions have."""
    errors = PlanError if isinstance(request, ExecutePlan.Goal) else GoalError
    return GoalEnd.ABORTED, make_result(request, getattr(errors, code), sentence)


def make_result(request: Any, code: int, sentence: str) -> Any:
    action = ExecutePlan if isinstance(request, ExecutePlan.Goal) else AchieveGoal
    return action.Result(error_code=int(code), error_msg=sentence)
