# SPDX-License-Identifier: Apache-2.0
"""Shorter plans of the same loss: the cheapest one in small tasks; each stage by itself."""

from __future__ import annotations

import pytest
from flat_enumeration import optimum, replayed, undominated
from flat_trade_offs import trade_offs
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.model.request import SearchOptions
from fcp_ros.planning.search.best_first import BestFirst
from fcp_ros.planning.search.portfolio import Portfolio
from fcp_ros.planning.search.prepared import PreparedTask
from fcp_ros.planning.search.settings import Criterion, FlatPlan, Objective
from fcp_ros.planning.search.shortening import list_stages, shorten

TASKS = flat_tasks() | flat_tasks(axioms=True) | trade_offs()


@settings(max_examples=150)
@given(TASKS, st.sampled_from(list(Composition)), st.integers(0, 2))
def test_in_small_tasks_no_plan_of_the_same_loss_costs_less(task, composition, seed):
    objective = Objective(composition=composition)
    best = optimum(undominated(task, composition), objective)
    options = SearchOptions(seed=seed)
    search = Portfolio(task, objective, options)
    found = search.run(10**6).best
    assume(best is not None)
    assert found is not None
    plan, proven = shorten(PreparedTask(task), objective, found, search.effort, options)
    assert proven
    way = replayed(task, plan.operators, composition)
    assert way == pytest.approx((plan.loss, plan.cost), abs=EPSILON)
    assert way == pytest.approx(best, abs=EPSILON)


def test_where_cost_comes_first_there_is_nothing_to_shorten():
    task, plan = crossing(5), FlatPlan((0, 1), 0.0, 9.0)
    objective = Objective((Criterion.COST, Criterion.LOSS))
    assert shorten(PreparedTask(task), objective, plan, 100)[0] is plan


def crossing(width: int) -> FlatTask:
    """Two coordinates and a switch at the far end; a way back that costs more saves steps."""
    made = [
        FlatOperator(((axis, at),), effects=(FlatEffect(axis, at + 1),), cost=1.0 + at % 3)
        for axis in (0, 1)
        for at in range(width - 1)
    ]
    ends = ((0, width - 1), (1, width - 1))
    made.append(FlatOperator(ends, effects=(FlatEffect(2, 1),)))
    made += [FlatOperator((end,), effects=(FlatEffect(2, 1),), cost=width) for end in ends]
    return FlatBuilder([width, width, 2], [0, 0, 0], ((2, 1),), made).build()


def stages() -> list[SearchOptions]:
    """How each search for a shorter plan searches."""
    first = list_stages(SearchOptions(), 120, 0, 1.0)
    found = [search.options for one in first for search in (one, *one.then)]
    assert [options.weight for options in found[1:]] == [5.0, 5.0, 3.0]
    return found


@pytest.mark.parametrize("options", stages())
def test_each_search_for_a_shorter_plan_finds_one(options):
    task = crossing(60)
    long = 2 * sum(1.0 + at % 3 for at in range(59)) + 1.0
    budget = Objective((Criterion.COST, Criterion.LOSS), cost_budget=long - 2 * EPSILON)
    report = BestFirst(task, budget, options).run(10**4)
    assert report.best is not None
    assert report.best.cost == (long - 1.0) / 2 + 60.0
