# SPDX-License-Identifier: Apache-2.0
"""The course of a goal of ``achieve_goal``, in its thread."""

from __future__ import annotations

from copy import deepcopy
from enum import IntEnum
from functools import partial

from fcp_ros.action import AchieveGoal
from fcp_ros.cset import Instance
from fcp_ros.execution.dispatch_model import (
    Decision,
    DispatchResult,
    DispatchStatus,
    FollowUp,
    ReplanPolicy,
    describe_absent,
)
from fcp_ros.execution.goal_conflicts import Literals, list_literals
from fcp_ros.execution.goal_queue import WhenBusy
from fcp_ros.execution.monitoring import ArrivalWatch
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.execution.plan_register import Encounter, FindEncounter
from fcp_ros.msg import ExecutionState, Question
from fcp_ros.msg import PlanResult as PlanResultMessage
from fcp_ros.nodes.conversions.common import duration_from_ros
from fcp_ros.nodes.executive.goal_context import GoalContext, Rest
from fcp_ros.nodes.executive.goal_parts import (
    START_WAIT,
    Conclusion,
    ExecutiveParts,
    Room,
    conclude_cancelled,
    end_course,
    prepare_plan,
)
from fcp_ros.nodes.executive.parameters import GoalError
from fcp_ros.nodes.executive.reports import GoalReport, find_contradiction, find_words
from fcp_ros.nodes.executive.standing_wish import GoalKeeping
from fcp_ros.nodes.runtime.goal_jobs import GoalEnd
from fcp_ros.nodes.scene_access.owner import ADVICE
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.model.request import AbsentExecutor
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.srv import SettleName

CROWDED = frozenset(
    {
        PlanStatus.UNSOLVABLE_PROVEN.value,
        PlanStatus.UNSOLVABLE_AT_ALPHA.value,
        PlanStatus.UNSOLVABLE_INCOMPLETELY.value,
        PlanStatus.TIMEOUT.value,
        PlanStatus.MEMOUT.value,
    }
)
"""Status of a request without the agents that others need -> one with them may be solved."""

ERRORS = {
    DispatchStatus.STEP_TIMED_OUT: GoalError.TIMED_OUT,
    DispatchStatus.EXECUTOR_LOST: GoalError.EXECUTOR_LOST,
    DispatchStatus.SCENE_LOST: GoalError.SCENE_LOST,
    DispatchStatus.NAME_CONFLICT: GoalError.NAME_CONFLICT,
}
"""Status of a dispatched plan that no other plan follows -> error code."""

ASK_AGAIN = 0.5
"""Seconds after which the planner is asked again that has lost a scene graph which is there."""

MOST_REQUESTS = 5
"""Requests of that kind for one plan."""


class Aim(IntEnum):
    """The aim of the next plan; all but the first begin behind the plans of other goals."""

    PRESENT = 0  # it begins now, with the robots that are free
    ALL = 1  # it keeps what the others will have reached
    END = 2  # it may undo that


