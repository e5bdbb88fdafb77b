# SPDX-License-Identifier: Apache-2.0
"""LM-cut and FF equal their plain twins and lie where they must between the known values."""

import math

import numpy as np
import pytest
from array_twins import ArrayTwin
from connected_tasks import connected_task, tangled_task
from effort import scaled
from exhaustive import optimal, relaxed_optimal
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks
from relaxed_twin import RelaxedTwin

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.heuristics.evaluate import HeuristicCode, evaluate
from fcp_ros.planning.heuristics.relaxed_task import make_workspace, relax

TINY = st.builds(
    connected_task,
    st.integers(0, 10**6),
    st.integers(2, 4),
    st.just(3),
    st.integers(4, 12),
    st.booleans(),
)
LARGER = st.builds(
    connected_task,
    st.integers(0, 10**6),
    st.integers(4, 8),
    st.integers(3, 5),
    st.integers(16, 50),
    st.booleans(),
)
CLOSE = 1e-9


def spread_states(task, limit=6):
    """The first state and some others."""
    draw = np.random.default_rng(len(task.loss))
    others = [(draw.random(len(task.domain)) * task.domain).astype(np.int32) for _ in range(limit)]
    return [task.initial, *others]


def exact(weight):
    """Weights that add up without rounding, in whatever order."""
    return np.round(weight * 64.0) / 64.0


@settings(max_examples=120)
@given(st.one_of(flat_tasks(), TINY, LARGER), st.booleans(), st.sampled_from([1.0, 8.0, 64.0]))
def test_lm_cut_and_ff_equal_their_twins(task, of_loss, scale):
    """Whole numbers wait on shelves, large ones and fractions in the heap."""
    relaxed = relax(task, exact(task.loss if of_loss else task.cost) * scale)
    work = make_workspace(relaxed)
    twin = ArrayTwin(relaxed)
    for state in spread_states(task):
        assert evaluate(HeuristicCode.LM_CUT.value, relaxed, work, state) == pytest.approx(
            twin.lm_cut(state), abs=CLOSE
        )
        value, helpful = twin.ff(state)
        found = evaluate(HeuristicCode.FF.value, relaxed, work, state)
        assert found == pytest.approx(value, abs=CLOSE)
        assert set(np.flatnonzero(work.helpful).tolist()) == helpful


def test_lm_cut_where_operators_reach_several_facts():
    """The numbered ones have operators that enter the goal zone and reach something besides."""
    for seed in (254, 358, 511, 6609, 7578, 8280, *range(scaled(100))):
        task = tangled_task(seed)
        relaxed = relax(task, task.loss)
        found = evaluate(HeuristicCode.LM_CUT.value, relaxed, make_workspace(relaxed), task.initial)
        assert found == pytest.approx(ArrayTwin(relaxed).lm_cut(task.initial), abs=CLOSE), seed


@settings(max_examples=120)
@given(st.one_of(flat_tasks(max_operators=6), TINY), st.booleans())
def test_hmax_below_lm_cut_below_relaxed_optimum_below_optimum(task, of_loss):
    weight = task.loss if of_loss else task.cost
    relaxed = relax(task, weight)
    work = make_workspace(relaxed)
    twin = RelaxedTwin(task)
    worst = relax(task, weight, Composition.MAXIMUM)
    for state in spread_states(task, 3):
        values = [
            evaluate(kind.value, relaxed, work, state)
            for kind in map(HeuristicCode.__getitem__, ("BLIND", "MAX", "LM_CUT", "FF"))
        ]
        nothing, hmax, cut, ff = values
        real = optimal(task, state, weight)
        relaxed_real = relaxed_optimal(twin, state, weight)
        assert nothing <= real + CLOSE
        assert hmax <= cut + CLOSE
        assert cut <= relaxed_real + CLOSE
        assert relaxed_real <= real + CLOSE
        if len(task.cond_var) == 0:  # FF pays once for effects that happen one after the other
            assert relaxed_real <= ff + CLOSE
        assert ff <= twin.goal_value(state, weight, sum) + CLOSE
        assert len({math.isinf(value) for value in (hmax, cut, ff, relaxed_real)}) == 1
        bottleneck = evaluate(HeuristicCode.LM_CUT.value, worst, work, state)
        assert bottleneck == evaluate(HeuristicCode.MAX.value, worst, work, state)
        assert bottleneck <= optimal(task, state, weight, max) + CLOSE


def test_an_operator_with_two_ways_into_the_goal_pays_once():
    """Two copies of: o (2) leads to the goal in two ways, q (1.5) and then p (1) do, too."""
    operators = []
    for base in (0, 4):
        first, second, between, goal = range(base, base + 4)
        twice = tuple(FlatEffect(goal, 1, ((var, 0),)) for var in (first, second))
        operators += [
            FlatOperator((), (), twice, (), 2.0),
            FlatOperator((), (), (FlatEffect(between, 1),), (), 1.5),
            FlatOperator(((between, 1),), (), (FlatEffect(goal, 1),), (), 1.0),
        ]
    task = FlatBuilder([2] * 8, [0] * 8, [(3, 1), (7, 1)], operators).build()
    relaxed = relax(task, task.loss)
    found = evaluate(HeuristicCode.LM_CUT.value, relaxed, make_workspace(relaxed), task.initial)
    assert found == 4.0
