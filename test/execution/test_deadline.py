# SPDX-License-Identifier: Apache-2.0
"""The deadline of a plan is given up when it can't be kept, and not a moment before."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.execution.monitoring import DeadlineWatch, describe_delay
from fcp_ros.execution.run_order import RunOrder

DURATIONS = st.lists(st.integers(0, 20), min_size=1, max_size=6)


def find_expected_end(durations, actual, now) -> float:
    """Find when a plan is expected to end, whose steps have taken `actual`, by walking it."""
    at = 0.0
    for expected, took in zip(durations, actual, strict=True):
        if at + took < now:
            at += took
        elif at < now or took == 0:  # the present one
            at = max(at + expected, now)
        else:
            at += expected
    return at


@given(st.data(), DURATIONS, st.integers(0, 80))
def test_the_moment_is_that_of_a_slow_walk(data, durations, deadline):
    actual = [data.draw(st.integers(1, 30)) for _ in durations]
    now = data.draw(st.integers(0, sum(actual) - 1)) + 0.5
    watch = DeadlineWatch(durations, deadline, 0.0)
    at = 0.0
    for index, took in enumerate(actual):
        watch.begin_step(index, at)
        if at + took > now:
            break
        at += took
        watch.end_step(index)
    end = find_expected_end(durations, actual, now)
    if end != deadline:  # then the next instant decides
        assert bool(watch.find_breach(now)) == (end > deadline)


def test_a_plan_without_a_deadline_is_never_late():
    watch = DeadlineWatch([5.0], math.inf, 0.0)
    assert watch.find_moment(1e6) is None
    assert not watch.find_breach(1e6)


def test_a_step_that_takes_longer_is_noticed_before_it_ends():
    watch = DeadlineWatch([10.0, 10.0], 25.0, 100.0)
    watch.begin_step(0, 100.0)
    assert watch.find_moment(100.0) == 115.0
    assert not watch.find_breach(114.9)
    assert "25 s" in watch.find_breach(115.1)


def test_the_delay_is_told_with_both_times():
    assert not describe_delay(46.0, 46.0)
    assert "46 s were allowed, and it took 62.7 s" in describe_delay(46.0, 62.7)


@st.composite
def make_runs(draw):
    """Durations, what each step waits for, and when the steps were sent that run or have ended."""
    durations = draw(DURATIONS)
    befores, sent, ended = [], {}, set()
    for index in range(len(durations)):
        some = st.sets(st.integers(0, index - 1), max_size=2) if index else st.just(set())
        befores.append(frozenset(draw(some)))
        if befores[-1] <= ended and draw(st.booleans()):
            sent[index] = draw(st.integers(0, 20))
            if draw(st.booleans()):
                ended.add(index)
    return durations, befores, sent, ended


@given(make_runs(), st.integers(0, 80))
def test_the_breach_of_several_robots_is_that_of_a_slow_walk(run, deadline):
    durations, befores, sent, ended = run
    now = 20.5
    count = len(durations)
    order = RunOrder(tuple(befores), ((),) * count, tuple(range(count)))
    watch = DeadlineWatch(durations, deadline, 0.0, order)
    ends = []
    for index, duration in enumerate(durations):
        if index in sent:
            watch.begin_step(index, sent[index])
        if index in ended:
            watch.end_step(index)
            ends.append(now)
        elif index in sent:
            ends.append(max(now, sent[index] + duration))
        else:
            ends.append(max([now, *(ends[before] for before in befores[index])]) + duration)
    end = max(ends)
    if end != deadline:  # then the next instant decides
        said = watch.find_breach(now)
        assert bool(said) == (end > deadline)
        assert not said or f"expected to take {end - now:.1f} s" in said
