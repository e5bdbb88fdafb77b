# SPDX-License-Identifier: Apache-2.0
"""Searches that count landmarks know which ones they have behind them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from connected_tasks import connected_task
from hypothesis import given, settings
from hypothesis import strategies as st
from packed_states import unpack_state
from random_flat_tasks import flat_tasks

from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.semantics import find_applicable, initial_state, successor
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.heuristics.landmarks import Landmarks, count_landmarks, find_landmarks
from fcp_ros.planning.heuristics.relaxed_task import relax
from fcp_ros.planning.model.request import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search.best_first import BestFirst
from fcp_ros.planning.search.kernel.space import (
    LABELS,
    OPERATOR,
    PARENT,
    STATE,
    STATES,
    TURN,
    Space,
)
from fcp_ros.planning.search.settings import Criterion, Objective, SearchOutcome

State = tuple[int, ...]
TASKS = flat_tasks() | st.builds(
    connected_task,
    st.integers(0, 10**6),
    st.integers(2, 4),
    st.just(3),
    st.integers(4, 14),
    st.booleans(),
)
OPTIONS = st.builds(
    SearchOptions,
    st.sampled_from([Algorithm.LAZY_GREEDY, Algorithm.WEIGHTED_ASTAR]),
    st.just(Heuristic.LANDMARK_COUNT),
    st.just(3.0),
    st.sampled_from([Heuristic.BLIND, Heuristic.FF, Heuristic.LANDMARK_COUNT]),
)


def holding(landmarks: Landmarks, state: State) -> set[int]:
    """The landmarks that hold in a state."""
    return {
        number
        for number in range(len(landmarks.var))
        if (state[landmarks.var[number]] == landmarks.val[number]) != bool(landmarks.other[number])
    }


def row_of(space: Space, state: int) -> set[int]:
    bits = np.unpackbits(space.rows[state].view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits).tolist())


def way_to(space: Space, task: FlatTask, label: int) -> list[State]:
    """The states along the way of a label, the initial one first."""
    operators = []
    while space.link[label, PARENT] >= 0:
        operators.append(int(space.link[label, OPERATOR]))
        label = int(space.link[label, PARENT])
    states = [initial_state(task)]
    for operator in reversed(operators):
        states.append(successor(task, states[-1], operator))
    return states


def on_all_ways(task: FlatTask, landmarks: Landmarks) -> dict[State, set[int]]:
    """For each state that can be reached, blocks and resources aside, what all ways pass."""
    everything = set(range(len(landmarks.var)))
    first = initial_state(task)
    passed = {first: holding(landmarks, first)}
    pending = [first]
    while pending:
        at = pending.pop()
        for operator in find_applicable(task, at):
            after = successor(task, at, operator)
            row = (passed[at] | holding(landmarks, after)) & passed.get(after, everything)
            if passed.get(after) != row:
                passed[after] = row
                pending.append(after)
    return passed


@settings(max_examples=200)
@given(TASKS, OPTIONS, st.integers(0, 3))
def test_rows_lie_between_each_way_and_all_ways(task, options, seed):
    search = BestFirst(task, Objective(), options)
    search.run(10**5)
    space = search._space
    if not len(search._inputs.landmarks.var):
        return  # without any loss, the loss needs no estimate
    landmarks = find_landmarks(relax(task, np.ones(len(task.loss))), task.initial)
    common = on_all_ways(task, landmarks)
    packing = search._prepared.packing
    states = [tuple(unpack_state(packing, words).tolist()) for words in space.words]
    for state in range(int(space.counts[STATES])):
        assert row_of(space, state) >= common[states[state]]
    for label in range(int(space.counts[LABELS])):
        way = way_to(space, task, label)
        assert way[-1] == states[space.link[label, STATE]]
        passed = set().union(*(holding(landmarks, state) for state in way))
        assert row_of(space, int(space.link[label, STATE])) <= passed


@settings(max_examples=100)
@given(TASKS, st.sampled_from([0, 1]), st.sampled_from([1.0, 3.0]))
def test_estimates_are_what_the_landmarks_ahead_are_worth(task, place, weight):
    chosen = [Heuristic.BLIND, Heuristic.BLIND]
    chosen[place] = Heuristic.LANDMARK_COUNT
    options = SearchOptions(Algorithm.WEIGHTED_ASTAR, chosen[0], weight, chosen[1], weight)
    search = BestFirst(task, Objective((Criterion.COST, Criterion.LOSS)), options)
    search.run(10**5)
    space, guides = search._space, search._inputs
    worth = (guides.first_worth, guides.second_worth)[place]
    for state in np.flatnonzero(space.known[: space.counts[STATES]] == 3):
        values = unpack_state(search._prepared.packing, space.words[state])
        ahead = count_landmarks(guides.landmarks, worth, space.rows[state], values)
        if place == 1 and ahead == np.inf:
            assert space.estimate[state, 0] == np.inf
        else:
            assert space.estimate[state, place] == ahead


def test_both_heuristics_get_as_many_turns():
    task = ring(40, (10, 30))
    options = SearchOptions(
        Algorithm.LAZY_GREEDY, Heuristic.LANDMARK_COUNT, tie_heuristic=Heuristic.MAX
    )
    search = BestFirst(task, Objective(), options)
    search.run(30)
    turns = search._space.counts[TURN : TURN + 2]
    assert abs(int(turns[0]) - int(turns[1])) <= 1


def ring(size: int, doors: tuple[int, ...]) -> FlatTask:
    """A robot in a corridor of `size` places; each door has a key that lies at the near end."""
    made = []
    for one, other in pairwise(range(size)):
        needs = ((1 + doors.index(other), 1),) if other in doors else ()
        made.append(FlatOperator(((0, one), *needs), effects=(FlatEffect(0, other),)))
        made.append(FlatOperator(((0, other),), effects=(FlatEffect(0, one),)))
    made += [
        FlatOperator(((0, 0),), effects=(FlatEffect(1 + key, 1),)) for key in range(len(doors))
    ]
    domain = [size, *([2] * len(doors))]
    return FlatBuilder(domain, [0] * len(domain), ((0, size - 1),), made).build()


@pytest.mark.parametrize("second", [Heuristic.BLIND, Heuristic.FF])
def test_landmarks_lead_straight_to_the_goal(second):
    task = ring(100, (30, 50, 70))
    options = SearchOptions(Algorithm.LAZY_GREEDY, Heuristic.LANDMARK_COUNT, tie_heuristic=second)
    report = BestFirst(task, Objective(), options).run(10**4)
    assert report.outcome is SearchOutcome.FOUND
    assert report.best is not None
    assert len(report.best.operators) == 102
    assert report.expanded <= 200
