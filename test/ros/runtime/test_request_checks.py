# SPDX-License-Identifier: Apache-2.0
"""Wrong values in any field of any request: the ranges are those of the interface's comments."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fcp_ros.action import AchieveGoal, ExecutePlan, ExecuteStep, MakePlan
from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.runtime.request_checks import (
    MEANINGFUL,
    MOST_ENTRIES,
    MULTILINE,
    RANGES,
    RefusalKind,
    RequestRefusal,
    find_invalid_field,
)
from fcp_ros.srv import (
    AnswerQuestion,
    GetCalibration,
    Interpret,
    JudgePredicates,
    LoadDomain,
    LoadScene,
    PlanGoal,
    RecordOutcomes,
    SettleName,
    ValidatePlan,
)

SERVICES = (
    AnswerQuestion,
    GetCalibration,
    Interpret,
    JudgePredicates,
    LoadDomain,
    LoadScene,
    PlanGoal,
    RecordOutcomes,
    SettleName,
    ValidatePlan,
)
ACTIONS = (AchieveGoal, ExecutePlan, ExecuteStep, MakePlan)
INCOMING = (
    *(service.Request for service in SERVICES),
    *(action.Goal for action in ACTIONS),
    ActionOutcome,
)
NESTED = re.compile(r"^(?:sequence<)?(\w+)/(\w+)(?:, \d+)?>?$")
DEGREE = "[0, 1]"
NUMBERS = ("double", "sequence<double>", "int32", "uint32", "uint8", "uint64")
SINGLE = (*NUMBERS, "string", "sequence<string>")


def make_valid(kind: Any) -> Any:
    """Make a message whose lists have an entry each, and whose numbers are within their ranges."""
    message = kind()
    for name, type_ in kind.get_fields_and_field_types().items():
        if found := NESTED.match(type_):
            package, inner = found.groups()
            if package == "std_msgs":
                continue
            nested = make_valid(getattr(importlib.import_module(f"{package}.msg"), inner))
            setattr(message, name, [nested] if type_.startswith("sequence") else nested)
        elif type_ == "sequence<string>":
            setattr(message, name, ["x"])
        elif type_ == "sequence<double>":
            setattr(message, name, [0.5])
    for name, limits in RANGES.get(kind.__name__, {}).items():
        value = getattr(message, name)
        if isinstance(value, int):
            setattr(message, name, int(max(limits.low, 0 if limits.low <= 0 else limits.low)))
    for owner, name in MEANINGFUL:
        if owner == kind.__name__:
            _make_meaningful(message, name)
    return message


def _make_meaningful(message: Any, name: str) -> None:
    if name == "quality":
        message.quality_measured = True
    else:
        message.kind = message.FLOAT


def list_fields(message: Any, path: str = "") -> Iterator[tuple[Any, str, str]]:
    """List (message, field, path) of all single values below a message."""
    for name, type_ in message.get_fields_and_field_types().items():
        value, where = getattr(message, name), f"{path}.{name}" if path else name
        if NESTED.match(type_):
            for one in value if isinstance(value, list) else [value]:
                yield from list_fields(one, where)
        elif type_ in ("string", "double", "sequence<double>", "sequence<string>") or type_ in (
            "int32",
            "uint32",
            "uint8",
            "uint64",
        ):
            yield message, name, where


def list_wrong_values(message: Any, name: str) -> list[Any]:
    """List the values that a field must not have, by its type and range."""
    type_ = message.get_fields_and_field_types()[name]
    kind = type(message).__name__
    limits = RANGES.get(kind, {}).get(name)
    if "string" in type_:
        wrong: list[Any] = ["a\x1b[31m", "a\x07", "\x9b2J"]
        wrong += [] if name in MULTILINE else ["a\nb", "a\u202eb"]
    elif "double" in type_:
        wrong = [math.inf, -math.inf]
        wrong += [] if limits is not None and limits.may_be_open else [math.nan]
        wrong += [] if limits is None else [limits.low - 0.001, limits.high + 0.001]
    elif kind in ("Duration", "Time"):
        wrong = [10**9, 2**32 - 1] if name == "nanosec" else [-1, -(2**31)]
        wrong = wrong if (kind, name) != ("Time", "sec") else []
    elif limits is None:
        return []
    else:
        low, high = {"int32": (-(2**31), 2**31 - 1), "uint64": (0, 2**64 - 1)}.get(
            type_, (0, 255 if type_ == "uint8" else 2**32 - 1)
        )
        candidates = (low, int(limits.low) - 1, int(limits.high) + 1, high)
        wrong = [value for value in candidates if low <= value <= high]
        wrong = [value for value in wrong if not limits.low <= value <= limits.high]
    return [[value] for value in wrong] if type_.startswith("sequence") else wrong


@pytest.mark.parametrize("kind", INCOMING, ids=lambda kind: kind.__name__)
def test_every_wrong_value_of_every_field_is_refused_with_the_field(kind: Any) -> None:
    message = make_valid(kind)
    assert not find_invalid_field(message)
    tried = 0
    for owner, name, where in list_fields(message):
        before = getattr(owner, name)
        for value in list_wrong_values(owner, name):
            setattr(owner, name, value)
            problem = find_invalid_field(message)
            assert problem, f"{where} = {value!r} of {kind.__name__} passes"
            assert problem.replace("[0]", "").startswith(where), problem
            assert "\x1b" not in problem
            tried += 1
        setattr(owner, name, before)
    assert not find_invalid_field(message)
    assert tried or kind in (AnswerQuestion.Request,)


def read_interface(repository: Path) -> Iterator[tuple[str, str, str]]:
    """Read (message, field, comment) of all parts of the interface that come in."""
    for file in sorted(repository.glob("msg/*.msg")):
        yield from _read_fields(file.stem, file.read_text())
    for folder, ends in (("srv", ("Request",)), ("action", ("Goal",))):
        for file in sorted((repository / folder).iterdir()):
            parts = file.read_text().split("\n---")
            yield from _read_fields(f"{file.stem}_{ends[0]}", parts[0])


def _read_fields(name: str, text: str) -> Iterator[tuple[str, str, str]]:
    for line in text.splitlines():
        found = re.match(r"^[\w/\[\]]+ +(\w+)\s*#\s*(.*)$", line)
        if found:
            yield name, found.group(1), found.group(2)


def list_incoming() -> set[str]:
    return {
        type(owner).__name__ for kind in INCOMING for owner, *_ in list_fields(make_valid(kind))
    }


def test_the_ranges_are_those_of_the_comments(repository: Path) -> None:
    incoming = list_incoming()
    stated = {
        (name, field): comment
        for name, field, comment in read_interface(repository)
        if name in incoming and DEGREE in comment
    }
    known = {
        (name, field): limits
        for name, fields in RANGES.items()
        for field, limits in fields.items()
        if (limits.low, limits.high) == (0.0, 1.0) and isinstance(limits.low, float)
    }
    # Both are a list of probabilities of 0, 1 .. 100.
    assert set(known) - set(stated) <= {("Membership", "distribution")}
    assert set(stated) <= set(known)
    for key, comment in stated.items():
        assert known[key].may_be_open == ("NaN" in comment), key


CODES = {
    ("OutcomeCode", "code"): "msg/OutcomeCode.msg",
    ("Argument", "kind"): "msg/Argument.msg",
    ("Attribute", "kind"): "msg/Attribute.msg",
    ("GetCalibration_Request", "operation"): "srv/GetCalibration.srv",
    ("SettleName_Request", "answer"): "srv/SettleName.srv",
    ("ControlExecution_Request", "operation"): "srv/ControlExecution.srv",
}


@pytest.mark.parametrize(("field", "file"), CODES.items(), ids=lambda one: "-".join(one))
def test_the_codes_are_those_of_the_interface(
    field: tuple[str, str], file: str, repository: Path
) -> None:
    """A code that somebody adds is known here as well."""
    text = (repository / file).read_text().split("\n---")[0]
    codes = [int(number) for number in re.findall(r"^uint8 [A-Z_]+ *= *(\d+)", text, re.M)]
    limits = RANGES[field[0]][field[1]]
    known = {code for code in codes if code or "UNKNOWN" not in text}
    assert known == set(range(int(limits.low), int(limits.high) + 1))


def test_a_list_has_its_bound() -> None:
    most = MOST_ENTRIES["RecordOutcomes_Request", "outcomes"]
    assert most == RecordOutcomes.Request.MOST
    outcomes = [make_valid(ActionOutcome)] * most
    assert not find_invalid_field(RecordOutcomes.Request(outcomes=outcomes))
    problem = find_invalid_field(RecordOutcomes.Request(outcomes=[*outcomes, outcomes[0]]))
    assert problem == "outcomes has 101 entries: send 100 at most"


def test_a_refusal_can_be_printed() -> None:
    refusal = RequestRefusal(RefusalKind.INVALID_REQUEST, "no file a\x1b[31m\nhere")
    assert refusal.sentence == "no file a\N{REPLACEMENT CHARACTER}[31m\nhere"
