# SPDX-License-Identifier: Apache-2.0
"""The parser of arithmetic (grammar: `arithmetic.lark`)."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput, v_args
from lark.exceptions import VisitError

from fcp_ros.domain.expressions.arithmetic import (
    DISTANCE,
    FUNCTIONS,
    Arithmetic,
    ArithmeticOperation,
    Distance,
    ElementAttribute,
    NotArithmetic,
    Number,
)

MAX_LENGTH = 1000
"""Longest accepted text (characters)."""
MAX_DEPTH = 40
"""Deepest accepted nesting; keeps every recursion over arithmetic far from Python's limit."""


def parse_arithmetic(text: str) -> Arithmetic:
    """Read a value such as `distance(item, robot)` or `support.width / item.width`.

    Raises NotArithmetic if the text does not follow the grammar, or calls an unknown function.
    """
    shapes = "numbers, parameter.attribute, + - * /, min, max, abs, sqrt and distance(a, b)"
    if len(text) > MAX_LENGTH:
        raise NotArithmetic(f"it has {len(text)} characters, more than {MAX_LENGTH}", "shorten it")
    try:
        parsed: Arithmetic = _parser().parse(text)  # type: ignore[assignment]
    except VisitError as error:
        if isinstance(error.orig_exc, NotArithmetic):
            raise error.orig_exc from None
        raise
    except UnexpectedInput as error:
        position = error.pos_in_stream
        token = getattr(error, "token", None)
        ended = position is None or position < 0 or (token is not None and token.type == "$END")
        rest = "" if ended else text[position:].strip()
        where = f"`{rest[:20]}` can't stand there" if rest else "it ends too early"
        raise NotArithmetic(where, f"write {shapes}") from None
    if _measure_depth(parsed) > MAX_DEPTH:
        raise NotArithmetic(f"it is nested deeper than {MAX_DEPTH} levels", "simplify it")
    return parsed


def _measure_depth(value: Arithmetic) -> int:
    deepest = 0
    stack = [(value, 1)]
    while stack:
        current, depth = stack.pop()
        deepest = max(deepest, depth)
        if isinstance(current, ArithmeticOperation):
            stack.extend((operand, depth + 1) for operand in current.operands)
    return deepest


@v_args(inline=True)
class _Builder(Transformer):  # type: ignore[type-arg]
    """Builds values bottom-up while parsing, so depth of nesting costs no recursion here."""

    def start(self, value: Arithmetic) -> Arithmetic:
        return value

    def number(self, token: Token) -> Number:
        return Number(float(token))

    def attribute(self, parameter: Token, name: Token) -> ElementAttribute:
        return ElementAttribute(str(parameter), str(name))

    def parameter(self, token: Token) -> str:
        return str(token)

    def negate(self, value: Arithmetic) -> ArithmeticOperation:
        return ArithmeticOperation("negative", (value,))

    def add(self, left: Arithmetic, right: Arithmetic) -> ArithmeticOperation:
        return ArithmeticOperation("+", (left, right))

    def subtract(self, left: Arithmetic, right: Arithmetic) -> ArithmeticOperation:
        return ArithmeticOperation("-", (left, right))

    def multiply(self, left: Arithmetic, right: Arithmetic) -> ArithmeticOperation:
        return ArithmeticOperation("*", (left, right))

    def divide(self, left: Arithmetic, right: Arithmetic) -> ArithmeticOperation:
        return ArithmeticOperation("/", (left, right))

    def call(self, function: Token, *arguments: Any) -> Arithmetic:
        name = str(function)
        if name not in FUNCTIONS:
            raise NotArithmetic(f"there is no function {name}", f"known are {', '.join(FUNCTIONS)}")
        least, most = FUNCTIONS[name]
        if not least <= len(arguments) <= most:
            count = str(least) if least == most else f"{least} to {most}"
            raise NotArithmetic(f"{name} is given {len(arguments)} values", f"give it {count}")
        bare = [argument for argument in arguments if isinstance(argument, str)]
        if name == DISTANCE:
            if len(bare) < len(arguments):
                raise NotArithmetic(
                    "distance is between what two parameters are bound to",
                    "write distance(item, robot), with two parameters",
                )
            return Distance(bare[0], bare[1])
        if bare:
            raise NotArithmetic(
                f"{bare[0]} is not a number", f"name an attribute of it, such as {bare[0]}.width"
            )
        return ArithmeticOperation(name, arguments)


@lru_cache(maxsize=1)
def _parser() -> Lark:
    grammar = (
        files("fcp_ros.domain.expressions").joinpath("arithmetic.lark").read_text(encoding="utf-8")
    )
    return Lark(grammar, parser="lalr", transformer=_Builder(), maybe_placeholders=False)
