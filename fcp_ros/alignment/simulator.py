# SPDX-License-Identifier: Apache-2.0
"""Simulators: where plans are tried: a PDDL model, a domain in a state, or whatever executes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions import evaluation
from fcp_ros.domain.expressions.syntax import Expression, to_text
from fcp_ros.domain.model import Domain
from fcp_ros.domain.pddl import PddlTask
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.planning import verify
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.ipc_plan import CannotReplay, plan_from_actions
from fcp_ros.planning.verification.stepping import StepRules, UnknownStep

GroundAction = tuple[str, tuple[str, ...]]
"""Name of an action and of its objects."""


@dataclass(frozen=True)
class Observation:
    """The outcome of trying actions from the initial state."""

    done: int
    reached: bool  # all succeeded, and the goal holds
    reason: str = ""  # why it failed, in words; empty if nothing is known

    def agrees(self, other: Observation) -> bool:
        """Return True if both saw the same."""
        return (self.done, self.reached) == (other.done, other.reached)


class Simulator(Protocol):
    """A world in which plans are tried, each from the same initial state.

    The same actions always have the same outcome there: one failure counts. Whoever asks it notices
    a contradiction, and believes nothing then.
    """

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        """Try actions, up to the first one that fails."""


class ModelSimulator:
    """A world that is a PDDL task, in which actions rewrite a C-set (double pushout)."""

    def __init__(self, task: PddlTask, check: Check = never_stop) -> None:
        self._task = task
        self._check = check

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        """Try actions, up to the first one that fails."""
        self._check()
        task = self._task
        try:
            plan = plan_from_actions(task, tuple(actions))
        except CannotReplay as failure:
            return Observation(failure.done, False, str(failure))
        verdict = verify(task.domain, task.instance, plan, task.goal, NoMemberships(), alpha=1.0)
        reason = "" if verdict.ok else "the goal does not hold after the last action"
        return Observation(len(actions), verdict.ok, reason)


class DomainSimulator:
    """A world that obeys the rules of a domain (a `Simulator`).

    An action is the name of a rule, with the name of an element for each parameter. Constraints,
    resources, durations and degrees are no question of names: they are left out.
    """

    def __init__(
        self,
        domain: Domain,
        instance: Instance,  # the initial state of each trial
        # a crisp condition in the words of the domain; without one, a plan has succeeded once all
        # its actions have
        goal: Expression | None = None,
        check: Check = never_stop,
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
