# SPDX-License-Identifier: Apache-2.0
"""What came of each way to bind the goal's variables: the candidates of a result."""

from __future__ import annotations

import math

from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.explain import distinct, why_unreachable
from fcp_ros.planning.goal.alternatives import Alternative, Binding
from fcp_ros.planning.goal.formula import Both, Crisp, Settled
from fcp_ros.planning.heuristics.estimator import Estimator
from fcp_ros.planning.heuristics.evaluate import HeuristicCode
from fcp_ros.planning.judging.regression import Regression
from fcp_ros.planning.judging.unavoidable import UnavoidableLoss
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.result import Candidate
from fcp_ros.planning.solution import Solved
from fcp_ros.planning.task.conditions import Conditions
from fcp_ros.planning.task.task import Task


def candidates_of(solved: Solved, judge: Judge, tnorm: TNorm) -> tuple[Candidate, ...]:
    """One candidate for each binding, best first: the best of its alternatives.

    Arguments:
        solved: how the search ended.
        judge: what is known of degrees; nobody is asked.
        tnorm: how degrees compose.
    """
    if solved.encoding is None or solved.task is None or solved.conditions is None:
        return ()
    view = _View(solved, solved.encoding, solved.task, solved.conditions, judge, tnorm)
    groups: dict[Binding, list[int]] = {}
    for number, alternative in enumerate(solved.encoding.alternatives):
        groups.setdefault(alternative.binding, []).append(number)
    found = [view.candidate(group) for group in groups.values()]
    return tuple(sorted(found, key=lambda c: (not c.chosen, -c.membership, c.binding)))


class _View:
    """What is known about the alternatives of an encoded goal."""

    def __init__(
        self,
        solved: Solved,
        encoding: Encoding,
        task: Task,
        conditions: Conditions,
        judge: Judge,
        tnorm: TNorm,
    ) -> None:
        self._solved = solved
        self._alternatives = encoding.alternatives
        self._task = task
        self._conditions = conditions
        self._judge = judge
        bounds = _bounds if solved.complete else _bounds_in_a_narrow_task
        self._bounds = bounds(encoding, judge, tnorm)

    def candidate(self, group: list[int]) -> Candidate:
        """The candidate of the alternatives with one binding."""
        best = self._solved.best
        binding = self._alternatives[group[0]].binding
        chosen = best is not None and best.alternative.binding == binding
        number = max(group, key=lambda n: (self._bounds[n], -n))
        alternative, membership = self._alternatives[number], self._bounds[number]
        if chosen and best is not None:
            alternative, membership = best.alternative, best.membership
        hopeless = not chosen and (membership < 0.0 or self._solved.impossible)
        judged = [atom for atom in alternative.graded if self._judge.known(atom) is not None]
        return Candidate(
            binding=binding,
            membership=0.0 if hopeless else membership,
            goal_degree=alternative.upper(self._judge.known),
            reachable=not hopeless,
            chosen=chosen,
            judgements=tuple(map(self._judge.judged, judged)),
            reason=self._reason(alternative, membership, chosen, hopeless),
            exact=chosen or hopeless,
        )

    def _reason(self, alternative: Alternative, bound: float, chosen: bool, hopeless: bool) -> str:
        best = self._solved.best
        if chosen and best is not None:
            return f"The best plan found rests on it: membership {best.membership:.2f}."
        if hopeless:
            return why_unreachable([alternative], self._task, self._conditions)
        if best is None:
            return f"At most {bound:.2f}; not settled when the search ended."
        unknown = any(self._judge.known(atom) is None for atom in alternative.graded)
        asked = " Its degree was not asked for: it could not change the choice." if unknown else ""
        if abs(bound - best.membership) <= EPSILON:
            return f"At most {bound:.2f}: as good as the choice, but no better.{asked}"
        if bound < best.membership:
            mine, theirs = distinct(bound, best.membership)
            return f"At most {mine}, which is less than {theirs}."
        if self._solved.optimal:
            return f"No plan with it is better than {best.membership:.2f}."
        return f"At most {bound:.2f}; not settled when the search ended."


def _bounds(encoding: Encoding, judge: Judge, tnorm: TNorm) -> list[float]:
    """For each alternative an upper bound of the membership of its plans; -1 without hope."""
    found = [-1.0] * len(encoding.alternatives)
    flat = encoding.with_losses(judge.known, tnorm)
    estimator = Estimator(flat, HeuristicCode.MAX, flat.loss, tnorm.composition)
    losses = estimator.bound_operators(flat.initial)
    for operator, action in enumerate(encoding.actions):
        if action.finishes and math.isfinite(losses[operator]):
            bound = tnorm.degree_of(float(losses[operator]))
            found[action.alternative] = max(found[action.alternative], bound)
    return found


def _bounds_in_a_narrow_task(encoding: Encoding, judge: Judge, tnorm: TNorm) -> list[float]:
    """The same where a wider task might know better ways."""
    task = encoding.task
    unavoidable = UnavoidableLoss(Regression(task.domain, task.instance, judge.known, tnorm))
    whole = any(chunk.graded for chunk in task.domain.chunks.values())
    found = []
    for alternative in encoding.alternatives:
        degree = alternative.upper(judge.known)
        facts = (*(task.facts[fact] for fact in alternative.positive), *alternative.missing)
        least = unavoidable.of(Both((Settled(degree), *map(Crisp, facts))))
        if math.isinf(least.total):
            found.append(-1.0)
        else:
            found.append(degree if whole else tnorm.degree_of(least.total))
    return found
