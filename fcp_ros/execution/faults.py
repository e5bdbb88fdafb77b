# SPDX-License-Identifier: Apache-2.0
"""Faults that are injected into the simulated world, and the probability that its steps succeed.

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
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.planning.model.plan import PlanStep

ANY_RULE = "*"

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ARGUMENT = re.compile(
    rf"\s*(?P<parameter>{_NAME})\s*=\s*(?:\"(?P<quoted>[^\"]*)\"|(?P<plain>[\w\-./]+))\s*(?:,|$)"
)
_PATTERN = re.compile(rf"\s*(?P<rule>\*|{_NAME})\s*(?:\((?P<arguments>.*)\))?\s*", re.DOTALL)


class PatternError(ValueError):
    """A text that is not a pattern, or names a rule or parameter that the domain doesn't have."""


@dataclass(frozen=True, slots=True)
class StepPattern:
    """Matches the steps of a rule (or of any) that have at least these arguments."""

    rule: str = ANY_RULE
    arguments: tuple[tuple[str, str], ...] = ()

    def matches(self, step: PlanStep) -> bool:
        """Return True if the step is one of these."""
        named = self.rule in (ANY_RULE, step.rule)
        return named and set(self.arguments) <= set(step.arguments)

    @property
    def specificity(self) -> tuple[int, int]:
        """Greater for a pattern that says more; of several that match, the most specific counts."""
        return (len(self.arguments), int(self.rule != ANY_RULE))

    def check(self, parameters: dict[str, tuple[str, ...]]) -> None:
        """Check the names in it.

        `parameters`: rule -> its parameters, of all rules of the domain. Raises PatternError for a
        rule or parameter that the domain doesn't have.
        """
        if self.rule != ANY_RULE and self.rule not in parameters:
            raise PatternError(
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
                raise PatternError(
                    f"{self}: no parameter {name!r}; write one of {', '.join(sorted(known))}"
                )

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={_quote(value)}" for name, value in self.arguments)
        return f"{self.rule}({inner})" if inner else self.rule


def parse_pattern(text: str) -> StepPattern:
    """Read a pattern.

    Raises PatternError if it can't be read; the message shows how it is written.
    """
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise PatternError(f"{text!r} is not a pattern of steps; write it like pick(item=mug_1)")
    return StepPattern(match["rule"], _parse_arguments(match["arguments"] or "", text))


def _parse_arguments(inner: str, text: str) -> tuple[tuple[str, str], ...]:
    arguments: list[tuple[str, str]] = []
    position = 0
    while position < len(inner) and inner[position:].strip():
        match = _ARGUMENT.match(inner, position)
        if match is None:
            raise PatternError(
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


class FaultError(ValueError):
    """A fault or probability that can't be read; the message says where, and shows the notation."""


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
    try:
        return parse_pattern(left), right
    except PatternError as error:
        raise FaultError(str(error)) from None


def _read_delay(number: str | None, text: str) -> float:
    try:
        delay = float(number or "")
    except ValueError:
        delay = math.nan
    if not (math.isfinite(delay) and delay >= 0.0):
        raise FaultError(f"the delay in {text!r} must be a number of seconds >= 0; {_HOW}")
    return delay
