# SPDX-License-Identifier: Apache-2.0
"""A simulated world that changes by the planner's rules, and the faults that are injected into it.

A fault is written `PATTERN: EFFECT`, with ` xN` after it if it happens only N times:

    pick(item=mug_1): EXECUTION_FAILED       every attempt fails
    pick(item=mug_1): POSTCONDITION_FAILED x1  the first one ends without its effect
    navigate: delay 20                       20 s longer than expected
    place: hang                              never ends by itself, but can be cancelled
    place: crash                             never answers, not even to a cancel

A success probability is written `PATTERN: P`, such as `pick(item=mug_1): 0.2`.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from fcp_ros.cset import Delta, Fact, Instance, InstanceBuilder, InstanceError
from fcp_ros.domain.derived_facts import add_facts
from fcp_ros.domain.model import Domain
from fcp_ros.domain.shifting import shift_elements
from fcp_ros.execution.monitoring import find_granted
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import Application, StepRules, UnknownStep

ANY_RULE = "*"

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ARGUMENT = re.compile(
    rf"\s*(?P<parameter>{_NAME})\s*=\s*(?:\"(?P<quoted>[^\"]*)\"|(?P<plain>[\w\-./]+))\s*(?:,|$)"
)
_PATTERN = re.compile(rf"\s*(?P<rule>\*|{_NAME})\s*(?:\((?P<arguments>.*)\))?\s*", re.DOTALL)


class FaultError(ValueError):
    """A fault, probability or pattern that can't be read, or names what the domain doesn't have.

    The message says where, and shows the notation.
    """


@dataclass(frozen=True, slots=True)
class StepPattern:
    """Matches the steps of a rule (or of any) that have at least these arguments."""

    rule: str = ANY_RULE
    arguments: tuple[tuple[str, str], ...] = ()

    def matches(self, step: PlanStep) -> bool:
        named = self.rule in (ANY_RULE, step.rule)
        return named and set(self.arguments) <= set(step.arguments)

    @property
    def specificity(self) -> tuple[int, int]:
        """Greater for a pattern that says more; of several that match, the most specific counts."""
        return (len(self.arguments), int(self.rule != ANY_RULE))

    def check(self, parameters: dict[str, tuple[str, ...]]) -> None:
        """Check the names in it.

        `parameters`: rule -> its parameters, of all rules of the domain. Raises FaultError for a
        rule or parameter that the domain doesn't have.
        """
        if self.rule != ANY_RULE and self.rule not in parameters:
            raise FaultError(
                f"{self}: the domain has no rule {self.rule!r}; it has "
                f"{', '.join(sorted(parameters))}"
            )
        known = (
            {name for names in parameters.values() for name in names}
            if self.rule == ANY_RULE
            else set(parameters[self.rule])
        )
        for name, _ in self.arguments:
            if name not in known:
                raise FaultError(
                    f"{self}: no parameter {name!r}; write one of {', '.join(sorted(known))}"
                )

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={_quote(value)}" for name, value in self.arguments)
        return f"{self.rule}({inner})" if inner else self.rule


def parse_pattern(text: str) -> StepPattern:
    """Read a pattern.

    Raises FaultError if it can't be read; the message shows how it is written.
    """
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise FaultError(f"{text!r} is not a pattern of steps; write it like pick(item=mug_1)")
    return StepPattern(match["rule"], _parse_arguments(match["arguments"] or "", text))


def _parse_arguments(inner: str, text: str) -> tuple[tuple[str, str], ...]:
    arguments: list[tuple[str, str]] = []
    position = 0
    while position < len(inner) and inner[position:].strip():
        match = _ARGUMENT.match(inner, position)
        if match is None:
            raise FaultError(
                f"{inner[position:].strip()!r} in {text!r} is not an argument; "
                "write it like item=mug_1, with commas between several"
            )
        value = match["quoted"] if match["quoted"] is not None else match["plain"]
        arguments.append((match["parameter"], value))
        position = match.end()
    return tuple(arguments)


def _quote(value: str) -> str:
    return value if re.fullmatch(r"[\w\-./]+", value) else f'"{value}"'


ALWAYS = -1

INJECTABLE = (
    OutcomeCode.PRECONDITION_FAILED,
    OutcomeCode.PLANNING_FAILED,
    OutcomeCode.EXECUTION_FAILED,
    OutcomeCode.POSTCONDITION_FAILED,
    OutcomeCode.INVALID_ACTION,
)
"""Outcomes that an executor can report by itself."""


class FaultKind(str, Enum):
    """The kinds of faults."""

    FAIL = "fail"
    """The step ends with `Fault.outcome`, and without an effect."""
    DELAY = "delay"
    """It takes `Fault.delay` seconds longer."""
    HANG = "hang"
    """It never ends by itself, but can be cancelled."""
    CRASH = "crash"
    """No outcome ever comes, not even after a cancel."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault."""

    pattern: StepPattern
    kind: FaultKind
    outcome: OutcomeCode = OutcomeCode.EXECUTION_FAILED  # of a step that fails
    delay: float = 0.0  # of a step that is delayed (s)
    times: int = ALWAYS  # how often it happens; `ALWAYS` for no limit

    def __str__(self) -> str:
        effect = {FaultKind.FAIL: self.outcome.name, FaultKind.DELAY: f"delay {self.delay:g}"}.get(
            self.kind, self.kind.value
        )
        return f"{self.pattern}: {effect}" + (f" x{self.times}" if self.times != ALWAYS else "")


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """All faults. The first one that matches a step and is not used up happens to it."""

    faults: tuple[Fault, ...] = ()

    def find_fault(self, step: PlanStep, used: dict[int, int]) -> Fault | None:
        """Return the fault that happens to this step, or None.

        `used`: position of a fault -> how often it has happened; counted up here.
        """
        for position, fault in enumerate(self.faults):
            left = fault.times == ALWAYS or used.get(position, 0) < fault.times
            if left and fault.pattern.matches(step):
                used[position] = used.get(position, 0) + 1
                return fault
        return None


