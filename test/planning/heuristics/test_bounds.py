# SPDX-License-Identifier: Apache-2.0
"""LM-cut and FF equal their plain twins and lie where they must between the known values."""

import math

import numpy as np
import pytest
from array_twins import ArrayTwin
from connected_tasks import connected_task
from exhaustive import optimal, relaxed_optimal
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks
from relaxed_twin import RelaxedTwin

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.heuristics.evaluate import evaluate
from fcp_ros.planning.heuristics.kind import Kind
from fcp_ros.planning.heuristics.relaxed_task import relax, workspace
from fcp_ros.planning.heuristics.sharpen import sharpen

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
@given(st.one_of(flat_tasks(), TINY, LARGER), st.booleans())
def test_lm_cut_and_ff_equal_their_twins(task, of_loss):
    relaxed = relax(task, exact(task.loss if of_loss else task.cost))
    work = workspace(relaxed)
    twin = ArrayTwin(relaxed)
    for state in spread_states(task):
        assert evaluate(Kind.LM_CUT, relaxed, work, state) == pytest.approx(
            twin.lm_cut(state), abs=CLOSE
        )
        value, helpful = twin.ff(state)
        assert evaluate(Kind.FF, relaxed, work, state) == pytest.approx(value, abs=CLOSE)
        assert set(np.flatnonzero(work.helpful).tolist()) == helpful


@settings(max_examples=60)
@given(st.one_of(TINY, LARGER))
def test_another_order_of_needs_makes_lm_cut_no_lower(task):
    relaxed = relax(task, exact(task.loss))
    work = workspace(relaxed)
    sharp = sharpen(relaxed, task.initial)
    bound = evaluate(Kind.LM_CUT, sharp, work, task.initial)
    assert bound >= evaluate(Kind.LM_CUT, relaxed, work, task.initial)
    twin = ArrayTwin(sharp)
    for state in spread_states(task, 3):
        assert evaluate(Kind.LM_CUT, sharp, work, state) == pytest.approx(
            twin.lm_cut(state), abs=CLOSE
        )
        for kind in (Kind.BLIND, Kind.MAX, Kind.ADD, Kind.FF):
            assert evaluate(kind, sharp, work, state) == evaluate(kind, relaxed, work, state)


@settings(max_examples=120)
@given(st.one_of(flat_tasks(max_operators=6), TINY), st.booleans(), st.booleans())
def test_hmax_below_lm_cut_below_relaxed_optimum_below_optimum(task, of_loss, sharp):
    weight = task.loss if of_loss else task.cost
    relaxed = relax(task, weight)
    if sharp:
        relaxed = sharpen(relaxed, task.initial)
    work = workspace(relaxed)
    twin = RelaxedTwin(task)
    worst = relax(task, weight, Composition.MAXIMUM)
    for state in spread_states(task, 3):
        values = [
            evaluate(kind, relaxed, work, state)
            for kind in (Kind.BLIND, Kind.MAX, Kind.LM_CUT, Kind.FF, Kind.ADD)
        ]
        nothing, hmax, cut, ff, hadd = values
        real = optimal(task, state, weight)
        relaxed_real = relaxed_optimal(twin, state, weight)
        assert nothing <= real + CLOSE
        assert hmax <= cut + CLOSE
        assert cut <= relaxed_real + CLOSE
        assert relaxed_real <= real + CLOSE
        if len(task.cond_var) == 0:  # FF pays once for effects that happen one after the other
            assert relaxed_real <= ff + CLOSE
        assert ff <= hadd + CLOSE
        assert len({math.isinf(value) for value in (hmax, cut, ff, hadd, relaxed_real)}) == 1
        bottleneck = evaluate(Kind.LM_CUT, worst, work, state)
        assert bottleneck == evaluate(Kind.MAX, worst, work, state)
        assert bottleneck <= optimal(task, state, weight, max) + CLOSE
