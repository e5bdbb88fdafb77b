# SPDX-License-Identifier: Apache-2.0
"""Attribute variables and expressions over them, in patterns and right sides of rules.

In a pattern, an attribute that is a `ValueVariable` matches any value that is set, the same one
wherever the variable occurs. In the right side of a rule, an attribute may be an expression over
the variables of the left side. Expressions are plain values: nothing in them can run code.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from operator import truediv
from types import MappingProxyType
from typing import Any, TypeAlias

from fcp_ros.cset.schema_data import AttributeValue


class ValueExpressionError(ValueError):
    """An expression that has no value: an unbound variable, a wrong kind, a division by zero."""


class Operator(str, Enum):
    """Operators on numbers."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    MINIMUM = "min"
    MAXIMUM = "max"


class Comparator(str, Enum):
    """Relations between two values."""

    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="


@dataclass(frozen=True, slots=True)
class ValueVariable:
    """A value that a match decides; equal names in one pattern mean equal values."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


@dataclass(frozen=True, slots=True)
class ValueOperation:
    """An operator applied to expressions, from left to right if there are more than two.

    One argument is enough for all but division (ValueExpressionError); the difference of one is its
    negative.
    """

    operator: Operator
    arguments: tuple["ValueExpression", ...]

    def __post_init__(self) -> None:
        least = 2 if self.operator is Operator.DIVIDE else 1
        if len(self.arguments) < least:
            raise ValueExpressionError(
                f"{self.operator.value!r} has {len(self.arguments)} arguments, fewer than {least}"
            )

    def __str__(self) -> str:
        sign, arguments = self.operator.value, list(map(str, self.arguments))
        if self.operator in (Operator.MINIMUM, Operator.MAXIMUM):
            return f"{sign}({', '.join(arguments)})"
        return (
            f"({sign}{arguments[0]})" if len(arguments) == 1 else f"({f' {sign} '.join(arguments)})"
        )


ValueExpression: TypeAlias = ValueVariable | ValueOperation | AttributeValue


@dataclass(frozen=True, slots=True)
class ValueComparison:
    """A predicate on the values of attributes."""

    left: ValueExpression
    comparator: Comparator
    right: ValueExpression

    def holds(self, values: Mapping[str, AttributeValue]) -> bool:
        left, right = evaluate(self.left, values), evaluate(self.right, values)
        try:
            return _COMPARE[self.comparator](left, right)
        except TypeError as error:
            raise ValueExpressionError(
                f"{self}: {left!r} and {right!r} cannot be ordered"
            ) from error

    def __str__(self) -> str:
        return f"{self.left} {self.comparator.value} {self.right}"


def evaluate(expression: ValueExpression, values: Mapping[str, AttributeValue]) -> AttributeValue:
    """Compute the value of an expression; ValueExpressionError says why it has none."""
    if isinstance(expression, ValueVariable):
        if expression.name not in values:
            bound = ", ".join(sorted(values)) or "none"
            raise ValueExpressionError(f"variable {expression} has no value; bound are: {bound}")
        return values[expression.name]
    if not isinstance(expression, ValueOperation):
        return expression
    arguments = [evaluate(argument, values) for argument in expression.arguments]
    for argument in arguments:
        if isinstance(argument, bool) or not isinstance(argument, (int, float)):
            raise ValueExpressionError(f"{expression}: {argument!r} is no number")
    try:
        result: float = _COMPUTE[expression.operator](arguments)
    except ZeroDivisionError as error:
        raise ValueExpressionError(f"{expression}: division by zero") from error
    except OverflowError as error:
        raise ValueExpressionError(f"{expression}: the result is too large a number") from error
    if isinstance(result, float) and not math.isfinite(result):
        raise ValueExpressionError(f"{expression}: the result is too large a number")
    return result


def variables_of(expression: object) -> frozenset[str]:
    """Return the names of the variables in an expression; none for any other value."""
    if isinstance(expression, ValueVariable):
        return frozenset((expression.name,))
    if isinstance(expression, ValueOperation):
        return frozenset().union(*map(variables_of, expression.arguments))
    return frozenset()


def _subtract(arguments: list[Any]) -> Any:
    first, *rest = arguments
    return first - sum(rest) if rest else -first


def _divide(arguments: list[Any]) -> Any:
    return reduce(truediv, arguments)


_COMPUTE: Mapping[Operator, Callable[[list[Any]], Any]] = MappingProxyType(
    {
        Operator.ADD: sum,
        Operator.SUBTRACT: _subtract,
        Operator.MULTIPLY: math.prod,
        Operator.DIVIDE: _divide,
        Operator.MINIMUM: min,
        Operator.MAXIMUM: max,
    }
)

_COMPARE: Mapping[Comparator, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        Comparator.EQUAL: lambda left, right: left == right,
        Comparator.UNEQUAL: lambda left, right: left != right,
        Comparator.LESS: lambda left, right: left < right,
        Comparator.LESS_OR_EQUAL: lambda left, right: left <= right,
        Comparator.GREATER: lambda left, right: left > right,
        Comparator.GREATER_OR_EQUAL: lambda left, right: left >= right,
    }
)
