# SPDX-License-Identifier: Apache-2.0
"""The alternatives of a goal by their least loss, before anything is instantiated.

Of very many alternatives it chooses the few worth instantiating first. Once there is a plan, it
tells whether any alternative may still be better. The judgements that this takes are asked for, the
most promising alternatives first, in growing batches. Judgements only raise losses, so older bounds
stay lower bounds: only the first alternative of the queue is bounded again.

The bound is the loss that no plan for a formula avoids, whatever else there is in the scene. The
facts of the goal are regressed through the rules (see regression.py); its graded atoms cost
what is known of them. So the loss is a lower bound for all plans, also for those that only a wider
task would contain.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.stopping import Check
from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.goal.formula import (
    AtLeast,
    Both,
    Complement,
    Crisp,
    Either,
    Formula,
    Graded,
    Instantiation,
    Settled,
    split_choices,
)
from fcp_ros.planning.judging.ranking import choose_batch_size, limit_advance
from fcp_ros.planning.judging.regression import FactLossBounds
from fcp_ros.planning.model.memberships import GradedAtom, Judge


@dataclass(frozen=True, slots=True)
class LeastLoss:
    """Bounds of fulfilling a formula."""

    degree: float  # the highest degree that the formula may have, in [0, 1]
    steps: float
    total: float  # lower bound of the loss of the steps and the goal
    # graded atoms that are not judged yet and whose judgement may raise the total
    open: tuple[GradedAtom, ...] = ()


class UnavoidableLoss:
    """Lower bounds for formulas, by the degrees known now."""

    def __init__(self, facts: FactLossBounds) -> None:
        self._facts = facts
        self._known = facts.known
        self._tnorm = facts.tnorm

    def estimate(self, formula: Formula) -> LeastLoss:
        """Bound the loss of fulfilling a ground formula from below."""
        if isinstance(formula, Crisp):
            fact = self._facts.estimate(formula.fact)
            return LeastLoss(1.0, fact.loss, fact.loss, fact.open)
        if isinstance(formula, Graded):
            return self._estimate_atom(formula.atom, False)
        if isinstance(formula, Settled):
            return self._estimate_degree(formula.degree)
        if isinstance(formula, Both):
            # What the goal asks for in degrees is asked about first: it is shared more often.
            parts = sorted(formula.parts, key=lambda part: isinstance(part, Crisp))
            return self._estimate_conjunction([self.estimate(part) for part in parts])
        if isinstance(formula, Either):
            return _choose_cheapest([self.estimate(part) for part in formula.parts])
        if isinstance(formula, AtLeast):
            return self._estimate_count(formula)
        if isinstance(formula, Instantiation):
            return self.estimate(formula.body)
        if isinstance(formula, Complement):
            return self._estimate_negation(formula.body)
        inside = self.estimate(formula.body)
        degree = 1.0 - formula.weight * (1.0 - inside.degree)
        done = self._facts.compose(self._tnorm.loss(degree), inside.steps)
        left = self._estimate_degree(1.0 - formula.weight)
        return _choose_cheapest([LeastLoss(degree, inside.steps, done, inside.open), left])

    # --- formulas

    def _estimate_degree(self, degree: float) -> LeastLoss:
        return LeastLoss(degree, 0.0, self._tnorm.loss(degree))

    def _estimate_atom(self, atom: GradedAtom, complement: bool) -> LeastLoss:
        degree = self._known(atom)
        if degree is None:
            return LeastLoss(1.0, 0.0, 0.0, (atom,))
        return self._estimate_degree(1.0 - degree if complement else degree)

    def _estimate_negation(self, formula: Formula) -> LeastLoss:
        """Bound the negation of a formula; trivially for larger ones."""
        if isinstance(formula, Graded):
            return self._estimate_atom(formula.atom, True)
        return LeastLoss(1.0, 0.0, 0.0)

    def _estimate_conjunction(self, parts: Sequence[LeastLoss]) -> LeastLoss:
        degree = self._tnorm.compose_all(part.degree for part in parts)
        dearest = max(parts, key=lambda part: (part.steps, bool(part.open)))
        together = self._facts.compose(self._tnorm.loss(degree), dearest.steps)
        total = max(together, *(part.total for part in parts))
        # Other facts would have to become dearer than the dearest one first.
        asked = (part.open for part in parts if part.steps == 0.0 or part is dearest)
        return LeastLoss(degree, dearest.steps, total, tuple(dict.fromkeys(chain(*asked))))

    def _estimate_count(self, formula: AtLeast) -> LeastLoss:
        """Bound a count: some part of each choice is as dear as the last one of the cheapest."""
        number = formula.number
        parts = sorted(map(self.estimate, formula.parts), key=lambda part: part.total)
        degrees = sorted((part.degree for part in parts), reverse=True)
        degree = self._tnorm.compose_all(degrees[:number])
        steps = sorted(part.steps for part in parts)[number - 1]
        together = self._facts.compose(self._tnorm.loss(degree), steps)
        asked = chain(*(part.open for part in parts[:number]))
        total = max(together, parts[number - 1].total)
        return LeastLoss(degree, steps, total, tuple(dict.fromkeys(asked)))


def _choose_cheapest(parts: Sequence[LeastLoss]) -> LeastLoss:
    """Bound a choice of several: each by itself, with the questions of the cheapest."""
    cheapest = min(parts, key=lambda part: (part.total, bool(part.open)))
    return LeastLoss(
        max(part.degree for part in parts),
        min(part.steps for part in parts),
        cheapest.total,
        cheapest.open,
    )


FEW = 8
"""Alternatives worth instantiating, besides those that are as good as the best one."""

_Entry = tuple[float, bool, int]
"""Least loss, whether there is an open question, number of the alternative."""


class Prospects:
    """The alternatives of one goal, in a queue by their least loss."""

    def __init__(
        self,
        alternatives: Sequence[Formula],
        bounds: Callable[[], UnavoidableLoss],
        judge: Judge,
        check: Check,
    ) -> None:
        self._alternatives = alternatives
        self._new_bounds = bounds
        self._judge = judge
        self._check = check
        self._bounds = bounds()
        self._queue: list[_Entry] = [(0.0, False, n) for n in range(len(alternatives))]
        self._least: dict[int, LeastLoss] = {}

    @classmethod
    def of(
        cls,
        formula: Formula,
        domain: Domain,
        instance: Instance,
        judge: Judge,
        tnorm: TNorm,
        check: Check,
    ) -> Prospects:
        """Queue the choices of a formula."""

        def make_bounds() -> UnavoidableLoss:
            facts = FactLossBounds(domain, instance, judge.find_degree, tnorm, check)
            return UnavoidableLoss(facts)

        return cls(list(split_choices(formula)), make_bounds, judge, check)

    def __len__(self) -> int:
        return len(self._alternatives)

    def shortlist(self, most: int) -> list[Formula]:
        """List the most promising alternatives, in their order, that with the least loss included.

        All questions about that one are answered; so it is probably the best, though it may turn
        out to lose more than its bound.

        Returns:
            The alternatives; none if there are too many.
        """
        number = 1
        while True:
            first = self._next()
            if not self._least[first].open:
                break
            self._ask_about(self._choose_questions(first, choose_batch_size(number)))
            number += 1
        level = self._least[first].total + EPSILON
        chosen = [first]
        while self._queue and len(chosen) <= most:
            one = self._next()
            chosen.append(one)
            least = self._least[one]
            if len(chosen) > FEW and (least.open or least.total > level):
                break
        self._put_back(chosen)
        return [] if len(chosen) > most else [self._alternatives[n] for n in sorted(chosen)]

    def none_is_better(self, loss: float) -> bool:
        """Return True if no plan has less loss than this; False if that is not shown."""
        number = 1
        while True:
            better: list[int] = []
            while self._queue and len(better) < choose_batch_size(number):
                one = self._next()
                least = self._least[one]
                better.append(one)
                if least.total >= loss - EPSILON:
                    break
                if not least.open:
                    self._put_back(better)
                    return False
            asked = [n for n in better if self._least[n].total < loss - EPSILON]
            self._put_back([n for n in better if n not in set(asked)])
            if not asked:
                return True
            self._ask_about(asked)
            number += 1

    def _choose_questions(self, first: int, equals: int) -> list[int]:
        """Choose the alternatives to ask about: those as good as the first, and a few others."""
        level = self._least[first].total + EPSILON
        others = limit_advance(self._judge.asked)
        found = [first]
        closed: list[int] = []
        while self._queue and len(closed) < FEW:
            one = self._next()
            least = self._least[one]
            if not least.open:
                closed.append(one)
                continue
            if least.total <= level:
                equals -= 1
            else:
                others -= 1
            if min(equals, others) < 0:
                self._put_back([one])
                break
            found.append(one)
        self._put_back(closed)
        return found

    def _ask_about(self, alternatives: Sequence[int]) -> None:
        questions: list[GradedAtom] = [self._least[n].open[0] for n in alternatives]
        self._judge.judge(questions)
        self._bounds = self._new_bounds()
        self._put_back(alternatives)

    def _next(self) -> int:
        """Take the alternative with the least loss by the degrees known now."""
        while True:
            self._check()
            _, _, number = heapq.heappop(self._queue)
            self._least[number] = self._bounds.estimate(self._alternatives[number])
            now = self._entry(number)
            if not self._queue or now <= self._queue[0]:
                return number
            heapq.heappush(self._queue, now)

    def _put_back(self, alternatives: Sequence[int]) -> None:
        for number in alternatives:
            heapq.heappush(self._queue, self._entry(number))

    def _entry(self, number: int) -> _Entry:
        least = self._least[number]
        return least.total, bool(least.open), number
