# SPDX-License-Identifier: Apache-2.0
"""Replay a sequence of steps from a state: conditions, constraints and resources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.model.request import never_stop
from fcp_ros.planning.stepping.rules import StepRules, UnknownStep


@dataclass(frozen=True, slots=True)
class Replayed:
    """The part of a sequence of steps that could be done."""

    # the state before each step that could be done, and the one after the last of them
    states: tuple[Instance, ...]
    left: Mapping[str, float]
    # what is wrong, one sentence each. If a step could not be done, the last one says why, and the
    # steps after it were not looked at.
    problems: tuple[str, ...]
    complete: bool  # whether every step could be done


class Replay:
    """Replays steps of one domain."""

    def __init__(
        self, domain: Domain, rules: StepRules, check: Callable[[], None] = never_stop
    ) -> None:
        self.domain = domain
        self._rules = rules
        self._check = check

    def run(
        self,
        instance: Instance,
        steps: Iterable[tuple[str, PlanStep]],
        resources: Mapping[str, float],
    ) -> Replayed:
        """Do steps, each with the words that tell where it is, from a state and amounts."""
        states, left, problems = [instance], dict(resources), []
        for where, step in steps:
            self._check()
            try:
                application = self._rules.apply(step, states[-1])
                reason = application.reason
            except UnknownStep as error:
                application, reason = None, str(error)
            if application is None or application.instance is None:
                problems.append(f"{where}: {reason}")
                return Replayed(tuple(states), left, tuple(problems), False)
            rule = self.domain.rules[step.rule]
            problems += [f"{where}: {problem}" for problem in self._spend(rule, left)]
            states.append(application.instance)
        return Replayed(tuple(states), left, tuple(problems), True)

    def _spend(self, rule: ActionRule, left: dict[str, float]) -> list[str]:
        """Take what the rule uses; return a clause for each bound that is exceeded."""
        problems = []
        for name, use in rule.uses.items():
            if use == 0.0:
                continue
            resource = self.domain.resources[name]
            left[name] -= use
            if not resource.minimum - EPSILON <= left[name] <= resource.maximum + EPSILON:
                problems.append(
                    f"{name} would be {left[name]:g} {resource.unit}, outside "
                    f"[{resource.minimum:g}, {resource.maximum:g}]"
                )
        return problems
