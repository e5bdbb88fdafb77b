# SPDX-License-Identifier: Apache-2.0
"""The pooled map: always monotone, the identity without evidence, right with plenty of it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.grounding.calibration.pooled_map import (
    GRID,
    Floats,
    PooledMap,
    average_maps,
    compute_design_weights,
    fit_isotonic,
    fit_pooled_map,
    pool_predicates,
)
from fcp_ros.grounding.calibration.pooled_map import measure_evidence as measure

DEGREE = st.floats(0, 1)
ALONE = pool_predicates([])
ROWS = st.lists(st.tuples(DEGREE, DEGREE, st.floats(0.0, 200.0)), min_size=1, max_size=40)


def fit(prior: Floats, quality: Floats) -> PooledMap:
    return fit_pooled_map(prior, quality, np.ones(len(prior)), ALONE)


@settings(deadline=None)
@given(ROWS, DEGREE, DEGREE)
def test_it_is_monotone_and_in_range(
    rows: list[tuple[float, float, float]], one: float, other: float
) -> None:
    prior, quality, weight = (np.asarray(column) for column in zip(*rows, strict=True))
    found = fit_pooled_map(prior, quality, weight, ALONE)
    low, high = found.apply(min(one, other)), found.apply(max(one, other))
    assert 0.0 <= low <= high + 1e-12
    assert high <= 1.0
    values = found.apply_to_array(GRID)
    assert np.all(np.diff(values) >= -1e-12)
    assert found.apply_to_array(np.asarray([one])) == pytest.approx(found.apply(one), abs=1e-9)


def test_it_finds_a_shape_that_platt_cannot() -> None:
    """A step in the middle of a plateau: the isotonic part."""
    random = np.random.default_rng(5)
    prior = random.uniform(0.0, 1.0, 4000)
    rate = np.where(prior < 0.7, 0.3, 0.9)
    quality = (random.random(4000) < rate).astype(float)
    found = fit(prior, quality)
    values, _ = average_maps(ALONE, measure(prior, quality, np.ones(4000)))
    error = np.mean((found.apply_to_array(prior) - rate) ** 2)
    assert error < 0.3 * np.mean((np.interp(prior, GRID, values) - rate) ** 2)
    assert found.apply(0.5) == pytest.approx(0.3, abs=0.06)
    assert found.apply(0.9) == pytest.approx(0.9, abs=0.06)


def test_it_finds_a_shape_that_platt_takes_for_right() -> None:
    """Right on the whole, wrong in waves: two parameters explain nothing, the bins do."""
    random = np.random.default_rng(7)
    prior = random.uniform(0.0, 1.0, 6000)
    rate = np.clip(prior + 0.15 * np.sin(4.0 * np.pi * prior), 0.0, 1.0)
    quality = (random.random(6000) < rate).astype(float)
    found = fit(prior, quality)
    assert np.mean((found.apply_to_array(prior) - rate) ** 2) < 0.6 * np.mean((prior - rate) ** 2)


def test_graded_qualities_count_as_fractions() -> None:
    prior = np.linspace(0.1, 0.9, 400)
    found = fit(prior, np.full(400, 0.5))
    assert found.apply_to_array(prior) == pytest.approx(0.5, abs=0.09)


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0.1, 10)), min_size=1, max_size=7))
def test_isotonic_is_the_nearest_non_decreasing_sequence(rows: list[tuple[float, float]]) -> None:
    """The slow twin: max-min formula over all intervals (Robertson, Wright and Dykstra 1988)."""
    values, weights = (np.asarray(column) for column in zip(*rows, strict=True))
    n = len(values)

    def mean(i: int, j: int) -> float:
        return float(np.average(values[i : j + 1], weights=weights[i : j + 1]))

    expected = [max(min(mean(i, j) for j in range(k, n)) for i in range(k + 1)) for k in range(n)]
    assert fit_isotonic(values, weights) == pytest.approx(np.asarray(expected), abs=1e-9)


def test_many_outcomes_of_one_context_are_few_opinions() -> None:
    context = np.asarray([0] * 100 + [1])
    counted = compute_design_weights(np.ones(101), context, strength=4.0)
    assert counted[:100].sum() == pytest.approx(100 / (1 + 99 / 5))
    assert counted[100] == 1.0
    assert math.isclose(counted[:100].max(), counted[:100].min())