@dataclass(frozen=True, slots=True)
class SuccessModel:
    """The probability that a step succeeds: of the entries that match, the most specific counts."""

    default: float = 1.0
    entries: tuple[tuple[StepPattern, float], ...] = ()

    def __post_init__(self) -> None:
        for probability in (self.default, *(p for _, p in self.entries)):
            if not 0.0 <= probability <= 1.0:
                raise FaultError(f"success probability {probability} must lie in [0, 1]")

    def find_probability(self, step: PlanStep) -> float:
        """Return the probability in [0, 1] that this step succeeds."""
        matching = [entry for entry in self.entries if entry[0].matches(step)]
        if not matching:
            return self.default
        return max(matching, key=lambda entry: entry[0].specificity)[1]


_EFFECT = re.compile(
    r"\s*(?P<word>[A-Za-z_]+)(?:\s+(?P<number>[0-9.eE+-]+))?(?:\s+x(?P<times>[0-9]+))?\s*"
)
_HOW = "write it like 'pick(item=mug_1): EXECUTION_FAILED x2', 'navigate: delay 20', 'place: hang'"


def parse_fault(text: str) -> Fault:
    """Read one fault; the module's docstring shows the notation.

    Raises FaultError if it can't be read; the message names the part and shows the notation.
    """
    pattern, effect = _split(text, _HOW)
    match = _EFFECT.fullmatch(effect)
    if match is None:
        raise FaultError(f"{effect.strip()!r} in fault {text!r} is not an effect; {_HOW}")
    word, number = match["word"], match["number"]
    times = ALWAYS if match["times"] is None else int(match["times"])
    if times == 0:
        raise FaultError(f"fault {text!r} happens 0 times; leave it out, or write x1 or more")
    if word == FaultKind.DELAY.value:
        return Fault(pattern, FaultKind.DELAY, delay=_read_delay(number, text), times=times)
    if number is not None:
        raise FaultError(f"only a delay takes a number, {text!r} has {number!r}; {_HOW}")
    if word in (FaultKind.HANG.value, FaultKind.CRASH.value):
        return Fault(pattern, FaultKind(word), times=times)
    for code in INJECTABLE:
        if word == code.name:
            return Fault(pattern, FaultKind.FAIL, outcome=code, times=times)
    names = ", ".join([code.name for code in INJECTABLE] + ["delay SECONDS", "hang", "crash"])
    raise FaultError(f"{word!r} in fault {text!r} is not an effect; write one of {names}")


def parse_faults(texts: Iterable[str]) -> FaultPlan:
    """Read several faults; empty texts are skipped (an empty ROS array holds one).

    Raises FaultError as `parse_fault` does.
    """
    return FaultPlan(tuple(parse_fault(text) for text in texts if text.strip()))


def parse_success(default: float, texts: Iterable[str]) -> SuccessModel:
    """Read success probabilities, such as `pick(item=mug_1): 0.2`; empty texts are skipped.

    Raises FaultError if one can't be read or lies outside [0, 1].
    """
    how = "write it like 'pick(item=mug_1): 0.2'"
    entries: list[tuple[StepPattern, float]] = []
    for text in texts:
        if not text.strip():
            continue
        pattern, number = _split(text, how)
        try:
            entries.append((pattern, float(number)))
        except ValueError:
            raise FaultError(f"{number.strip()!r} in {text!r} is not a number; {how}") from None
    return SuccessModel(default, tuple(entries))


def _split(text: str, how: str) -> tuple[StepPattern, str]:
    left, colon, right = text.rpartition(":")
    if not colon:
        raise FaultError(f"{text!r} has no colon; {how}")
    return parse_pattern(left), right


def _read_delay(number: str | None, text: str) -> float:
    try:
        delay = float(number or "")
    except ValueError:
        delay = math.nan
    if not (math.isfinite(delay) and delay >= 0.0):
        raise FaultError(f"the delay in {text!r} must be a number of seconds >= 0; {_HOW}")
    return delay


# --- A simulated world that changes by the planner's rules, but not always as planned
#
# A performance has two halves, so that the caller decides how time passes in between. `begin`
# checks that the step can be done and draws how it will go; `complete` changes the world, by the
# whole step or not at all. So the state is consistent whatever fails.


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
        self._is_unseen: Callable[[Fact], bool] = lambda fact: False

    @property
    def instance(self) -> Instance:
        return self._instance

    def replace(
        self, instance: Instance, is_unseen: Callable[[Fact], bool] = lambda fact: False
    ) -> None:
        """Replace the present state: somebody else has changed the world.

        What nobody has seen either way (`is_unseen`) is as a step that ends it needs it.
        """
        self._instance, self._is_unseen = instance, is_unseen

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
        granted = find_granted(self._rules, (step,), self._instance, self._is_unseen)
        state = add_facts(self._domain, self._instance, granted) if granted else self._instance
        done = self._rules.apply(step, state)
        if done.instance is not None or not self._domain.relaxing.shifts:
            return done
        shifted = apply_shifted(self._domain, step, state)
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
