# SPDX-License-Identifier: Apache-2.0
"""A simulated world that changes by the planner's rules, but not always as planned.

A performance has two halves, so that the caller decides how time passes in between. `begin` checks
that the step can be done and draws how it will go; `complete` changes the world, by the whole step
or not at all. So the state is consistent whatever fails.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fcp_ros.cset import Delta, Instance, InstanceBuilder, InstanceError
from fcp_ros.domain.model import Domain
from fcp_ros.domain.shifting import shift_elements
from fcp_ros.execution.faults import Fault, FaultKind, FaultPlan, SuccessModel
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.stepping.rules import Application, StepRules, UnknownStep


def apply_shifted(domain: Domain, step: PlanStep, instance: Instance) -> Application:
    """Do a step in a state where some of its elements are taken for the types that it needs.

    `step`: a step of the domain that can't be done as the elements are. Returns the state that the
    step leads to, in which each element is of its own type again, or why it can't be done; no
    problem is named if nothing can be taken for another type.
    """
    shifts = tuple(_list_shifts(domain, step, instance))
    if not shifts:
        return Application(None)
    shifted, state = shift_elements(domain, instance, shifts)
    done = StepRules(shifted).apply(step, state)
    if done.instance is None:
        return done
    try:
        return Application(_change(instance, done.delta), (), done.rewrite)
    except InstanceError as error:
        taken = ", ".join(f"{element} for a {wanted}" for element, wanted in shifts)
        return Application(None, (f"this world can't hold what comes of taking {taken}: {error}",))


def _list_shifts(domain: Domain, step: PlanStep, instance: Instance) -> Iterator[tuple[str, str]]:
    """Yield the elements of a step that are of other types than it needs, with those types."""
    types = {one.name: one.type for one in domain.rules[step.rule].parameters}
    schema = domain.schema
    for name, element in step.arguments:
        if not instance.has(element):
            continue
        above = schema.ancestors(instance.type_of(instance.id_of(element)))
        if types[name] in above:
            continue
        for rule in domain.relaxing.shifts:
            if rule.of in above and types[name] in schema.ancestors(rule.to):
                yield element, rule.to
                break


def _change(instance: Instance, delta: Delta) -> Instance:
    builder = InstanceBuilder.of(instance)
    for fact in delta.removed:
        builder.unrelate(fact.relation, *map(builder.id_of, fact.arguments))
    for fact in delta.added:
        builder.relate(fact.relation, *map(builder.id_of, fact.arguments))
    return builder.build()


REFUSAL_TIME = 0.1
"""Simulated time until an executor notices that a step can't be done (s)."""


@dataclass(frozen=True, slots=True)
class QualityModel:
    """The quality of a success: normally distributed, clipped to [0, 1]."""

    mean: float = 0.97
    spread: float = 0.02

    def draw(self, source: random.Random) -> float:
        """Draw a quality in [0, 1]."""
        return min(1.0, max(0.0, source.gauss(self.mean, self.spread)))


@dataclass(frozen=True, slots=True)
class Performance:
    """A step that has begun."""

    step: PlanStep
    outcome: Outcome | None  # how it will end; None if it never ends by itself
    duration: float  # simulated time until then (s)
    answers: bool = True  # True if it can be cancelled; False for a crashed executor


@dataclass(frozen=True, slots=True)
class Performed:
    """The end of a performance: its outcome, its change, and its duration (simulated s)."""

    outcome: Outcome
    delta: Delta
    duration: float


