# SPDX-License-Identifier: Apache-2.0
"""Things that never work, beside others that mostly do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding import CalibrationStore, Calibrator, Evidence, Question
from fcp_ros.grounding.calibration.posterior import (
    MISJUDGED,
    NEVER,
    compute_posterior,
    estimate_broken,
    raise_working,
)

DEGREE = st.floats(0.0, 1.0)
DRAWN = 200_000


@given(st.floats(0.05, 1.0), st.floats(0.0, 0.8))
def test_without_outcomes_nothing_moves(degree: float, broken: float) -> None:
    never = broken * (1.0 - degree)
    assert never * NEVER + (1.0 - never) * raise_working(degree, broken) == pytest.approx(degree)
    assert compute_posterior(degree, 0.0, 0.0, 4.0, 0.6, degree, broken) == degree


def draw_posterior(degree: float, good: int, bad: int, strength: float, broken: float) -> float:
    """Bayes' rule by rates drawn at random: of things as judged, of any, of broken ones."""
    random = np.random.default_rng(0)
    working, never = raise_working(degree, broken), broken * (1.0 - degree)
    rates = random.beta(strength * working, strength * (1.0 - working), DRAWN)
    rates[: round(MISJUDGED * DRAWN)] = random.random(round(MISJUDGED * DRAWN))
    works = (1.0 - never) * rates**good * (1.0 - rates) ** bad / DRAWN
    fails = never * NEVER**good * (1.0 - NEVER) ** bad
    return float((works @ rates + fails * NEVER) / (works.sum() + fails))


@pytest.mark.parametrize("broken", [0.2, 0.6])
@pytest.mark.parametrize(("good", "bad"), [(0, 1), (0, 3), (1, 1), (1, 3), (3, 0), (2, 1), (7, 3)])
def test_degrees_are_those_of_bayes_rule(good: int, bad: int, broken: float) -> None:
    """But for what keeps their order: very high degrees are doubted as such."""
    for degree in (0.5, 0.6, 0.75, 0.9):
        found = compute_posterior(degree, good + bad, good, 4.0, 1.0, degree, broken)
        assert found == pytest.approx(draw_posterior(degree, good, bad, 4.0, broken), abs=0.035)


@given(DEGREE, DEGREE, st.floats(0.1, 40), DEGREE, st.floats(1, 16), st.floats(0.01, 0.8))
def test_a_higher_degree_never_ends_below_a_lower_one(
    one: float, other: float, weight: float, mean: float, strength: float, broken: float
) -> None:
    low, high = (
        compute_posterior(degree, weight, weight * mean, strength, 1.0, degree, broken)
        for degree in sorted((one, other))
    )
    assert 0.0 <= low <= high + 1e-9 <= 1.0 + 1e-9


def draw_means(rates: np.ndarray, outcomes: int, random: np.random.Generator) -> np.ndarray:
    return random.binomial(outcomes, rates) / outcomes


def test_the_share_of_broken_things_is_found() -> None:
    random = np.random.default_rng(2)
    rates = np.where(np.arange(60) < 12, 0.0, random.beta(9.0, 1.0, 60))
    expected = np.full(60, rates.mean())
    found = estimate_broken(4.0, np.full(60, 6.0), expected, draw_means(rates, 6, random))
    assert (found.some > 0.99).all()
    assert found.share == pytest.approx(0.2 / (1.0 - rates.mean()), abs=0.15)
    assert (found.strength > 4.0).all()


def test_things_that_are_as_judged_are_not_taken_for_broken() -> None:
    random = np.random.default_rng(2)
    rates = random.beta(4.0, 2.0, 60)
    found = estimate_broken(
        4.0, np.full(60, 6.0), np.full(60, 4.0 / 6.0), draw_means(rates, 6, random)
    )
    assert (found.share < 0.05).all()


def test_one_outcome_each_tells_nothing() -> None:
    failed, worked = (
        estimate_broken(4.0, np.ones(9), np.full(9, 0.8), np.full(9, quality)).share
        for quality in (0.0, 1.0)
    )
    assert (failed == worked).all()


def test_what_a_thing_does_is_no_evidence_about_the_kind_of_things_that_it_is_one_of() -> None:
    """It would count twice: once for the share, and once by the share for the thing."""
    weight, expected = np.array([30.0, 5.0, 5.0]), np.full(3, 0.8)
    often, rarely = (
        estimate_broken(4.0, weight, expected, np.array([mean, 0.8, 0.8])).share
        for mean in (0.8, 0.0)
    )
    assert often[0] == pytest.approx(rarely[0])
    assert (rarely[1:] > often[1:]).all()


def test_where_some_things_never_work_a_few_outcomes_tell_which() -> None:
    """Three failures of three are a broken thing then; one of three says nothing against it."""
    calibrator = Calibrator(CalibrationStore(":memory:"))
    for item in range(30):
        for trial in range(3):
            quality = 0.0 if item < 6 or (item < 12 and trial == 0) else 1.0
            stamp = float(trial * 30 + item)
            calibrator.store.record(
                Evidence("can_grasp", f"thing {item}", quality, stamp, prior=0.95, model="m")
            )
    asked = [Question("can_grasp", f"thing {item}", 0.95, "m") for item in (0, 6, 12)]
    never, mostly, always = (answer.degree for answer in calibrator.calibrate(asked))
    assert never < 0.15
    assert mostly > 0.7
    assert always > 0.85
