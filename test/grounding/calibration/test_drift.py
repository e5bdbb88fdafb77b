# SPDX-License-Identifier: Apache-2.0
"""Drift: noticed soon, hardly ever without cause, over when calibration has caught up."""

import numpy as np
import pytest

from fcp_ros.grounding.calibration.drift import Direction, Drift, DriftDetector
from fcp_ros.grounding.calibration.reliability import CalibrationScore, Reliability, compute_score


def delay(detector: DriftDetector, rate: float, degree: float, seed: int, most: int) -> int:
    """Outcomes until there is an alarm."""
    random = np.random.default_rng(seed)
    for number in range(1, most + 1):
        detector.add(degree, float(random.random() < rate), 1.0, float(number))
        if detector.find_drift("p", "m") is not None:
            return number
    return most


@pytest.mark.parametrize(("degree", "rate"), [(0.9, 0.5), (0.8, 0.3), (0.3, 0.8)])
def test_a_change_is_noticed(degree: float, rate: float) -> None:
    delays = []
    for seed in range(20):
        detector = DriftDetector()
        delay(detector, degree, degree, seed + 100, 50)  # fifty outcomes as foretold
        delays.append(delay(detector, rate, degree, seed, 300))
    assert np.median(delays) < 30
    assert max(delays) < 100


@pytest.mark.parametrize("degree", [0.05, 0.5, 0.9, 0.97])
def test_right_degrees_hardly_ever_alarm(degree: float) -> None:
    alarms = sum(delay(DriftDetector(), degree, degree, seed, 200) < 200 for seed in range(30))
    assert alarms <= 3


def test_it_says_since_when_which_way_and_how_much() -> None:
    detector = DriftDetector()
    random = np.random.default_rng(0)
    for number in range(100):
        detector.add(0.9, float(random.random() < 0.9), 1.0, 1000.0 + number)
    assert detector.find_drift("can_grasp", "table") is None
    for number in range(40):
        detector.add(0.9, float(random.random() < 0.4), 1.0, 1100.0 + number)
    drift = detector.find_drift("can_grasp", "table")
    assert drift is not None
    assert (drift.predicate, drift.model, drift.direction) == ("can_grasp", "table", "worse")
    assert 1050.0 <= drift.since <= 1105.0  # the last time that nothing spoke for a change
    assert drift.size == pytest.approx(-0.5, abs=0.2)
    assert "can_grasp goes worse than its degrees (table) say, by 0." in str(drift)


def test_an_alarm_ends_when_degrees_are_right_again() -> None:
    detector = DriftDetector()
    for number in range(60):
        detector.add(0.3, 1.0, 1.0, float(number))
    drift = detector.find_drift("p", "m")
    assert drift is not None
    assert drift.direction is Direction.BETTER
    for number in range(60):
        detector.add(0.95, 1.0, 1.0, 100.0 + number)
    random = np.random.default_rng(1)
    for number in range(200):
        detector.add(0.6, float(random.random() < 0.6), 1.0, 200.0 + number)
    assert detector.find_drift("p", "m") is None


def test_one_failure_of_a_sure_thing_is_no_alarm() -> None:
    detector = DriftDetector()
    detector.add(1.0, 0.0, 1.0, 0.0)
    assert detector.find_drift("p", "m") is None


def test_a_small_share_of_an_outcome_says_little() -> None:
    detector = DriftDetector()
    for number in range(20):
        detector.add(0.9, 0.0, 0.05, float(number))
    assert detector.find_drift("p", "m") is None


# --- scores -------------------------------------------------------------------------------------


def test_scores_by_hand() -> None:
    found = compute_score(np.asarray([0.85, 0.85, 0.15, 0.15]), np.asarray([1.0, 0.0, 0.0, 0.0]))
    assert found.brier == pytest.approx((0.0225 + 0.7225 + 0.0225 + 0.0225) / 4)
    assert found.ece == pytest.approx((0.7 + 0.3) / 4)


def test_the_error_by_chance_is_that_of_right_degrees() -> None:
    random = np.random.default_rng(2)
    found = []
    for _ in range(200):
        degree = random.uniform(size=200)
        found.append(compute_score(degree, (random.random(200) < degree).astype(float)))
    expected = np.mean([one.ece_by_chance for one in found])
    assert np.mean([one.ece for one in found]) == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize(
    ("outcomes", "ece", "poor"), [(49, 0.5, False), (50, 0.3, True), (50, 0.15, False)]
)
def test_a_high_error_needs_enough_outcomes(outcomes: int, ece: float, poor: bool) -> None:
    lately = CalibrationScore(0.3, ece, 0.07)
    assert Reliability("p", "m", outcomes, lately, lately, lately).is_poor is poor


def test_drifts_are_values() -> None:
    drift = Drift("p", "m", Direction.WORSE, 0.0, 12, -0.25)
    assert drift == Drift("p", "m", Direction.WORSE, 0.0, 12, -0.25)
    assert str(drift).endswith("by 0.25 in 12 outcomes since 1970-01-01 00:00 UTC")
