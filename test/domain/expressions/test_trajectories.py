# SPDX-License-Identifier: Apache-2.0
"""Trajectory constraints along some states: as defined, and in linear time."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trajectory_definition import is_kept_by_definition

from fcp_ros.domain.expressions.trajectories import (
    TrajectoryOperator,
    decide_constraint,
    round_time,
)

DECIDE = (decide_constraint, is_kept_by_definition)


@st.composite
def trajectories(draw):
    """A constraint, and states in which its conditions hold or not."""
    operator = draw(st.sampled_from(TrajectoryOperator))
    times, least, most = operator.numbers
    number = draw(st.integers(1, 8))
    parts = draw(st.integers(least, most or 4))
    truths = [draw(st.lists(st.booleans(), min_size=number, max_size=number)) for _ in range(parts)]
    steps = draw(st.lists(st.integers(0, 4), min_size=number - 1, max_size=number - 1))
    reached = [Fraction(sum(steps[:n])) for n in range(number)]
    bounds = sorted(draw(st.sets(st.integers(0, 12), min_size=times, max_size=times)))
    return operator, truths, reached, tuple(map(Fraction, bounds))


@given(trajectories())
def test_they_are_decided_as_defined(trajectory):
    assert decide_constraint(*trajectory) == is_kept_by_definition(*trajectory)


class Counted(list):
    """A list that counts how often its parts are read."""

    reads = 0

    def __getitem__(self, index):
        found = super().__getitem__(index)
        Counted.reads += len(found) if isinstance(index, slice) else 1
        return found

    def __iter__(self):
        for value in super().__iter__():
            Counted.reads += 1
            yield value


@pytest.mark.parametrize("truth", [False, True])
@pytest.mark.parametrize("operator", TrajectoryOperator)
def test_the_effort_is_linear_in_the_number_of_states(operator, truth):
    times, least, _ = operator.numbers
    length = 500
    others = [Counted([True] * length) for _ in range(least - 1)]
    truths = [Counted([truth] * (length - 1) + [not truth]), *others]
    Counted.reads = 0
    moments = [Fraction(n) for n in range(length)]
    decide_constraint(operator, truths, moments, (Fraction(2), Fraction(600))[:times])
    assert Counted.reads <= 4 * length * least


@pytest.mark.parametrize(
    ("operator", "truths", "expected"),
    [
        ("always", ["TTT"], True),
        ("always", ["TTF"], False),
        ("sometime", ["FTF"], True),
        ("sometime", ["FFF"], False),
        ("at-most-once", ["FTTF"], True),
        ("at-most-once", ["TFT"], False),
        ("at-most-once", ["FFF"], True),
        ("sometime-after", ["FFT", "TTF"], True),
        ("sometime-after", ["FTF", "FTF"], True),
        ("sometime-after", ["TTF", "FFT"], False),
        ("sometime-before", ["TFF", "FTT"], True),
        ("sometime-before", ["FTF", "FTF"], False),
        ("sometime-before", ["FFF", "FFF"], True),
        ("first-then", ["FTF", "FTF"], True),
        ("first-then", ["FFT", "TTF"], False),
        ("first-then", ["TFF", "FFT", "FFT"], True),
    ],
)
def test_constraints(operator, truths, expected):
    states = [[letter == "T" for letter in truth] for truth in truths]
    for decide in DECIDE:
        assert decide(TrajectoryOperator(operator), states) is expected


@pytest.mark.parametrize(
    ("operator", "times", "truths", "reached", "expected"),
    [
        ("within", [5], ["FFT"], [0, 2, 5], True),
        ("within", [5], ["FFT"], [0, 2, 6], False),
        ("within", [0], ["TFF"], [0, 2, 6], True),
        ("hold-after", [5], ["FFT"], [0, 2, 6], False),
        ("hold-after", [5], ["FTT"], [0, 2, 6], True),
        ("hold-after", [5], ["FTF"], [0, 2, 6], False),
        ("hold-after", [0], ["FTT"], [0, 2, 3], False),
        ("hold-during", [2, 6], ["FTF"], [0, 2, 6], True),
        ("hold-during", [2, 6], ["FTF"], [0, 2, 5], False),
        ("hold-during", [3, 6], ["FTF"], [0, 2, 7], True),
        ("hold-during", [3, 6], ["TFT"], [0, 2, 7], False),
        ("hold-during", [2, 6], ["TFTT"], [0, 2, 2, 7], False),
        ("hold-during", [8, 9], ["FFT"], [0, 2, 7], True),
        ("always-within", [3], ["FFT", "FTF"], [0, 2, 5], True),
        ("always-within", [3], ["FFT", "FTF"], [0, 2, 6], False),
        ("always-within", [3], ["FTF", "FTF"], [0, 2, 6], True),
        ("always-within", [3], ["TFF", "FTF"], [0, 2, 6], False),
    ],
)
def test_constraints_with_times(operator, times, truths, reached, expected):
    states = [[letter == "T" for letter in truth] for truth in truths]
    moments, bounds = (tuple(map(Fraction, values)) for values in (reached, times))
    for decide in DECIDE:
        assert decide(TrajectoryOperator(operator), states, moments, bounds) is expected


def test_times_are_compared_exactly_once_rounded():
    moments = [round_time(seconds) for seconds in (0.0, 0.1 + 0.2, 0.3 + 0.5)]
    truths = [[False, True, False]]
    assert decide_constraint(TrajectoryOperator.WITHIN, truths, moments, (Fraction("0.3"),))
    during = (Fraction("0.3"), Fraction("0.8"))
    assert decide_constraint(TrajectoryOperator.HOLD_DURING, truths, moments, during)
