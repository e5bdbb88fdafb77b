# SPDX-License-Identifier: Apache-2.0
"""Alternatives ranked by known degrees, and the judgements to ask for besides those of a plan.

If the goal leaves a choice, alternatives that could still be better than the best plan are asked
about, one question each: the first open one on its cheapest relaxed plan. Those with the least
bound must be asked about anyway, unless one of them turns out to be that good; of the others a few
are asked about in advance, to save rounds. One that falls behind the best plan is never asked about
again.

If the goal leaves no choice, the choices are within the plan: the *siblings* of a step, which
achieve the effects that the plan needs the step for, are judged together with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.evaluate import Estimator, HeuristicCode
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.search.settings import Criterion, FlatPlan, Objective

FIRST_BATCH = 8
"""Alternatives asked about with the first plan; each round doubles the number, so that at most half
of all questions were asked in vain."""
DOUBLINGS = 10
"""Rounds after which the number stays."""
IN_ADVANCE = 10
"""One question in IN_ADVANCE may be about an alternative that is not among the best ones yet ..."""
LEAST_IN_ADVANCE = 4
"""... and at least this many in each batch."""

UnknownAtoms = Callable[[int], Sequence[GradedAtom]]
"""The graded atoms of an operator that are not judged yet."""


def choose_batch_size(number: int) -> int:
    """Choose how many alternatives to ask about with the plan of a round (1 is the first)."""
    return FIRST_BATCH << min(number - 1, DOUBLINGS)


def limit_advance(asked: int) -> int:
    """Limit the alternatives not among the best ones yet that are asked about in one batch."""
    return max(LEAST_IN_ADVANCE, asked // IN_ADVANCE)


class AlternativeRanking:
    """The choices in a flat task, ranked by known degrees."""

    def __init__(self, task: FlatTask, finishes: Sequence[int], composition: Composition) -> None:
        self.finishes = tuple(finishes)
        self._task = task
        self._composition = composition
        self._bound: Floats | None = None

    def learn(self, task: FlatTask) -> None:
        """Rank again, by the losses that are known now."""
        self._task = task
        self._bound = None

    @property
    def bound(self) -> Floats:
        """A lower bound of the loss of plans up to each operator, float64[m]."""
        if self._bound is None:
            self._losses.reweigh(self._task.loss)
            self._bound = self._losses.compute_operator_bounds(self._task.initial)
        return self._bound

    def list_contenders(self, best: float) -> list[int]:
        """List the finishes whose plans may have less loss than `best`, most promising first."""
        bound, distance = self.bound, self._distance
        open_ = [o for o in self.finishes if bound[o] < best - EPSILON]
        return sorted(open_, key=lambda o: (bound[o], distance[o], o))

    def list_questions(
        self, plan: Sequence[int], best: float, unknown: UnknownAtoms, number: int, asked: int
    ) -> Iterator[GradedAtom]:
        """List the questions worth asking about the rivals of a plan.

        Args:
            best: loss of the best judged plan; rivals that cannot be better are left out.
        """
        choice = len(self.finishes) > 1
        rivals = self.list_contenders(best) if choice else self._find_siblings(plan, best, unknown)
        equals = choose_batch_size(number)
        others = limit_advance(asked)
        level = self.bound[rivals[0]] + EPSILON if rivals else 0.0
        for operator in rivals:
            atoms = self._find_first_open(operator, unknown) if choice else unknown(operator)
            if not atoms:
                continue
            if self.bound[operator] <= level:
                equals -= 1
            else:
                others -= 1
            if min(equals, others) < 0:
                return
            yield from atoms

    # --- computed when first needed

    @cached_property
    def _losses(self) -> Estimator:
        return Estimator(self._task, HeuristicCode.MAX, self._task.loss, self._composition)

    @cached_property
    def _distance(self) -> Floats:
        """A lower bound of the cost of plans up to each operator, float64[m]."""
        estimator = Estimator(self._task, HeuristicCode.MAX, self._task.cost)
        return estimator.compute_operator_bounds(self._task.initial)

    @cached_property
    def _needs(self) -> _OperatorPairs:
        return _OperatorPairs(self._task.pre_start, self._task.pre_var, self._task.pre_val)

    @cached_property
    def _effects(self) -> _OperatorPairs:
        return _OperatorPairs(self._task.eff_start, self._task.eff_var, self._task.eff_val)

    @cached_property
    def _achievers(self) -> dict[tuple[int, int], list[int]]:
        """(variable, value) -> operators with such an effect."""
        found: dict[tuple[int, int], list[int]] = {}
        for operator in range(len(self._task.loss)):
            for effect in self._effects.of(operator):
                found.setdefault(effect, []).append(operator)
        return found

    # --- which questions

    def _find_first_open(self, finish: int, unknown: UnknownAtoms) -> Sequence[GradedAtom]:
        """Find the last step with open questions in the cheapest relaxed plan of a finish."""
        queue, seen = [finish], {finish}
        for operator in queue:
            atoms = unknown(operator)
            if atoms:
                return atoms
            for variable, value in self._needs.of(operator):
                if self._task.initial[variable] != value:
                    cheapest = self._find_cheapest(variable, value)
                    if cheapest >= 0 and cheapest not in seen:
                        seen.add(cheapest)
                        queue.append(cheapest)
        return ()

    def _find_cheapest(self, variable: int, value: int) -> int:
        reaching = self._achievers.get((variable, value), ())
        return min(reaching, key=lambda o: (self.bound[o], self._distance[o], o), default=-1)

    def _find_siblings(self, plan: Sequence[int], best: float, unknown: UnknownAtoms) -> list[int]:
        needed: set[tuple[int, int]] = set()
        found: dict[int, None] = {}
        for operator in reversed(plan):
            reached = [effect for effect in self._effects.of(operator) if effect in needed]
            if unknown(operator):
                found.update((o, None) for effect in reached for o in self._achievers[effect])
            needed.difference_update(reached)
            needed.update(self._needs.of(operator))
        own = set(plan)
        open_ = [o for o in found if o not in own and self.bound[o] < best - EPSILON]
        return sorted(open_, key=lambda o: (self.bound[o], self._distance[o], o))


class _OperatorPairs:
    """The pairs (variable, value) of each operator."""

    def __init__(self, start: Ints, variable: Ints, value: Ints) -> None:
        self._start = start
        self._pairs = list(zip(variable.tolist(), value.tolist(), strict=True))

    def of(self, operator: int) -> list[tuple[int, int]]:
        return self._pairs[self._start[operator] : self._start[operator + 1]]


# --- the best plan of all alternatives of a goal, looked for in the most promising ones first
#
# With many alternatives, a search over all of them proves little: its bound mixes the best step of
# each. But for a single alternative a cheap bound is often exact. So the alternatives with the
# least bound are searched first, and the others only if their bounds are below the loss that was
# found: mostly they are not.


OUT = 10.0
"""Loss of finishing an alternative that is not searched; more than any plan worth looking for."""
FAR = 1e5
"""Its cost, so that no heuristic leads there."""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """The result of one search, by optimistic losses."""

    plan: FlatPlan | None
    bound: float  # lower bound of the first criterion of all plans
    proven: bool  # True if the plan is the best one (or, without a plan, if there is none)
    interrupted: Interrupted | None = None


Search = Callable[[FlatTask, Objective, FlatPlan | None], RoundResult]
"""Searches a task by an objective; only plans better than the known one are looked for."""


def search_alternatives(
    task: FlatTask,
    ranking: AlternativeRanking,
    objective: Objective,
    known: FlatPlan | None,
    search: Search,
) -> RoundResult:
    """Search for the best plan of a task by the losses that it has."""
    if objective.order[0] is not Criterion.LOSS or len(ranking.finishes) == 1:
        return search(task, objective, known)
    bound = ranking.bound
    contenders = ranking.list_contenders(math.inf if known is None else known.loss)
    contenders = [o for o in contenders if bound[o] <= objective.loss_budget + EPSILON]
    if not contenders:
        return RoundResult(known, math.inf if known is None else known.loss, True)
    first = [o for o in contenders if bound[o] <= bound[contenders[0]] + EPSILON]
    others = contenders[len(first) :]
    if known is None and not others:
        return search(task, objective, None)
    within = replace(objective, loss_budget=min(objective.loss_budget, OUT / 2.0))
    result = search(_leave_only(task, ranking, first), within, known)
    if not _is_settled(result):
        rest = float(bound[others[0]]) if others else math.inf
        return replace(result, bound=min(result.bound, rest))
    limit = math.inf if result.plan is None else result.plan.loss
    others = [o for o in others if bound[o] < limit - EPSILON]
    if others:
        result = search(_leave_only(task, ranking, others), within, result.plan)
        if not _is_settled(result):
            return result
    best = result.plan
    if best is None and within != objective:  # only plans with more loss than that are left
        return search(task, objective, None)
    return RoundResult(best, math.inf if best is None else best.loss, True)


def _is_settled(result: RoundResult) -> bool:
    return result.proven and result.interrupted is None


def _leave_only(task: FlatTask, ranking: AlternativeRanking, chosen: Collection[int]) -> FlatTask:
    """Make all alternatives but some not worth finishing."""
    others = list(set(ranking.finishes).difference(chosen))
    loss, cost = task.loss.copy(), task.cost.copy()
    loss[others] = OUT
    cost[others] = FAR
    return task._replace(loss=loss, cost=cost)
