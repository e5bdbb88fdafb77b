# SPDX-License-Identifier: Apache-2.0
"""Fuzzy sets: their formulas, bounds and monotony, and parameters that make no sense."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.fuzzy.fuzzy_sets import LARGEST, Sigmoid, Trapezoid

NUMBERS = st.floats(allow_nan=False)
BOUNDED = st.floats(-LARGEST, LARGEST)
CORNERS = st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4).map(sorted)


def slow_trapezoid(a: float, b: float, c: float, d: float, x: float) -> float:
    """The twin: the least of the two slopes, cut to [0, 1]."""
    rising = math.inf if a == b else (x - a) / (b - a)
    falling = math.inf if c == d else (d - x) / (d - c)
    if not a <= x <= d:
        return 0.0
    return max(0.0, min(1.0, rising if x < b else 1.0, falling if x > c else 1.0))


@given(CORNERS, st.floats(-2e6, 2e6))
def test_a_trapezoid_is_its_piecewise_formula(corners: list[float], x: float) -> None:
    assert Trapezoid(*corners).degree(x) == pytest.approx(slow_trapezoid(*corners, x), abs=1e-12)


@given(CORNERS, NUMBERS, NUMBERS)
def test_a_trapezoid_rises_and_falls(corners: list[float], x: float, y: float) -> None:
    fits = Trapezoid(*corners)
    low, high = sorted((x, y))
    assert 0.0 <= fits.degree(x) <= 1.0
    if high <= corners[2]:
        assert fits.degree(low) <= fits.degree(high)
    if low >= corners[1]:
        assert fits.degree(low) >= fits.degree(high)


def test_open_trapezoids() -> None:
    small = Trapezoid(-math.inf, -math.inf, 1.0, 3.0)
    assert [small.degree(x) for x in (-math.inf, -1e300, 1.0, 2.0, 3.0, math.inf)] == [
        1.0, 1.0, 1.0, 0.5, 0.0, 0.0,
    ]  # fmt: skip
    assert Trapezoid(0.0, 1.0, math.inf, math.inf).degree(math.inf) == 1.0


@given(BOUNDED, st.floats(1e-6, 1e6), st.booleans(), NUMBERS, NUMBERS)
def test_a_sigmoid_is_monotone(
    middle: float, width: float, falling: bool, x: float, y: float
) -> None:
    fits = Sigmoid(middle, width, falling)
    low, high = fits.degree(min(x, y)), fits.degree(max(x, y))
    assert 0.0 <= low <= 1.0
    assert (high <= low + 1e-15) if falling else (low <= high + 1e-15)


@given(st.floats(-1e3, 1e3), st.floats(0.1, 1e3), st.floats(-10, 10))
def test_a_sigmoid_is_its_formula(middle: float, width: float, steps: float) -> None:
    x = middle + steps * width
    expected = 1.0 / (1.0 + 9.0 ** (-2.0 * (x - middle) / width))
    assert Sigmoid(middle, width).degree(x) == pytest.approx(expected, abs=1e-9)
    assert Sigmoid(middle, width, True).degree(x) == pytest.approx(1.0 - expected, abs=1e-9)


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        ((0, 2, 1, 3), "not decrease"),
        ((math.nan, 0, 1, 2), "not a number"),
        ((-math.inf, 0, 1, 2), "both of its corners"),
        ((0, 1, 2, math.inf), "both of its corners"),
        ((math.inf,) * 4, "degree 1"),
        ((-math.inf,) * 4, "degree 1"),
        ((-1e300, 0, 0, 1e300), "beyond"),
    ],
)
def test_senseless_trapezoids(corners: tuple[float, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Trapezoid(*corners)


@pytest.mark.parametrize(
    ("middle", "width"),
    [(math.nan, 1), (math.inf, 1), (0, 0), (0, -1), (0, math.nan), (0, math.inf), (0, 1e-300)],
)
def test_senseless_sigmoids(middle: float, width: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        Sigmoid(middle, width)
