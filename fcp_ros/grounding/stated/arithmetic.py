# SPDX-License-Identifier: Apache-2.0
"""What a value of a fuzzy rule (domain/arithmetic.py) comes to for bound arguments."""

from __future__ import annotations

import math
from collections.abc import Mapping

from fcp_ros.domain.expressions.arithmetic import Arithmetic, Distance, ElementAttribute, Number
from fcp_ros.grounding.protocol.judgement import JudgementRequest

Numbers = Mapping[tuple[str, str], float]
"""Known numbers by parameter and attribute."""
MOST = 1e300
"""A number beyond this one is no measurement; NaN and infinity are none, either."""


class NotKnownError(ValueError):
    """A value that can't be told; the message is a clause that says why."""


def known_numbers(request: JudgementRequest) -> Numbers:
    """The numeric attributes of the arguments that are known."""
    return {
        (argument.parameter, name): float(value)
        for argument in request.arguments
        for name, value in argument.attributes
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST
    }


def value_of(value: Arithmetic, numbers: Numbers) -> float:
    """The finite number that a value comes to.

    Raises:
        NotKnownError: an attribute is not known, a division by zero, the root of a negative number,
            or a result beyond all bounds.
    """
    try:
        result = _reckon(value, numbers)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise NotKnownError("it has no finite value")
    return result


def _reckon(value: Arithmetic, numbers: Numbers) -> float:
    if isinstance(value, Number):
        return value.value
    if isinstance(value, ElementAttribute):
        return _known(value.parameter, value.name, numbers)
    if isinstance(value, Distance):
        return math.hypot(
            *(
                _known(value.first, c, numbers) - _known(value.second, c, numbers)
                for c in value.coordinates
            )
        )
    return _operate(value.name, [_reckon(operand, numbers) for operand in value.operands])


def _known(parameter: str, attribute: str, numbers: Numbers) -> float:
    if (parameter, attribute) not in numbers:
        raise NotKnownError(f"{attribute} of {parameter} is not known")
    return numbers[parameter, attribute]


def _operate(name: str, operands: list[float]) -> float:
    first, last = operands[0], operands[-1]
    if name == "+":
        return first + last
    if name == "-":
        return first - last
    if name == "*":
        return first * last
    if name == "/":
        if last == 0.0:
            raise NotKnownError("it divides by 0")
        return first / last
    if name == "negative":
        return -first
    if name == "abs":
        return abs(first)
    if name == "sqrt":
        if first < 0.0:
            raise NotKnownError("it takes the root of a negative number")
        return math.sqrt(first)
    return min(operands) if name == "min" else max(operands)
