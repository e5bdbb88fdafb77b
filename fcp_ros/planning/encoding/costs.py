# SPDX-License-Identifier: Apache-2.0
"""Costs, resource uses and time windows of operators, computed once per rule where possible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.domain.model import ActionRule, Resource, Window
from fcp_ros.planning.encoding.cost_unit import CostUnit
from fcp_ros.planning.flat.builder import FlatResource
from fcp_ros.planning.model.budget import COST, STEPS, is_counted
from fcp_ros.planning.model.ground_step import BoundRule, compute_cost, compute_duration
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.task.task import GroundOperator, Task


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
        """Return the time window of an operator."""
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
