# SPDX-License-Identifier: Apache-2.0
"""hmax, hadd and the bottleneck equal their plain twins, and facts leave their queues by value."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks
from relaxed_twin import RelaxedTwin

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.heuristics.evaluate import HeuristicCode, evaluate
from fcp_ros.planning.heuristics.exploration import ADDITION, explore, seed
from fcp_ros.planning.heuristics.fact_queues import (
    LEVELS,
    bucket_drop,
    bucket_put,
    bucket_take,
    make_buckets,
)
from fcp_ros.planning.heuristics.relaxed_task import make_workspace, relax
from fcp_ros.planning.model.request import Heuristic

LARGER = flat_tasks(max_variables=7, max_values=5, max_operators=25)
TASKS = st.one_of(flat_tasks(), LARGER)


def states_of(task, limit=12):
    """Some states: the first one, and others spread over all."""
    sizes = [range(size) for size in task.domain]
    states = list(itertools.islice(itertools.product(*sizes), 0, None, 7))[:limit]
    return [task.initial, *(np.array(state, np.int32) for state in states)]


@settings(max_examples=150)
@given(TASKS, st.booleans())
def test_values_equal_the_twin(task, of_loss):
    weight = task.loss if of_loss else task.cost
    twin = RelaxedTwin(task)
    relaxed = relax(task, weight)
    work = make_workspace(relaxed)
    worst = relax(task, weight, Composition.MAXIMUM)
    for state in states_of(task):
        assert evaluate(HeuristicCode.MAX.value, relaxed, work, state) == pytest.approx(
            twin.goal_value(state, weight), abs=1e-9
        )
        count = seed(relaxed, work, state)
        added = explore(relaxed, work, relaxed.weight, count, ADDITION, True)
        assert added == pytest.approx(twin.goal_value(state, weight, sum), abs=1e-9)
        assert evaluate(HeuristicCode.MAX.value, worst, work, state) == pytest.approx(
            twin.goal_value(state, weight, max, True), abs=1e-9
        )


@pytest.mark.parametrize("unequal", [False, True])
def test_effects_that_happen_in_different_states(unequal):
    """b is reached only where c is 1 (or not 0), which never is; a, where c is 0, doesn't help."""
    second = FlatEffect(2, 1, (), ((0, 0),)) if unequal else FlatEffect(2, 1, ((0, 1),))
    operator = FlatOperator((), (), (FlatEffect(1, 1, ((0, 0),)), second))
    task = FlatBuilder([3, 2, 2], [0, 0, 0], [(2, 1)], [operator]).build()
    relaxed = relax(task, task.cost)
    work = make_workspace(relaxed)
    assert evaluate(HeuristicCode.MAX.value, relaxed, work, task.initial) == np.inf
    elsewhere = np.array([1, 0, 0], np.int32)
    assert evaluate(HeuristicCode.MAX.value, relaxed, work, elsewhere) == 1.0


def test_the_numbers_are_those_of_the_search_options():
    assert [kind.name for kind in HeuristicCode] == [heuristic.name for heuristic in Heuristic]


FACTS = 150
STEPS = st.lists(
    st.one_of(st.none(), st.tuples(st.integers(0, FACTS - 1), st.integers(0, 60))), max_size=120
)


@given(STEPS)
def test_the_least_fact_comes_first_and_of_equal_ones_the_last(steps):
    """None takes a fact; a pair puts one into a bucket that the last one taken does not follow."""
    buckets, span = make_buckets(FACTS), np.zeros(2, np.int64)
    waiting, gone, current = {}, set(), 0
    for time, step in enumerate([*steps, *[None] * FACTS]):
        if step is not None:
            fact, more = step
            number = min(current + more, LEVELS - 1)
            before = waiting.get(fact, (LEVELS, 0))[0]
            if fact not in gone and number < before:
                if fact in waiting:
                    bucket_drop(buckets, before, fact)
                waiting[fact] = number, -time
                bucket_put(buckets, span, number, fact)
            continue
        expected = min(waiting, key=waiting.__getitem__, default=-1)
        assert bucket_take(buckets, span) == expected
        if expected >= 0:
            current = waiting.pop(expected)[0]
            gone.add(expected)
    assert (buckets.first == -1).all()
