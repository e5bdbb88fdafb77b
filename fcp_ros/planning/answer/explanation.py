# SPDX-License-Identifier: Apache-2.0
"""Explain a plan: degrees, preferences kept and given up, constraints that nothing can keep.

A candidate is a binding of the goal's variables, with its membership.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.foundation.stopping import Check
from fcp_ros.fuzzy import EPSILON, TNorm, reaches
from fcp_ros.planning.answer.messages import explain_unreachable, format_distinct
from fcp_ros.planning.answer.solution import Solution, SolverResult
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.goal.alternatives import Alternative, Binding, KnownDegree, evaluate_degree
from fcp_ros.planning.goal.formula import Both, Crisp, Formula, Settled, find_demand
from fcp_ros.planning.goal.ground_goal import GroundConstraint, GroundGoal, GroundPreference
from fcp_ros.planning.heuristics.evaluate import Estimator, HeuristicCode
from fcp_ros.planning.judging.prospects import UnavoidableLoss
from fcp_ros.planning.judging.regression import FactLossBounds
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.model.result import (
    Candidate,
    Conflict,
    Explanation,
    GivenUp,
    KeepingPrice,
    KeptPreference,
    Measure,
    PriceKind,
    Share,
)
from fcp_ros.planning.task.task import Conditions, Task
from fcp_ros.planning.verification.stepping import holds

GOAL = "the goal"


def explain_result(result: SolverResult, judge: Judge, tnorm: TNorm, alpha: float) -> Explanation:
    encoding = result.encoding
    if encoding is None:
        return Explanation()
    shares: tuple[Share, ...] = ()
    binding = ""
    if result.best is not None:
        shares = _share_losses(_list_degrees(result.best, judge, tnorm), tnorm)
        binding = _describe_binding(result.best.membership, shares, tnorm, alpha)
    return Explanation(
        shares,
        binding,
        _list_considered(encoding),
        len(encoding.task.instance.all_elements()),
        len(encoding.task.operators),
        judge.asked,
        len({judge.key(atom) for atoms in encoding.graded for atom in atoms}),
    )


def explain_kept(plan: Plan, instance: Instance, judge: Judge, tnorm: TNorm) -> Explanation:
    """Explain a plan that needed no search: an earlier one that still holds, or a policy's."""
    degrees = [(str(step), step.degree) for step in plan.steps]
    shares = _share_losses([*degrees, (GOAL, plan.goal_degree)], tnorm)
    considered: dict[str, str] = {}
    for step in plan.steps:
        for element in step.elements:
            considered.setdefault(element, f"{step}, a step of the plan.")
    return Explanation(
        shares,
        _describe_binding(plan.membership, shares, tnorm, plan.alpha),
        considered,
        len(instance.all_elements()),
        asked=judge.asked,
        askable=judge.asked,
    )


def _list_degrees(best: Solution, judge: Judge, tnorm: TNorm) -> list[tuple[str, float]]:
    degrees = [
        (str(step), tnorm.compose_all(judge.degree(*atom) for atom in atoms))
        for step, atoms in zip(best.decoded.steps, best.graded, strict=True)
    ]
    parts = (part.upper(judge.find_degree) for part in best.decoded.goal_parts)
    return [*degrees, (GOAL, tnorm.compose_all(parts))]


def _share_losses(degrees: Sequence[tuple[str, float]], tnorm: TNorm) -> tuple[Share, ...]:
    losses = [tnorm.loss(degree) for _, degree in degrees]
    whole = sum(losses) or 1.0
    shares = [
        Share(what, degree, loss / whole)
        for (what, degree), loss in zip(degrees, losses, strict=True)
        if degree < 1.0
    ]
    return tuple(sorted(shares, key=lambda share: -share.share))


def _describe_binding(
    membership: float, shares: Sequence[Share], tnorm: TNorm, alpha: float
) -> str:
    """Describe the distance to alpha, and the degree that the dearest part may have to reach it."""
    if not shares:
        return f"Nothing binds at alpha {alpha:.3g}: every step is crisp."
    worst = shares[0]
    rest = tnorm.compose_all(share.degree for share in shares[1:])
    needed = tnorm.least_requirement(alpha, rest)
    if reaches(membership, alpha):
        return (
            f"Alpha {alpha:.3g} is passed with {membership - alpha:.3g} to spare; the costliest "
            f"part is {worst.what} ({worst.degree:.2f}), which may fall to {max(0.0, needed):.2f}."
        )
    if needed > 1.0:
        return (
            f"Alpha {alpha:.3g} is missed by {alpha - membership:.3g}, even without the loss of "
            f"{worst.what} ({worst.degree:.2f})."
        )
    return (
        f"Alpha {alpha:.3g} is missed by {alpha - membership:.3g}: {worst.what} has "
        f"{worst.degree:.2f} and would need {needed:.2f}."
    )


def _list_considered(encoding: Encoding) -> dict[str, str]:
    """List each element of an operator with its first operator and the purpose of that."""
    task = encoding.task
    purposes = task.purposes or [None] * len(task.operators)
    found: dict[str, str] = {}
    for operator, demand in zip(task.operators, purposes, strict=True):
        for element in operator.arguments:
            if element not in found:
                purpose = f", which may matter for {demand}" if demand is not None else ""
                found[element] = f"{operator}{purpose}."
    return found


