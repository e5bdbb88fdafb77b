# SPDX-License-Identifier: Apache-2.0
"""Hard constraints that the initial state breaks: there is no plan, and no search is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.planning.goal.formula import Crisp, Formula, Settled, find_demand
from fcp_ros.planning.goal.ground_goal import GroundConstraint, GroundGoal
from fcp_ros.planning.model.result import Conflict
from fcp_ros.planning.stepping.rules import holds

Literal = tuple[Fact, bool]
"""A fact, and whether it holds."""


@dataclass(frozen=True, slots=True)
class BrokenConstraint:
    """A constraint that is broken before the first step."""

    text: str
    because: str

    def to_conflict(self) -> Conflict:
        """Make the conflict of a goal that demands it."""
        reason = (
            f"{self.text} is broken before the first step: {self.because}. "
            "Take it out of the goal, or write `prefer` before it."
        )
        return Conflict((self.text,), True, reason)


def find_broken_constraint(goal: GroundGoal, instance: Instance) -> BrokenConstraint | None:
    """Find a hard constraint that the initial state breaks for good; None if it breaks none."""
    for constraint in goal.constraints:
        if not constraint.hard:
            continue
        wrong = _find_wrong(constraint, lambda fact: holds(fact, instance))
        if wrong is not None:
            return BrokenConstraint(constraint.fact.relation, _describe(wrong))
    return None


def _find_wrong(
    constraint: GroundConstraint, is_true: Callable[[Fact], bool]
) -> tuple[Literal, ...] | None:
    """Return literals that break a constraint initially, whatever comes later."""
    hold = (TrajectoryOperator.HOLD_AFTER, TrajectoryOperator.HOLD_DURING)
    begins = constraint.operator in hold and constraint.times[0] == 0
    if begins or constraint.operator is TrajectoryOperator.ALWAYS:
        condition, wanted = constraint.parts[0], True
    elif constraint.operator is TrajectoryOperator.BEFORE:
        condition, wanted = constraint.parts[1], False
    else:
        return None
    return _explain(condition, not wanted, is_true)


def _explain(
    formula: Formula, wanted: bool, is_true: Callable[[Fact], bool]
) -> tuple[Literal, ...] | None:
    """Return literals by which a formula over relations holds, or does not; None if that is wrong.

    Args:
        wanted: True if it is to hold.
    """
    if isinstance(formula, Settled):
        return () if (formula.degree >= 1.0) is wanted else None
    if isinstance(formula, Crisp):
        return ((formula.fact, wanted),) if is_true(formula.fact) is wanted else None
    number, parts, wanted = find_demand(formula, wanted)
    reasons = [found for part in parts if (found := _explain(part, wanted, is_true)) is not None]
    return tuple(chain.from_iterable(reasons[:number])) if len(reasons) >= number else None


def _describe(literals: tuple[Literal, ...]) -> str:
    clauses = [f"{fact} {'holds' if truth else 'does not hold'}" for fact, truth in literals]
    return " and ".join(clauses) + " initially"
