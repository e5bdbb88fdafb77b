# SPDX-License-Identifier: Apache-2.0
"""Attribute expressions: their values, and what has none."""

import math
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset.value_expressions import (
    Comparator,
    Operator,
    ValueComparison,
    ValueExpression,
    ValueExpressionError,
    ValueOperation,
    ValueVariable,
    evaluate,
    variables_of,
)

X, Y = ValueVariable("x"), ValueVariable("y")


def op(sign: str, *arguments: ValueExpression) -> ValueOperation:
    return ValueOperation(Operator(sign), arguments)


@pytest.mark.parametrize(
    ("expression", "values", "reason"),
    [
        (op("+", X, Y), {"x": 1}, "variable ?y has no value; bound are: x"),
        (op("/", 1, X), {"x": 0}, "(1 / ?x): division by zero"),
        (op("+", X, 1), {"x": "red"}, "(?x + 1): 'red' is no number"),
        (op("*", X, X), {"x": 1e200}, "(?x * ?x): the result is too large a number"),
        (op("*", X, 1.5), {"x": 10**400}, "(?x * 1.5): the result is too large a number"),
        (op("+", X, 1), {"x": Y}, "(?x + 1): ValueVariable(name='y') is no number"),
    ],
)
def test_what_has_no_value(expression: ValueExpression, values: Any, reason: str) -> None:
    with pytest.raises(ValueExpressionError) as caught:
        evaluate(expression, values)
    assert str(caught.value) == reason


def test_whole_numbers_may_be_large() -> None:
    assert evaluate(op("*", X, X), {"x": 10**200}) == 10**400


def test_operations_need_arguments() -> None:
    with pytest.raises(ValueExpressionError, match=r"'\+' has 0 arguments, fewer than 1"):
        op("+")
    with pytest.raises(ValueExpressionError, match="'/' has 1 arguments, fewer than 2"):
        op("/", X)


@pytest.mark.parametrize(
    ("comparator", "holds"),
    [
        (Comparator.EQUAL, operator.eq),
        (Comparator.UNEQUAL, operator.ne),
        (Comparator.LESS, operator.lt),
        (Comparator.LESS_OR_EQUAL, operator.le),
        (Comparator.GREATER, operator.gt),
        (Comparator.GREATER_OR_EQUAL, operator.ge),
    ],
)
def test_comparisons(comparator: Comparator, holds: Callable[[int, int], bool]) -> None:
    for left in range(3):
        for right in range(3):
            comparison = ValueComparison(X, comparator, op("+", Y, 0))
            assert comparison.holds({"x": left, "y": right}) == holds(left, right)


def test_only_like_things_are_ordered() -> None:
    assert ValueComparison(X, Comparator.LESS, "b").holds({"x": "a"})
    assert not ValueComparison(X, Comparator.EQUAL, 1).holds({"x": "a"})
    with pytest.raises(ValueExpressionError, match=r"\?x < 1: 'a' and 1 cannot be ordered"):
        ValueComparison(X, Comparator.LESS, 1).holds({"x": "a"})


NUMBERS = st.integers(-5, 5) | st.floats(-5, 5)
EXPRESSIONS: st.SearchStrategy[ValueExpression] = st.recursive(
    NUMBERS | st.sampled_from([X, Y]),
    lambda inner: st.builds(
        ValueOperation,
        st.sampled_from(Operator),
        st.lists(inner, min_size=2, max_size=3).map(tuple),
    ),
    max_leaves=6,
)


def slowly(expression: ValueExpression, values: dict[str, Any]) -> Any:
    """The value, from the text that Python reads the same way."""
    if isinstance(expression, ValueVariable):
        return values[expression.name]
    if not isinstance(expression, ValueOperation):
        return expression
    first, *rest = (slowly(argument, values) for argument in expression.arguments)
    for other in rest:
        match = {
            Operator.ADD: lambda a, b: a + b,
            Operator.SUBTRACT: lambda a, b: a - b,
            Operator.MULTIPLY: lambda a, b: a * b,
            Operator.DIVIDE: lambda a, b: a / b,
            Operator.MINIMUM: min,
            Operator.MAXIMUM: max,
        }
        first = match[expression.operator](first, other)
    if math.isinf(first) or math.isnan(first):
        raise OverflowError
    return first


@settings(deadline=None)
@given(expression=EXPRESSIONS, x=NUMBERS, y=NUMBERS)
def test_values_are_those_of_arithmetic(expression: ValueExpression, x: Any, y: Any) -> None:
    values = {"x": x, "y": y}
    try:
        result = evaluate(expression, values)
    except ValueExpressionError:
        with pytest.raises((ZeroDivisionError, OverflowError)):
            slowly(expression, values)
        return
    assert isinstance(result, (int, float))
    assert math.isclose(result, slowly(expression, values), rel_tol=1e-9, abs_tol=1e-9)


@given(expression=EXPRESSIONS)
def test_variables_are_those_in_the_text(expression: ValueExpression) -> None:
    assert variables_of(expression) == {
        name for name in ("x", "y") if f"?{name}" in str(expression)
    }
    assert variables_of("?x") == frozenset()