def list_candidates(
    result: SolverResult, judge: Judge, tnorm: TNorm, check: Check
) -> tuple[Candidate, ...]:
    """List one candidate for each binding, best first: the best of its alternatives."""
    if result.encoding is None or result.task is None or result.conditions is None:
        return ()
    view = _AlternativesView(
        result, result.encoding, result.task, result.conditions, judge, tnorm, check
    )
    groups: dict[Binding, list[int]] = {}
    for number, alternative in enumerate(result.encoding.alternatives):
        groups.setdefault(alternative.binding, []).append(number)
    found = [view.make_candidate(group) for group in groups.values()]
    return tuple(sorted(found, key=lambda c: (not c.chosen, -c.membership, c.binding)))


class _AlternativesView:
    """The alternatives of an encoded goal, with bounds of their memberships."""

    def __init__(
        self,
        result: SolverResult,
        encoding: Encoding,
        task: Task,
        conditions: Conditions,
        judge: Judge,
        tnorm: TNorm,
        check: Check,
    ) -> None:
        self._result = result
        self._encoding = encoding
        self._alternatives = encoding.alternatives
        self._task = task
        self._conditions = conditions
        self._judge = judge
        self._tnorm = tnorm
        self._check = check

    @cached_property
    def _bounds(self) -> list[float]:
        bound = _limit_in_full_task if self._result.complete else _limit_in_narrow_task
        return bound(self._encoding, self._judge, self._tnorm, self._check)

    def make_candidate(self, group: list[int]) -> Candidate:
        self._check()
        best = self._result.best
        binding = self._alternatives[group[0]].binding
        chosen = best is not None and best.alternative.binding == binding
        if chosen and best is not None:
            alternative, membership = best.alternative, best.membership
        else:
            number = max(group, key=lambda n: (self._bounds[n], -n))
            alternative, membership = self._alternatives[number], self._bounds[number]
        hopeless = not chosen and (membership < 0.0 or self._result.impossible)
        judged = [atom for atom in alternative.graded if self._judge.find_degree(atom) is not None]
        return Candidate(
            binding=binding,
            membership=0.0 if hopeless else membership,
            goal_degree=alternative.upper(self._judge.find_degree),
            reachable=not hopeless,
            chosen=chosen,
            judgements=tuple(map(self._judge.judge_atom, judged)),
            reason=self._explain(alternative, membership, chosen, hopeless),
            exact=chosen or hopeless,
        )

    def _explain(self, alternative: Alternative, bound: float, chosen: bool, hopeless: bool) -> str:
        best = self._result.best
        if chosen and best is not None:
            return f"The best plan found rests on it: membership {best.membership:.2f}."
        if hopeless and self._encoding.divided:
            return "No plan for the goal rests on it."
        if hopeless:
            return explain_unreachable([alternative], self._task, self._conditions).sentence
        if best is None:
            return f"At most {bound:.2f}; not settled when the search ended."
        unknown = any(self._judge.find_degree(atom) is None for atom in alternative.graded)
        asked = " Its degree was not asked for: it could not change the choice." if unknown else ""
        if abs(bound - best.membership) <= EPSILON:
            return f"At most {bound:.2f}: as good as the choice, but no better.{asked}"
        if bound < best.membership:
            mine, theirs = format_distinct(bound, best.membership)
            return f"At most {mine}, which is less than {theirs}."
        if self._result.optimal:
            return f"No plan with it is better than {best.membership:.2f}."
        return f"At most {bound:.2f}; not settled when the search ended."


def _limit_in_full_task(
    encoding: Encoding, judge: Judge, tnorm: TNorm, check: Check
) -> list[float]:
    """Limit the membership of the plans of each alternative from above; -1 if there is none."""
    check()
    found = [-1.0] * len(encoding.alternatives)
    flat = encoding.with_losses(judge.find_degree, tnorm)
    estimator = Estimator(flat, HeuristicCode.MAX, flat.loss, tnorm.composition)
    losses = estimator.compute_operator_bounds(flat.initial)
    for operator, action in enumerate(encoding.actions):
        if action.finishes and math.isfinite(losses[operator]):
            bound = tnorm.degree_of(float(losses[operator]))
            found[action.alternative] = max(found[action.alternative], bound)
    return found


def _limit_in_narrow_task(
    encoding: Encoding, judge: Judge, tnorm: TNorm, check: Check
) -> list[float]:
    """Limit the same if a wider task might have better plans."""
    task = encoding.task
    unavoidable = UnavoidableLoss(
        FactLossBounds(task.domain, task.instance, judge.find_degree, tnorm, check)
    )
    whole = any(chunk.graded for chunk in task.domain.chunks.values())
    found = []
    for alternative in encoding.alternatives:
        degree = alternative.upper(judge.find_degree)
        facts = (*(task.facts[fact] for fact in alternative.positive), *alternative.missing)
        least = unavoidable.estimate(Both((Settled(degree), *map(Crisp, facts))))
        if math.isinf(least.total):
            found.append(-1.0)
        else:
            found.append(degree if whole else tnorm.degree_of(least.total))
    return found


_MEASURES = {
    Optimise.MEMBERSHIP: Measure.STEPS,
    Optimise.COST: Measure.COST,
    Optimise.DURATION: Measure.DURATION,
}


def list_kept(
    solution: Solution, goal: GroundGoal, known: KnownDegree
) -> tuple[KeptPreference, ...]:
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
