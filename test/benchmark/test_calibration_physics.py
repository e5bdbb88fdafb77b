# SPDX-License-Identifier: Apache-2.0
"""The benchmark of calibration by physics: trials repeat by seed, and errors are what they say."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmark.calibration_physics.__main__ import show_alphas
from benchmark.calibration_physics.goals import (
    ROWS,
    Attempt,
    draw_goals,
    find_interval,
    make_sources,
    resume_goals,
)
from benchmark.calibration_physics.learning import (
    Comparison,
    expected_error,
    list_things,
    observe,
    record,
)
from benchmark.calibration_physics.picture import draw_calibration
from benchmark.calibration_physics.trials import CATEGORIES, Trial, resume_trials, run_trials
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import load_domain
from fcp_ros.grounding.calibration.store import CalibrationStore
from fcp_ros.package_files import find_domain

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


def test_trials_that_were_broken_off_go_on_the_same(tmp_path: Path) -> None:
    whole = list(run_trials(3, seed=7))
    file = tmp_path / "trials.jsonl"
    assert resume_trials(file, 2, seed=7) == whole[:2]
    assert resume_trials(file, 3, seed=7) == whole
    assert len(file.read_text().splitlines()) == 3


def test_chance_alone_leaves_an_error_that_shrinks_with_the_outcomes() -> None:
    few, many = (Comparison(0, np.full(n, 0.8), np.ones(n)) for n in (25, 2500))
    assert few.chance == pytest.approx(0.8 * np.sqrt(0.16 / 25), rel=0.2)
    assert many.chance < 0.2 * few.chance


def test_the_interval_of_a_rate() -> None:
    assert find_interval(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)  # Wilson's
    assert find_interval(0, 0) == (0.0, 1.0)


def test_what_failed_is_not_planned_for_again_where_something_else_would_do(tmp_path: Path) -> None:
    domain = load_domain(find_domain("household"))
    sources = make_sources(domain, CalibrationStore(":memory:"))
    goals = list(draw_goals(3))
    assert goals == list(draw_goals(3))
    instance = scene_to_instance(list_things(), domain.schema, domain.mapping).instance
    first = resume_goals(tmp_path / "goals.jsonl", 1, 0, domain, sources)
    assert [one.row for one in first] == list(sources)
    assert first[0].membership == 1.0
    item = first[2].item.removesuffix("_1").replace("_", " ")
    trials = [Trial(item, "table", False, None, "slipped")] * 20
    calibrated = sources["calibrated"]
    record(calibrated, observe("can_grasp", trials, calibrated, instance))
    again = resume_goals(tmp_path / "again.jsonl", 1, 0, domain, sources)
    assert again[2].item != first[2].item
    assert again[:2] == first[:2]


def make_attempts(memberships: tuple[float, ...], succeeded: int) -> list[Attempt]:
    return [
        Attempt(n, row, "mug_1", "table_1", membership, n < succeeded, "")
        for row in ROWS
        for n, membership in enumerate(memberships)
    ]


def test_an_alpha_that_promises_too_much_is_a_miss() -> None:
    (kept,) = show_alphas(make_attempts((0.85,) * 40, 36)).verdicts
    assert kept.met
    (broken,) = show_alphas(make_attempts((0.85,) * 40, 20)).verdicts
    assert (broken.met, broken.value) == (False, "not at 0.7, 0.8")
    (few,) = show_alphas(make_attempts((0.85,) * 5, 0)).verdicts
    assert few.met, "five plans say nothing"


def test_the_picture_has_a_panel_for_each_predicate_and_the_goals() -> None:
    before, after = (Comparison(n, np.full(50, 0.9 - n / 250), np.ones(50)) for n in (0, 100))
    svg = draw_calibration({"can_grasp": [before, after]}, make_attempts((0.9,) * 20, 10))
    ElementTree.fromstring(svg)
    for text in ("can_grasp", "100 outcomes seen: ECE 0.500", "goals at the first try", "50 %"):
        assert text in svg
