# SPDX-License-Identifier: Apache-2.0
"""The claims of a result: in which measures its plan is proven to be the best, and its status.

Where every membership is 1, the best membership says nothing: any plan has it. There the second
criterion of the objective, the number of steps, has to be proven as well before a plan is called
optimal.
"""

from __future__ import annotations

from fcp_ros.domain.expressions.syntax import Atom, Expression, Weighted, children
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.model.result import Measure, PlanStatus

_OF_OBJECTIVE = {
    Optimise.MEMBERSHIP: Measure.MEMBERSHIP,
    Optimise.COST: Measure.COST,
    Optimise.DURATION: Measure.DURATION,
}


def is_crisp(domain: Domain, goal: Expression) -> bool:
    """Return True if every plan for a goal has membership 1: neither rules nor goal are graded."""
    if any(rule.graded for rule in domain.rules.values()):
        return False
    if any(chunk.graded for chunk in domain.chunks.values()):
        return False
    return not _is_graded(goal, domain)


def _is_graded(expression: Expression, domain: Domain) -> bool:
    if isinstance(expression, Weighted):
        return True
    if isinstance(expression, Atom):
        return expression.predicate in domain.graded
    return any(_is_graded(part, domain) for part in children(expression))


def list_optimal(
    optimal: bool, shortest: bool, membership: float, optimise: Optimise, most_parts: bool = False
) -> tuple[Measure, ...]:
    """List the measures in which a plan is proven to be the best."""
    proven = {Measure.MEMBERSHIP: membership >= 1.0 - EPSILON}
    proven[_OF_OBJECTIVE[optimise]] = optimal
    proven[Measure.STEPS] = shortest
    proven[Measure.PARTS] = most_parts
    return tuple(measure for measure in Measure if proven.get(measure, False))


def choose_status(
    optimal_in: tuple[Measure, ...], optimise: Optimise, is_crisp: bool, in_parts: bool = False
) -> PlanStatus:
    """Choose the status of a verified plan."""
    wanted = {_OF_OBJECTIVE[optimise]}
    if in_parts:
        wanted.add(Measure.PARTS)
    if is_crisp and optimise is Optimise.MEMBERSHIP:
        wanted.add(Measure.STEPS)
    if wanted.issubset(optimal_in):
        return PlanStatus.SOLVED_OPTIMALLY
    return PlanStatus.SOLVED_SATISFICING
