# SPDX-License-Identifier: Apache-2.0
"""Hard constraints that the initial state breaks: there is no plan, and no search is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.planning.goal.formula import AtLeast, Both, Complement, Crisp, Either, Formula, Settled
from fcp_ros.planning.goal.requirements import GroundConstraint, GroundGoal
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
    truth, reasons = _evaluate(condition, is_true)
    return None if truth is wanted else reasons


def _evaluate(
    formula: Formula, is_true: Callable[[Fact], bool]
) -> tuple[bool, tuple[Literal, ...]]:
    """Evaluate a formula over relations; return its truth, and literals that it follows from."""
    if isinstance(formula, Settled):
        return formula.degree >= 1.0, ()
    if isinstance(formula, Crisp):
        truth = is_true(formula.fact)
        return truth, ((formula.fact, truth),)
    if isinstance(formula, Complement):
        truth, reasons = _evaluate(formula.body, is_true)
        return not truth, reasons
    if isinstance(formula, (Both, Either)):
        decisive = isinstance(formula, Either)
        parts = [_evaluate(part, is_true) for part in formula.parts]
        for truth, reasons in parts:
            if truth is decisive:
                return decisive, reasons
        return not decisive, tuple(literal for _, reasons in parts for literal in reasons)
    if isinstance(formula, AtLeast):
        return _evaluate(formula.write_out(), is_true)
    return _evaluate(formula.body, is_true)  # type: ignore[union-attr]


def _describe(literals: tuple[Literal, ...]) -> str:
    clauses = [f"{fact} {'holds' if truth else 'does not hold'}" for fact, truth in literals]
    return " and ".join(clauses) + " initially"