class GoalAchievement:
    """Plans for a goal, executes the plan, and replans as the policy decides: one turn of it."""

    def __init__(
        self,
        parts: ExecutiveParts,
        context: GoalContext,
        report: GoalReport,
        policy: ReplanPolicy,
        keeping: GoalKeeping,  # outlasts the turn
        most_kept: int,  # goals that may rest or wait at a time
    ) -> None:
        self._parts = parts
        self._context = context
        self._report = report
        self._policy = policy
        self._runner = parts.make_runner(context)
        self._waits = parts.read_waits()
        self._plans = parts.fleet.plans
        self._plan_result = PlanResultMessage()
        self._absent: frozenset[AbsentExecutor] = frozenset()  # when the last plan was asked for
        self._busy: frozenset[AbsentExecutor] = frozenset()  # with plans of other goals, then
        self._aim = Aim.PRESENT
        self._keeping, self._most_kept = keeping, most_kept
        self._wish = keeping.wish

    def run(self) -> tuple[GoalEnd, AchieveGoal.Result] | Rest:
        try:
            return self._take_turn()
        finally:
            self._runner.close()

    def _take_turn(self) -> tuple[GoalEnd, AchieveGoal.Result] | Rest:
        keeping, is_first = self._keeping, not self._keeping.is_in_force
        if not is_first:
            if keeping.is_met:  # again, before its turn came
                return self._rest()
            if excess := keeping.find_excess():
                return self.conclude(
                    Conclusion(GoalEnd.ABORTED, GoalError.REPLANS_EXHAUSTED, excess)
                )
        found = self._work()
        if not keeping.is_to_rest(found.code, found.message):
            return self.conclude(found)
        others = self._parts.threads.count_resting + self._parts.threads.count_waiting
        if is_first and others >= self._most_kept:
            text = f"It is met, but {others} goals wait or are kept already, which is the limit."
            return self.conclude(Conclusion(GoalEnd.ABORTED, GoalError.BUSY, text))
        return self._rest()

    def _work(self) -> Conclusion:
        found = self._plan_and_execute("Planning.")
        while isinstance(found, Decision) or self._runner.is_busy:
            if isinstance(found, Decision):
                self._report.replans += found.is_counted
                found = self._plan_and_execute(f"Replanning: {found.reason}")
            else:  # no plan takes the place of the one at hand, of which steps are being done
                found = self._do_rest()
        return found

    def _rest(self) -> Rest:
        self._report.on_rest(self._wish.kept, self._keeping.describe())
        return Rest(self._keeping.find_turn)

    def conclude(self, conclusion: Conclusion) -> tuple[GoalEnd, AchieveGoal.Result]:
        result = AchieveGoal.Result(replans=self._report.replans, plan_result=self._plan_result)
        return end_course(self._report, conclusion, result)

    def _plan_and_execute(self, reason: str) -> Conclusion | Decision:
        lost = self._await_scene()
        planned_from = self._parts.fleet.find_present()
        found = lost or self._find_plan(reason)
        if found is None:
            return self._do_rest()
        if isinstance(found, (Conclusion, Decision)):
            return found
        # Nothing is waited for from here to the first step: the plan has room now.
        joined = self._runner.join(self._plan_result.plan, found)
        if joined is None:
            return self._do_rest()
        plan, steps = joined
        self._plan_result.plan = plan
        self._report.on_plan(plan)
        arrivals = self._watch_arrivals(planned_from)
        deadline = self._report.watch_deadline(plan)
        words = find_words(self._context.goal.request)
        hands_on = self._report.replans < self._policy.max_replans
        result = self._runner.run(plan, steps, words, self._report, arrivals, deadline, hands_on)
        return self._follow_plan(result)

    def _do_rest(self) -> Conclusion | Decision:
        if not self._context.is_cancelled:
            text = "No other plan takes the place of this one: what can be done of it goes on."
            self._report.publish_state(ExecutionState.EXECUTING, text)
        return self._follow_plan(self._runner.finish())

    def _follow_plan(self, result: DispatchResult) -> Conclusion | Decision:
        """Decide what follows when a plan has ended, or can't go on while steps are being done."""
        if not self._runner.is_busy:
            self._settle_names()
        if result.status is DispatchStatus.OUTDATED and self._report.is_given_up:
            left = self._report.find_time_left()
            if left <= 0.0:
                return Conclusion(GoalEnd.ABORTED, GoalError.TOO_LATE, result.message)
            self._wish.hurry(left)
        if result.status is DispatchStatus.OUTDATED and self._runner.loss:
            # What becomes of others is no fault of this goal, which has waited for nothing else.
            lost = Decision(FollowUp.REPLAN, result.message, is_counted=False)
            return self._follow(lost, result)
        return self._follow(self._policy.decide(result, self._report.replans), result)

    def _find_plan(self, reason: str) -> tuple[PlanStep, ...] | Conclusion | Decision | None:
        """Make a plan that has room beside those of other goals; return its steps.

        None if it would have to wait, or takes things for others, while steps of the plan before
        are being done.
        """
        room, self._aim = Room(self._parts, self._context, self._report), Aim.PRESENT
        while True:
            running = self._plans.running
            failure = self._make_plan(reason)
            if self._context.is_cancelled:
                return self._conclude_cancelled("Cancelled while planning.")
            if failure is not None:
                return failure
            if self._runner.is_busy and (self._is_crowded or self._plan_result.plan.shifts):
                return None
            found = self._await_others() if self._is_crowded else self._fit_plan()
            if not callable(found):
                return found
            if self._runner.is_busy:
                return None
            self._aim = self._find_next_aim()
            if self._aim:
                reason = "Planning for the end of what is done for other goals."
                continue
            self._runner.look_ahead(joins=False)
            refusal = room.wait(partial(self._plans.find_in_way, running, found))
            if self._context.is_cancelled:
                return self._conclude_cancelled("Cancelled before the first step.")
            if refusal:
                return Conclusion(GoalEnd.ABORTED, GoalError.BUSY, refusal)
            reason = "Planning again: other goals have got on."

    def _fit_plan(self) -> tuple[PlanStep, ...] | Conclusion | Decision | FindEncounter:
        """Return the steps of the plan at hand, or what finds the plan that it has to wait for."""
        plan, words = self._plan_result.plan, find_words(self._context.goal.request)
        steps, problem = prepare_plan(self._runner, plan, self._waits)
        if self._context.is_cancelled:
            return self._conclude_cancelled("Cancelled before the first step.")
        if problem and not self._aim:
            return self._follow(self._policy.decide_without_start(problem, self._report.replans))
        if not problem and self._runner.find_meeting(plan, steps, words) is None:
            return steps
        if self._aim:
            return self._await_others()
        return partial(self._runner.find_meeting, plan, steps, words)

    def _find_next_aim(self) -> Aim:
        """Find what to plan for when there is no plan with room; PRESENT: wait until there is."""
        request = self._context.goal.request.request
        is_patient = self._parts.threads.find_ticket(self._context).when_busy is WhenBusy.QUEUE
        # How long the others still take is not known for certain.
        may_join = is_patient and not duration_from_ros(request.deadline)
        if not (may_join and self._plans.find_ahead(self._context.key).entries):
            return Aim.PRESENT
        if self._aim is Aim.PRESENT and self._find_reached():
            return Aim.ALL
        return Aim.PRESENT if self._aim is Aim.END else Aim.END

    def _find_reached(self) -> Literals:
        """Find what other goals will have reached, unless this one contradicts that."""
        reached = self._runner.find_reached()
        found = self._parts.conflicts.find(list_literals(self._wish.goal), reached)
        return reached if found is None else {}

    def _await_others(self) -> FindEncounter:
        """Wait until agents are free that were not when the plan was asked for."""
        busy, words = self._busy, find_words(self._context.goal.request)

        def find() -> Encounter | None:
            meeting = self._runner.wait_for_others(words)
            return meeting if self._parts.fleet.find_busy(self._context) >= busy else None

        return find

    def _await_scene(self) -> Conclusion | None:
        # A goal that has begun waits for long, since much may have been done already.
        wait = self._waits.scene_wait if self._report.outcomes else START_WAIT
        lost = self._parts.scene_watch.await_owner(self._context, wait, self._report.on_scene_lost)
        if self._context.is_cancelled:
            return self._conclude_cancelled("Cancelled before a plan was made.")
        if not lost:
            return None
        return Conclusion(GoalEnd.ABORTED, GoalError.SCENE_LOST, f"{lost} {ADVICE}")

    def _settle_names(self) -> None:
        """Ask if effects arrived under another name, and wait until a yes shows in the scene."""
        # Without an answer the proposals stay open, for the service ``settle_name``.
        for question, pair in self._parts.names.take_questions():
            choice = self._ask(question)
            if choice is None:
                return
            kept = choice == Question.YES
            answer = SettleName.Request.KEEP if kept else SettleName.Request.REFUSE
            self._parts.names.settle(pair.source, pair.target, answer, list(pair.places))
            if kept:
                self._runner.await_change(self._waits.settle_time)
                return

    def _watch_arrivals(self, planned_from: Instance | None) -> ArrivalWatch | None:
        """Watch for what a relaxed goal does without; None if that could lead to nothing."""
        relaxations = self._plan_result.relaxations
        may_replan = self._report.replans < self._policy.max_replans
        if planned_from is None or not relaxations or not may_replan:
            return None
        return ArrivalWatch([one.original for one in relaxations], planned_from)

    def _make_plan(self, reason: str) -> Conclusion | None:
        # A question is settled, or it ends the goal.
        kept = self._wish.kept
        found = self._request_plan(reason)
        if found is None and self._wish.read_again(self._plan_result):
            found = self._request_plan("Reading the instruction again.")
        if found is None and self._plan_result.question.kind == Question.READING:
            found = self._choose_reading() or self._request_plan("Planning.")
        elif found is None and self._wish.kept != kept:  # the words were planned for, to the letter
            found = self._request_plan("Planning for what is to be kept.")
        if found is not None or self._context.is_cancelled:
            return found
        if problem := self._keeping.find_unkeepable() or self._find_rival():
            self._plan_result = PlanResultMessage()
            self._plan_result.status.code = PlanStatus.INVALID_REQUEST.value
            self._plan_result.status.message = problem
            return Conclusion(GoalEnd.ABORTED, GoalError.PLANNING_FAILED, problem)
        if self._is_crowded:
            return None
        if self._plan_result.question.kind == Question.CONFIRMATION:
            return self._confirm()
        if not _is_solved(self._plan_result):
            text = self._plan_result.status.message
            lost = self._plan_result.status.code == PlanStatus.SCENE_LOST.value
            if self._wish.is_hurried and not lost:
                text = f"No plan was found for the time that is left: {text}"
                return Conclusion(GoalEnd.ABORTED, GoalError.TOO_LATE, text)
            code = GoalError.SCENE_LOST if lost else GoalError.PLANNING_FAILED
            if self._absent and not lost:
                code = GoalError.NO_EXECUTOR
                text = f"{text} {describe_absent(self._absent)}"
            return Conclusion(GoalEnd.ABORTED, code, text)
        return None

    @property
    def _is_crowded(self) -> bool:
        """True if there may be a plan, or a better one, with agents that others need now."""
        result = self._plan_result
        if self._aim:
            return not _is_solved(result)
        is_question = result.question.kind == Question.CONFIRMATION
        return bool(self._busy) and (is_question or result.status.code in CROWDED)

    def _find_rival(self) -> str:
        """Say that a goal that is kept already contradicts what this one keeps; "" if none does."""
        # Each would undo for ever what the other one has done.
        if not self._wish.kept or self._keeping.is_in_force:
            return ""
        self._context.show(literals=list_literals(self._wish.kept))
        kept = (one for one in self._parts.threads.list_goals()[0] if one.rest is not None)
        return find_contradiction(self._context, kept, self._parts.conflicts)

    def _request_plan(self, reason: str) -> Conclusion | None:
        """Ask the planner; return the end of the goal if it does not answer."""
        # A planner that has lost the scene graph is asked again, as it may hear of its return
        # later.
        for _ in range(MOST_REQUESTS):
            found = self._request_once(reason)
            if found is not None or self._context.is_cancelled:
                return found
            if self._plan_result.status.code != PlanStatus.SCENE_LOST.value:
                return None
            found = self._await_scene()
            if found is not None:
                return found
            for _event in self._parts.threads.wait_events(self._context, ASK_AGAIN):
                if self._context.is_cancelled:
                    return None
        return None

    def _request_once(self, reason: str) -> Conclusion | None:
        self._absent = self._parts.fleet.find_absent(self._context)
        self._busy = self._parts.fleet.find_busy(self._context)
        self._runner.look_ahead(joins=bool(self._aim))
        self._wish.keep_too(self._find_reached() if self._aim is Aim.ALL else {})
        self._wish.do_without(self._absent, self._busy, waits=bool(self._aim))
        self._wish.count_on(self._runner.list_underway())
        self._report.on_planning(f"{reason} {describe_absent(self._absent)}".rstrip())
        answer = self._parts.planner.request_plan(
            self._context, self._wish.request, self._waits, self._report.on_planning_progress
        )
        if answer.result is None:
            code = GoalError.TIMED_OUT if answer.timed_out else GoalError.PLANNING_FAILED
            self._plan_result = PlanResultMessage()
            self._plan_result.status.message = answer.problem
            return Conclusion(GoalEnd.ABORTED, code, answer.problem)
        self._plan_result = answer.result
        self._wish.note_reading(answer.result)
        return None

    def _choose_reading(self) -> Conclusion | None:
        result = self._plan_result
        choice = self._ask(result.question)
        if choice is None:
            return self._conclude_unanswered(result)
        if choice >= len(result.interpretation.readings):
            return _decline(result)
        self._wish.choose_reading(result, choice)
        return None

    def _confirm(self) -> Conclusion | None:
        # What was confirmed before is not asked again.
        result = self._plan_result
        if self._wish.is_confirmed(result):
            self._wish.confirm(result)
            return None
        choice = self._ask(result.question)
        if choice is None:
            return self._conclude_unanswered(result)
        if choice != Question.YES:
            return _decline(result)
        self._wish.confirm(result)
        return None

    def _ask(self, question: Question) -> int | None:
        """Ask a question if the goal allows it; return the number of the choice, or None."""
        if not self._context.goal.request.ask:
            return None
        timeout = self._waits.question_timeout
        return self._parts.questions.ask(self._context, deepcopy(question), timeout, self._report)

    def _conclude_unanswered(self, result: PlanResultMessage) -> Conclusion:
        if self._context.is_cancelled:
            return self._conclude_cancelled("Cancelled before the question was answered.")
        text = result.question.text or result.status.message
        if self._context.goal.request.ask:
            text += f" Nobody answered within {self._waits.question_timeout:g} s: that means no."
        return Conclusion(GoalEnd.ABORTED, GoalError.NEEDS_CLARIFICATION, text)

    def _follow(
        self, decision: Decision, result: DispatchResult | None = None
    ) -> Conclusion | Decision:
        """Act on the policy's decision; before replanning the grounder has to learn."""
        if decision.follow_up is FollowUp.ACHIEVED:
            return Conclusion(GoalEnd.SUCCEEDED, GoalError.NONE, decision.reason)
        if decision.follow_up is FollowUp.CANCELLED:
            return self._conclude_cancelled(decision.reason)
        if decision.follow_up is FollowUp.EXHAUSTED:
            return Conclusion(GoalEnd.ABORTED, GoalError.REPLANS_EXHAUSTED, decision.reason)
        if decision.follow_up is FollowUp.FAILED and result is not None:
            return Conclusion(GoalEnd.ABORTED, _find_error(result), decision.reason)
        if self._report.outcomes:
            self._parts.delivery.await_recording(
                self._context, self._report.outcomes[-1], self._waits.learn_wait
            )
        if self._context.is_cancelled:
            return self._conclude_cancelled("Cancelled before replanning.")
        return decision

    def _conclude_cancelled(self, message: str) -> Conclusion:
        return conclude_cancelled(self._context, GoalError, message)


def _decline(result: PlanResultMessage) -> Conclusion:
    text = f"{result.question.text} The answer was no."
    return Conclusion(GoalEnd.ABORTED, GoalError.DECLINED, text)


def _is_solved(result: PlanResultMessage) -> bool:
    try:
        return PlanStatus(result.status.code).solved
    except ValueError:
        return False


def _find_error(result: DispatchResult) -> int:
    """Find the error code for a plan whose failure no other plan would avoid."""
    outcome, code = result.failure, ERRORS.get(result.status)
    if code is None and outcome is not None and outcome.code is OutcomeCode.CANCELLED:
        code = GoalError.CANCELLED  # by somebody else, at the executor
    # Else its executor is not there, or refuses such a step.
    return int(code or GoalError.NO_EXECUTOR)
