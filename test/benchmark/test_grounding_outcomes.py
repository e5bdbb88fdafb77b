# SPDX-License-Identifier: Apache-2.0
"""The benchmark of calibration: its worlds, its measures and its goals."""

from __future__ import annotations

import numpy as np
import pytest

from benchmark.grounding import outcomes
from benchmark.grounding.outcomes import Learning, list_verdicts, measure_ece
from benchmark.grounding.worlds import MISTAKES, make_judged


def test_the_error_is_the_distance_in_bins_of_degrees() -> None:
    degrees = np.array([0.21, 0.22, 0.81, 0.82])
    rates = np.array([0.0, 0.43, 0.5, 0.5])
    assert measure_ece(degrees, rates) == pytest.approx(0.5 * 0.315)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.name)
def test_the_predicates_of_a_world_have_degrees_and_rates(mistake: outcomes.Mistake) -> None:
    judged = make_judged(mistake, np.random.default_rng(3))
    assert len({one.predicate for one in judged}) == 4
    for one in judged:
        assert len(one.keys) == len(set(one.keys)) == len(one.rates) == len(one.priors)
        assert ((one.rates >= 0.0) & (one.rates <= 1.0)).all()
        assert np.allclose(one.priors, one.rates) == mistake.name.startswith("exactly")


def test_each_goal_has_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "DEGREES", (0.5,))
    found = [
        Learning("good", np.array([0.1, 0.04, 0.01]), np.zeros(3)),
        Learning("bad", np.array([0.1, 0.08, 0.03]), np.zeros(3)),
    ]
    ten, hundred, *others = list_verdicts(found, range(1))
    assert (ten.value, ten.met) == ("0.060 (1 of 2 models reach it)", False)
    assert (hundred.value, hundred.met) == ("0.020 (1 of 2 models reach it)", True)
    assert [one.met for one in others] == [True] * 4
