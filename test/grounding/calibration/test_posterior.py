# SPDX-License-Identifier: Apache-2.0
"""The posterior lies between prior and outcomes; the prior's worth is found from the spread."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from later import Later

from fcp_ros.grounding.calibration.posterior import (
    MISJUDGED,
    RANGE,
    DecayedSum,
    Forgetting,
    compute_doubt,
    compute_posterior,
    convert_uncertainty,
    estimate_strength,
)

stats = Later("scipy.stats")
DEGREE = st.floats(0, 1)


@given(DEGREE, st.lists(DEGREE, max_size=300), st.floats(0.1, 50), DEGREE)
def test_the_shift_is_bounded_and_towards_what_was_seen(
    prior: float, qualities: list[float], strength: float, cap: float
) -> None:
    degree = compute_posterior(prior, len(qualities), math.fsum(qualities), strength, cap)
    assert 0.0 <= degree <= 1.0
    if qualities:
        mean = math.fsum(qualities) / len(qualities)
        assert min(prior, mean) - 1e-9 <= degree <= max(prior, mean) + 1e-9
    else:
        assert degree == pytest.approx(prior)


@given(DEGREE, DEGREE, DEGREE)
def test_the_cap_holds_where_nothing_was_tried(prior: float, centre: float, cap: float) -> None:
    degree = compute_posterior(prior, 0.0, 0.0, 4.0, cap, centre)
    assert abs(degree - prior) <= cap + 1e-9
    assert min(prior, centre) - 1e-9 <= degree <= max(prior, centre) + 1e-9


@given(st.floats(0, 0.99), st.floats(0, 50), st.floats(0, 50))
def test_outcomes_of_the_thing_itself_widen_the_cap(cap: float, few: float, more: float) -> None:
    low, high = (compute_posterior(1.0, w, 0.0, 0.1, cap) for w in sorted((few, few + more)))
    assert high <= low + 1e-9
    assert compute_posterior(1.0, few, 0.0, 4.0, 0.0) == 1.0


def test_what_failed_each_time_is_not_held_up_by_the_cap() -> None:
    """Six failures of six, of a kind that the fingers are too narrow for (issue 32)."""
    held = compute_posterior(0.97, 6.0, 0.0, 1.0, 0.6, 0.73)
    assert held == pytest.approx(compute_posterior(0.97, 6.0, 0.0, 1.0, 1.0, 0.73))


@given(st.floats(0.02, 0.98), st.integers(0, 30), st.integers(0, 30), st.floats(0.5, 16))
def test_a_thing_is_misjudged_as_probably_as_bayes_rule_says(
    middle: float, failed: int, succeeded: int, strength: float
) -> None:
    """By sums over rates, with the densities of scipy, instead of the closed form."""
    cells = 4000
    rates = (np.arange(cells) + 0.5) / cells
    a, b = strength * middle, strength * (1.0 - middle)
    mass = np.diff(stats.beta.cdf(np.linspace(0.0, 1.0, cells + 1), a, b))
    seen = rates**succeeded * (1.0 - rates) ** failed
    any_, judged = MISJUDGED * seen.mean(), (1.0 - MISJUDGED) * (mass @ seen)
    weight = float(failed + succeeded)
    found = compute_doubt(middle, succeeded / max(weight, 1.0), weight, strength)
    assert found == pytest.approx(any_ / (any_ + judged), abs=0.02)


@given(DEGREE, DEGREE, st.integers(0, 40), st.integers(0, 40), st.floats(1, 16))
def test_outcomes_keep_the_order_of_degrees(
    one: float, other: float, failed: int, succeeded: int, strength: float
) -> None:
    low, high = (
        compute_posterior(d, failed + succeeded, succeeded, strength, 0.6)
        for d in sorted((one, other))
    )
    assert low <= high + 1e-9


@pytest.mark.parametrize("strength", [1.0, 4.0, 8.0])
def test_thirty_failures_are_believed_whatever_was_said(strength: float) -> None:
    degrees = [compute_posterior(d, 27.2, 0.0, strength, 0.6) for d in np.linspace(0, 1, 201)]
    assert max(degrees) < 0.1
    mirrored = [compute_posterior(d, 27.2, 27.2, strength, 0.6) for d in np.linspace(0, 1, 201)]
    assert mirrored == pytest.approx([1.0 - d for d in reversed(degrees)])


@pytest.mark.parametrize("worth", [1.5, 4.0, 12.0])
def test_the_strength_is_found_from_how_far_contexts_are_from_their_priors(worth: float) -> None:
    random = np.random.default_rng(1)
    expected = random.uniform(0.1, 0.9, 2000)
    rates = random.beta(worth * expected, worth * (1.0 - expected))
    outcomes = random.random((20, 2000)) < rates
    mean = outcomes.mean(axis=0)
    scatter = ((outcomes - mean) ** 2).sum(axis=0)
    found = estimate_strength(4.0, np.full(2000, 20.0), expected, mean, scatter)
    assert found == pytest.approx(worth, rel=0.15)


def test_measured_qualities_that_hardly_vary_need_few_repetitions() -> None:
    """A gripper that always reaches 0.6: within contexts there is no luck, so outcomes say more."""
    random = np.random.default_rng(2)
    expected, weight = np.full(50, 0.8), np.full(50, 5.0)
    mean = random.uniform(0.3, 0.9, 50)
    steady = estimate_strength(4.0, weight, expected, mean, np.full(50, 0.001))
    lucky = estimate_strength(4.0, weight, expected, mean, 5.0 * mean * (1.0 - mean))
    assert steady < 0.5 * lucky


@given(st.lists(st.tuples(st.floats(0.01, 50), DEGREE, DEGREE), max_size=20), st.floats(0.5, 20))
def test_the_estimate_stays_in_its_range(
    contexts: list[tuple[float, float, float]], believed: float
) -> None:
    weight, expected, mean = np.asarray(contexts).reshape(-1, 3).T
    scatter = weight * mean * (1.0 - mean)
    found = estimate_strength(believed, weight, expected, mean, scatter)
    assert believed / RANGE - 1e-9 <= found <= believed * RANGE + 1e-9


@given(st.floats(0.06, 0.94), st.floats(1.1, 15.9))
def test_the_error_of_a_beta_distribution_gives_its_strength(degree: float, worth: float) -> None:
    error = math.sqrt(degree * (1.0 - degree) / (worth + 1.0))
    assert convert_uncertainty(degree, error, 4.0) == pytest.approx(worth)


@given(DEGREE, DEGREE, DEGREE)
def test_a_surer_degree_is_worth_more_within_bounds(degree: float, one: float, two: float) -> None:
    less, more = (convert_uncertainty(degree, max(pair), 4.0) for pair in ((one, two), (one,)))
    assert 1.0 <= less <= more <= 16.0


OUTCOMES = st.lists(
    st.tuples(DEGREE, st.floats(0.01, 1), st.floats(0, 1e7)), min_size=1, max_size=30
)


@given(OUTCOMES, st.sampled_from([0.0, 1.0, 7.5, 100.0, math.inf]), st.sampled_from([0.0, 2.0]))
def test_sums_kept_up_are_those_of_all_outcomes(
    outcomes: list[tuple[float, float, float]], half_life: float, days: float
) -> None:
    """The slow twin: each outcome's weight from what came later, and from its age."""
    forgetting = Forgetting(half_life, days)
    kept = DecayedSum()
    for quality, weight, stamp in outcomes:
        kept.add(quality, weight, stamp, forgetting)
    newest = max(stamp for _, _, stamp in outcomes)
    left = []
    for number, (_, weight, stamp) in enumerate(outcomes):
        halvings = 0.0
        if 0.0 < half_life < math.inf:
            halvings += sum(later for _, later, _ in outcomes[number + 1 :]) / half_life
        if days:
            halvings += (newest - stamp) / 86_400.0 / days
        left.append(weight * 0.5**halvings)
    assert kept.count == len(outcomes)
    assert kept.weight == pytest.approx(sum(left), abs=1e-9)
    total = sum(share * quality for share, (quality, _, _) in zip(left, outcomes, strict=True))
    assert kept.total == pytest.approx(total, abs=1e-9)
    qualities, weights, stamps = (np.asarray(column) for column in zip(*outcomes, strict=True))
    assert forgetting.weigh(weights, stamps) == pytest.approx(np.asarray(left), abs=1e-9)
    assert len(qualities) == len(left)
