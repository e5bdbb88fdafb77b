# SPDX-License-Identifier: Apache-2.0
"""The median of judgements and of distributions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding import GroundingCode, GroundingError
from fcp_ros.grounding.options import (
    check_sample_count,
    compute_distribution_median,
    compute_median,
    find_quantile,
)

degrees = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=15)


@pytest.mark.parametrize("count", [0, 2, 4, -1, 2.5, True])
def test_even_or_senseless_sample_counts_are_refused(count: int) -> None:
    with pytest.raises(GroundingError, match="odd number") as caught:
        check_sample_count(count)
    assert caught.value.code is GroundingCode.INVALID_OPTION


def test_one_outlier_does_not_move_the_median() -> None:
    assert compute_median([0.7, 0.7, 0.8, 0.7, 0.0])[0] == 0.7


@given(degrees)
def test_median_lies_between_the_judgements(values: list[float]) -> None:
    median, spread = compute_median(values)
    assert min(values) <= median <= max(values)
    assert 0.0 <= spread <= max(values) - min(values) + 1e-12


@pytest.mark.parametrize("values", [[], [0.5, math.nan]])
def test_no_median_of_nothing(values: list[float]) -> None:
    with pytest.raises(GroundingError):
        compute_median(values)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=11), st.floats(0.01, 1.0))
def test_quantile_is_that_of_the_repeated_values(weights: list[int], fraction: float) -> None:
    if sum(weights) == 0:
        return
    values = [i / 10 for i in range(len(weights))]
    repeated = [v for v, w in zip(values, weights, strict=True) for _ in range(w)]
    slow = sorted(repeated)[max(0, math.ceil(fraction * len(repeated) - 1e-9) - 1)]
    assert find_quantile(values, weights, fraction) == slow


def test_distribution_median_is_the_limit_of_sample_medians() -> None:
    values, weights = [0.0, 0.3, 0.7, 1.0], [0.1, 0.25, 0.45, 0.2]
    median, spread = compute_distribution_median(values, weights)
    drawn = np.random.default_rng(1).choice(values, 9999, p=weights)
    assert median == float(np.median(drawn)) == 0.7
    assert spread == pytest.approx(0.4)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [math.nan, 1.0], [-1.0, 2.0]])
def test_senseless_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(GroundingError):
        find_quantile([0.0, 1.0], weights, 0.5)
