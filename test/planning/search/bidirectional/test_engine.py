# SPDX-License-Identifier: Apache-2.0
"""What a caller sees of a search: slices, interruption, limits, meetings, distances, resources."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks
from supplied_tasks import supplied_tasks

from fcp_ros.planning.flat import semantics
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator, FlatResource
from fcp_ros.planning.search.bidirectional import BidirectionalSearch
from fcp_ros.planning.search.half_plans import (
    BackwardHalf,
    ForwardHalf,
    Resources,
    measure_distance,
)
from fcp_ros.planning.search.partial_states import conjoin
from fcp_ros.planning.search.settings import Objective, SearchOutcome


def held(intervals, amounts):
    """Whether each amount lies in its interval."""
    pairs = zip(intervals, amounts, strict=True)
    return all(low <= amount <= high for (low, high), amount in pairs)


DONE = (SearchOutcome.OPTIMAL, SearchOutcome.EXHAUSTED)


def steps(count, **changes):
    """One variable that goes up step by step."""
    made = [
        FlatOperator(((0, place),), (), (FlatEffect(0, place + 1),), **changes)
        for place in range(count)
    ]
    return FlatBuilder([count + 1], [0], ((0, count),), made)


class Stop(Exception):
    """A caller's interruption."""


@settings(max_examples=60)
@given(task=flat_tasks(), every=st.integers(1, 9))
def test_a_search_that_was_interrupted_anywhere_goes_on(task, every):
    calls = 0

    def check(_expanded, _stored):
        nonlocal calls
        calls += 1
        if calls % every == 0 and calls < 200:
            raise Stop

    search = BidirectionalSearch(task, Objective(), spent=check)
    report = None
    while report is None or report.outcome not in DONE:
        try:
            report = search.run(1000)
        except Stop:
            continue
    straight = BidirectionalSearch(task, Objective())
    while (expected := straight.run(1000)).outcome not in DONE:
        pass
    assert report.outcome is expected.outcome
    if report.best is not None:
        assert (report.best.loss, report.best.cost) == pytest.approx(
            (expected.best.loss, expected.best.cost)
        )


def test_slices_and_first_plans_are_reported():
    search = BidirectionalSearch(steps(30).build(), Objective())
    report = search.run(5)
    assert (report.outcome, report.expanded, report.best) == (SearchOutcome.PAUSED, 5, None)
    while report.outcome is SearchOutcome.PAUSED:
        report = search.run(5)
    assert report.outcome in (SearchOutcome.FOUND, SearchOutcome.OPTIMAL)
    assert len(report.best.operators) == 30
    assert report.stored > 0


def test_labels_are_limited():
    search = BidirectionalSearch(steps(30).build(), Objective(), max_labels=10)
    report = search.run(1000)
    assert report.outcome is SearchOutcome.OUT_OF_MEMORY
    assert report.stored >= 10


def test_the_goal_may_hold_already():
    task = steps(3).build()._replace(goal_val=np.array([0], np.int32))
    report = BidirectionalSearch(task, Objective()).run(0)
    assert report.outcome is SearchOutcome.OPTIMAL
    assert report.best.operators == ()


def test_a_goal_that_contradicts_itself_is_exhausted():
    builder = steps(3)
    builder.goal = ((0, 1), (0, 2))
    report = BidirectionalSearch(builder.build(), Objective()).run(0)
    assert report.outcome is SearchOutcome.EXHAUSTED
    assert report.bound == math.inf


def test_what_cannot_be_regressed_is_refused():
    flips = tuple(FlatEffect(v, 1, ((v, 0),)) for v in range(9))
    task = FlatBuilder([2] * 9, [0] * 9, ((0, 1),), [FlatOperator(effects=flips)]).build()
    with pytest.raises(ValueError, match="search forward"):
        BidirectionalSearch(task, Objective())


