# SPDX-License-Identifier: Apache-2.0
"""The course of a goal of ``execute_task_plan``, in its thread."""

from __future__ import annotations

from functools import partial

from fcp_ros.action import ExecutePlan
from fcp_ros.execution.dispatch_model import DispatchStatus
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.nodes.executive.goal_context import GoalContext
from fcp_ros.nodes.executive.goal_parts import (
    START_WAIT,
    Conclusion,
    ExecutiveParts,
    Room,
    conclude_cancelled,
    end_course,
    prepare_plan,
)
from fcp_ros.nodes.executive.parameters import PlanError
from fcp_ros.nodes.executive.reports import GoalReport, find_words
from fcp_ros.nodes.runtime.goal_jobs import GoalEnd
from fcp_ros.nodes.scene_access.owner import ADVICE
from fcp_ros.planning.model.plan import PlanStep

PLAN_ERRORS = {
    DispatchStatus.SUCCEEDED: PlanError.NONE,
    DispatchStatus.STEP_FAILED: PlanError.STEP_FAILED,
    DispatchStatus.STEP_TIMED_OUT: PlanError.STEP_TIMED_OUT,
    DispatchStatus.NO_EXECUTOR: PlanError.NO_EXECUTOR,
    DispatchStatus.EXECUTOR_LOST: PlanError.EXECUTOR_LOST,
    DispatchStatus.CANCELLED: PlanError.CANCELLED,
    DispatchStatus.SCENE_LOST: PlanError.SCENE_LOST,
    DispatchStatus.NAME_CONFLICT: PlanError.NAME_CONFLICT,
    DispatchStatus.OUTDATED: PlanError.TOO_LATE,  # without replanning nothing else outdates a plan
}
"""Status of a dispatched plan -> error code of ``execute_task_plan``."""


class PlanExecution:
    """Executes a plan that was made elsewhere; does not replan."""

    def __init__(self, parts: ExecutiveParts, context: GoalContext, report: GoalReport) -> None:
        self._parts = parts
        self._context = context
        self._report = report
        self._runner = parts.make_runner(context)
        self._waits = parts.read_waits()
        self._done = 0

    def run(self) -> tuple[GoalEnd, ExecutePlan.Result]:
        return self.conclude(self._execute())

    def conclude(self, conclusion: Conclusion) -> tuple[GoalEnd, ExecutePlan.Result]:
        return end_course(self._report, conclusion, ExecutePlan.Result(steps_done=self._done))

    def _execute(self) -> Conclusion:
        plan = self._context.goal.request.plan
        if not plan.steps and not plan.goal:
            text = "The plan is empty and has no goal: send one that make_plan returned."
            return Conclusion(GoalEnd.ABORTED, PlanError.INVALID_PLAN, text)
        lost = self._parts.scene_watch.await_owner(
            self._context, START_WAIT, self._report.on_scene_lost
        )
        if lost and not self._context.is_cancelled:
            return Conclusion(GoalEnd.ABORTED, PlanError.SCENE_LOST, f"{lost} {ADVICE}")
        steps, problem = self._prepare(plan)
        if self._context.is_cancelled:
            return conclude_cancelled(self._context, PlanError, "Cancelled before the first step.")
        if problem:
            return problem
        self._report.on_plan(plan)
        deadline = self._report.watch_deadline(plan)
        words = find_words(self._context.goal.request)
        result = self._runner.run(plan, steps, words, self._report, deadline=deadline)
        self._done = result.steps_done
        if result.status is DispatchStatus.SUCCEEDED:
            return Conclusion(GoalEnd.SUCCEEDED, PlanError.NONE, result.message)
        if result.status is DispatchStatus.CANCELLED:
            return conclude_cancelled(self._context, PlanError, result.message)
        return Conclusion(GoalEnd.ABORTED, PLAN_ERRORS[result.status], result.message)

    def _prepare(self, plan: PlanMessage) -> tuple[tuple[PlanStep, ...], Conclusion | None]:
        # What keeps it from being executed may be the work of a plan that still runs.
        words = find_words(self._context.goal.request)
        room, runner = Room(self._parts, self._context, self._report), self._runner
        while True:
            steps, problem = prepare_plan(runner, plan, self._waits)

            find = partial(runner.find_meeting, plan, steps, words)
            if problem:
                find = partial(runner.wait_for_others, words)
            if self._context.is_cancelled or find() is None:
                is_invalid = Conclusion(GoalEnd.ABORTED, PlanError.INVALID_PLAN, problem)
                return steps, is_invalid if problem else None
            if refusal := room.wait(find):
                return steps, Conclusion(GoalEnd.ABORTED, PlanError.BUSY, refusal)
