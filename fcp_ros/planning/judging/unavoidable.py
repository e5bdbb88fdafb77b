# SPDX-License-Identifier: Apache-2.0
"""The loss that no plan for a formula avoids, whatever else there is in the scene.

The facts of the goal are regressed through the rules (see regression.py); its graded atoms cost
what is known of them. So the loss is a lower bound for all plans, also for those that only a wider
task would contain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

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
)
from fcp_ros.planning.judging.regression import FactLossBounds
from fcp_ros.planning.model.memberships import GradedAtom


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
