# SPDX-License-Identifier: Apache-2.0
"""The grammar of goals, `expression.lark`: text to expression; errors point at the character."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lark import (
    Lark,
    Token,
    Transformer,
    UnexpectedCharacters,
    UnexpectedInput,
    UnexpectedToken,
    v_args,
)
from lark.exceptions import VisitError

from fcp_ros.domain.expressions.syntax import (
    AT_ALPHA,
    RESERVED,
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    ExpressionError,
    Forall,
    Initially,
    Not,
    Or,
    Preference,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    Weighted,
    children,
)
from fcp_ros.domain.expressions.trajectories import RESOLUTION, TrajectoryOperator
from fcp_ros.foundation.wording import join_words

MAX_DEPTH = 60
"""Deepest accepted nesting; keeps every recursion over expressions far from Python's limit."""
MAX_DIGITS = 300
"""A number has at most this many characters, and its exponent is at most this: read exactly, an
exponent of nine digits would take all memory."""
LARGEST = 1e300
"""Largest accepted cost: sums of such are finite as floats, too."""
MAX_TIME = 10**9
"""Longest accepted time (s); floats still tell its microseconds apart."""

Variables = tuple[TypedVariable, ...]

_WORDS = {
    "VARIABLE": "a variable such as ?x",
    "NAME": "a name",
    "STRING": 'words in "double quotes"',
    "NUMBER": "a number",
    "UNIT": "a unit of time: `s`, `min` or `h`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "COMMA": "a comma",
    "COLON": "a colon",
    "_AT_LEAST_DEGREE": "`>=` and a degree",
    "STAR": "`*` after the weight",
    "AND": "`and`",
    "OR": "`or`",
    "NOT": "`not`",
    "EXISTS": "`exists`",
    "FORALL": "`forall`",
    "AT_LEAST": "`at least`",
    "AT_MOST": "`at most`",
    "EXACTLY": "`exactly`",
    "AS_MANY": "`as many as possible`",
    "INITIALLY": "`initially`",
    "ALWAYS": "`always`",
    "NEVER": "`never`",
    "SOMETIME": "`sometime`",
    "AT_MOST_ONCE": "`at most once`",
    "FIRST": "`first`",
    "THEN": "`then`",
    "BEFORE": "`before`",
    "AFTER": "`after`",
    "WITHIN": "`within` and a time",
    "HOLD": "`hold`",
    "DURING": "`during` and a time",
    "TO": "`to` and a later time",
    "PREFER": "`prefer`",
    "COST": "`cost`",
    "AS": "`as` and a name",
    "$END": "the end",
}
"""Each terminal of the grammar in words."""
_BEGINNINGS = frozenset(
    [
        *("NAME", "STRING", "NUMBER", "LPAR", "NOT", "EXISTS", "FORALL", "AT_LEAST", "AT_MOST"),
        *(
            "EXACTLY",
            "AS_MANY",
            "INITIALLY",
            "ALWAYS",
            "NEVER",
            "SOMETIME",
            "AT_MOST_ONCE",
            "FIRST",
        ),
    ]
)
"""The terminals that an operand begins with; too many to be listed in a message."""
_SECONDS = {"s": 1, "min": 60, "h": 3600}
_HINTS = {
    "'": 'words and unusual names stand in double quotes: "drinking".',
    "&": "conjunction is written `and`.",
    "|": "disjunction is written `or`.",
    "!": "negation is written `not`.",
    "~": "negation is written `not`.",
    "=": "only degrees are compared, by `>=`; relations look like on(?x, table_1).",
    "-": "a weight lies in [0, 1], and other numbers are at least 0.",
}


def read_expression(text: str) -> Expression:
    """Read an expression.

    Raises:
        ExpressionError: the text does not follow the grammar; says where and what was expected.
    """
    try:
        parsed: Expression = _parser().parse(text)  # type: ignore[assignment]
    except UnexpectedInput as error:
        raise _explain(error, text) from None
    except VisitError as error:
        if isinstance(error.orig_exc, _BadToken):
            bad = error.orig_exc
            raise ExpressionError(bad.message, text, bad.column) from None
        raise
    except _BadToken as error:
        raise ExpressionError(error.message, text, error.column) from None
    if _measure_depth(parsed) > MAX_DEPTH:
        raise ExpressionError(
            f"The expression is nested deeper than {MAX_DEPTH} levels: simplify it."
        )
    return parsed


class _BadToken(Exception):
    """A token that fits the grammar but has a value that is not allowed."""

    def __init__(self, message: str, token: Token) -> None:
        super().__init__(message)
        self.message = message
        self.column = _find_column(token)


@dataclass(frozen=True, slots=True)
class _Time:
    """A time in seconds, and the token of its number."""

    seconds: Fraction
    token: Token


