# SPDX-License-Identifier: Apache-2.0
"""Goals that stay in force: what they keep, whether it holds, and how often it may be restored.

A goal that consists of `always` and `never` alone ("keep the fridge closed") asks for nothing to be
done, only for something to stay. The executive achieves what such a goal keeps, and does so again
whenever the world has undone it, until somebody stops the goal or it has to be done too often.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import (
    And,
    Expression,
    Forall,
    Initially,
    TrajectoryConstraint,
    conjoin,
    list_conjuncts,
    to_text,
    walk,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.fuzzy import Lukasiewicz


def find_kept(goal: str) -> str:
    """Return the condition that a goal wants kept; "" if it is a goal to be achieved once."""
    try:
        kept = _find_kept(parse_expression(goal)) if goal else None
    except InputError:
        return ""  # the planner says what is wrong with it
    return "" if kept is None else to_text(kept)


def _find_kept(goal: Expression) -> Expression | None:
    """Drop `always` from each part of a goal; None if one of them is something else."""
    if isinstance(goal, TrajectoryConstraint):
        return goal.parts[0] if goal.operator is TrajectoryOperator.ALWAYS else None
    if isinstance(goal, Forall):
        body = _find_kept(goal.body)
        return None if body is None else Forall(goal.variables, body)
    if isinstance(goal, And):
        parts = [kept for part in list_conjuncts(goal) if (kept := _find_kept(part)) is not None]
        return conjoin(parts) if len(parts) == len(tuple(list_conjuncts(goal))) else None
    return None


def find_unkeepable(goal: str, domain: Domain, present: Instance) -> str:
    """Say why a goal that wants something kept can't be watched; "" if it can."""
    expression = parse_expression(goal)
    if any(isinstance(part, Initially) for part in walk(expression)):
        return (
            f"{goal} can't be kept: what held `initially` is another thing after each plan. Name "
            "the things that are to stay as they are."
        )
    try:
        check_goal(expression, domain, present, goal)
    except InputError as error:
        return str(error)
    return ""


def is_kept(goal: str, domain: Domain, present: Instance) -> bool:
    # A constraint on a single state is its condition in that state.
    try:
        checked = check_goal(parse_expression(goal), domain, present)
    except InputError:
        return False  # a thing that it names is gone
    return evaluate(checked, present, lambda _name, _arguments: None, Lukasiewicz()) >= 1.0


@dataclass(frozen=True, slots=True)
class KeepSettings:
    """Bounds on the attempts to restore what a goal keeps."""

    keep_attempts: int = 8  # as many within the window; then the goal is given up
    keep_window: float = 600.0  # (s)
    keep_pause: float = 1.0  # from the first attempt to the second (s), then twice as long each


class Restorations:
    """The attempts to restore what a goal keeps, whatever came of them. Not thread-safe.

    After each one in the window the pause before the next one is twice as long. So whoever undoes
    it at once each time, and a plan that fails each time, cost little until the goal is given up.
    All times are of one clock (s).
    """

    def __init__(self, settings: KeepSettings) -> None:
        self._settings = settings
        self._ends: deque[float] = deque(maxlen=settings.keep_attempts)
        self.total = 0  # of all times

    def note_end(self, now: float) -> None:
        self._ends.append(now)
        self.total += 1

    def find_start(self, now: float) -> float:
        """Return the earliest time of the next attempt."""
        count = self.count(now)
        if not count:
            return now
        return self._ends[-1] + self._settings.keep_pause * 2.0 ** (count - 1)

    def find_excess(self, now: float) -> str:
        """Say that there were too many attempts: one sentence; "" if there may be another."""
        if self.count(now) < self._settings.keep_attempts:
            return ""
        settings = self._settings
        return (
            f"It had to be restored {settings.keep_attempts} times within "
            f"{settings.keep_window:g} s, which is the limit."
        )

    def count(self, now: float) -> int:
        return sum(now - end < self._settings.keep_window for end in self._ends)
