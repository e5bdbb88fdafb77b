# SPDX-License-Identifier: Apache-2.0
"""Simulators: where plans are tried: a PDDL model, a domain in a state, or whatever executes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, lgamma, log
from typing import Protocol

from fcp_ros.alignment.evidence import CONFIRMATIONS
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
    repeats: int = 1  # runs that ended so; more than one where an outcome was confirmed
    stumbles: int = 0  # other runs of the same actions, which failed earlier
    is_scattered: bool = False  # runs differ too much to say what is possible

    def agrees(self, other: Observation) -> bool:
        """Return True if both saw the same."""
        return (self.done, self.reached) == (other.done, other.reached)


class Simulator(Protocol):
    """A world in which plans are tried, each from the same initial state.

    It may be a model, a simulated world or a robot. It may be wrong or random: whoever asks it
    counts on neither. Only one that has the attribute `is_exact`, and says True there, is believed
    after one failure: the same actions always have the same outcome.
    """

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        """Try actions, up to the first one that fails."""


def is_exact(simulator: Simulator) -> bool:
    """Return True if a simulator declares that chance plays no part in it."""
    return getattr(simulator, "is_exact", False) is True


class ModelSimulator:
    """A world that is a PDDL task, in which actions rewrite a C-set (double pushout)."""

    is_exact = True

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

    is_exact = True

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


# --- the odds that a simulator is a world with mishaps, and not one that answers at random
#
# Both are models of how far a run of n actions comes: 0 to n of them, or the goal as well.
#
# - With mishaps, a plan works, or one of its actions is impossible and fails every time. Up to
#   there each action fails by chance at the same small rate in all plans.
# - At random, each of the n + 2 outcomes is as likely as any other.
#
# A single run says little, since it fits both. Runs of the same actions that agree speak for the
# first, and failures at many places for the second.


_FAILS, _SUCCEEDS = 1.0, 9.0
"""Rate of mishaps before any run: a beta distribution with the mean 0.1, as if one mishap and nine
good actions had been seen. A robot that fails more often is hard to tell from one that acts at
random, unless its plans are short."""
_MOST_MISHAPS, _FEW = 0.2, 8
"""Share of actions that may fail by chance, once there are more mishaps than a few."""
_WORKS = 0.5
"""Probability that a plan works, before any run; else any of its actions may be impossible."""


class ReliabilityLog:
    """Counts the runs of all plans.

    A run is the number of steps that succeeded. The goal is the last step, so a plan of n actions
    has n + 1 steps.
    """

    def __init__(self) -> None:
        self._passed = self._mishaps = 0
        self._others = 0.0

    def add(self, steps: int, runs: Sequence[int]) -> None:
        """Remember the runs of a plan.

        `steps`: of the plan, the goal included. `runs`: steps that succeeded in each.
        """
        self._passed += sum(runs)
        self._mishaps += _count_mishaps(runs)
        self._others += _weigh_outcomes(steps, runs)

    def weigh(self, steps: int, runs: Sequence[int]) -> float:
        """Return the log odds of mishaps against chance, by what is remembered and more runs.

        They are minus infinity where there are too many mishaps, at random or not. `steps`: of one
        more plan, the goal included. `runs`: steps that succeeded in each run of it.
        """
        mishaps = self._mishaps + _count_mishaps(runs)
        passed = self._passed + sum(runs)
        if mishaps >= _FEW and mishaps > _MOST_MISHAPS * (passed + mishaps):
            return -inf
        rates = _log_beta(_FAILS + mishaps, _SUCCEEDS + passed) - _log_beta(_FAILS, _SUCCEEDS)
        return rates + self._others + _weigh_outcomes(steps, runs)


def _count_mishaps(runs: Sequence[int]) -> int:
    """Count the runs that failed where another one went on."""
    return sum(run < max(runs) for run in runs)


def _weigh_outcomes(steps: int, runs: Sequence[int]) -> float:
    """Return the part of the log odds that does not depend on the rate of mishaps."""
    farthest = _WORKS if max(runs) == steps else (1.0 - _WORKS) / steps
    return log(farthest) + len(runs) * log(steps + 1)


def _log_beta(first: float, second: float) -> float:
    return lgamma(first) + lgamma(second) - lgamma(first + second)


MOST_RUNS = 32
"""Runs of one plan before the simulator is called unreliable. With 11 actions that fail by chance
once in ten times each, 94 % of plans that work are believed by then, after 10.2 runs on average (of
2,000); where all is random, 1.5 %."""
_CREDIBLE = log(4.0)
"""Log odds from which a success counts: two successes in a row, or more after mishaps."""
_RANDOM = -log(100.0)
"""Log odds below which the simulator is called unreliable at once."""


class ConfirmingSimulator:
    """A simulator whose outcomes are confirmed, unless it is exact (a `Simulator`)."""

    def __init__(self, simulator: Simulator, check: Check) -> None:
        self._simulator = simulator
        self._check = check
        self._log = ReliabilityLog()
        self.is_exact = is_exact(simulator)

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        """Try actions until it is credible that they succeed, or where they fail."""
        if self.is_exact:
            return self._simulator.run(actions)
        steps = len(actions) + 1
        runs = [self._simulator.run(actions)]
        while self._is_open(steps, runs):
            self._check()
            runs.append(self._simulator.run(actions))
        best = max(runs, key=_count_steps)
        counted = [_count_steps(one) for one in runs]
        same = counted.count(max(counted))
        odds = self._log.weigh(steps, counted)
        self._log.add(steps, counted)
        is_scattered = odds <= _RANDOM or not _is_settled(steps, counted, odds)
        return replace(best, repeats=same, stumbles=len(runs) - same, is_scattered=is_scattered)

    def _is_open(self, steps: int, runs: Sequence[Observation]) -> bool:
        """Return True if another run may tell more."""
        counted = [_count_steps(one) for one in runs]
        odds = self._log.weigh(steps, counted)
        return len(runs) < MOST_RUNS and odds > _RANDOM and not _is_settled(steps, counted, odds)


def _is_settled(steps: int, counted: Sequence[int], odds: float) -> bool:
    """Return True if runs of the same actions say what becomes of them."""
    if max(counted) == steps:
        return odds >= _CREDIBLE
    return counted.count(max(counted)) >= CONFIRMATIONS


def _count_steps(seen: Observation) -> int:
    """Count the actions that succeeded, and the goal."""
    return seen.done + seen.reached
