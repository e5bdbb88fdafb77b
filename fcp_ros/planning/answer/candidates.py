# SPDX-License-Identifier: Apache-2.0
"""The candidates of a result: each binding of the goal's variables, with its membership."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.answer.messages import explain_unreachable, format_distinct
from fcp_ros.planning.answer.solution import SolverResult
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.goal.alternatives import Alternative, Binding
from fcp_ros.planning.goal.formula import Both, Crisp, Settled
from fcp_ros.planning.heuristics.estimator import Estimator
from fcp_ros.planning.heuristics.evaluate import HeuristicCode
from fcp_ros.planning.judging.regression import FactLossBounds
from fcp_ros.planning.judging.unavoidable import UnavoidableLoss
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.result import Candidate
from fcp_ros.planning.task.conditions import Conditions
from fcp_ros.planning.task.task import Task


def list_candidates(
    result: SolverResult, judge: Judge, tnorm: TNorm, check: Callable[[], None]
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
        check: Callable[[], None],
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
    encoding: Encoding, judge: Judge, tnorm: TNorm, check: Callable[[], None]
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
    encoding: Encoding, judge: Judge, tnorm: TNorm, check: Callable[[], None]
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
