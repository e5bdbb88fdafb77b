# SPDX-License-Identifier: Apache-2.0
"""Every plan passes every landmark, none of the relaxation is missed, and the count is right."""

import math

import numpy as np
from connected_tasks import connected_task
from exhaustive import optimal
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks
from relaxed_twin import RelaxedTwin

from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.semantics import find_applicable, is_goal, successor
from fcp_ros.planning.heuristics.landmarks import (
    count_landmarks,
    count_words,
    find_landmarks,
    find_worth,
    track_landmarks,
)
from fcp_ros.planning.heuristics.relaxed_task import relax

TASKS = st.one_of(
    flat_tasks(),
    st.builds(
        connected_task,
        st.integers(0, 10**6),
        st.integers(2, 4),
        st.just(3),
        st.integers(4, 14),
        st.booleans(),
    ),
)


def ones(landmarks):
    return np.ones(len(landmarks.var))


def holds(landmarks, number, state):
    equal = state[landmarks.var[number]] == landmarks.val[number]
    return bool(equal) != bool(landmarks.other[number])


def reachable(task, passes=lambda state: True):
    """States that can be reached through states that pass, with the states before each."""
    first = tuple(map(int, task.initial))
    before = {first: []}
    pending = [first] if passes(first) else []
    while pending:
        at = pending.pop()
        for operator in find_applicable(task, at):
            after = successor(task, at, operator)
            if after not in before:
                before[after] = []
                if passes(after):
                    pending.append(after)
            before[after].append(at)
    return before


@settings(max_examples=100)
@given(TASKS)
def test_every_plan_passes_every_landmark(task):
    assume(optimal(task, task.initial, task.cost) < math.inf)
    landmarks = find_landmarks(relax(task, task.cost), task.initial)
    for number in range(len(landmarks.var)):
        if holds(landmarks, number, task.initial):
            continue
        seen = reachable(task, lambda state, n=number: not holds(landmarks, n, state))
        assert not any(is_goal(task, s) for s in seen if not holds(landmarks, number, s))


@settings(max_examples=100)
@given(TASKS)
def test_what_comes_just_before_holds_just_before(task):
    landmarks = find_landmarks(relax(task, task.cost), task.initial)
    for first in range(len(landmarks.var)):
        row = landmarks.after[landmarks.after_start[first] : landmarks.after_start[first + 1]]
        for later in row.tolist():
            seen = reachable(task, lambda state, n=later: not holds(landmarks, n, state))
            for state, before in seen.items():
                if holds(landmarks, later, state) and state != tuple(task.initial):
                    assert all(holds(landmarks, first, s) for s in before)


@settings(max_examples=100)
@given(TASKS)
def test_all_values_without_which_the_relaxation_fails_are_found(task):
    twin = RelaxedTwin(task)
    assume(twin.goal_value(task.initial, task.cost) < math.inf)
    landmarks = find_landmarks(relax(task, task.cost), task.initial)
    found = {
        (int(v), int(x))
        for v, x, other in zip(landmarks.var, landmarks.val, landmarks.other, strict=True)
        if not other
    }
    everything = twin.actions
    for var in range(len(task.domain)):
        for val in range(task.domain[var]):
            if task.initial[var] == val:
                continue
            twin.actions = [action for action in everything if action[2] != (var, val, True)]
            needed = twin.goal_value(task.initial, task.cost) == math.inf
            assert needed <= ((var, val) in found)


@settings(max_examples=100)
@given(TASKS, st.integers(0, 2**32 - 1))
def test_the_count_is_zero_exactly_at_the_goal(task, walk):
    landmarks = find_landmarks(relax(task, task.cost), task.initial)
    draw = np.random.default_rng(walk)
    state = tuple(map(int, task.initial))
    row = np.zeros(count_words(landmarks), np.uint64)
    reached = set()
    for _ in range(20):
        values = np.array(state, np.int32)
        track_landmarks(landmarks, row, values, row)
        reached |= {n for n in range(len(landmarks.var)) if holds(landmarks, n, state)}
        estimate = count_landmarks(landmarks, ones(landmarks), row, values)
        assert estimate == plain_estimate(landmarks, reached, state)
        assert (estimate == 0.0) == is_goal(task, state)
        choices = find_applicable(task, state)
        if not choices:
            break
        state = successor(task, state, int(draw.choice(choices)))


def plain_estimate(landmarks, reached, state):
    """The count, from sets."""
    everything = set(range(len(landmarks.var)))
    ahead = everything - reached
    lost = {n for n in reached if not holds(landmarks, n, state)}
    after = {
        n: set(landmarks.after[landmarks.after_start[n] : landmarks.after_start[n + 1]].tolist())
        for n in everything
    }
    return len(ahead) + sum(1 for n in lost if landmarks.goal[n] or after[n] & ahead)


@settings(max_examples=100)
@given(TASKS)
def test_a_landmark_is_worth_the_cheapest_way_to_it(task):
    relaxed = relax(task, task.cost)
    landmarks = find_landmarks(relaxed, task.initial)
    actions = [action for action in RelaxedTwin(task).actions if action[2] not in action[1]]
    worth = find_worth(landmarks, relaxed)
    for number, (var, val) in enumerate(zip(landmarks.var, landmarks.val, strict=True)):
        weights = [
            task.cost[operator]
            for operator, _, (written, value, _) in actions
            if written == var and (value == val) != bool(landmarks.other[number])
        ]
        assert worth[number] == min(weights, default=math.inf)


def test_a_chain_of_more_than_64_landmarks():
    steps = [FlatOperator(((0, k),), (), (FlatEffect(0, k + 1),)) for k in range(99)]
    task = FlatBuilder([100], [0], [(0, 99)], steps).build()
    landmarks = find_landmarks(relax(task, task.cost), task.initial)
    assert len(landmarks.var) == 100
    assert count_words(landmarks) == 2
    row = np.zeros(2, np.uint64)
    for value in range(100):
        state = np.array([value], np.int32)
        track_landmarks(landmarks, row, state, row)
        assert count_landmarks(landmarks, ones(landmarks), row, state) == 99 - value
    ahead = count_landmarks(landmarks, ones(landmarks), row, task.initial)
    assert ahead == 1.0  # the goal is lost again


def test_only_first_ways_to_a_landmark_tell_what_comes_just_before():
    """0 -> 1 is the first way to the goal; 2 -> 1 is a way back to it, as 2 comes after 1."""
    ways = [(0, 1), (1, 2), (2, 1)]
    steps = [FlatOperator(((0, a),), (), (FlatEffect(0, b),)) for a, b in ways]
    task = FlatBuilder([3], [0], [(0, 1)], steps).build()
    landmarks = find_landmarks(relax(task, task.cost), task.initial)
    assert landmarks.val.tolist() == [1, 0]
    assert landmarks.after_start.tolist() == [0, 0, 1]
    assert landmarks.after.tolist() == [0]
