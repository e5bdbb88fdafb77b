# SPDX-License-Identifier: Apache-2.0
"""Fuzzy sets over a number: how well 2.3 m fits "near" (Zadeh 1965, Fuzzy Sets).

Each is a value with a degree for every number, and checks its own parameters, so that a set that
was made can be asked anything but NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LARGEST = 1e12
"""Finite parameters lie within this bound, so that no difference of two overflows."""
SIGMOID_TENTH = math.log(9.0)
"""The logistic function is 0.9 here and 0.1 at minus this."""


@dataclass(frozen=True, slots=True)
class Trapezoid:
    """Degrees 0, 1, 1, 0 at `a <= b <= c <= d` and straight lines between: 0 outside.

        (x - a) / (b - a)   for a <= x < b
        1                   for b <= x <= c
        (d - x) / (d - c)   for c < x <= d

    `a` and `b` may both be minus infinity (all small numbers fit), `c` and `d` both infinity.
    Raises ValueError: the four are not in order, NaN, too large, or one of a pair is infinite.
    """

    a: float
    b: float
    c: float
    d: float

    def __post_init__(self) -> None:
        corners = (self.a, self.b, self.c, self.d)
        if any(math.isnan(corner) for corner in corners):
            raise ValueError("a corner is not a number")
        if not self.a <= self.b <= self.c <= self.d:
            raise ValueError("the four corners must not decrease")
        if any(math.isfinite(corner) and abs(corner) > LARGEST for corner in corners):
            raise ValueError(f"a finite corner is beyond {LARGEST:g}")
        if math.isinf(self.a) != math.isinf(self.b) or math.isinf(self.c) != math.isinf(self.d):
            raise ValueError("a side that is infinite is so at both of its corners")
        if self.b == math.inf or self.c == -math.inf:
            raise ValueError("no number has the degree 1")

    def degree(self, x: float) -> float:
        """The degree of `x`, in [0, 1]; `x` is not NaN."""
        if x < self.a or x > self.d:
            return 0.0
        if x < self.b:
            return (x - self.a) / (self.b - self.a)
        if x > self.c:
            return (self.d - x) / (self.d - self.c)
        return 1.0


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """A smooth step, ``1 / (1 + 9 ** (-2 (x - middle) / width))``: rising, or falling.

    The degree is 0.5 at `middle`; it goes from 0.1 to 0.9 within `width` around it. 0 and 1 are
    approached only. Raises ValueError: a parameter is not finite or too large, or `width` not above
    0.
    """

    middle: float
    width: float
    falling: bool = False

    def __post_init__(self) -> None:
        if not abs(self.middle) <= LARGEST:
            raise ValueError(f"the middle must be a number within {LARGEST:g}")
        if not 1.0 / LARGEST <= self.width <= LARGEST:
            raise ValueError(f"the width must be above 0 and at most {LARGEST:g}")

    def degree(self, x: float) -> float:
        """The degree of `x`, in [0, 1]; `x` is not NaN."""
        steps = 2.0 * SIGMOID_TENTH * ((x - self.middle) / self.width)
        steps = -steps if self.falling else steps
        if steps >= 0.0:
            return 1.0 / (1.0 + math.exp(-steps))
        power = math.exp(steps)  # the large exponent would overflow, the small one vanishes
        return power / (1.0 + power)


FuzzySet = Trapezoid | Sigmoid
