# SPDX-License-Identifier: Apache-2.0
"""Numbers of operators: what they use, cost and take; worked out once a rule where they can be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.domain.model import ActionRule, Resource, Window
from fcp_ros.planning.flat.builder import FlatResource
from fcp_ros.planning.model.ground_step import Bound, cost_of, duration_of
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.task.task import GroundOperator, Task


@dataclass(frozen=True, slots=True)
class _OfRule:
    """What all operators of a rule have in common; None where they differ."""

    use: tuple[float, ...]
    cost: float | None
    duration: float | None
    window: Window


class Figures:
    """Costs, uses and windows of the operators of a task.

    Args:
        task: the task.
        operators: its operators that are encoded; only resources that they use are tracked.
        optimise: what the costs are: steps (each 1), the rules' costs or their durations.
        deadline: seconds that a plan may take; infinite without one.
        amounts: resource -> what there is of it at first; the domain's own figure by default.

    Attributes:
        pools: the tracked resources; with a deadline or a window the last one is the clock.
        clock: number of the clock among them, or -1.
    """

    def __init__(
        self,
        task: Task,
        operators: Iterable[GroundOperator],
        optimise: Optimise,
        deadline: float,
        amounts: Mapping[str, float],
    ) -> None:
        self._instance = task.instance
        self._optimise = optimise
        rules = {operator.rule.name: operator.rule for operator in operators}
        used = {name for rule in rules.values() for name, use in rule.uses.items() if use}
        self._resources: tuple[Resource, ...] = tuple(
            resource for resource in task.resources if resource.name in used
        )
        timed = math.isfinite(deadline) or any(
            rule.window.opens > 0.0 or math.isfinite(rule.window.closes) for rule in rules.values()
        )
        self.clock = len(self._resources) if timed else -1
        self.pools = [
            FlatResource(float(amounts.get(r.name, r.initial)), r.minimum, r.maximum)
            for r in self._resources
        ]
        if timed:
            self.pools.append(FlatResource(0.0, 0.0, deadline))
        self._rules = {name: self._of_rule(rule) for name, rule in rules.items()}

    @property
    def durations_matter(self) -> bool:
        """Whether anything depends on how long operators take."""
        return self.clock >= 0 or self._optimise is Optimise.DURATION

    def window(self, step: Bound) -> Window:
        """When an operator may run."""
        return self._rules[step.rule.name].window

    def cost(self, step: Bound) -> float:
        """What an operator costs."""
        cost = self._rules[step.rule.name].cost
        if cost is not None:
            return cost
        if self._optimise is Optimise.COST:
            return cost_of(step.rule, step.arguments)
        return duration_of(step.rule, step.arguments, self._instance)

    def use(self, step: Bound) -> tuple[float, ...]:
        """What an operator takes from each of the pools."""
        rule = self._rules[step.rule.name]
        if self.clock < 0:
            return rule.use
        duration = rule.duration
        if duration is None:
            duration = duration_of(step.rule, step.arguments, self._instance)
        return (*rule.use, -duration)

    def is_free(self, step: Bound) -> bool:
        """Whether an operator uses nothing, time aside."""
        return not any(self._rules[step.rule.name].use)

    def nothing(self) -> tuple[float, ...]:
        """The use of an operator that takes nothing."""
        return (0.0,) * len(self.pools)

    def _of_rule(self, rule: ActionRule) -> _OfRule:
        same = rule.duration.between is None or rule.duration.per_metre == 0.0
        duration = rule.duration.base if same else None
        cost: float | None = 1.0
        if self._optimise is Optimise.DURATION:
            cost = duration
        elif self._optimise is Optimise.COST:
            cost = None if rule.cost.terms else rule.cost.base
        return _OfRule(
            tuple(float(rule.uses.get(resource.name, 0.0)) for resource in self._resources),
            cost,
            duration,
            rule.window if self.clock >= 0 else Window(),
        )
