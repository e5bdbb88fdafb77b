# SPDX-License-Identifier: Apache-2.0
"""What a step's outcome teaches, about which of its judgements, and about earlier ones."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.execution.outcome import (
    PLANS,
    PlanMemory,
    Reliance,
    credit_earlier_steps,
    credit_step,
    find_credited_step,
    share_blame,
)

LABELS = ("", "fetch", "fetch", "fetch", "fetch 2", "fetch 2", "carry", "")


@pytest.mark.parametrize(
    ("index", "succeeded", "expected"),
    [
        (0, True, 0),
        (0, False, 0),
        (1, True, None),  # the chunk goes on
        (1, False, 1),
        (2, True, None),
        (2, False, 1),
        (3, True, 1),
        (3, False, 1),
        (4, True, None),  # the second use of the chunk is one of its own
        (4, False, 4),
        (5, True, 4),
        (6, True, 6),  # judged by its steps
        (7, True, 7),
    ],
)
def test_a_chunk_is_credited_when_it_ends(index, succeeded, expected):
    assert find_credited_step(LABELS, {"fetch"}, index, succeeded) == expected


def test_without_chunks_that_are_judged_as_a_whole_each_step_speaks_for_itself():
    for index in range(len(LABELS)):
        for succeeded in (True, False):
            assert find_credited_step(LABELS, (), index, succeeded) == index


# --- several judgements -------------------------------------------------------------------------

DEGREES = st.lists(st.floats(0.0, 0.999), min_size=1, max_size=6)


def enumerated(degrees: list[float]) -> list[float]:
    """P(i failed | the step failed), summed over all patterns of failure: the slow twin."""
    blamed, failed = [0.0] * len(degrees), 0.0
    for pattern in itertools.product((True, False), repeat=len(degrees)):
        if all(pattern):
            continue
        chance = math.prod(
            d if works else 1.0 - d for d, works in zip(degrees, pattern, strict=True)
        )
        failed += chance
        for i, works in enumerate(pattern):
            blamed[i] += 0.0 if works else chance
    return [value / failed for value in blamed]


@given(DEGREES)
def test_responsibilities_are_those_of_all_patterns_of_failure(degrees):
    assert share_blame(degrees) == pytest.approx(enumerated(degrees), abs=1e-9)


@given(DEGREES, st.floats(0.0, 1.0))
def test_credits_lie_between_those_of_failure_and_success(degrees, quality):
    for credit, worst in zip(credit_step(degrees, quality), credit_step(degrees, 0.0), strict=True):
        assert worst.quality - 1e-12 <= credit.quality <= 1.0
        assert credit.quality == pytest.approx(quality + (1.0 - quality) * worst.quality)
        assert credit.weight == 1.0


@given(DEGREES)
def test_right_degrees_blame_nobody_on_the_average(degrees):
    works = math.prod(degrees)
    for degree, failure in zip(degrees, credit_step(degrees, 0.0), strict=True):
        mean = works * 1.0 + (1.0 - works) * failure.quality
        assert mean == pytest.approx(degree, abs=1e-9)


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_the_only_judgement_gets_the_quality_itself(degree, quality):
    assert credit_step([degree], quality)[0].quality == pytest.approx(quality)


def test_the_less_likely_one_is_blamed_more():
    unlikely, likely, sure = credit_step([0.5, 0.9, 1.0], 0.0)
    assert unlikely.quality < likely.quality < sure.quality
    assert credit_step([1.0, 1.0], 0.0)[0].quality == pytest.approx(0.5, abs=1e-3)
    assert credit_step([], 0.0) == []


@given(st.lists(st.floats(0.0, 1.0), max_size=8), st.floats(0.01, 1.0))
def test_late_blame_weighs_less_than_one_outcome(degrees, leak):
    credits = credit_earlier_steps(degrees, leak)
    assert len(credits) == len(degrees)
    assert all(credit.quality == 0.0 and credit.weight >= 0.0 for credit in credits)
    total = sum(credit.weight for credit in credits)
    assert total <= 1.0 + 1e-9
    if degrees:  # the chance that a judgement was at fault and not only something else
        held = math.prod(min(degree, 0.999) for degree in degrees)
        assert total == pytest.approx((1.0 - held) / (1.0 - held * (1.0 - leak)))


# --- earlier steps ------------------------------------------------------------------------------


def test_earlier_steps_that_acted_on_the_same_things_are_blamed_once():
    memory = PlanMemory()
    memory.remember("plan", [Reliance("place", 0.6, frozenset({"mug", "couch"}))])
    memory.remember("plan", [Reliance("grasp", 0.9, frozenset({"spoon"}))])
    memory.remember("other", [Reliance("elsewhere", 0.5, frozenset({"mug"}))])
    ((judgement, credit),) = memory.blame("plan", {"mug", "kitchen"})
    assert judgement == "place"
    assert 0.0 < credit.weight < 1.0
    assert memory.blame("plan", {"mug"}) == []
    assert memory.blame("unknown", {"mug"}) == []


def test_only_the_last_plans_are_remembered():
    memory = PlanMemory()
    for plan in range(PLANS + 1):
        memory.remember(plan, [Reliance("grasp", 0.5, frozenset({"mug"}))])
    assert memory.blame(0, {"mug"}) == []
    assert memory.blame(PLANS, {"mug"})
