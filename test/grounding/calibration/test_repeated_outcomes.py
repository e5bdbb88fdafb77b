# SPDX-License-Identifier: Apache-2.0
"""One thing that fails again and again: what it says about the other things that a model judged."""

import json
from functools import cache

import numpy as np
import pytest
from scipy.special import betaln

from fcp_ros.grounding import CalibrationStore, Calibrator, Evidence, Question
from fcp_ros.grounding.calibration.pooled_map import (
    LAPSE,
    MIDDLE,
    RIGHT,
    SCATTERS,
    SPREADS,
    Floats,
    to_degree,
    to_logit,
)

STRENGTHS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Outcomes that a degree may be worth, all as likely: from contexts that always or never succeed to
contexts that are hardly different."""
WORLDS = 20_000


@cache
def draw_rates(degree: float) -> Floats:
    """Draw what a degree of a biased model may mean; on the average it nearly means itself."""
    random = np.random.default_rng(0)
    logarithm, intercept = np.full(WORLDS, np.log(MIDDLE)), np.zeros(WORLDS)
    for kinds in (SPREADS, SCATTERS):
        kind = random.choice(len(kinds), WORLDS, p=[chance for chance, _, _ in kinds])
        spread = np.asarray(kinds)[kind]
        logarithm += random.normal(0.0, spread[:, 1])
        intercept += random.normal(0.0, spread[:, 2])
    return to_degree(np.exp(logarithm) * to_logit(np.asarray(degree)) + intercept)


def judge_others(degree: float, failures: int) -> float:
    """Bayes' rule over the meaning of a degree, and over how much contexts differ."""
    rates = np.append(draw_rates(degree), degree)
    prior = np.append(np.full(WORLDS, (1.0 - RIGHT) / WORLDS), RIGHT)
    chance = np.zeros(WORLDS + 1)
    for strength in STRENGTHS:
        seen = strength * ((1.0 - LAPSE) * rates + 0.5 * LAPSE)
        log = betaln(seen, strength - seen + failures) - betaln(seen, strength - seen)
        chance += prior * np.exp(log)
    return float(chance @ rates / chance.sum())


def make_key(item: str) -> str:
    return json.dumps({"arguments": [{"parameter": "item", "category": item}]})


@pytest.mark.parametrize("degree", [0.6, 0.8, 0.9, 0.97])
def test_a_broken_thing_moves_others_as_much_as_bayes_rule_says(degree: float) -> None:
    calibrator = Calibrator(CalibrationStore(":memory:"))
    others = Question("serves_as", make_key("bowl"), degree, "m")
    for failures in range(1, 11):
        calibrator.store.record(
            Evidence("serves_as", make_key("mug"), 0.0, 1.0, prior=degree, degree=degree, model="m")
        )
        (found,) = calibrator.calibrate([others])
        assert found.degree == pytest.approx(judge_others(degree, failures), abs=0.05), failures
