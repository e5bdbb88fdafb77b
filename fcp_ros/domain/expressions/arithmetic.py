# SPDX-License-Identifier: Apache-2.0
"""Arithmetic over numeric attributes, as values: `support.width / item.width`.

`arithmetic_parser` reads them, yaml/graded.py checks the names, and grounding evaluates the values.
Nothing here can call, import or look up anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

DISTANCE = "distance"
COORDINATES = ("x", "y", "z")
"""The attributes that hold a position, m."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number, as written."""

    value: float


@dataclass(frozen=True, slots=True)
class ElementAttribute:
    """A numeric attribute of what a parameter is bound to: `item.width`."""

    parameter: str
    name: str


@dataclass(frozen=True, slots=True)
class Distance:
    """The straight line between what two parameters are bound to, m.

    `coordinates` are those of x, y, z that it is computed from; empty until the names are checked.
    """

    first: str
    second: str
    coordinates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArithmeticOperation:
    """An operation of `OPERATIONS` on one value or more."""

    name: str
    operands: tuple[Arithmetic, ...]


Arithmetic = Number | ElementAttribute | Distance | ArithmeticOperation

FUNCTIONS = {"min": (1, 20), "max": (1, 20), "abs": (1, 1), "sqrt": (1, 1), DISTANCE: (2, 2)}
"""The functions, with the least and the greatest number of arguments."""
OPERATIONS = ("+", "-", "*", "/", "negative", "min", "max", "abs", "sqrt")


class NotArithmetic(ValueError):
    """A text that is not arithmetic; the message is a clause, `fix` says what to write."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


def parts(value: Arithmetic) -> Iterator[Arithmetic]:
    """List the value and all its operands, depth first."""
    yield value
    if isinstance(value, ArithmeticOperation):
        for operand in value.operands:
            yield from parts(operand)
