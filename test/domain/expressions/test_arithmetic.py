# SPDX-License-Identifier: Apache-2.0
"""Arithmetic over attributes: what is read as what, and that nothing else is read."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain.expressions.arithmetic import (
    ArithmeticOperation,
    Distance,
    ElementAttribute,
    NotArithmetic,
    Number,
    parts,
)
from fcp_ros.domain.expressions.arithmetic_parser import parse_arithmetic

A, B = ElementAttribute("item", "width"), ElementAttribute("from", "x")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5e-1", Number(0.15)),
        ("item.width", A),
        (
            "item.width - from.x - 2",
            ArithmeticOperation("-", (ArithmeticOperation("-", (A, B)), Number(2))),
        ),
        (
            "item.width + from.x * 2",
            ArithmeticOperation("+", (A, ArithmeticOperation("*", (B, Number(2))))),
        ),
        (
            "-(item.width / 2)",
            ArithmeticOperation("negative", (ArithmeticOperation("/", (A, Number(2))),)),
        ),
        ("min(item.width, from.x, 1)", ArithmeticOperation("min", (A, B, Number(1)))),
        ("sqrt(abs(from.x))", ArithmeticOperation("sqrt", (ArithmeticOperation("abs", (B,)),))),
        ("distance(item, from)", Distance("item", "from")),
        ("(((1)))", Number(1)),
    ],
)
def test_what_is_read(text: str, value: object) -> None:
    assert parse_arithmetic(text) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "too early"),
        ("item", "too early"),
        ("item.width +", "too early"),
        ("item.width item.width", "can't stand there"),
        ("__import__('os')", "can't stand there"),
        ("item.width.real", "can't stand there"),
        ("item.width ** 2", "can't stand there"),
        ("item[0]", "can't stand there"),
        ("exp(item.width)", "no function exp"),
        ("abs(1, 2)", "abs is given 2 values"),
        ("distance(item)", "distance is given 1 values"),
        ("distance(item.x, 2)", "between what two parameters"),
        ("max(item, 2)", "item is not a number"),
        ("(" * 400 + "1" + ")" * 400, None),
        ("-" * 400 + "1", "deeper"),
        ("1" * 2000, "characters"),
    ],
)
def test_what_is_refused(text: str, words: str | None) -> None:
    if words is None:  # brackets alone make nothing deep
        assert parse_arithmetic(text) == Number(1)
        return
    with pytest.raises(NotArithmetic, match=words) as caught:
        parse_arithmetic(text)
    assert caught.value.fix


@given(st.text(alphabet="ab.x12+-*/(), mindtceqr\n\0é", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(NotArithmetic):  # and with nothing else
        assert list(parts(parse_arithmetic(text)))
