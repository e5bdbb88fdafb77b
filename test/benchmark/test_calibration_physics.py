# SPDX-License-Identifier: Apache-2.0
"""The benchmark of calibration by physics: trials repeat by seed, and errors are what they say."""

from __future__ import annotations

import numpy as np
import pytest

from benchmark.calibration_physics.__main__ import expected_error
from benchmark.calibration_physics.trials import CATEGORIES, run_trials

pytest.importorskip("mujoco")


def test_trials_repeat_by_seed_and_some_end_otherwise() -> None:
    first = list(run_trials(6, seed=7))
    assert first == list(run_trials(6, seed=7))
    assert first != list(run_trials(6, seed=8))
    assert all(trial.steady is None or trial.picked for trial in first)
    assert all(trial.why for trial in first if not trial.picked)


def test_there_are_thirty_categories() -> None:
    assert len(set(CATEGORIES)) == 30


def test_the_expected_error_weighs_bins_by_their_sizes() -> None:
    degrees = np.array([0.95, 0.95, 0.95, 0.15])
    assert expected_error(degrees, np.array([1.0, 1.0, 1.0, 0.0])) == pytest.approx(
        0.75 * 0.05 + 0.25 * 0.15
    )
    assert expected_error(np.ones(4), np.ones(4)) == 0.0
