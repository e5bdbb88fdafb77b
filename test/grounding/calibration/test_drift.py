# SPDX-License-Identifier: Apache-2.0
"""Drift: noticed soon, hardly ever without cause, over when calibration has caught up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.grounding import CalibrationStore, Calibrator, Evidence
from fcp_ros.grounding.calibration.drift import (
    EDGE,
    ChangeDetector,
    Direction,
    DriftDetector,
)
from fcp_ros.grounding.calibration.reliability import CalibrationScore, Reliability, compute_score

OUTCOMES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)), max_size=12)


def watch(detector: DriftDetector, degree: float, quality: float, stamp: float) -> None:
    detector.add(degree, quality, 1.0, stamp)
    detector.update_alarms()


def ratio(degree: float, quality: float) -> float:
    """Evidence of one outcome."""
    detector = ChangeDetector()
    detector.add(degree, quality, 1.0, 0.0, 0)
    return detector.value


@given(degree=st.floats(0, 1), quality=st.floats(0, 1))
def test_evidence_has_the_mean_one_while_degrees_are_right(degree: float, quality: float) -> None:
    success, failure = ratio(degree, 1.0), ratio(degree, 0.0)
    mean = degree * success + (1.0 - degree) * failure
    assert mean == pytest.approx(1.0) if degree <= 1.0 - EDGE else mean <= 1.0
    graded = quality * success + (1.0 - quality) * failure
    assert ratio(degree, quality) == pytest.approx(graded)


@given(OUTCOMES)
def test_the_evidence_is_the_largest_product_since_any_start(
    outcomes: list[tuple[float, float, float]],
) -> None:
    """The slow twin: the products of all starts."""
    detector = ChangeDetector()
    for number, (degree, quality, weight) in enumerate(outcomes):
        detector.add(degree, quality, weight, 0.0, number)
    ratios = [1.0 + w * (ratio(d, q) - 1.0) for d, q, w in outcomes]
    products = [np.prod(ratios[start:]) for start in range(len(ratios))]
    best = max(products, default=0.0)
    assert detector.evidence == pytest.approx(max(np.log(max(best, 1e-12)), 0.0), abs=1e-9)


@pytest.mark.parametrize("spread", ["one", "many"])
def test_false_alarms_are_as_rare_as_derived(spread: str) -> None:
    threshold, random, lengths = 3.0, np.random.default_rng(8), []
    for _ in range(150):
        detector = ChangeDetector(threshold)
        for number in range(1, 2000):
            degree = 0.8 if spread == "one" else float(random.random())
            detector.add(degree, float(random.random() < degree), 1.0, 0.0, number)
            detector.update_alarm()
            if detector.alarm:
                break
        lengths.append(number)
    assert np.mean(lengths) >= np.exp(threshold)


def delay(detector: DriftDetector, rate: float, degree: float, seed: int, most: int) -> int:
    """Outcomes until there is an alarm."""
    random = np.random.default_rng(seed)
    for number in range(1, most + 1):
        watch(detector, degree, float(random.random() < rate), float(number))
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
        watch(detector, 0.9, float(random.random() < 0.9), 1000.0 + number)
    assert detector.find_drift("can_grasp", "table") is None
    for number in range(40):
        watch(detector, 0.9, float(random.random() < 0.4), 1100.0 + number)
    drift = detector.find_drift("can_grasp", "table")
    assert drift is not None
    assert (drift.predicate, drift.model, drift.direction) == ("can_grasp", "table", "worse")
    assert 1050.0 <= drift.since <= 1105.0  # the last time that nothing spoke for a change
    assert drift.size == pytest.approx(-0.5, abs=0.2)
    assert "can_grasp goes worse than its degrees (table) say, by 0." in str(drift)


def test_an_alarm_ends_when_degrees_are_right_again() -> None:
    detector = DriftDetector()
    for number in range(60):
        watch(detector, 0.3, 1.0, float(number))
    drift = detector.find_drift("p", "m")
    assert drift is not None
    assert drift.direction is Direction.BETTER
    for number in range(60):
        watch(detector, 0.95, 1.0, 100.0 + number)
    random = np.random.default_rng(1)
    for number in range(200):
        watch(detector, 0.6, float(random.random() < 0.6), 200.0 + number)
    assert detector.find_drift("p", "m") is None


def test_one_failure_of_a_sure_thing_is_no_alarm() -> None:
    detector = DriftDetector()
    watch(detector, 1.0, 0.0, 0.0)
    assert detector.find_drift("p", "m") is None


def test_a_small_share_of_an_outcome_says_little() -> None:
    detector = DriftDetector()
    for number in range(20):
        detector.add(0.9, 0.0, 0.05, float(number))
        detector.update_alarms()
    assert detector.find_drift("p", "m") is None


GRIPPER = ("can_grasp", "can_lift", "can_pour")


def act(calibrator: Calibrator, rate: float, turns: int, seed: int, shared: bool) -> int:
    """Observe outcomes of predicates in turn, until all of the gripper's have an alarm.

    Returns:
        The number of turns until then.
    """
    random = np.random.default_rng(seed)
    for turn in range(turns):
        for name in (*GRIPPER, "is_clean"):
            works = random.random() < (rate if name in GRIPPER else 0.8)
            calibrator.store.record(
                Evidence(
                    name,
                    f"context {turn % 7}",
                    float(works),
                    float(turn),
                    prior=0.8,
                    degree=0.8,
                    model="m" if shared else name,
                )
            )
        if set(GRIPPER) <= {drift.predicate for drift in calibrator.drifts()}:
            return turn
    return turns


def test_predicates_of_a_model_notice_a_change_together() -> None:
    """A worn gripper: three of four predicates go worse, and the fourth is hardly ever blamed."""
    delays: dict[bool, list[int]] = {True: [], False: []}
    blamed = 0
    for seed in range(8):
        for shared, found in delays.items():
            calibrator = Calibrator(CalibrationStore(":memory:"))
            act(calibrator, 0.8, 30, seed, shared)
            found.append(act(calibrator, 0.45, 200, seed + 100, shared))
            blamed += any(drift.predicate == "is_clean" for drift in calibrator.drifts())
    assert np.median(delays[True]) < 0.7 * np.median(delays[False])
    assert blamed <= 1


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
