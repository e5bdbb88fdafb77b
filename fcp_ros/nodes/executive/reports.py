# SPDX-License-Identifier: Apache-2.0
"""Reports of the executive while it works on a goal: outcomes, its state, feedback."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from rclpy.publisher import Publisher
from unique_identifier_msgs.msg import UUID

from fcp_ros.action import AchieveGoal, ExecutePlan
from fcp_ros.execution.goal_conflicts import ConflictFinder, list_literals
from fcp_ros.execution.goal_queue import Ticket
from fcp_ros.execution.monitoring import DeadlineWatch, Look, describe_delay
from fcp_ros.execution.outcome import StepRecord, find_credited_step
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.foundation.wording import hide_controls, join_words, list_names
from fcp_ros.msg import ActionOutcome, ExecutionState, ExecutiveGoal, Question
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.msg import PlanStep as PlanStepMessage
from fcp_ros.nodes.conversions.common import duration_from_ros, duration_to_ros
from fcp_ros.nodes.conversions.plan import schedule_from_ros
from fcp_ros.nodes.conversions.step_outcome import outcome_to_ros, set_quality
from fcp_ros.nodes.executive.goal_context import GoalContext
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.executive.parameters import WhenLate

STATUSES = {
    ExecutionState.PLANNING: ExecutiveGoal.PLANNING,
    ExecutionState.EXECUTING: ExecutiveGoal.EXECUTING,
    ExecutionState.PAUSED: ExecutiveGoal.PAUSED,
    ExecutionState.CANCELLING: ExecutiveGoal.STOPPING,
}
"""``execution_state`` -> status in the list of goals; one that asks or waits keeps its status."""

PAUSING = "Pausing: the present step goes on to its end, and no other begins."
PAUSED = "Paused between two steps, until control_execution resumes."

PROGRESS_PERIOD = 1.0
"""Least time (s) between two states of which only the progress of steps differs."""

LOOK_PERIOD = 1.0
"""Seconds between two reports that a changed world makes no difference to the plan."""


OVER = frozenset(
    {
        ExecutionState.IDLE,
        ExecutionState.SUCCEEDED,
        ExecutionState.FAILED,
        ExecutionState.CANCELLED,
    }
)
"""States in which the executive does nothing for a goal any more."""


class StateBoard:
    """Publishes ``execution_state``: what has changed last, of whichever goal at work.

    The topic is latched: when a goal is over while others are at work, the state of one that still
    is follows, so that nobody who comes later takes the executive for idle.
    """

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._at_work: dict[bytes, ExecutionState] = {}  # by goal; what has changed last is last

    def publish(self, key: bytes, state: ExecutionState) -> None:
        self._at_work.pop(key, None)
        self._publisher.publish(state)
        if state.state not in OVER:
            self._at_work[key] = state
        elif self._at_work:
            other = list(self._at_work.values())[-1]
            other.header.stamp = state.header.stamp
            self._publisher.publish(other)


@dataclass(frozen=True)
class ReportChannels:
    """The ways of the reports."""

    # Sends an ActionOutcome to everybody, and to the grounder for sure
    deliver: Callable[[ActionOutcome], None]
    states: StateBoard
    plans: Publisher  # Publisher of the Plan that is about to be executed, latched
    # Tells of an executor, by name, if it has said that it simulates the robot
    is_simulated: Callable[[str], bool]
    threads: GoalThreads  # Knows of a pause, and how many goals wait


@dataclass
class _Acting:
    """A step that is being done, as its executor knows it: another plan may have taken over."""

    plan_id: UUID
    index: int
    progress: float = 0.0  # in [0, 1]


class GoalReport:
    """Reports on one goal; all methods belong to its thread."""

    def __init__(
        self,
        node: Node,  # The node whose clock stamps the messages
        context: GoalContext,
        channels: ReportChannels,
        whole: Collection[str] = (),  # Names of the chunks that are judged as a whole
        when_late: WhenLate = WhenLate.GO_ON,
    ) -> None:
        self.outcomes: list[ActionOutcome] = []  # Of all steps that were tried, in order
        self.replans = 0  # Number of replans so far
        self._node = node
        self._context = context
        self._channels = channels
        self._whole = whole
        self._when_late = when_late
        self._acting: dict[int, _Acting] = {}  # steps that are being done, by their positions
        self._shown = -PROGRESS_PERIOD  # when the state was published last
        self._state, self._message = ExecutionState.PLANNING, ""  # what was published last
        self._plan = PlanMessage()
        self._index = 0
        self._progress = 0.0
        self._problem = ""
        self._looked = -LOOK_PERIOD
        self._question = Question()
        self._late = ""
        self._deadline = math.inf  # of the first plan: a replan does not prolong it
        self._begun: float | None = None  # when that plan began

    # --- phases ---------------------------------------------------------------------------------

    def on_planning(self, message: str) -> None:
        """The planner begins to work; steps of the plan before may still be being done."""
        if not self._acting:
            self._plan = PlanMessage()
            self._index = 0
            self._context.show(plan=None)
        self.publish_state(ExecutionState.PLANNING, message)
        self.on_planning_progress(message)

    def on_meeting(self, message: str) -> None:
        """The goal waits for room beside the others."""
        self._plan = PlanMessage()
        self.publish_state(ExecutionState.PLANNING, message)
        self._context.show(status=ExecutiveGoal.WAITING, plan=None, note=message)
        tell_waiting(self._context, message)

    def on_room(self) -> None:
        """The goal has waited for room, and has it now."""
        self._context.show(note="")

    def on_awaited(self, goals: Sequence[str]) -> None:
        """Steps of the plan wait for steps of these goals; for none any more if there are none."""
        if not goals:
            self._context.show(note="")
            return
        words = join_words(list(map(repr, goals)))
        note = f"Some of its steps wait for those of the goal {words}."
        self._context.show(note=note)
        self.publish_state(ExecutionState.EXECUTING, note)

    def on_planning_progress(self, message: str) -> None:
        self._send_feedback(AchieveGoal.Feedback.PLANNING, 0.0, message)

    def on_plan(self, plan: PlanMessage) -> None:
        """A plan is about to be executed, whose first steps are those that are being done."""
        self._plan = plan
        self._index = 0
        self._problem = ""
        self._acting = dict(enumerate(one for _, one in sorted(self._acting.items())))
        self._context.show(plan=plan, done=frozenset())
        self._show_acting()
        if self._when_late is WhenLate.REPLAN:
            self._late = ""  # this plan may keep the deadline
        self._channels.plans.publish(plan)
        message = f"Executing a plan of {len(plan.steps)} steps."
        self.publish_state(ExecutionState.EXECUTING, message)
        if self._channels.threads.is_paused:
            self.on_goals_changed()

    def watch_deadline(self, plan: PlanMessage) -> DeadlineWatch:
        """Make the watch over the deadline of a plan that is about to be executed."""
        if self._begun is None:
            self._begun = time.monotonic()
            self._deadline = duration_from_ros(plan.deadline) or math.inf
        durations = [duration_from_ros(step.expected_duration) for step in plan.steps]
        order = RunOrder.of(len(durations), schedule_from_ros(plan))
        # What was said once is not said again.
        deadline = math.inf if self._late else self._deadline
        return DeadlineWatch(durations, deadline, self._begun, order)

    @property
    def is_given_up(self) -> bool:
        """True if the deadline can't be kept and the present plan is not to go on for that."""
        return bool(self._late) and self._when_late is not WhenLate.GO_ON

    def find_time_left(self) -> float:
        """Return the time that is left for another plan (s); zero if there is to be none."""
        if self._when_late is not WhenLate.REPLAN or self._begun is None:
            return 0.0
        return max(0.0, self._begun + self._deadline - time.monotonic())

    def describe_delay(self) -> str:
        """Say, at the end, that the deadline was missed: one sentence; "" if it was kept."""
        if self._begun is None:
            return ""
        return describe_delay(self._deadline, time.monotonic() - self._begun)

    def on_question(self, question: Question) -> None:
        """The goal waits for an answer to a question; kind NONE: it no longer does."""
        self._question = question
        if question.kind != Question.NONE:
            self.publish_state(ExecutionState.ASKING, question.text)
            self._send_feedback(AchieveGoal.Feedback.ASKING, 0.0, question.text)

    def on_rest(self, kept: str, message: str) -> None:
        """The goal is over for now, and stays in force."""
        self._plan = PlanMessage()
        self._context.show(
            plan=None,
            status=ExecutiveGoal.WAITING,
            since=self._node.get_clock().now().to_msg(),
            note=message,
            literals=list_literals(kept),
        )
        self.publish_state(ExecutionState.IDLE, f"Keeps {kept!r}. {message}")
        tell_waiting(self._context, message)

    def publish_state(self, state: int, message: str) -> None:
        self._state, self._message = state, message
        self._shown = time.monotonic()
        status = STATUSES.get(state, self._context.view.status)
        if status != self._context.view.status:
            self._context.show(status=status, since=self._node.get_clock().now().to_msg())
        self._channels.states.publish(
            self._context.key,
            make_state(
                self._node,
                state,
                message,
                plan_id=self._plan.id,
                step_index=self._index,
                running=sorted(self._acting),
                progress=[one.progress for _, one in sorted(self._acting.items())],
                step_count=len(self._plan.steps),
                replans=self.replans,
                question=self._question,
                late=self._late,
                paused=self._channels.threads.is_paused,
                waiting=self._channels.threads.count_waiting,
            ),
        )

    # --- while a plan runs ----------------------------------------------------------------------

    def on_step_sent(self, index: int) -> None:
        """A step was given to its executor."""
        self._index = index
        self._acting[index] = _Acting(self._plan.id, index)
        self._show_acting()
        message = self._describe_acting()
        self.publish_state(ExecutionState.EXECUTING, message)
        self.on_progress(index, 0.0, message)

    def _describe_acting(self) -> str:
        acting = sorted(self._acting)
        steps = self._plan.steps
        number = join_words([str(index + 1) for index in acting])
        what = join_words([steps[index].rule for index in acting])
        return f"Step{'s' if len(acting) > 1 else ''} {number} of {len(steps)}: {what}."

    def _show_acting(self) -> None:
        total, shown = len(self._plan.steps), []
        for index in sorted(self._acting):
            step = self._plan.steps[index]
            arguments = ", ".join(one.value for one in step.arguments)
            who = f"{', '.join(step.agents)}: " if step.agents else ""
            shown.append(f"{who}step {index + 1} of {total}, {step.rule}({arguments})")
        self._context.show(acting=f"{'; '.join(shown)}." if shown else "")

    def on_progress(self, index: int, progress: float, message: str) -> None:
        """The executor reports progress in [0, 1]."""
        self._index = index
        self._progress = progress
        if index in self._acting:
            self._acting[index].progress = progress
        self._send_feedback(AchieveGoal.Feedback.EXECUTING, progress, message)
        if time.monotonic() - self._shown >= PROGRESS_PERIOD:
            self.publish_state(self._state, self._message)

    def on_outcome(self, record: StepRecord) -> None:
        """A step has ended."""
        sent = self._acting.pop(record.index, _Acting(self._plan.id, record.index))
        message = ActionOutcome(
            plan_id=sent.plan_id,
            step_index=sent.index,
            step=self._credit_step(record),
            outcome=outcome_to_ros(record.outcome),
            duration=duration_to_ros(record.duration),
            simulated=self._channels.is_simulated(record.step.executor),
            scene_lost=record.scene_lost,
        )
        message.header.stamp = self._node.get_clock().now().to_msg()
        set_quality(message, record.outcome)
        self.outcomes.append(message)
        self._show_acting()
        if record.outcome.succeeded:
            self._context.show(done=self._context.view.done | {record.index})
        if self._state == ExecutionState.PLANNING:  # while another plan is made
            self.publish_state(self._state, self._message)
        elif self._acting and self._state == ExecutionState.EXECUTING:
            self._index = min(self._acting)
            self.publish_state(ExecutionState.EXECUTING, self._describe_acting())
        self._channels.deliver(message)
        if self._channels.threads.is_paused:
            self.on_goals_changed()

    def _credit_step(self, record: StepRecord) -> PlanStepMessage:
        """Return the step that has ended, with the judgements that its outcome is evidence for."""
        step = self._plan.steps[record.index]
        labels = [one.chunk for one in self._plan.steps]
        credited = find_credited_step(labels, self._whole, record.index, record.outcome.succeeded)
        if credited == record.index:
            return step
        judgements = [] if credited is None else self._plan.steps[credited].judgements
        step = deepcopy(step)
        step.judgements = judgements
        return step

    def on_cancelling(self) -> None:
        self.publish_state(ExecutionState.CANCELLING, "Cancelling.")

    def on_scene_lost(self, problem: str) -> None:
        """The scene graph is stale, and nothing is sent until it is kept again."""
        message = f"{problem} Nothing is sent until it is kept again."
        self.publish_state(ExecutionState.SCENE_LOST, message)
        self._send_feedback(AchieveGoal.Feedback.SCENE_LOST, self._progress, message)

    def on_scene_found(self) -> None:
        message = "The scene graph is kept up to date again; execution goes on."
        self.publish_state(ExecutionState.EXECUTING, message)
        self._send_feedback(AchieveGoal.Feedback.EXECUTING, self._progress, message)

    def on_late(self, problem: str) -> bool:
        """The deadline of the plan can't be kept any more; return True to end the plan for that."""
        self._late = problem
        self.publish_state(ExecutionState.EXECUTING, problem)
        self._send_feedback(AchieveGoal.Feedback.EXECUTING, self._progress, problem)
        return self.is_given_up

    def on_goals_changed(self) -> None:
        """A pause has begun or ended, or another number of goals waits."""
        state, message = self._state, self._message
        was_paused = state == ExecutionState.PAUSED
        if was_paused or state == ExecutionState.EXECUTING:
            if not self._channels.threads.is_paused:
                state, message = ExecutionState.EXECUTING, "Resumed." if was_paused else message
            elif self._acting:
                state, message = ExecutionState.EXECUTING, PAUSING
            else:
                state, message = ExecutionState.PAUSED, PAUSED
        self.publish_state(state, message)
        if state == ExecutionState.PAUSED and not was_paused:
            self._send_feedback(AchieveGoal.Feedback.PAUSED, 0.0, message)

    def on_scene_changed(self, look: Look) -> None:
        """Elements of the rest of the plan have changed, and the rest was checked again."""
        # A new finding is reported at once and as a state; that nothing is wrong is feedback, at
        # most once in `LOOK_PERIOD`.
        is_news = look.problem != self._problem
        now = time.monotonic()
        if not is_news and now - self._looked < LOOK_PERIOD:
            return
        self._looked, self._problem = now, look.problem
        finding = look.problem or "the rest of the plan still holds."
        message = f"Changed: {list_names(look.elements)}; {finding}"
        if is_news:
            self.publish_state(ExecutionState.EXECUTING, message)
        self._send_feedback(AchieveGoal.Feedback.EXECUTING, self._progress, message)

    def _send_feedback(self, phase: int, progress: float, message: str) -> None:
        goal = self._context.goal
        if isinstance(goal.request, ExecutePlan.Goal):
            feedback: Any = ExecutePlan.Feedback(
                plan_id=self._plan.id,
                step_index=self._index,
                progress=progress,
                late=self._late,
                message=message,
            )
        else:
            feedback = AchieveGoal.Feedback(
                phase=phase,
                replans=self.replans,
                plan_id=self._plan.id,
                step_index=self._index,
                progress=progress,
                question=self._question,
                late=self._late,
                message=message,
            )
        goal.publish_feedback(feedback)


