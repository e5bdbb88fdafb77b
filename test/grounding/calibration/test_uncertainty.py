# SPDX-License-Identifier: Apache-2.0
"""An oracle's own uncertainty: it helps where it is right, and does bounded harm where it isn't."""

import numpy as np
import pytest

from fcp_ros.grounding import CalibrationStore, Calibrator, Evidence, Question

CONTEXTS, OUTCOMES, SEEDS = 24, 60, 25
SURE, DOUBTFUL = 14.0, 1.2
"""Outcomes that a degree is worth."""


def learn(told: str, seed: int) -> float:
    """Return the squared error of the degrees after some outcomes.

    Args:
        told: the uncertainty that the oracle states: "nothing", "right", "chance" or "reversed".
        seed: of everything.
    """
    random = np.random.default_rng(seed)
    degrees = random.uniform(0.1, 0.9, CONTEXTS)
    worth = random.choice([SURE, DOUBTFUL], CONTEXTS)
    rates = random.beta(worth * degrees, worth * (1.0 - degrees))
    by_chance = random.permutation(worth)
    stated = {"right": worth, "chance": by_chance, "reversed": SURE + DOUBTFUL - worth}
    errors: list[float | None] = [None] * CONTEXTS
    if told != "nothing":
        errors = np.sqrt(degrees * (1.0 - degrees) / (stated[told] + 1.0)).tolist()
    questions = [
        Question("p", f"context {place}", degree, "m", error)
        for place, (degree, error) in enumerate(zip(degrees.tolist(), errors, strict=True))
    ]
    calibrator = Calibrator(CalibrationStore(":memory:"))
    for number, place in enumerate(random.integers(CONTEXTS, size=OUTCOMES).tolist()):
        works = random.random() < rates[place]
        predicate, key, prior, model, _ = questions[place]
        calibrator.store.record(
            Evidence(predicate, key, float(works), float(number), prior=prior, model=model)
        )
    found = np.asarray([answer.degree for answer in calibrator.calibrate(questions)])
    return float(np.mean((found - rates) ** 2))


@pytest.fixture(scope="module")
def constant() -> np.ndarray:
    """Errors with one strength for all contexts."""
    return np.asarray([learn("nothing", seed) for seed in range(SEEDS)])


def test_an_uncertainty_that_is_right_beats_one_strength_for_all(constant: np.ndarray) -> None:
    change = np.asarray([learn("right", seed) for seed in range(SEEDS)]) - constant
    assert change.mean() + 1.96 * change.std() / np.sqrt(SEEDS) < 0.0
    assert change.mean() < -0.1 * constant.mean()


@pytest.mark.parametrize(("told", "most"), [("chance", 1.1), ("reversed", 1.35)])
def test_an_uncertainty_that_is_wrong_does_bounded_harm(
    told: str, most: float, constant: np.ndarray
) -> None:
    errors = [learn(told, seed) for seed in range(SEEDS)]
    assert np.mean(errors) < most * constant.mean()
