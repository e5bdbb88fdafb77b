# SPDX-License-Identifier: Apache-2.0
"""The map from similarity to degree: monotone, through the medians, honest where it can't be."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.heads.head import STEEPEST, fit_degree_map

similarities = st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=7)


def test_it_goes_through_the_medians_of_the_anchors() -> None:
    fitted = fit_degree_map({0: [0.0, 0.1, 0.9], 50: [0.3], 100: [0.7, 0.5, 0.6]})
    assert fitted.apply(0.1) == 0.0
    assert fitted.apply(0.3) == pytest.approx(0.5)
    assert fitted.apply(0.6) == 1.0
    assert fitted.apply(0.45) == pytest.approx(0.75)
    assert (fitted.apply(-1.0), fitted.apply(2.0)) == (0.0, 1.0)


def test_knots_in_the_wrong_order_are_pooled() -> None:
    fitted = fit_degree_map({0: [0.0], 50: [0.6, 0.6, 0.6], 100: [0.4]})
    assert fitted.similarities == pytest.approx((0.0, 0.55))
    assert fitted.degrees == pytest.approx((0.0, 0.625))


@given(similarities, similarities, similarities, st.floats(-2, 2), st.floats(-2, 2))
def test_it_never_falls(
    low: list[float], middle: list[float], high: list[float], a: float, b: float
) -> None:
    try:
        fitted = fit_degree_map({0: low, 50: middle, 100: high})
    except GroundingError:
        return
    knots = fitted.similarities
    assert all(y - x >= STEEPEST for x, y in pairwise(knots))
    smaller, larger = sorted((a, b))
    assert 0.0 <= fitted.apply(smaller) <= fitted.apply(larger) <= 1.0


@pytest.mark.parametrize("examples", [{}, {0: [0.1], 100: []}, {0: [0.5], 100: [0.4]}])
def test_nothing_to_fit_is_said(examples: dict[int, list[float]]) -> None:
    with pytest.raises(GroundingError) as caught:
        fit_degree_map(examples)
    assert caught.value.code is GroundingCode.NO_ANCHORS
