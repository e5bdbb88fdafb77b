# SPDX-License-Identifier: Apache-2.0
"""The goals of an executive, whoever sent them: list them, stop them, pause them between steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from action_msgs.srv import CancelGoal
from unique_identifier_msgs.msg import UUID

from fcp_ros.action import AchieveGoal
from fcp_ros.msg import ExecutiveGoal
from fcp_ros.srv import ControlExecution, ListGoals, RemainingPlan

CANCEL_SERVICES = {
    name: f"{name}/_action/cancel_goal" for name in ("achieve_goal", "execute_task_plan")
}
"""Action of the executive -> the service, which every action has, that cancels a goal by its id."""

SERVICES: Mapping[str, Any] = {
    "list_goals": ListGoals,
    "remaining_plan": RemainingPlan,
    "control_execution": ControlExecution,
    **dict.fromkeys(CANCEL_SERVICES.values(), CancelGoal),
}
"""The services that a `GoalControl` asks."""

UNCHANGING = frozenset({"list_goals", "remaining_plan", *CANCEL_SERVICES.values()})
"""Those of them that may be asked twice."""


class GoalControl:
    """See the module's docstring. All methods wait for the answer, with a bound.

    `ask`: sends a request to a service by its name, and returns the response.
    """

    def __init__(self, ask: Callable[[str, Any], Any]) -> None:
        self._ask = ask

    def fetch(self) -> ListGoals.Response:
        """List the goals: the one at work, then those that wait, in the order of their turns."""
        return self._ask("list_goals", ListGoals.Request())

    def stop(self, goals: Iterable[ExecutiveGoal]) -> list[ExecutiveGoal]:
        """Ask the executive to cancel goals; return those that had not ended yet.

        A goal that waited is over at once, the one at work as soon as its step has stopped.
        """
        # Those that wait first: else one of them would begin when the one at work is stopped.
        listed = list(goals)
        stopped = []
        for goal in reversed(listed):
            request = CancelGoal.Request()
            request.goal_info.goal_id = UUID(uuid=goal.id.uuid)
            answer = self._ask(CANCEL_SERVICES[goal.action], request)
            if answer.goals_canceling:
                stopped.append(goal)
        return stopped[::-1]

    def pause(self) -> ControlExecution.Response:
        """Let no further step begin, of any goal; one that is being done goes on to its end."""
        return self._control(ControlExecution.Request.PAUSE)

    def resume(self) -> ControlExecution.Response:
        """Let steps begin again."""
        return self._control(ControlExecution.Request.RESUME)

    def step(self) -> ControlExecution.Response:
        """Let one more step begin, and pause then."""
        return self._control(ControlExecution.Request.STEP)

    def remaining_plan(self) -> RemainingPlan.Response:
        """Fetch the steps of the plan in execution that have not ended."""
        return self._ask("remaining_plan", RemainingPlan.Request())

    def _control(self, operation: int) -> ControlExecution.Response:
        return self._ask("control_execution", ControlExecution.Request(operation=operation))


def choose_policies(goal: Any, when_busy: str, priority: int, when_late: str) -> Any:
    """Fill in what an action's goal wants if it can't begin at once, or comes too late.

    `when_busy`: "queue", "preempt" or "reject", "" takes the executive's parameter; `when_late`:
    "go_on", "stop" or "replan", the same. Raises ValueError for other words.
    """
    goal.when_busy = _find_number(when_busy, ("queue", "preempt", "reject"), "when_busy")
    goal.when_late = _find_number(when_late, ("go_on", "stop", "replan"), "when_late")
    goal.priority = priority
    return goal


def _find_number(word: str, words: tuple[str, ...], name: str) -> int:
    if word not in ("", *words):
        raise ValueError(f"{name} is {word!r}: give one of {', '.join(words)}")
    return int(getattr(AchieveGoal.Goal, word.upper() or "DEFAULT"))
