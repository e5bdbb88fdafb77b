# SPDX-License-Identifier: Apache-2.0
"""The estimator for Python, and edge cases."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks
from relaxed_twin import RelaxedTwin

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.heuristics.evaluate import Estimator, HeuristicCode


def step(old, new, loss=0.0, cost=1.0, use=()):
    return FlatOperator(((0, old),), (), (FlatEffect(0, new),), (), loss, cost, use)


def estimates(task, weight):
    return [Estimator(task, kind, weight).estimate(task.initial) for kind in HeuristicCode]


@settings(max_examples=60)
@given(flat_tasks(), st.sampled_from(list(Composition)))
def test_values_of_facts_and_operators(task, composition):
    estimator = Estimator(task, HeuristicCode.MAX, task.loss, composition)
    twin = RelaxedTwin(task)
    worst = composition is Composition.MAXIMUM
    values = twin.values(task.initial, task.loss, max, worst)
    expected = [
        values.get((var, val, True), math.inf)
        for var in range(len(task.domain))
        for val in range(task.domain[var])
    ]
    assert estimator.compute_fact_bounds(task.initial) == pytest.approx(expected, abs=1e-9)
    after = np.full(len(task.loss), math.inf)
    for operator, needs, reached in twin.actions:
        if reached not in needs:
            most = max([twin.value(values, need) for need in needs], default=0.0)
            own = task.loss[operator]
            total = max(most, own) if worst else most + own
            after[operator] = min(after[operator], total)
    assert estimator.compute_operator_bounds(task.initial) == pytest.approx(after, abs=1e-9)


@settings(max_examples=60)
@given(flat_tasks())
def test_helpful_operators_need_nothing_but_the_state(task):
    estimator = Estimator(task, HeuristicCode.FF, task.cost)
    for operator in estimator.find_helpful(task.initial):
        first, end = task.pre_start[operator], task.pre_start[operator + 1]
        assert (task.initial[task.pre_var[first:end]] == task.pre_val[first:end]).all()


def test_new_weights_are_used():
    task = FlatBuilder([2], [0], [(0, 1)], [step(0, 1)]).build()
    estimator = Estimator(task, HeuristicCode.LM_CUT, task.cost)
    assert estimator.estimate((0,)) == 1.0
    estimator.reweigh(np.array([0.25]))
    assert estimator.estimate((0,)) == 0.25


@pytest.mark.parametrize("weight", [[-1.0], [math.nan], [math.inf], [], [1.0, 1.0]])
def test_wrong_weights_are_refused(weight):
    task = FlatBuilder([2], [0], [(0, 1)], [step(0, 1)]).build()
    with pytest.raises(ValueError, match="weight"):
        Estimator(task, HeuristicCode.MAX, np.array(weight))


def test_no_operators():
    there = FlatBuilder([2], [1], [(0, 1)]).build()
    away = FlatBuilder([2], [0], [(0, 1)]).build()
    assert estimates(there, there.cost) == [0.0] * 5
    assert estimates(away, away.cost)[1:] == [math.inf] * 4


def test_empty_goal_and_goal_that_holds():
    for goal in ([], [(0, 0)]):
        task = FlatBuilder([2], [0], goal, [step(0, 1)]).build()
        assert estimates(task, task.cost) == [0.0] * 5


def test_goal_that_contradicts_itself():
    task = FlatBuilder([2], [0], [(0, 0), (0, 1)], [step(0, 1), step(1, 0)]).build()
    assert estimates(task, task.cost)[1:] == [math.inf] * 4


def test_a_variable_with_two_values_has_one_of_them():
    never = FlatOperator((), ((0, 0), (0, 1)), (FlatEffect(1, 1),))
    turn = FlatOperator((), (), (FlatEffect(0, 1),))
    task = FlatBuilder([2, 2], [0, 0], [(1, 1)], [never, turn]).build()
    assert estimates(task, task.cost)[1:] == [math.inf] * 4


def test_blind_reads_the_goal_in_any_order():
    step_of = [FlatOperator((), (), (FlatEffect(var, 1),), (), 0.0, var + 2.0) for var in range(3)]
    task = FlatBuilder([2, 2, 2], [0, 0, 0], [(2, 1), (0, 1)], step_of).build()
    estimator = Estimator(task, HeuristicCode.BLIND, task.cost)
    found = [estimator.estimate(state) for state in ((0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1))]
    assert found == [2.0, 2.0, 2.0, 0.0]


def test_no_weight_and_huge_weights():
    task = FlatBuilder([3], [0], [(0, 2)], [step(0, 1), step(1, 2)]).build()
    assert estimates(task, np.zeros(2)) == [0.0, 0.0, 0.0, 2.0, 0.0]
    assert estimates(task, np.array([1e300, 1e300]))[1:3] == [2e300, 2e300]
    assert Estimator(task, HeuristicCode.LM_CUT, np.array([1e15, 1e-3])).estimate((0,)) >= 1e15
    cut = Estimator(task, HeuristicCode.LM_CUT, np.array([0.1 + 0.2, 0.3]))
    assert cut.estimate((0,)) == pytest.approx(0.6)


def test_sums_that_double_at_every_level_stay_finite():
    levels = 1200
    chain = [
        FlatOperator(((2 * k, 1), (2 * k + 1, 1)), (), (FlatEffect(var, 1),))
        for k in range(levels)
        for var in (2 * k + 2, 2 * k + 3)
    ]
    first = [FlatOperator((), (), (FlatEffect(var, 1),)) for var in (0, 1)]
    size = 2 * levels + 2
    task = FlatBuilder([2] * size, [0] * size, [(size - 1, 1)], first + chain).build()
    assert Estimator(task, HeuristicCode.FF, task.cost).estimate(task.initial) == 2 * levels + 1
    assert Estimator(task, HeuristicCode.MAX, task.cost).estimate(task.initial) == levels + 1
