# SPDX-License-Identifier: Apache-2.0
"""The bound of the stop rule, from the keys of two halves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.search.half_plans import WORST, Scale
from fcp_ros.planning.search.settings import Criterion, Objective

ORDERS = [(Criterion.LOSS, Criterion.COST), (Criterion.COST, Criterion.LOSS)]
PAIRS = st.tuples(st.integers(0, 4), st.integers(0, 4))
"""Loss and cost of a half."""


def two_steps():
    step = FlatOperator(((0, 0),), (), (FlatEffect(0, 1),), loss=0.3, cost=2.5)
    return FlatBuilder([2], [0], ((0, 1),), [step, step]).build()


def scale(order, composition):
    return Scale(two_steps(), Objective(order, composition))


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