@v_args(inline=True)
class _Builder(Transformer):  # type: ignore[type-arg]
    """Builds values bottom-up while parsing, so depth of nesting costs no recursion here."""

    def start(self, body: Expression) -> Expression:
        return body

    def disjunction_of(self, *parts: Expression) -> Expression:
        return Or(parts)

    def conjunction_of(self, *parts: Expression) -> Expression:
        return And(parts)

    def negation(self, body: Expression) -> Expression:
        return Not(body)

    def weigh(self, weight: Token, body: Expression) -> Expression:
        return Weighted(_read_weight(weight), body)

    def exists(self, variables: Variables, body: Expression) -> Expression:
        return Exists(variables, body)

    def forall(self, variables: Variables, body: Expression) -> Expression:
        return Forall(variables, body)

    def count(
        self, bound: Token, number: Token, variables: Variables, body: Expression
    ) -> Expression:
        if not number.isdigit():
            raise _BadToken(f"A count is a whole number, not {number}: change it.", number)
        words = Bound(" ".join(bound.split()))
        return Count(words, int(_read_exactly(number)), variables, body, _find_column(bound))

    def count_most(self, word: Token, variables: Variables, body: Expression) -> Expression:
        return Count(Bound.MOST, 0, variables, body, _find_column(word))

    def declarations(self, *variables: TypedVariable) -> Variables:
        return variables

    def initially(self, word: Token, body: Expression) -> Expression:
        return Initially(body, _find_column(word))

    # --- trajectory constraints and preferences

    def always(self, word: Token, body: Expression) -> Expression:
        return _constrain(TrajectoryOperator.ALWAYS, word, body)

    def never(self, word: Token, body: Expression) -> Expression:
        return _constrain(TrajectoryOperator.ALWAYS, word, Not(body))

    def sometime(self, word: Token, body: Expression) -> Expression:
        return _constrain(TrajectoryOperator.SOMETIME, word, body)

    def at_most_once(self, word: Token, body: Expression) -> Expression:
        return _constrain(TrajectoryOperator.AT_MOST_ONCE, word, body)

    def first_then(self, word: Token, *parts: Expression) -> Expression:
        return _constrain(TrajectoryOperator.FIRST_THEN, word, *parts)

    def before(self, earlier: Expression, later: Expression) -> Expression:
        return TrajectoryConstraint(TrajectoryOperator.BEFORE, (earlier, later))

    def after(self, later: Expression, earlier: Expression) -> Expression:
        return TrajectoryConstraint(TrajectoryOperator.AFTER, (later, earlier))

    def time(self, number: Token, unit: Token) -> _Time:
        seconds = _read_exactly(number) * _SECONDS[unit]
        if seconds > MAX_TIME:
            raise _BadToken(f"A time is at most {MAX_TIME} s: shorten it.", number)
        if seconds % RESOLUTION:
            raise _BadToken("Times are whole microseconds: give fewer digits.", number)
        return _Time(seconds, number)

    def within(self, body: Expression, time: _Time) -> Expression:
        return TrajectoryConstraint(TrajectoryOperator.WITHIN, (body,), 0, (time.seconds,))

    def always_within(self, later: Expression, time: _Time, earlier: Expression) -> Expression:
        operator = TrajectoryOperator.ALWAYS_WITHIN
        return TrajectoryConstraint(operator, (later, earlier), 0, (time.seconds,))

    def hold_after(self, word: Token, body: Expression, time: _Time) -> Expression:
        operator, column = TrajectoryOperator.HOLD_AFTER, _find_column(word)
        return TrajectoryConstraint(operator, (body,), column, (time.seconds,))

    def hold_during(self, word: Token, body: Expression, begin: _Time, end: _Time) -> Expression:
        if begin.seconds >= end.seconds:
            message = "It would end before it begins: put the later time behind `to`."
            raise _BadToken(message, end.token)
        operator, times = TrajectoryOperator.HOLD_DURING, (begin.seconds, end.seconds)
        return TrajectoryConstraint(operator, (body,), _find_column(word), times)

    def weight_only(self, weight: Token) -> tuple[float, Fraction]:
        return _read_weight(weight), Fraction(0)

    def cost_only(self, cost: Token) -> tuple[float, Fraction]:
        return 0.0, _read_exactly(cost)

    def weight_and_cost(self, weight: Token, cost: Token) -> tuple[float, Fraction]:
        return _read_weight(weight), _read_exactly(cost)

    def prefer(self, word: Token, price: tuple[float, Fraction], *rest: Any) -> Expression:
        name = _read_name(rest[0]) if len(rest) > 1 else ""
        return Preference(*price, rest[-1], name, _find_column(word))

    # --- atoms

    def declaration(self, variable: Token, type_: Token) -> TypedVariable:
        return TypedVariable(variable[1:], _read_name(type_), _find_column(variable))

    def atom(self, predicate: Token, *terms: Any) -> Expression:
        return Atom(_read_name(predicate), terms, _find_column(predicate))

    def compare(self, atom: Atom, least: Token) -> Expression:
        if least.type == "NUMBER":
            return replace(atom, least=_read_weight(least))
        if least != "alpha":
            raise _BadToken("A degree is compared with a number or with `alpha`.", least)
        return replace(atom, least=AT_ALPHA)

    def variable(self, token: Token) -> Variable:
        return Variable(token[1:], _find_column(token))

    def constant(self, token: Token) -> Constant:
        return Constant(str(token), _find_column(token))

    def text(self, token: Token) -> Text:
        return Text(_unquote(token), _find_column(token))


