# SPDX-License-Identifier: Apache-2.0
"""The values that requests may hold: every field of a message, checked in one place.

Whoever sends a message may be any program, so nothing in it is trusted: numbers are finite and
within the ranges that the comments of ``msg/``, ``srv/`` and ``action/`` state, codes are known,
durations are not negative, and names hold no character that a terminal would obey. A test compares
`RANGES` with those comments, and another puts wrong values into each field of each request.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from builtin_interfaces.msg import Duration, Time

from fcp_ros.foundation.wording import find_control, hide_controls
from fcp_ros.msg import OutcomeCode
from fcp_ros.nodes.runtime.worker import JobCancelled, WorkerBusy, WorkerClosed

# --- refusals of requests: one code for programs and one sentence for people ---

CLEANED_UP = "The node is being deactivated or cleaned up: ask again when it is active."


class RefusalKind(IntEnum):
    """The reasons for which a request is refused; a test compares them with `RequestError`."""

    INVALID_REQUEST = 1
    TIMED_OUT = 2
    BUSY = 3
    NODE_INACTIVE = 4
    INTERNAL_ERROR = 5
    NO_JUDGEMENT = 6
    SCENE_LOST = 7


@dataclass(frozen=True)
class RequestRefusal:
    """A request is refused: the kind for programs, a sentence for people."""

    kind: RefusalKind
    sentence: str

    def __post_init__(self) -> None:
        # It may quote the request, and ends in terminals and logs.
        object.__setattr__(self, "sentence", hide_controls(self.sentence))


class RequestRefused(Exception):
    """Raised while a request is served, to refuse it."""

    def __init__(self, kind: RefusalKind, sentence: str) -> None:
        super().__init__(sentence)
        self.refusal = RequestRefusal(kind, sentence)


NOT_SERVED = (WorkerBusy, WorkerClosed, JobCancelled, TimeoutError)
"""Reasons why a worker has no result for a request; `make_refusal` gives each its code."""


def make_refusal(error: BaseException) -> RequestRefusal:
    """Return the refusal that an exception of `NOT_SERVED`, or any other, stands for."""
    if isinstance(error, RequestRefused):
        return error.refusal
    if isinstance(error, WorkerBusy):
        return RequestRefusal(RefusalKind.BUSY, str(error))
    if isinstance(error, WorkerClosed):
        return RequestRefusal(RefusalKind.NODE_INACTIVE, str(error))
    if isinstance(error, JobCancelled):
        return RequestRefusal(RefusalKind.NODE_INACTIVE, CLEANED_UP)
    if isinstance(error, TimeoutError):
        return RequestRefusal(RefusalKind.TIMED_OUT, str(error))
    return RequestRefusal(RefusalKind.INVALID_REQUEST, str(error))


def fill_refusal(response: Any, refusal: RequestRefusal) -> Any:
    response.success = False
    response.message = refusal.sentence
    response.error.code = int(refusal.kind)
    return response


# --- the values that requests may hold: every field of a message ---

NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Range:
    """The values that a number may have, from `low` to `high`; NaN, too, if it may be left open."""

    low: float
    high: float = math.inf
    may_be_open: bool = False

    def allows(self, value: float) -> bool:
        """Return True if a value lies within; infinity never does."""
        if math.isnan(value):
            return self.may_be_open
        return math.isfinite(value) and self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"{self.low:g} or more"
        return f"from {self.low:g} to {self.high:.19g}"


DEGREE = Range(0.0, 1.0)
OPEN_DEGREE = Range(0.0, 1.0, may_be_open=True)
LARGEST_NUMBER = 2**63 - 1
"""Largest number of an outcome: that of a whole number in SQLite."""

RANGES: Mapping[str, Mapping[str, Range]] = {
    "AchieveGoal_Goal": {
        "max_replans": Range(-1, 2**31 - 1),
        "when_busy": Range(0, 3),
        "priority": Range(-100, 100),
        "when_late": Range(0, 3),
    },
    "ActionOutcome": {"quality": DEGREE, "number": Range(0, LARGEST_NUMBER)},
    "Argument": {"kind": Range(1, 2)},
    "Attribute": {"kind": Range(1, 4)},
    "Budget": {"amount": Range(0.0)},
    "ControlExecution_Request": {"operation": Range(1, 3)},
    "ExecutePlan_Goal": {
        "when_busy": Range(0, 3),
        "priority": Range(-100, 100),
        "when_late": Range(0, 2),
    },
    "GetCalibration_Request": {"operation": Range(0, 1)},
    "Membership": {
        "degree": DEGREE,
        "prior": DEGREE,
        "spread": DEGREE,
        "samples": DEGREE,
        "distribution": DEGREE,
        "latency": Range(0.0),
    },
    "OutcomeCode": {"code": Range(OutcomeCode.SUCCEEDED, OutcomeCode.SCENE_LOST)},
    "Plan": {"alpha": DEGREE, "membership": DEGREE, "goal_degree": DEGREE},
    "PlanRequest": {
        "alpha": OPEN_DEGREE,
        "confirm_below": OPEN_DEGREE,
        "indifference": OPEN_DEGREE,
    },
    "PlanStep": {"degree": DEGREE, "membership_after": DEGREE},
    "SettleName_Request": {"answer": Range(0, 2)},
    "ValidatePlan_Request": {"alpha": OPEN_DEGREE},
}
"""Type -> field -> its range; other numbers must be finite."""

MEANINGFUL: Mapping[tuple[str, str], Callable[[Any], bool]] = {
    ("ActionOutcome", "quality"): lambda outcome: bool(outcome.quality_measured),
    ("Attribute", "float_value"): lambda attribute: attribute.kind == attribute.FLOAT,
}
"""Fields that count only where another field says so."""

MOST_ENTRIES: Mapping[tuple[str, str], int] = {
    ("RecordOutcomes_Request", "outcomes"): 100,
}
"""Most entries of a list."""

MULTILINE = frozenset(
    {
        *("goal", "instruction", "planned_goal", "message", "note", "reason", "context"),
        *("left_out", "fallback", "string_value"),
    }
)
"""Fields with texts, which may have line breaks; all others are names."""


def find_invalid_field(message: Any) -> str:
    """Return what is wrong with a message, with the field; "" if nothing is."""
    return next(_find_problems(message, ""), "")


def _find_problems(message: Any, place: str) -> Iterator[str]:
    kind = type(message).__name__
    if isinstance(message, Duration | Time):
        yield from _find_wrong_time(message, place)
        return
    ranges = RANGES.get(kind, {})
    for name in message.get_fields_and_field_types():
        is_meaningful = MEANINGFUL.get((kind, name))
        if is_meaningful is not None and not is_meaningful(message):
            continue
        value, where = getattr(message, name), f"{place}.{name}" if place else name
        if isinstance(value, str) or hasattr(value, "get_fields_and_field_types"):
            values: Sequence[Any] = (value,)
        elif isinstance(value, bool | int | float):
            values = (value,)
        else:
            values = value
            if len(values) > (most := MOST_ENTRIES.get((kind, name), len(values))):
                yield f"{where} has {len(values)} entries: send {most} at most"
        for at, item in enumerate(values):
            path = where if values is not value else f"{where}[{at}]"
            yield from _find_wrong_value(item, name, path, ranges.get(name))


def _find_wrong_value(value: Any, name: str, where: str, limits: Range | None) -> Iterator[str]:
    if hasattr(value, "get_fields_and_field_types"):
        yield from _find_problems(value, where)
    elif isinstance(value, str):
        if control := find_control(value, multiline=name in MULTILINE):
            yield f"{where} holds the control character {control}: leave it out"
    elif limits is not None:
        if not limits.allows(value):
            yield f"{where} is {value}: it must be {limits}"
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{where} is {value}: it must be finite"


def _find_wrong_time(message: Duration | Time, where: str) -> Iterator[str]:
    if message.nanosec >= NANOSECONDS:
        yield f"{where}.nanosec is {message.nanosec}: it must be below {NANOSECONDS}"
    if isinstance(message, Duration) and message.sec < 0:
        yield f"{where}.sec is {message.sec}: a duration is not negative"
