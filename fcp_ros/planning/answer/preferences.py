# SPDX-License-Identifier: Apache-2.0
"""Preferences kept and given up by a solution, and hard constraints that nothing can keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.fuzzy import EPSILON, reaches
from fcp_ros.planning.answer.solution import Solution, SolverResult
from fcp_ros.planning.goal.alternatives import KnownDegree, evaluate_degree
from fcp_ros.planning.goal.formula import Crisp, Formula, Settled, find_demand
from fcp_ros.planning.goal.ground_goal import GroundConstraint, GroundGoal, GroundPreference
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.model.result import (
    Conflict,
    GivenUp,
    KeepingPrice,
    KeptPreference,
    Measure,
    PriceKind,
)
from fcp_ros.planning.verification.stepping import holds

_MEASURES = {
    Optimise.MEMBERSHIP: Measure.STEPS,
    Optimise.COST: Measure.COST,
    Optimise.DURATION: Measure.DURATION,
}


def list_kept(
    solution: Solution, goal: GroundGoal, known: KnownDegree
) -> tuple[KeptPreference, ...]:
    """List the preferences of its goal that a solution fulfils."""
    found = []
    for move in sorted(solution.decoded.moves, key=lambda move: move.kept):
        if 0 <= move.kept < len(goal.preferences):  # those behind are of no user's
            one = goal.preferences[move.kept]
            degree = evaluate_degree(move.body, known, 1.0)
            found.append(KeptPreference(one.name, one.text, one.weight, float(one.cost), degree))
    return tuple(found)


def list_given_up(solution: Solution, goal: GroundGoal) -> dict[int, GivenUp]:
    """Map the numbers of the preferences that a solution gives up to what is said of them."""
    given_up = (number for move in solution.decoded.moves for number in move.given_up)
    numbers = (number for number in given_up if number < len(goal.preferences))
    return {number: _describe(goal.preferences[number], goal) for number in sorted(numbers)}


def divide_preferences(
    goal: GroundGoal, degrees: Sequence[float]
) -> tuple[tuple[KeptPreference, ...], tuple[GivenUp, ...]]:
    """Divide the preferences of a goal into those that are fulfilled to some degree, and others."""
    pairs = list(zip(goal.preferences, degrees, strict=True))
    kept = (
        KeptPreference(one.name, one.text, one.weight, float(one.cost), degree)
        for one, degree in pairs
        if degree > 0.0
    )
    return tuple(kept), tuple(_describe(one, goal) for one, degree in pairs if degree <= 0.0)


def _describe(preference: GroundPreference, goal: GroundGoal) -> GivenUp:
    if preference.is_part:
        return GivenUp("", preference.text, 1.0 / goal.parts, 0.0, is_part=True)
    cost = float(preference.cost)
    return GivenUp(preference.name, preference.text, preference.weight, cost)


def rank_by_price(goal: GroundGoal, numbers: list[int], optimise: Optimise) -> list[int]:
    """Sort the numbers of preferences by what giving them up costs, the dearest first."""

    def price(number: int) -> tuple[float, float]:
        one = goal.preferences[number]
        pair = (one.weight, float(one.cost))
        return pair[::-1] if optimise is Optimise.COST else pair

    return sorted(numbers, key=price, reverse=True)


def compare(
    best: Solution, keeping: SolverResult, alpha: float, optimise: Optimise, unit: float
) -> KeepingPrice:
    """Compare a solution with the best one that keeps a preference."""
    if keeping.impossible:
        reason = "no plan keeps it together with the rest of the goal."
        return KeepingPrice(PriceKind.IMPOSSIBLE, reason=reason)
    other = keeping.best
    if other is None:
        return KeepingPrice(PriceKind.UNKNOWN, reason=_explain_unknown(keeping))
    membership, more = best.membership - other.membership, other.cost - best.cost
    if optimise is Optimise.MEMBERSHIP:
        more = float(len(other.decoded.steps) - len(best.decoded.steps))
    elif optimise is Optimise.COST:
        more *= unit
    kind, reason = PriceKind.KNOWN if keeping.optimal else PriceKind.AT_MOST, ""
    if not reaches(other.membership, alpha):
        if not (keeping.optimal or not reaches(keeping.bound, alpha)):
            return KeepingPrice(PriceKind.UNKNOWN, reason=_explain_unknown(keeping))
        kind, more = PriceKind.BELOW_ALPHA, 0.0
        reason = f"no plan that keeps it reaches alpha {alpha:g}."
    elif (membership if optimise is Optimise.MEMBERSHIP else more) < -EPSILON:
        kind = PriceKind.AT_MOST
        reason = "a plan that keeps it is better, as the one handed out is not the best one."
    return KeepingPrice(kind, membership, more, _MEASURES[optimise], reason)


def _explain_unknown(keeping: SolverResult) -> str:
    if keeping.interrupted is not None:
        return "no plan that keeps it was found in the time for explanations."
    return "no plan that keeps it was found, and it was not proven that there is none."


# --- hard constraints that the initial state breaks: there is no plan, and no search is needed


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
            return BrokenConstraint(constraint.fact.relation, _describe_literals(wrong))
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


def _describe_literals(literals: tuple[Literal, ...]) -> str:
    clauses = [f"{fact} {'holds' if truth else 'does not hold'}" for fact, truth in literals]
    return " and ".join(clauses) + " initially"
