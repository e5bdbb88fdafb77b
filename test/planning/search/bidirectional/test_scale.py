# SPDX-License-Identifier: Apache-2.0
"""Whole losses and costs: the stop rule's bound, rooms, dominance."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.search.half_plans import UNIT, WORST, Scale
from fcp_ros.planning.search.settings import Criterion, Objective, make_plan

ORDERS = [(Criterion.LOSS, Criterion.COST), (Criterion.COST, Criterion.LOSS)]
PAIRS = st.tuples(st.integers(0, 4), st.integers(0, 4))
"""Loss and cost of a half."""


def two_steps():
    step = FlatOperator(((0, 0),), (), (FlatEffect(0, 1),), loss=0.3, cost=2.5)
    return FlatBuilder([2], [0], ((0, 1),), [step, step]).build()


def scale(order=ORDERS[0], composition=Composition.SUM, **budgets):
    return Scale(two_steps(), Objective(order, composition, **budgets))


@given(
    order=st.sampled_from(ORDERS),
    composition=st.sampled_from(Composition),
    halves=st.lists(PAIRS, min_size=4, max_size=4),
)
def test_no_plan_of_two_worse_halves_falls_short_of_the_bound(order, composition, halves):
    made = scale(order, composition)
    forward, backward, before, after = halves
    if made.key(*before) >= made.key(*forward) and made.key(*after) >= made.key(*backward):
        whole = made.key(made.compose(before[0], after[0]), before[1] + after[1])
        assert whole >= made.combine_bounds(made.key(*forward), made.key(*backward))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("composition", Composition)
def test_the_bound_is_reached_where_it_can_be(order, composition):
    made = scale(order, composition)
    if composition is Composition.SUM:
        assert made.combine_bounds((3, 1), (2, 2)) == (5, 3)
    elif order is ORDERS[0]:
        assert made.combine_bounds((3, 1), (2, 2)) == (3, 1)
        assert made.combine_bounds((3, 1), (3, 2)) == (3, 3)
    else:
        assert made.combine_bounds((3, 1), (2, 2)) == (5, 2)
    assert made.combine_bounds(WORST, (0, 0)) == made.combine_bounds((0, 0), WORST) == WORST


def test_a_side_that_is_through_leaves_nothing():
    assert scale().combine_bounds(WORST, WORST) == WORST


def test_rooms_are_what_may_come_before():
    summed = scale(loss_budget=0.5)
    assert summed.room(0) * UNIT == pytest.approx(0.5)
    assert summed.room(round(0.3 / UNIT)) * UNIT == pytest.approx(0.2)
    assert summed.room(round(0.6 / UNIT)) < 0
    worst = scale(composition=Composition.MAXIMUM, loss_budget=0.5)
    assert worst.room(round(0.3 / UNIT)) * UNIT == pytest.approx(0.5)
    assert worst.room(round(0.6 / UNIT)) < 0
    assert scale().room(10) == math.inf


def test_bounds_with_rounding_errors_decide_by_the_tolerance():
    made = scale()
    much = round(1e-6 / UNIT)
    assert made.rules_out((much, 3), (much, 3))
    assert made.rules_out((much - 1, 3), (much, 3))
    assert not made.rules_out((much - 1, 3), (much, 3 + much))
    assert made.rules_out((3 * much, 0), (much, 3))
    assert not made.rules_out((0, 9 * much), (much, 3))
    assert made.rules_out((math.inf, 0), (much, 3))


def test_a_plan_is_told_in_the_tasks_own_numbers():
    plan = make_plan(two_steps(), (0, 1), Composition.SUM)
    assert (plan.operators, plan.loss, plan.cost) == ((0, 1), 0.6, 5.0)
    assert make_plan(two_steps(), (0, 1), Composition.MAXIMUM).loss == 0.3
    assert scale().key_of((0, 1)) == (round(0.6 / UNIT), round(5.0 / UNIT))
    assert scale(ORDERS[1], Composition.MAXIMUM).key_of((0, 1))[1] == round(0.3 / UNIT)
