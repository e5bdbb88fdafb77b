# SPDX-License-Identifier: Apache-2.0
"""A level map undoes what a model does to its scores, and is never used where it would harm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.grounding.levels.level_map import (
    LEAST_JUDGEMENTS,
    Levels,
    ScoredQuestion,
    learn_levels,
    measure_area,
)

DEGREES = np.linspace(0.0, 1.0, 120)


def judge(scores: np.ndarray, degrees: np.ndarray = DEGREES) -> list[ScoredQuestion]:
    return [
        ScoredQuestion(float(score), float(degree), index % 5)
        for index, (score, degree) in enumerate(zip(scores, degrees, strict=True))
    ]


def give_examples(low: float, middle: float, high: float, count: int = 8) -> list[ScoredQuestion]:
    return [
        ScoredQuestion(score + 0.002 * n, degree)
        for score, degree in ((low, 0.0), (middle, 0.5), (high, 1.0))
        for n in range(count)
    ]


def test_a_model_that_puts_everything_high_is_spread_by_judgements() -> None:
    noise = np.random.default_rng(1).normal(0, 0.02, len(DEGREES))
    levels = learn_levels(judge(0.5 + 0.35 * DEGREES + noise), [])
    assert levels.degree_map is not None
    mapped = [levels.degree_map.apply(0.5 + 0.35 * degree) for degree in (0.1, 0.5, 0.9)]
    assert mapped == pytest.approx([0.1, 0.5, 0.9], abs=0.08)
    assert levels.plain_error is not None
    assert levels.error is not None
    assert levels.error < 0.4 * levels.plain_error
    assert levels.uncertainty == pytest.approx(0.06, abs=0.03)
    assert levels.learned_from == "120 judgements"


def test_examples_alone_shift_the_scores() -> None:
    levels = learn_levels([], give_examples(0.5, 0.7, 0.85))
    assert levels.degree_map is not None
    assert levels.degree_map.apply(0.5) < 0.4
    assert levels.degree_map.apply(0.85) > 0.85
    assert levels.learned_from == "24 examples"
    assert levels.uncertainty is None, "examples are no fair sample of questions"
    assert levels.area == 1.0


def test_right_scores_stay_as_they_are() -> None:
    levels = learn_levels(judge(DEGREES), give_examples(0.0, 0.5, 0.98))
    assert levels.degree_map is None
    assert levels.error == levels.plain_error
    assert levels.uncertainty == pytest.approx(0.0, abs=1e-9)


def test_few_judgements_make_no_map() -> None:
    few = judge(0.5 + 0.35 * DEGREES)[: LEAST_JUDGEMENTS - 1]
    assert learn_levels(few, []) == Levels()


def test_without_known_questions_nothing_is_known() -> None:
    assert learn_levels([], []) == Levels()


def test_scores_that_fall_where_degrees_rise_give_no_falling_map() -> None:
    levels = learn_levels(judge(1.0 - DEGREES), give_examples(0.9, 0.5, 0.1))
    assert levels.area == 0.0
    if levels.degree_map is not None:
        degrees = [levels.degree_map.apply(score) for score in DEGREES]
        assert degrees == sorted(degrees)


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 2**32 - 1),
    st.floats(-0.5, 1.0),
    st.floats(0.0, 0.6),
    st.floats(0.0, 0.5),
    st.booleans(),
)
def test_never_worse_than_the_plain_scores_on_what_is_left_out(
    seed: int, slope: float, start: float, noise: float, with_examples: bool
) -> None:
    generator = np.random.default_rng(seed)
    degrees = generator.choice([0.0, 0.2, 0.5, 0.8, 1.0], LEAST_JUDGEMENTS)
    scores = np.clip(start + slope * degrees + generator.normal(0, noise, len(degrees)), 0, 1)
    examples = give_examples(0.3, 0.4, 0.6) if with_examples else []
    levels = learn_levels(judge(scores, degrees), examples)
    assert levels.error is not None
    assert levels.plain_error is not None
    assert levels.error <= levels.plain_error + 1e-9
    assert (levels.error < levels.plain_error) or levels.degree_map is None
    if levels.degree_map is not None:
        mapped = [levels.degree_map.apply(x) for x in np.linspace(0, 1, 201)]
        assert mapped == sorted(mapped)
        assert min(mapped) >= 0.0
        assert max(mapped) <= 1.0


@pytest.mark.parametrize(
    ("low", "high", "area"),
    [
        ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], 1.0),
        ([0.4, 0.4, 0.4], [0.4, 0.4, 0.4], 0.5),
        ([0.1, 0.5, 0.9], [0.2, 0.6, 0.8], 5 / 9),
        ([0.1, 0.2], [0.4, 0.5, 0.6], None),
    ],
)
def test_the_area_of_the_highest_against_the_lowest_anchor(
    low: list[float], high: list[float], area: float | None
) -> None:
    examples = [ScoredQuestion(score, 0.25) for score in low]
    examples += [ScoredQuestion(score, 0.9) for score in high]
    examples += [ScoredQuestion(0.0, 0.5)] * 5  # those between don't count
    assert measure_area(examples) == (None if area is None else pytest.approx(area))
