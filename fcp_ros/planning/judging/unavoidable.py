# SPDX-License-Identifier: Apache-2.0
"""Loss that no plan avoids, whatever else there is in the scene.

The goal's facts are regressed through the rules (see regression.py); what it asks for in degrees
costs what is known of it. So the loss is a lower bound for all plans, also for those that only a
wider task would show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from fcp_ros.planning.goal.formula import (
    Both,
    Complement,
    Crisp,
    Either,
    Formula,
    Graded,
    Instantiation,
    Settled,
)
from fcp_ros.planning.judging.regression import Regression
from fcp_ros.planning.model.memberships import GradedAtom


@dataclass(frozen=True, slots=True)
class Least:
    """What fulfilling a formula takes at least.

    Attributes:
        degree: the highest degree that the formula may have, in [0, 1].
        steps: lower bound of the loss of the steps.
        total: lower bound of the loss of the steps and the goal.
        open: graded atoms that are not judged yet, and of which that would raise the total.
    """

    degree: float
    steps: float
    total: float
    open: tuple[GradedAtom, ...] = ()


class UnavoidableLoss:
    """Lower bounds by what is known now.

    Arguments:
        facts: what it takes to make single facts true.
    """

    def __init__(self, facts: Regression) -> None:
        self._facts = facts
        self._known = facts.known
        self._tnorm = facts.tnorm

    def of(self, formula: Formula) -> Least:
        """What fulfilling a ground formula takes at least."""
        if isinstance(formula, Crisp):
            fact = self._facts.loss(formula.fact)
            return Least(1.0, fact.loss, fact.loss, fact.open)
        if isinstance(formula, Graded):
            return self._judged(formula.atom, False)
        if isinstance(formula, Settled):
            return self._worth(formula.degree)
        if isinstance(formula, Both):
            # What the goal asks for in degrees is asked about first: it is shared more often.
            parts = sorted(formula.parts, key=lambda part: isinstance(part, Crisp))
            return self._both([self.of(part) for part in parts])
        if isinstance(formula, Either):
            return _cheapest([self.of(part) for part in formula.parts])
        if isinstance(formula, Instantiation):
            return self.of(formula.body)
        if isinstance(formula, Complement):
            return self._refuted(formula.body)
        inside = self.of(formula.body)
        degree = 1.0 - formula.weight * (1.0 - inside.degree)
        done = self._facts.along(self._tnorm.loss(degree), inside.steps)
        left = self._worth(1.0 - formula.weight)
        return _cheapest([Least(degree, inside.steps, done, inside.open), left])

    # --- formulas

    def _worth(self, degree: float) -> Least:
        return Least(degree, 0.0, self._tnorm.loss(degree))

    def _judged(self, atom: GradedAtom, complement: bool) -> Least:
        degree = self._known(atom)
        if degree is None:
            return Least(1.0, 0.0, 0.0, (atom,))
        return self._worth(1.0 - degree if complement else degree)

    def _refuted(self, formula: Formula) -> Least:
        """The negation of a formula; of larger ones nothing is said."""
        if isinstance(formula, Graded):
            return self._judged(formula.atom, True)
        return Least(1.0, 0.0, 0.0)

    def _both(self, parts: Sequence[Least]) -> Least:
        degree = self._tnorm.compose_all(part.degree for part in parts)
        dearest = max(parts, key=lambda part: (part.steps, bool(part.open)))
        together = self._facts.along(self._tnorm.loss(degree), dearest.steps)
        total = max(together, *(part.total for part in parts))
        # Other facts would have to become dearer than the dearest one first.
        asked = (part.open for part in parts if part.steps == 0.0 or part is dearest)
        return Least(degree, dearest.steps, total, tuple(dict.fromkeys(chain(*asked))))


def _cheapest(parts: Sequence[Least]) -> Least:
    """A choice of several: each bound by itself, the questions of the cheapest."""
    cheapest = min(parts, key=lambda part: (part.total, bool(part.open)))
    return Least(
        max(part.degree for part in parts),
        min(part.steps for part in parts),
        cheapest.total,
        cheapest.open,
    )
