# SPDX-License-Identifier: Apache-2.0
"""Trajectory constraints along some states: as defined, and in linear time."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trajectory_definition import is_kept_by_definition

from fcp_ros.domain.expressions.trajectories import (
    TrajectoryOperator,
    decide_constraint,
    round_time,
)


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


@settings(max_examples=2000)
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


def test_times_are_compared_exactly_once_rounded():
    moments = [round_time(seconds) for seconds in (0.0, 0.1 + 0.2, 0.3 + 0.5)]
    truths = [[False, True, False]]
    assert decide_constraint(TrajectoryOperator.WITHIN, truths, moments, (Fraction("0.3"),))
    during = (Fraction("0.3"), Fraction("0.8"))
    assert decide_constraint(TrajectoryOperator.HOLD_DURING, truths, moments, during)
