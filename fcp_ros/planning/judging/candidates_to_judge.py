# SPDX-License-Identifier: Apache-2.0
"""Which judgements are worth asking for next, besides those of the plan at hand.

Where the goal leaves a choice, alternatives that could still be better than the best plan are asked
about, one question each: the first open one on its cheapest relaxed plan. Those with the highest
bound must be asked about anyway, unless one of them turns out to be that good; of the others a few
are asked about in advance, to save rounds. One that sinks below the best plan is never asked about
again.

Where it leaves none, the choices are within the plan: the *siblings* of a step, which reach what
the plan needs that step for, are judged together with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.estimator import Estimator
from fcp_ros.planning.heuristics.evaluate import HeuristicCode
from fcp_ros.planning.model.memberships import GradedAtom

FIRST_BATCH = 8
"""Candidates that are asked about with the first plan; each round doubles the number, so that at
most half of all questions were asked in vain."""
DOUBLINGS = 10
IN_ADVANCE = 10
"""One question in so many may be about a candidate that is not among the best ones yet ..."""
LEAST_IN_ADVANCE = 4
"""... and so many in each batch."""

Unknown = Callable[[int], Sequence[GradedAtom]]
"""The graded atoms of an operator that are not judged yet."""


def batch_of_round(number: int) -> int:
    """How many candidates are asked about together with the plan of a round (1 is the first)."""
    return FIRST_BATCH << min(number - 1, DOUBLINGS)


def asked_in_advance(asked: int) -> int:
    """How many candidates that are not among the best ones yet are asked about in one batch.

    Arguments:
        asked: how many questions were asked before.
    """
    return max(LEAST_IN_ADVANCE, asked // IN_ADVANCE)


class Candidates:
    """The choices in a flat task, ranked by what is known.

    Arguments:
        task: the flat task.
        finishes: its operators that finish an alternative of the goal.
        composition: how losses compose.
    """

    def __init__(self, task: FlatTask, finishes: Sequence[int], composition: Composition) -> None:
        self.finishes = tuple(finishes)
        self._task = task
        self._composition = composition
        self._bound: Floats | None = None

    def learn(self, task: FlatTask) -> None:
        """Rank anew: the task with the losses that are known now."""
        self._task = task
        self._bound = None

    @property
    def bound(self) -> Floats:
        """For each operator a lower bound of the loss of plans up to it, float64[m]."""
        if self._bound is None:
            self._losses.reweigh(self._task.loss)
            self._bound = self._losses.bound_operators(self._task.initial)
        return self._bound

    def contenders(self, best: float) -> list[int]:
        """Finishes whose plans may have less loss than `best`, the most promising first."""
        bound, distance = self.bound, self._distance
        open_ = [o for o in self.finishes if bound[o] < best - EPSILON]
        return sorted(open_, key=lambda o: (bound[o], distance[o], o))

    def questions(
        self, plan: Sequence[int], best: float, unknown: Unknown, number: int, asked: int
    ) -> Iterator[GradedAtom]:
        """What to ask about the rivals of a plan.

        Arguments:
            plan: its operators.
            best: loss of the best judged plan; what can't be better is left out.
            unknown: what is not judged yet.
            number: of the round, from 1.
            asked: how many questions were asked before.
        """
        choice = len(self.finishes) > 1
        rivals = self.contenders(best) if choice else self._siblings(plan, best, unknown)
        equals = batch_of_round(number)
        others = asked_in_advance(asked)
        level = self.bound[rivals[0]] + EPSILON if rivals else 0.0
        for operator in rivals:
            atoms = self._first_open(operator, unknown) if choice else unknown(operator)
            if not atoms:
                continue
            if self.bound[operator] <= level:
                equals -= 1
            else:
                others -= 1
            if min(equals, others) < 0:
                return
            yield from atoms

    # --- worked out when first needed

    @cached_property
    def _losses(self) -> Estimator:
        return Estimator(self._task, HeuristicCode.MAX, self._task.loss, self._composition)

    @cached_property
    def _distance(self) -> Floats:
        """For each operator a lower bound of the cost of plans up to it, float64[m]."""
        estimator = Estimator(self._task, HeuristicCode.MAX, self._task.cost)
        return estimator.bound_operators(self._task.initial)

    @cached_property
    def _needs(self) -> _Slices:
        return _Slices(self._task.pre_start, self._task.pre_var, self._task.pre_val)

    @cached_property
    def _effects(self) -> _Slices:
        return _Slices(self._task.eff_start, self._task.eff_var, self._task.eff_val)

    @cached_property
    def _achievers(self) -> dict[tuple[int, int], list[int]]:
        """(variable, value) -> operators with such an effect."""
        found: dict[tuple[int, int], list[int]] = {}
        for operator in range(len(self._task.loss)):
            for effect in self._effects.of(operator):
                found.setdefault(effect, []).append(operator)
        return found

    # --- which questions

    def _first_open(self, finish: int, unknown: Unknown) -> Sequence[GradedAtom]:
        """The open questions of the last step with any in the cheapest relaxed plan of a finish."""
        queue, seen = [finish], {finish}
        for operator in queue:
            atoms = unknown(operator)
            if atoms:
                return atoms
            for variable, value in self._needs.of(operator):
                if self._task.initial[variable] != value:
                    cheapest = self._cheapest(variable, value)
                    if cheapest >= 0 and cheapest not in seen:
                        seen.add(cheapest)
                        queue.append(cheapest)
        return ()

    def _cheapest(self, variable: int, value: int) -> int:
        """The operator that reaches a value with least loss, then cost; -1 if none does."""
        reaching = self._achievers.get((variable, value), ())
        return min(reaching, key=lambda o: (self.bound[o], self._distance[o], o), default=-1)

    def _siblings(self, plan: Sequence[int], best: float, unknown: Unknown) -> list[int]:
        """Other operators that reach what the plan needs its unjudged steps for, best first."""
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


class _Slices:
    """Pairs (variable, value) of each operator."""

    def __init__(self, start: Ints, variable: Ints, value: Ints) -> None:
        self._start = start
        self._pairs = list(zip(variable.tolist(), value.tolist(), strict=True))

    def of(self, operator: int) -> list[tuple[int, int]]:
        """Those of one operator."""
        return self._pairs[self._start[operator] : self._start[operator + 1]]
