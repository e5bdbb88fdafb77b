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

EXACT = 2**53
"""Whole numbers up to this one are exact in float64."""


@dataclass(frozen=True, slots=True)
class CostUnit:
    """The unit in which flat tasks count costs.

    Attributes:
        size: the cost of one unit.
        is_exact: True if each cost is a whole number of units that float64 holds exactly.
    """

    size: Fraction = Fraction(1)
    is_exact: bool = True

    def blurs(self, total: float) -> bool:
        """Return True if rounding may hide that another sum is less than a total of units."""
        return not self.is_exact or total > EXACT

    def count(self, cost: Fraction) -> float:
        """Return a cost in units."""
        return float(cost / self.size)


def find_cost_unit(domain: Domain, others: Iterable[Fraction] = ()) -> CostUnit:
    """Find the unit of a domain's costs, and of the costs of preferences."""
    costs = {*_list_costs(domain), *others}
    shared = math.lcm(*(cost.denominator for cost in costs))
    divisor = math.gcd(*(int(cost * shared) for cost in costs)) or 1
    unit = Fraction(divisor, shared)
    if not costs:
        return CostUnit()
    terms = max((len(rule.cost.terms) for rule in domain.rules.values()), default=0)
    if any(cost / unit * (1 + terms) > EXACT for cost in costs):
        return CostUnit(is_exact=False)
    return CostUnit(unit)


def _list_costs(domain: Domain) -> Iterator[Fraction]:
    for rule in domain.rules.values():
        yield rule.cost.base
        yield from _list_entries(rule)


def _list_entries(rule: ActionRule) -> Iterable[Fraction]:
    return (value for term in rule.cost.terms for value in term.table.values())