def test_a_distance_counts_each_kind():
    pattern = conjoin({0: 2, 1: 1}, (((2, 1), (3, 1)),))
    needed = BackwardHalf(0, 0, (0, 0), -1, pattern, ((3.0, 9.0), (-math.inf, 4.0)), 10, None)

    def apart(state, amounts, loss=0):
        reached = ForwardHalf(loss, 0, (loss, 0), -1, state, amounts, None)
        return measure_distance(reached, needed)

    assert apart((1, 0, 0, 0), (3.0, 4.0)) == 0.0
    assert apart((0, 1, 0, 0), (3.0, 4.0)) == 2.0
    assert apart((1, 0, 1, 1), (3.0, 4.0)) == 1.0
    assert apart((1, 0, 0, 0), (2.0, 4.0)) == 0.5
    assert apart((1, 0, 0, 0), (10.0, 4.0)) == 0.5
    assert apart((1, 0, 0, 0), (3.0, 7.0)) == 0.75
    assert apart((1, 0, 0, 0), (3.0, 4.0), loss=11) == math.inf
    assert apart((0, 1, 1, 1), (2.0, 7.0)) == pytest.approx(4.25)


@settings(max_examples=100)
@given(task=flat_tasks() | supplied_tasks(), data=st.data())
def test_intervals_are_the_amounts_from_which_the_steps_run(task, data):
    """Inside the interval the steps run, outside they don't."""
    resources = Resources(task)
    if not resources.count:
        return
    sequence = data.draw(st.lists(st.integers(0, len(task.loss) - 1), max_size=5))
    # Only amounts that can occur: what a prefix leaves.
    amounts = resources.initial
    for operator in data.draw(st.lists(st.integers(0, len(task.loss) - 1), max_size=4)):
        amounts = semantics.amounts_after(task, amounts, operator) or amounts
    intervals = resources.anything
    for operator in reversed(sequence):
        if intervals is not None:
            intervals = resources.before(intervals, operator)
    running = amounts
    for operator in sequence:
        if running is not None:
            running = semantics.amounts_after(task, running, operator)
    assert (running is not None) == (intervals is not None and held(intervals, amounts))


@settings(max_examples=20)
@given(task=flat_tasks() | supplied_tasks(), rng=st.randoms(use_true_random=False))
def test_amounts_that_are_as_good_allow_as_much(task, rng):
    resources = Resources(task)
    operators = range(len(task.loss))
    sequences = [(), *((o,) for o in operators), *product(operators, repeat=2)]

    def left_by(sequence, amounts):
        for operator in sequence:
            amounts = None if amounts is None else semantics.amounts_after(task, amounts, operator)
        return amounts

    reached = {left_by(sequence, resources.initial) for sequence in sequences} - {None}
    some = rng.sample(sorted(reached), min(6, len(reached)))
    runs = {a: {s for s in sequences if left_by(s, a) is not None} for a in some}
    for one, other in product(some, repeat=2):
        if resources.is_as_good(one, other):
            assert runs[one] >= runs[other]


def test_a_plan_may_need_steps_for_their_resource_only():
    # The backward side would be through after one step without those that only charge.
    move = FlatOperator(((0, 0),), (), (FlatEffect(0, 1),), use=(6.0,))
    charge = FlatOperator((), (), (FlatEffect(1, 1),), use=(-1.0,), cost=2.0)
    builder = FlatBuilder([2, 2], [0, 0], ((0, 1),), [move, charge], [FlatResource(0.0, 0.0, 6.0)])
    search = BidirectionalSearch(builder.build(), Objective())
    while (report := search.run(10)).outcome not in DONE:
        pass
    assert report.best.operators == (1, 1, 1, 1, 1, 1, 0)


def test_time_may_have_to_pass():
    late = FlatOperator(((0, 0),), (), (FlatEffect(0, 1),), use=(-1.0,), opens=5.0)
    soon = FlatOperator(((0, 0),), (), (FlatEffect(0, 1),), use=(-1.0,))
    task = FlatBuilder([2], [0], ((0, 1),), [late, soon], [FlatResource(0.0, 4.0, 20.0)], 0).build()
    resources = Resources(task)
    for amount in (0.0, 2.0, 3.0, 7.0):
        for operator in (0, 1):
            runs = semantics.amounts_after(task, (amount,), operator) is not None
            assert held(resources.before(resources.anything, operator), (amount,)) == runs
