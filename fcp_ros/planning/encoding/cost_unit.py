# SPDX-License-Identifier: Apache-2.0
"""Costs as whole numbers: the largest unit that all costs of a domain are multiples of.

Costs are decimals, such as 0.1 or 1000000000001. As multiples of their common unit they are added
and compared exactly, as long as the sums stay within the whole numbers of float64.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.task import EXACT


@dataclass(frozen=True, slots=True)
class CostUnit:
    """The unit in which flat tasks count costs."""

    size: Fraction = Fraction(1)
    is_exact: bool = True
    largest: float = 1.0  # the largest cost of a step, in units, or more

    def blurs(self, total: float) -> bool:
        """Return True if rounding may hide that another sum is less than a total of units."""
        return not self.is_exact or total > EXACT

    def count(self, cost: Fraction) -> float:
        """Return a cost in units."""
        return float(cost / self.size)

    def limit(self, amount: float) -> float:
        """Return the most units that cost no more than an amount."""
        units = Fraction(repr(amount)) / self.size
        return float(math.floor(units)) if self.is_exact else float(units)


@dataclass(frozen=True, slots=True)
class Premium:
    """The flat cost of leaving out a part of the goal: more than that of all steps of a plan.

    So plans that reach more of the goal come first, whatever their steps cost, and a sum says both.
    """

    size: float = 0.0  # the cost; 0 if nothing may be left out
    parts: int = 0
    step: float = 1.0

    def split(self, cost: float) -> tuple[int, float]:
        """Split a flat cost into the number of parts left out and the cost of the steps.

        A lower bound of flat costs is split into lower bounds; that of the steps holds for plans
        that leave out no more parts.
        """
        if not self.size:
            return 0, cost
        left_out = math.floor(cost / self.size + EPSILON) if math.isfinite(cost) else self.parts
        return left_out, max(0.0, cost - left_out * self.size)

    @property
    def budget(self) -> float:
        """The most that plans cost that reach some part of the goal."""
        return self.size * self.parts - 0.5 * min(1.0, self.size) if self.size else math.inf


NO_PREMIUM = Premium()
"""Nothing may be left out."""


def find_cost_unit(domain: Domain, others: Iterable[Fraction] = ()) -> CostUnit:
    """Find the unit of a domain's costs, and of the costs of preferences."""
    costs = {*_list_costs(domain), *others}
    shared = math.lcm(*(cost.denominator for cost in costs))
    divisor = math.gcd(*(int(cost * shared) for cost in costs)) or 1
    unit = Fraction(divisor, shared)
    if not costs:
        return CostUnit()
    terms = max((len(rule.cost.terms) for rule in domain.rules.values()), default=0)
    largest = max(costs) * (1 + terms)
    if largest / unit > EXACT:
        return CostUnit(is_exact=False, largest=float(largest))
    return CostUnit(unit, largest=float(largest / unit))


def _list_costs(domain: Domain) -> Iterator[Fraction]:
    for rule in domain.rules.values():
        yield rule.cost.base
        yield from _list_entries(rule)


def _list_entries(rule: ActionRule) -> Iterable[Fraction]:
    return (value for term in rule.cost.terms for value in term.table.values())
