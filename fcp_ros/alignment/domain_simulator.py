# SPDX-License-Identifier: Apache-2.0
"""A simulator that is a domain: its rules rewrite a state (double pushout), step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fcp_ros.alignment.simulator import GroundAction, Observation
from fcp_ros.cset import Instance
from fcp_ros.domain.expressions import evaluation
from fcp_ros.domain.expressions.syntax import Expression, to_text
from fcp_ros.domain.model import Domain
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.stepping.rules import StepRules, UnknownStep


class DomainSimulator:
    """A world that obeys the rules of a domain (a `Simulator`).

    An action is the name of a rule, with the name of an element for each parameter. Constraints,
    resources, durations and degrees are no question of names: they are left out.
    """

    is_exact = True

    def __init__(
        self,
        domain: Domain,
        instance: Instance,  # the initial state of each trial
        # a crisp condition in the words of the domain; without one, a plan has succeeded once all
        # its actions have
        goal: Expression | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._domain = domain
        self._rules = StepRules(replace(domain, constraints=()))
        self._instance = instance
        self._goal = goal
        self._check = check

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        """Try actions, up to the first one that fails."""
        state = self._instance
        for done, action in enumerate(actions):
            self._check()
            try:
                application = self._rules.apply(self._make_step(action), state)
            except UnknownStep as error:
                return Observation(done, False, f"{describe_action(action)}: {error}")
            if application.instance is None:
                reason = f"action {done + 1}, {describe_action(action)}: {application.reason}"
                return Observation(done, False, reason)
            state = application.instance
        if self._goal is not None and not evaluation.holds(self._goal, state, {}):
            unmet = to_text(evaluation.find_unmet(self._goal, state, {}))
            return Observation(len(actions), False, f"after the last action, not {unmet}")
        return Observation(len(actions), True)

    def _make_step(self, action: GroundAction) -> PlanStep:
        name, elements = action
        rule = self._domain.rules.get(name)
        if rule is None or len(rule.parameters) != len(elements):
            raise UnknownStep(f"domain {self._domain.name} has no such rule")
        arguments = tuple(zip(rule.parameter_names, elements, strict=True))
        return PlanStep(name, arguments, 1.0, 1.0, rule.duration.base, rule.executor)


def describe_action(action: GroundAction) -> str:
    """Write an action in the notation of domains."""
    return f"{action[0]}({', '.join(action[1])})"
