# SPDX-License-Identifier: Apache-2.0
"""Plans straight ahead: what is carried out equals a plain twin; what is found is a plan."""

from __future__ import annotations

import numpy as np
import pytest
from flat_enumeration import replayed
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.semantics import (
    amounts_after,
    initial_amounts,
    initial_state,
    is_applicable,
    successor,
)
from fcp_ros.planning.search.lookahead import TRIES, begin_path, find_lookahead_plan, follow
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.portfolio import Portfolio
from fcp_ros.planning.search.prepared import PreparedTask

OBJECTIVES = st.builds(
    Objective,
    composition=st.sampled_from(list(Composition)),
    loss_budget=st.sampled_from([float("inf"), 0.1, 0.3]),
)


def nothing() -> None:
    """Does not interrupt."""


def interrupt() -> None:
    raise KeyboardInterrupt


def conditions(task, operator):
    first, end = task.pre_start[operator], task.pre_start[operator + 1]
    return list(zip(task.pre_var[first:end], task.pre_val[first:end], strict=True))


def writes(task, operator):
    first, end = task.eff_start[operator], task.eff_start[operator + 1]
    return list(zip(task.eff_var[first:end], task.eff_val[first:end], strict=True))


def carried_out(task, pending):
    """What `follow` does, plainly: operators and the state after them."""
    state, amounts = initial_state(task), initial_amounts(task)
    left, done = list(pending), []
    while True:
        fit = [
            o
            for o in left
            if is_applicable(task, state, o) and amounts_after(task, amounts, o) is not None
        ]
        if not fit:
            return done, state, amounts
        calm = [
            o
            for o in fit
            if not any(
                state[var] != val and any(v == var and x != val for v, x in conditions(task, q))
                for var, val in writes(task, o)
                for q in fit
                if q != o
            )
        ]
        chosen = (calm or fit)[0]
        state, amounts = successor(task, state, chosen), amounts_after(task, amounts, chosen)
        done.append(chosen)
        left.remove(chosen)


@settings(max_examples=200)
@given(flat_tasks() | flat_tasks(axioms=True), st.randoms(use_true_random=False))
def test_what_is_carried_out_equals_the_twin(task, draw):
    pending = list(range(len(task.loss)))
    draw.shuffle(pending)
    expected, state, amounts = carried_out(task, pending)
    way, done = begin_path(task), np.empty(len(pending), np.int32)
    count = follow(task, way, np.array(pending, np.int32), done)
    assert done[:count].tolist() == expected
    assert tuple(way.state.tolist()) == state
    assert way.amounts[2:].tolist() == pytest.approx(amounts)


@settings(max_examples=200)
@given(flat_tasks() | flat_tasks(axioms=True), OBJECTIVES)
def test_what_is_found_is_a_plan_within_the_budgets(task, objective):
    plan = find_lookahead_plan(PreparedTask(task), objective, nothing)
    if plan is not None:
        way = replayed(task, plan.operators, objective.composition)
        assert way == pytest.approx((plan.loss, plan.cost), abs=EPSILON)
        assert plan.loss <= objective.loss_budget + EPSILON


def carriers(things: int, places: int):
    """A carrier brings things, all at once, from place to place; each to the place after its own.

    Variable 0 is where the carrier is, 1 .. where the things are; the last place is on the carrier.
    """
    on = places
    made = [
        FlatOperator(((0, a),), (), (FlatEffect(0, b),))
        for a in range(places)
        for b in range(places)
        if a != b
    ]
    for thing in range(1, things + 1):
        for place in range(places):
            made.append(FlatOperator(((0, place), (thing, place)), (), (FlatEffect(thing, on),)))
            made.append(FlatOperator(((0, place), (thing, on)), (), (FlatEffect(thing, place),)))
    initial = [0, *(thing % places for thing in range(things))]
    goal = [(thing, thing % places) for thing in range(1, things + 1)]
    return FlatBuilder([places, *[places + 1] * things], initial, goal, made).build()


def test_many_things_need_few_relaxed_plans():
    asked = []
    plan = find_lookahead_plan(PreparedTask(carriers(60, 12)), Objective(), lambda: asked.append(1))
    assert plan is not None
    assert len(asked) <= 3 * 12 * TRIES


def test_the_portfolio_takes_it_where_its_first_turn_finds_nothing():
    search = Portfolio(carriers(60, 12), Objective())
    while search.report().best is None and search.effort < 5000:
        search.run(100)
    assert search.report().best is not None


def test_it_can_be_interrupted():
    with pytest.raises(KeyboardInterrupt):
        find_lookahead_plan(PreparedTask(carriers(3, 3)), Objective(), interrupt)
