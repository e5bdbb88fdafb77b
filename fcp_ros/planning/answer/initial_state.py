# SPDX-License-Identifier: Apache-2.0
"""Hard constraints that the initial state breaks: there is no plan, and no search is needed."""

from __future__ import annotations

from collections.abc import Callable

from fcp_ros.cset import Fact
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.planning.goal.formula import Both, Complement, Crisp, Either, Formula, Settled
from fcp_ros.planning.goal.requirements import GroundConstraint, GroundGoal
from fcp_ros.planning.model.result import Conflict

Literal = tuple[Fact, bool]
"""A fact, and whether it holds."""


def find_broken_constraint(goal: GroundGoal, holds: Callable[[Fact], bool]) -> Conflict | None:
    """Find a hard constraint that the initial state breaks for good; None if it breaks none.

    Args:
        goal: the goal.
        holds: decides a fact initially.
    """
    for constraint in goal.constraints:
        wrong = _find_wrong(constraint, holds) if constraint.hard else None
        if wrong is not None:
            name = constraint.fact.relation
            reason = (
                f"{name} is broken before the first step: {_describe(wrong)}. "
                "Take it out of the goal, or write `prefer` before it."
            )
            return Conflict((name,), True, reason)
    return None


def _find_wrong(
    constraint: GroundConstraint, holds: Callable[[Fact], bool]
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
    truth, reasons = _evaluate(condition, holds)
    return None if truth is wanted else reasons


def _evaluate(formula: Formula, holds: Callable[[Fact], bool]) -> tuple[bool, tuple[Literal, ...]]:
    """Evaluate a formula over relations; return its truth, and literals that it follows from."""
    if isinstance(formula, Settled):
        return formula.degree >= 1.0, ()
    if isinstance(formula, Crisp):
        truth = holds(formula.fact)
        return truth, ((formula.fact, truth),)
    if isinstance(formula, Complement):
        truth, reasons = _evaluate(formula.body, holds)
        return not truth, reasons
    if isinstance(formula, (Both, Either)):
        decisive = isinstance(formula, Either)
        parts = [_evaluate(part, holds) for part in formula.parts]
        for truth, reasons in parts:
            if truth is decisive:
                return decisive, reasons
        return not decisive, tuple(literal for _, reasons in parts for literal in reasons)
    return _evaluate(formula.body, holds)  # type: ignore[union-attr]


def _describe(literals: tuple[Literal, ...]) -> str:
    clauses = [f"{fact} {'holds' if truth else 'does not hold'}" for fact, truth in literals]
    return " and ".join(clauses) + " initially"
