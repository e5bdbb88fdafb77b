# SPDX-License-Identifier: Apache-2.0
"""Axioms of flat tasks: the kernel derives what a plain fixpoint does; estimates stay bounds."""

from __future__ import annotations

import math

import numpy as np
from exhaustive import optimal
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.semantics import derive, successor
from fcp_ros.planning.flat.task import FlatAxiom, derive_values, make_scratch
from fcp_ros.planning.heuristics.evaluate import Estimator, HeuristicCode
from fcp_ros.planning.search.partial_states import explain_unsuitable


def draw_states(task, seed, count=20):
    draw = np.random.default_rng(seed)
    return [(draw.random(len(task.domain)) * task.domain).astype(np.int32) for _ in range(count)]


@settings(max_examples=300)
@given(flat_tasks(axioms=True), st.integers(0, 1000))
def test_the_kernel_derives_what_a_fixpoint_does(task, seed):
    scratch = make_scratch(task.axioms)
    for state in draw_states(task, seed):
        wanted = derive(task, state.tolist())
        derive_values(task.axioms, scratch, state)
        assert tuple(state.tolist()) == wanted


@settings(max_examples=300)
@given(flat_tasks(axioms=True, resources=False, windows=False, blocks=False))
def test_estimates_with_axioms_are_lower_bounds(task):
    for state in [task.initial, *draw_states(task, 1, 5)]:
        start = np.array(derive(task, state.tolist()), np.int32)
        least = optimal(task, start, task.cost)
        for code in (HeuristicCode.MAX, HeuristicCode.LM_CUT):
            estimate = Estimator(task, code, task.cost, Composition.SUM).estimate(start)
            assert estimate <= least + 1e-9
        if Estimator(task, HeuristicCode.FF, task.cost).estimate(start) == math.inf:
            assert least == math.inf


def make_path(length):
    """Lamps at places of a corridor: a place is lit if its lamp is on or the one before is lit."""
    heads = range(length, 2 * length)
    return FlatBuilder(
        [2] * (2 * length),
        [0] * (2 * length),
        [(2 * length - 1, 1)],
        [FlatOperator(effects=(FlatEffect(lamp, 1),)) for lamp in range(length)],
        axioms=[
            *(FlatAxiom(head, 0, ((head - length, 1),)) for head in heads),
            *(FlatAxiom(head, 0, ((head - 1, 1),)) for head in heads if head > length),
        ],
    ).build()


def test_what_follows_spreads_to_the_end():
    task = make_path(50)
    after = successor(task, tuple(task.initial.tolist()), 0)
    assert after == (1, *([0] * 49), *([1] * 50))
    state = np.array(after, np.int32)
    derive_values(task.axioms, make_scratch(task.axioms), state)
    assert tuple(state.tolist()) == after
    ff = Estimator(task, HeuristicCode.FF, task.cost)
    assert ff.estimate(task.initial) == 1.0
    assert ff.find_helpful(task.initial) == (49,)


def test_a_negated_fact_costs_what_keeps_its_axioms_from_firing():
    """Two switches are on, and the bell rings by either: both must be put off."""
    task = FlatBuilder(
        [2, 2, 2],
        [1, 1, 0],
        [(2, 0)],
        [FlatOperator(effects=(FlatEffect(switch, 0),)) for switch in (0, 1)],
        axioms=[FlatAxiom(2, 0, ((0, 1),)), FlatAxiom(2, 0, ((1, 1),))],
    ).build()
    assert task.initial.tolist() == [1, 1, 1]
    for code in (HeuristicCode.FF, HeuristicCode.LM_CUT):
        assert Estimator(task, code, task.cost).estimate(task.initial) == 2.0
    assert Estimator(task, HeuristicCode.FF, task.cost).find_helpful(task.initial) == (0, 1)


def test_axioms_are_not_searched_backwards():
    assert "axioms" in explain_unsuitable(make_path(2))