def make_state(node: Node, state: int, message: str, **fields: Any) -> ExecutionState:
    result = ExecutionState(state=state, message=message, **fields)
    result.header.stamp = node.get_clock().now().to_msg()
    return result


# --- the goals, as others see them ---


def describe_goal(context: GoalContext, ticket: Ticket) -> ExecutiveGoal:
    request, view = context.goal.request, context.view
    steps = () if view.plan is None else view.plan.steps
    return ExecutiveGoal(
        id=context.goal.goal_id,
        action="execute_task_plan" if isinstance(request, ExecutePlan.Goal) else "achieve_goal",
        text=find_words(request),
        agents=sorted({agent for step in steps for agent in step.agents}),
        status=ExecutiveGoal.STOPPING if context.is_cancelled else view.status,
        priority=ticket.priority,
        since=view.since,
        note=f"{view.note} {view.acting}".strip(),
    )


def find_words(request: Any) -> str:
    """Return the goal of a request as its sender put it: an instruction's words, or a formula."""
    if isinstance(request, ExecutePlan.Goal):
        return str(request.plan.goal)
    return str(request.request.instruction or request.request.goal)


def note_contradiction(
    context: GoalContext, others: Iterable[GoalContext], conflicts: ConflictFinder
) -> str:
    """Note that a goal contradicts another one that is there: one sentence; "" if it does not."""
    context.show(literals=list_literals(find_words(context.goal.request)))
    note = find_contradiction(context, others, conflicts)
    if note:
        context.show(note=note)
    return note


def find_contradiction(
    context: GoalContext, others: Iterable[GoalContext], conflicts: ConflictFinder
) -> str:
    """Say that a goal contradicts another one: one sentence; "" if it does not."""
    for other in others:
        found = conflicts.find(context.view.literals, other.view.literals)
        if found is not None and other is not context:
            return found.describe(hide_controls(find_words(other.goal.request)))
    return ""


def tell_waiting(context: GoalContext, message: str) -> None:
    if isinstance(context.goal.request, ExecutePlan.Goal):
        feedback: Any = ExecutePlan.Feedback(message=message)
    else:
        feedback = AchieveGoal.Feedback(phase=AchieveGoal.Feedback.WAITING, message=message)
    context.goal.publish_feedback(feedback)
