# SPDX-License-Identifier: Apache-2.0
"""The blend of a head and a tuned encoder: its fit, and its estimate of its own error."""

from __future__ import annotations

import numpy as np
import pytest
from later import Later

from fcp_ros.grounding.tuning.blending import (
    RIDGE,
    Blend,
    _fit_logistic,
    fit_blend,
    list_logits,
    measure_gain,
)

optimize = Later("scipy.optimize")


def draw(count: int = 3000) -> tuple[np.ndarray, ...]:
    """Rates, a sure and a rough opinion of each, and the error that the rough one expects."""
    random = np.random.default_rng(0)
    truth = random.normal(0.0, 1.5, count)
    noise = random.choice([0.2, 2.0], count)
    logits = 2.0 * (truth + noise * random.normal(size=count))  # too sure
    plain = 1.0 / (1.0 + np.exp(-(truth + 1.0 * random.normal(size=count))))
    given = 1.0 / (1.0 + np.exp(-truth))
    return logits, plain, noise / 8.0, given


def fit(count: int = 3000) -> Blend:
    logits, plain, errors, given = draw(count)
    return fit_blend(logits, plain, errors, given, np.ones(count))


def test_the_blend_is_better_than_either_and_not_too_sure() -> None:
    logits, plain, _, given = draw()
    blend = fit()
    degrees = blend.degree_map.apply_all(blend.score(logits, plain))

    def error(found: np.ndarray) -> float:
        return float(np.abs(found - given).mean())

    assert error(degrees) < min(error(plain), error(1.0 / (1.0 + np.exp(-logits)))) - 0.01
    for low in np.arange(0.0, 1.0, 0.2):
        own = (degrees >= low) & (degrees < low + 0.2)
        assert degrees[own].mean() == pytest.approx(given[own].mean(), abs=0.03)


def test_the_expected_error_is_the_one_that_is_made() -> None:
    logits, plain, errors, given = draw()
    blend = fit()
    expected = blend.expect_error(logits, plain, errors)
    made = np.abs(blend.degree_map.apply_all(blend.score(logits, plain)) - given)
    assert np.corrcoef(expected, made)[0, 1] > 0.3
    for part in np.array_split(np.argsort(expected, kind="stable"), 5):
        rms = np.sqrt((made[part] ** 2).mean())
        assert np.sqrt((expected[part] ** 2).mean()) == pytest.approx(rms, abs=0.02)


def test_newtons_method_finds_the_minimum() -> None:
    logits, plain, _, given = draw(300)
    rows = list_logits(logits, plain)
    worth = np.linspace(0.3, 1.0, 300)

    def loss(factors: np.ndarray) -> float:
        found = np.clip(1.0 / (1.0 + np.exp(-rows @ factors)), 1e-12, 1.0 - 1e-12)
        entropy = -(given * np.log(found) + (1.0 - given) * np.log(1.0 - found))
        return float(worth @ entropy + 0.5 * RIDGE * worth.sum() * factors @ factors)

    slow = optimize.minimize(loss, np.zeros(3)).x
    assert _fit_logistic(rows, given, worth) == pytest.approx(slow, abs=1e-3)


def test_random_pairs_do_not_make_near_misses_look_easy() -> None:
    """A pair that counts for less than a judgement is in the map, but not in the expected error."""
    logits, plain, errors, given = draw(600)
    zeros = np.zeros(600)
    many = [np.concatenate(both) for both in (
        (logits, zeros - 8.0), (plain, zeros), (errors, zeros + 0.1), (given, zeros),
    )]  # fmt: skip
    worth = np.concatenate([np.ones(600), np.full(600, 0.3)])
    alone = fit_blend(logits, plain, errors, given, np.ones(600))
    both = fit_blend(*many, worth)
    said, before = (b.expect_error(logits, plain, errors).mean() for b in (both, alone))
    assert said == pytest.approx(before, abs=0.02)


def test_a_gain_is_one_only_where_the_encoder_knows_something() -> None:
    logits, plain, _, given = draw(1500)
    kinds, worth = np.arange(1500) // 5, np.ones(1500)
    alone = fit_blend(np.zeros(1500), plain, plain, given, worth)
    plain = alone.degree_map.apply_all(alone.score(np.zeros(1500), plain))  # right on the average
    gain, error = measure_gain(logits, plain, given, worth, kinds)
    assert gain > 3.0 * error > 0.0
    noise = np.random.default_rng(1).normal(size=1500)
    gain, error = measure_gain(noise, plain, given, worth, kinds)
    assert gain < error
