# SPDX-License-Identifier: Apache-2.0
"""Costs, resource uses and time windows of operators, computed once per rule where possible.

Costs are decimals, such as 0.1 or 1000000000001. As multiples of their
largest common unit they are added and compared exactly, as long as the sums stay within the whole
numbers of float64.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fcp_ros.domain.model import ActionRule, Domain, Resource, Window
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.builder import FlatResource
from fcp_ros.planning.flat.task import EXACT
from fcp_ros.planning.model.ground_step import (
    COST,
    STEPS,
    BoundRule,
    compute_cost,
    compute_duration,
    is_counted,
)
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.task.task import GroundOperator, Task


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


@dataclass(frozen=True, slots=True)
class _OfRule:
    """The numbers that all operators of a rule share; None where they differ."""

    use: tuple[float, ...]
    cost: float | None
    duration: float | None
    window: Window


NO_BUDGETS: Mapping[str, float] = {}


class OperatorCosts:
    """Costs, uses and windows of the operators of a task.

    Attributes:
        pools: the tracked resources, then what is counted for budgets; with a deadline or a
            window the last one is the clock (s).
    """

    def __init__(
        self,
        task: Task,
        # the operators that are encoded; only resources that they use are tracked
        operators: Iterable[GroundOperator],
        optimise: Optimise,
        deadline: float,
        amounts: Mapping[str, float],
        unit: CostUnit,
        budgets: Mapping[str, float] = NO_BUDGETS,
        step_cost: float = 1.0,
    ) -> None:
        self._unit = unit
        self._step_cost = step_cost
        self._instance = task.instance
        self._optimise = optimise
        operators = tuple(operators)
        rules = {operator.rule.name: operator.rule for operator in operators}
        used = {name for rule in rules.values() for name, use in rule.uses.items() if use}
        self._resources: tuple[Resource, ...] = tuple(
            resource for resource in task.resources if resource.name in used
        )
        windows = [(rule.window.opens, rule.window.closes) for rule in rules.values()]
        windows += [(operator.opens, operator.closes) for operator in operators]
        timed = math.isfinite(deadline) or any(
            opens > 0.0 or math.isfinite(closes) for opens, closes in windows
        )
        self.pools = [
            _make_pool(r, float(amounts.get(r.name, r.initial)), budgets.get(r.name, math.inf))
            for r in self._resources
        ]
        self._counted = [
            name for name in (STEPS, COST) if name in budgets and is_counted(name, task.domain)
        ]
        for name in self._counted:
            limit = unit.limit(budgets[name]) if name == COST else float(math.floor(budgets[name]))
            self.pools.append(FlatResource(limit, 0.0, math.inf))
        self.clock = len(self.pools) if timed else -1  # number of the clock among them, or -1
        if timed:
            self.pools.append(FlatResource(0.0, 0.0, deadline))
        self._rules = {name: self._summarise(rule) for name, rule in rules.items()}

    @property
    def durations_matter(self) -> bool:
        """True if anything depends on the durations of operators."""
        return self.clock >= 0 or self._optimise is Optimise.DURATION

    def window_of(self, operator: GroundOperator) -> Window:
        window = self._rules[operator.rule.name].window
        opens, closes = operator.opens, operator.closes
        if opens <= window.opens and closes >= window.closes:
            return window
        return Window(max(opens, window.opens), min(closes, window.closes))

    def compute_cost(self, step: BoundRule) -> float:
        """Return the cost of an operator: steps, units of cost, or seconds."""
        cost = self._rules[step.rule.name].cost
        if cost is not None:
            return cost
        if self._optimise is Optimise.COST:
            return self._unit.count(compute_cost(step.rule, step.arguments))
        return compute_duration(step.rule, step.arguments, self._instance)

    def use_of(self, step: BoundRule) -> tuple[float, ...]:
        """Return the amounts that an operator takes from the pools."""
        rule = self._rules[step.rule.name]
        use = rule.use
        if self._counted:
            use = (*use, *(self._count(name, step) for name in self._counted))
        if self.clock < 0:
            return use
        duration = rule.duration
        if duration is None:
            duration = compute_duration(step.rule, step.arguments, self._instance)
        return (*use, -duration)

    def _count(self, name: str, step: BoundRule) -> float:
        return 1.0 if name == STEPS else self._unit.count(compute_cost(step.rule, step.arguments))

    def is_free(self, step: BoundRule) -> bool:
        """Return True if an operator uses no resource, time aside."""
        return not any(self._rules[step.rule.name].use)

    def no_use(self) -> tuple[float, ...]:
        """Return the use of an operator that takes nothing."""
        return (0.0,) * len(self.pools)

    def _summarise(self, rule: ActionRule) -> _OfRule:
        same = rule.duration.between is None or rule.duration.per_metre == 0.0
        duration = rule.duration.base if same else None
        cost: float | None = self._step_cost
        if self._optimise is Optimise.DURATION:
            cost = duration
        elif self._optimise is Optimise.COST:
            cost = None if rule.cost.terms else self._unit.count(rule.cost.base)
        return _OfRule(
            tuple(float(rule.uses.get(resource.name, 0.0)) for resource in self._resources),
            cost,
            duration,
            rule.window if self.clock >= 0 else Window(),
        )


def _make_pool(resource: Resource, amount: float, budget: float) -> FlatResource:
    return FlatResource(amount, max(resource.minimum, amount - budget), resource.maximum)