@lru_cache(maxsize=1)
def _parser() -> Lark:
    grammar = (
        files("fcp_ros.domain.expressions").joinpath("expression.lark").read_text(encoding="utf-8")
    )
    return Lark(grammar, parser="lalr", transformer=_Builder(), maybe_placeholders=False)


def _constrain(
    operator: TrajectoryOperator, word: Token, *parts: Expression
) -> TrajectoryConstraint:
    return TrajectoryConstraint(operator, parts, _find_column(word))


def _read_weight(weight: Token) -> float:
    value = float(weight)
    if not 0.0 <= value <= 1.0:
        raise _BadToken(f"A weight lies in [0, 1], not {weight}: change the weight.", weight)
    return value


def _read_exactly(number: Token) -> Fraction:
    exponent = number.lower().partition("e")[2] or "0"
    is_short = len(number) <= MAX_DIGITS and abs(int(exponent)) <= MAX_DIGITS
    if not is_short or float(number) > LARGEST:
        message = f"A number has at most {MAX_DIGITS} digits and is at most {LARGEST:g}: change it."
        raise _BadToken(message, number)
    return Fraction(number)


def _read_name(token: Token) -> str:
    return _unquote(token) if token.type == "STRING" else str(token)


def _find_column(token: Token) -> int:
    return (token.start_pos or 0) + 1


def _unquote(token: Token) -> str:
    try:
        value = json.loads(token)
    except json.JSONDecodeError as error:
        raise _BadToken(
            f"The quoted text has an unknown escape ({error.msg}): "
            'only \\" \\\\ \\n \\t and \\uXXXX are known.',
            token,
        ) from None
    return str(value)


def _measure_depth(expression: Expression) -> int:
    deepest = 0
    stack = [(expression, 1)]
    while stack:
        current, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((part, depth + 1) for part in children(current))
    return deepest


def _explain(error: UnexpectedInput, text: str) -> ExpressionError:
    position = error.pos_in_stream if error.pos_in_stream is not None else -1
    names = _list_accepted(error, text[: max(0, position)])
    expected = _list_expected(names)
    token = getattr(error, "token", None)
    if position < 0 or position >= len(text) or (token is not None and token.type == "$END"):
        end = len(text.rstrip()) + 1
        return ExpressionError(f"The expression ends too early: expected {expected}.", text, end)
    if isinstance(error, UnexpectedCharacters):
        return _explain_character(text, position, expected)
    if str(token) in _SECONDS and "STAR" in names:
        message = "No time can stand here: write `A within 5 s`, or `hold A after 5 s`."
        return ExpressionError(message, text, position + 1)
    return ExpressionError(
        f"Unexpected `{token}`: expected {expected}.{_suggest_case(token)}", text, position + 1
    )


def _list_accepted(error: UnexpectedInput, read: str) -> set[str]:
    """List the terminals that could stand at an error; `read` is the text before it."""
    if isinstance(error, UnexpectedToken):
        return set(error.accepts)
    reading = _parser().parse_interactive(read)
    reading.exhaust_lexer()
    return set(reading.accepts())  # type: ignore[no-untyped-call]


def _explain_character(text: str, position: int, expected: str) -> ExpressionError:
    character = text[position]
    if character == '"':
        return ExpressionError(
            'The quoted text is never closed: add the closing ".', text, position + 1
        )
    if character == "?":
        return ExpressionError(
            "A variable needs a name after the ?, such as ?x.", text, position + 1
        )
    hint = _HINTS.get(character)
    return ExpressionError(
        f"Unexpected `{character}`: {hint or f'expected {expected}.'}", text, position + 1
    )


def _suggest_case(token: Token | None) -> str:
    if token is None or token.type != "NAME":
        return ""
    lowered = str(token).lower()
    if lowered in RESERVED:
        return f" Connectives are written in lower case: `{lowered}`."
    return ""


def _list_expected(names: set[str]) -> str:
    if names >= _BEGINNINGS:
        others = [_WORDS[name] for name in _WORDS if name in names - _BEGINNINGS]
        return join_words(["a condition such as on(?x, table_1)", *others], "or")
    return join_words([word for name, word in _WORDS.items() if name in names], "or")