class SimulatedWorld:
    """A state of a domain that steps are performed on. Not thread-safe."""

    def __init__(
        self,
        domain: Domain,  # its rules are the laws of the world
        instance: Instance,
        *,
        faults: FaultPlan | None = None,
        success: SuccessModel | None = None,  # the probability that a step without a fault succeeds
        quality: QualityModel | None = None,
        seed: int = 0,
    ) -> None:
        self._domain = domain
        self._rules = StepRules(domain)
        self._instance = instance
        self._faults = faults or FaultPlan()
        self._success = success or SuccessModel()
        self._quality = quality or QualityModel()
        self._random = random.Random(seed)
        self._used: dict[int, int] = {}

    @property
    def instance(self) -> Instance:
        """The present state."""
        return self._instance

    def replace(self, instance: Instance) -> None:
        """Replace the present state: somebody else has changed the world."""
        self._instance = instance

    def begin(self, step: PlanStep) -> Performance:
        """Begin a step: its conditions, then the faults, then chance decide how it will end."""
        refusal = self._refuse(step)
        if refusal is not None:
            return Performance(step, refusal, REFUSAL_TIME)
        fault = self._faults.find_fault(step, self._used)
        delay = fault.delay if fault is not None and fault.kind is FaultKind.DELAY else 0.0
        if fault is not None and fault.kind is not FaultKind.DELAY:
            return self._begin_faulty(step, fault)
        duration = step.duration + delay
        if self._random.random() >= self._success.find_probability(step):
            outcome = Outcome(OutcomeCode.EXECUTION_FAILED, f"{step} did not work this time.")
            return Performance(step, outcome, duration)
        quality = self._quality.draw(self._random)
        return Performance(step, Outcome(OutcomeCode.SUCCEEDED, "", quality), duration)

    def complete(self, performance: Performance) -> Performed:
        """End a performance as drawn; a success changes the world.

        The world may have changed since the beginning: a step that is no longer possible fails.
        Raises ValueError if the performance never ends by itself.
        """
        outcome = performance.outcome
        if outcome is None:
            raise ValueError(f"{performance.step} hangs or has crashed and never completes")
        if not outcome.succeeded:
            return Performed(outcome, Delta(), performance.duration)
        application = self._apply(performance.step)
        if application.instance is None:
            message = f"The world changed meanwhile: {application.reason}."
            failed = Outcome(OutcomeCode.EXECUTION_FAILED, message)
            return Performed(failed, Delta(), performance.duration)
        self._instance = application.instance
        return Performed(outcome, application.delta, performance.duration)

    def perform(
        self, step: PlanStep, cancelled: Callable[[], bool] = lambda: False
    ) -> Performed | None:
        """Begin and complete a step without letting time pass.

        Returns its end; CANCELLED if `cancelled` returns True before; None if it never ends.
        """
        performance = self.begin(step)
        if cancelled() and performance.answers:
            return Performed(Outcome(OutcomeCode.CANCELLED, f"{step} was cancelled."), Delta(), 0.0)
        return None if performance.outcome is None else self.complete(performance)

    def _apply(self, step: PlanStep) -> Application:
        """Do a step; its elements may be taken for other types where the domain allows that."""
        done = self._rules.apply(step, self._instance)
        if done.instance is not None or not self._domain.relaxing.shifts:
            return done
        shifted = apply_shifted(self._domain, step, self._instance)
        return shifted if shifted.instance is not None or shifted.problems else done

    def _refuse(self, step: PlanStep) -> Outcome | None:
        try:
            reason = self._apply(step).reason
        except UnknownStep as error:
            return Outcome(OutcomeCode.INVALID_ACTION, f"{step}: {error}.")
        return Outcome(OutcomeCode.PRECONDITION_FAILED, f"{step}: {reason}.") if reason else None

    def _begin_faulty(self, step: PlanStep, fault: Fault) -> Performance:
        if fault.kind is FaultKind.HANG:
            return Performance(step, None, 0.0)
        if fault.kind is FaultKind.CRASH:
            return Performance(step, None, 0.0, answers=False)
        at_once = (OutcomeCode.PRECONDITION_FAILED, OutcomeCode.INVALID_ACTION)
        duration = REFUSAL_TIME if fault.outcome in at_once else step.duration
        return Performance(step, Outcome(fault.outcome, f"Injected fault: {fault}"), duration)
