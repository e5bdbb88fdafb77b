# SPDX-License-Identifier: Apache-2.0
"""What the executive tells the world while a goal goes on: outcomes, its state, feedback."""

from __future__ import annotations

import time
from collections.abc import Collection
from copy import deepcopy
from typing import Any

from rclpy.node import Node
from rclpy.publisher import Publisher

from fcp_ros.action import AchieveGoal, ExecutePlan
from fcp_ros.execution.credit import find_credited_step
from fcp_ros.execution.monitoring import Look
from fcp_ros.execution.outcome import StepRecord
from fcp_ros.foundation.wording import list_names
from fcp_ros.msg import ActionOutcome, ExecutionState
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.msg import PlanStep as PlanStepMessage
from fcp_ros.nodes.conversions.common import duration_to_ros
from fcp_ros.nodes.conversions.outcome import outcome_to_ros, set_quality
from fcp_ros.nodes.executive.events import Ticket

LOOK_PERIOD = 1.0
"""Seconds between two reports that a changed world makes no difference to the plan."""


class GoalReport:
    """The account of one goal (`plan_runner.RunListener`).

    Arguments:
        node: whose clock stamps the messages.
        ticket: the goal.
        outcomes: publisher of ActionOutcome.
        states: publisher of ExecutionState.
        whole: names of the chunks that are judged as a whole.

    Attributes:
        outcomes: of all steps that were tried, in order.
        replans: how often the goal was planned anew.
    """

    def __init__(
        self,
        node: Node,
        ticket: Ticket,
        outcomes: Publisher,
        states: Publisher,
        whole: Collection[str] = (),
    ) -> None:
        self.outcomes: list[ActionOutcome] = []
        self.replans = 0
        self._node = node
        self._ticket = ticket
        self._outcome_publisher = outcomes
        self._state_publisher = states
        self._whole = whole
        self._plan = PlanMessage()
        self._index = 0
        self._progress = 0.0
        self._problem = ""
        self._looked = -LOOK_PERIOD

    # --- phases ---------------------------------------------------------------------------------

    def planning(self, message: str) -> None:
        """The planner is at work."""
        self._plan = PlanMessage()
        self._index = 0
        self.state(ExecutionState.PLANNING, message)
        self.planning_progress(message)

    def planning_progress(self, message: str) -> None:
        """What the planner says about its progress."""
        self._feed_back(AchieveGoal.Feedback.PLANNING, 0.0, message)

    def executing(self, plan: PlanMessage) -> None:
        """A plan is about to be executed."""
        self._plan = plan
        self._index = 0
        self._problem = ""
        self.state(ExecutionState.EXECUTING, f"Executing a plan of {len(plan.steps)} steps.")

    def state(self, state: int, message: str) -> None:
        """Publish what the executive is doing."""
        self._state_publisher.publish(
            state_message(
                self._node,
                state,
                message,
                plan_id=self._plan.id,
                step_index=self._index,
                step_count=len(self._plan.steps),
                replans=self.replans,
            )
        )

    # --- while a plan runs (RunListener) --------------------------------------------------------

    def step_sent(self, index: int) -> None:
        """A step was given to its executor."""
        self._index = index
        step = self._plan.steps[index]
        message = f"Step {index + 1} of {len(self._plan.steps)}: {step.rule}."
        self.state(ExecutionState.EXECUTING, message)
        self.progress(index, 0.0, message)

    def progress(self, index: int, progress: float, message: str) -> None:
        """The executor reports progress in [0, 1]."""
        self._index = index
        self._progress = progress
        self._feed_back(AchieveGoal.Feedback.EXECUTING, progress, message)

    def recorded(self, record: StepRecord) -> None:
        """A step has ended: publish its outcome."""
        message = ActionOutcome(
            plan_id=self._plan.id,
            step_index=record.index,
            step=self._credited(record),
            outcome=outcome_to_ros(record.outcome),
            duration=duration_to_ros(record.duration),
        )
        message.header.stamp = self._node.get_clock().now().to_msg()
        set_quality(message, record.outcome)
        self.outcomes.append(message)
        self._outcome_publisher.publish(message)

    def _credited(self, record: StepRecord) -> PlanStepMessage:
        """The step that has ended, with the judgements that its outcome speaks about."""
        step = self._plan.steps[record.index]
        labels = [one.chunk for one in self._plan.steps]
        credited = find_credited_step(labels, self._whole, record.index, record.outcome.succeeded)
        if credited == record.index:
            return step
        judgements = [] if credited is None else self._plan.steps[credited].judgements
        step = deepcopy(step)
        step.judgements = judgements
        return step

    def cancelling(self) -> None:
        """The goal is being cancelled."""
        self.state(ExecutionState.CANCELLING, "Cancelling.")

    def world_changed(self, look: Look) -> None:
        """Say what a change of the plan's elements means for the rest of it.

        A new finding is said at once and is a state; that nothing is wrong is feedback, now and
        then.
        """
        is_news = look.problem != self._problem
        now = time.monotonic()
        if not is_news and now - self._looked < LOOK_PERIOD:
            return
        self._looked, self._problem = now, look.problem
        finding = look.problem or "the rest of the plan still holds."
        message = f"Changed: {list_names(look.elements)}; {finding}"
        if is_news:
            self.state(ExecutionState.EXECUTING, message)
        self._feed_back(AchieveGoal.Feedback.EXECUTING, self._progress, message)

    def _feed_back(self, phase: int, progress: float, message: str) -> None:
        goal = self._ticket.goal
        if isinstance(goal.request, ExecutePlan.Goal):
            feedback: Any = ExecutePlan.Feedback(
                step_index=self._index,
                step=self._plan.steps[self._index],
                progress=progress,
                message=message,
            )
        else:
            feedback = AchieveGoal.Feedback(
                phase=phase,
                replans=self.replans,
                plan=self._plan,
                step_index=self._index,
                progress=progress,
                message=message,
            )
        goal.publish_feedback(feedback)


def state_message(node: Node, state: int, message: str, **fields: Any) -> ExecutionState:
    """An ExecutionState message, stamped now."""
    result = ExecutionState(state=state, message=message, **fields)
    result.header.stamp = node.get_clock().now().to_msg()
    return result
