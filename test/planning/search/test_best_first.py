# SPDX-License-Identifier: Apache-2.0
"""Every best-first search finds what enumeration finds: the optimum, or that there is no plan."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flat_enumeration import optimum, replayed, undominated
from flat_trade_offs import trade_offs
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.model.request import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search.best_first import BestFirst
from fcp_ros.planning.search.settings import (
    ADMISSIBLE,
    Criterion,
    FlatPlan,
    Objective,
    SearchOutcome,
    SearchReport,
)

PLENTY = 1_000_000
ORDERS = ((Criterion.LOSS, Criterion.COST), (Criterion.COST, Criterion.LOSS))
OBJECTIVES = st.builds(
    Objective,
    st.sampled_from(ORDERS),
    st.sampled_from(list(Composition)),
    st.sampled_from([math.inf, math.inf, 0.05, 0.2, 0.3, 0.5]),
    st.sampled_from([math.inf, math.inf, math.inf, 2.0, 4.0, 7.0]),
)
TASKS = flat_tasks() | flat_tasks(axioms=True) | trade_offs()
LOWER_BOUNDS = st.sampled_from(sorted(ADMISSIBLE))
HEURISTICS = st.sampled_from(list(Heuristic))


def in_order(way: tuple[float, float], objective: Objective) -> tuple[float, float]:
    """Loss and cost in the order of the objective."""
    return way if objective.order[0] is Criterion.LOSS else (way[1], way[0])


def works(task: FlatTask, objective: Objective, plan: FlatPlan | None) -> tuple[float, float]:
    """Checks a plan and what it claims; both criteria in the order of the objective."""
    assert plan is not None
    way = replayed(task, plan.operators, objective.composition)
    assert way is not None
    assert way == pytest.approx((plan.loss, plan.cost), abs=EPSILON)
    assert way[0] <= objective.loss_budget + EPSILON
    assert way[1] <= objective.cost_budget + EPSILON
    return in_order(way, objective)


def searched(task: FlatTask, objective: Objective, options: SearchOptions) -> SearchReport:
    return BestFirst(task, objective, options).run(PLENTY)


@settings(max_examples=400)
@given(TASKS, OBJECTIVES, LOWER_BOUNDS, LOWER_BOUNDS, st.integers(0, 3))
def test_astar_finds_the_optimum_of_both_criteria(task, objective, first, second, seed):
    best = optimum(undominated(task, objective.composition), objective)
    options = SearchOptions(Algorithm.ASTAR, first, 1.0, second, 1.0, seed)
    report = searched(task, objective, options)
    if best is None:
        assert report.outcome is SearchOutcome.EXHAUSTED
        assert report.best is None
        assert report.bound == math.inf
        return
    assert report.outcome is SearchOutcome.OPTIMAL
    found = works(task, objective, report.best)
    assert found == pytest.approx(in_order(best, objective), abs=EPSILON)


@settings(max_examples=200)
@given(TASKS, OBJECTIVES, LOWER_BOUNDS, HEURISTICS, st.integers(0, 3))
def test_weighted_ties_leave_the_first_criterion_optimal(task, objective, first, second, seed):
    best = optimum(undominated(task, objective.composition), objective)
    options = SearchOptions(Algorithm.ASTAR, first, 1.0, second, 5.0, seed)
    report = searched(task, objective, options)
    if best is None:
        assert report.outcome is SearchOutcome.EXHAUSTED
        return
    assert report.outcome is SearchOutcome.OPTIMAL
    found = works(task, objective, report.best)
    assert found[0] == pytest.approx(in_order(best, objective)[0], abs=EPSILON)


@settings(max_examples=300)
@given(TASKS, OBJECTIVES, HEURISTICS, HEURISTICS, st.integers(0, 3))
def test_a_beam_search_improves_until_the_optimum(task, objective, first, second, seed):
    best = optimum(undominated(task, objective.composition), objective)
    options = SearchOptions(Algorithm.BEAM, first, 5.0, second, 1.0, seed)
    plans: list[FlatPlan] = []
    report = BestFirst(task, objective, options, improved=plans.append).run(PLENTY)
    values = [works(task, objective, plan) for plan in plans]
    assert values == sorted(values, reverse=True)
    if best is None:
        assert report.outcome is SearchOutcome.EXHAUSTED
        return
    assert report.outcome is SearchOutcome.OPTIMAL
    assert report.best == plans[-1]
    assert values[-1][0] == pytest.approx(in_order(best, objective)[0], abs=EPSILON)


@settings(max_examples=300)
@given(
    TASKS,
    OBJECTIVES,
    HEURISTICS,
    HEURISTICS,
    st.sampled_from([Algorithm.ASTAR, Algorithm.WEIGHTED_ASTAR, Algorithm.LAZY_GREEDY]),
    st.integers(0, 3),
)
def test_every_search_finds_a_plan_where_there_is_one(task, objective, first, second, how, seed):
    best = optimum(undominated(task, objective.composition), objective)
    report = searched(task, objective, SearchOptions(how, first, 2.0, second, 2.0, seed))
    if best is None:
        assert report.outcome is SearchOutcome.EXHAUSTED
        return
    assert report.outcome in (SearchOutcome.FOUND, SearchOutcome.OPTIMAL)
    found = works(task, objective, report.best)
    best_first = in_order(best, objective)[0]
    assert found[0] >= best_first - EPSILON
    if report.outcome is SearchOutcome.OPTIMAL:
        assert found[0] == pytest.approx(best_first, abs=EPSILON)
    elif how is Algorithm.WEIGHTED_ASTAR and first in ADMISSIBLE:
        assert found[0] <= 2.0 * best_first + EPSILON


@settings(max_examples=150)
@given(
    TASKS,
    OBJECTIVES,
    HEURISTICS,
    st.sampled_from([a for a in Algorithm if a.value not in ("bidirectional", "portfolio")]),
    st.integers(1, 7),
    st.integers(0, 3),
)
def test_pauses_change_nothing(task, objective, heuristic, how, pause, seed):
    options = SearchOptions(how, heuristic, 3.0, Heuristic.FF, 2.0, seed)
    whole = searched(task, objective, options)
    search = BestFirst(task, objective, options)
    bounds = []
    while True:
        report = search.run(pause)
        bounds.append(report.bound)
        if report.outcome is not SearchOutcome.PAUSED:
            break
        assert report.best is None or works(task, objective, report.best)
    assert report == whole
    assert bounds == sorted(bounds)
    assert search.run(pause) == whole


@settings(max_examples=150)
@given(TASKS, OBJECTIVES, LOWER_BOUNDS)
def test_only_better_plans_than_a_known_one_are_looked_for(task, objective, heuristic):
    options = SearchOptions(Algorithm.ASTAR, heuristic, 1.0, heuristic, 1.0)
    best = searched(task, objective, options).best
    if best is None:
        return
    plans: list[FlatPlan] = []
    search = BestFirst(task, objective, options, incumbent=best, improved=plans.append)
    report = search.run(PLENTY)
    assert (report.outcome, report.best, plans) == (SearchOutcome.OPTIMAL, best, [])


@settings(max_examples=100)
@given(TASKS, OBJECTIVES, st.integers(0, 5))
def test_the_bound_is_below_every_plan(task, objective, pause):
    best = optimum(undominated(task, objective.composition), objective)
    if best is None:
        return
    options = SearchOptions(Algorithm.ASTAR, Heuristic.MAX, 1.0, Heuristic.BLIND, 1.0)
    report = BestFirst(task, objective, options).run(pause)
    assert report.bound <= in_order(best, objective)[0] + EPSILON


@settings(max_examples=200)
@given(TASKS, HEURISTICS, st.integers(0, 3))
def test_of_equal_costs_fewer_steps_are_better_where_nothing_is_lost(task, heuristic, seed):
    """The cost of steps that cost nothing does not say which way is shorter."""
    objective = Objective(ORDERS[1])
    task = task._replace(loss=np.zeros(len(task.loss)), cost=np.floor(task.cost / 2.0))
    by_steps = task._replace(loss=np.full(len(task.loss), 0.001))
    best = optimum(undominated(by_steps, Composition.SUM), objective)
    report = searched(task, objective, SearchOptions(Algorithm.BEAM, heuristic, 5.0, seed=seed))
    if best is None:
        assert report.outcome is SearchOutcome.EXHAUSTED
        return
    assert report.outcome is SearchOutcome.OPTIMAL
    assert works(task, objective, report.best)[0] == pytest.approx(best[1])
    assert len(report.best.operators) == round(best[0] / 0.001)


def test_a_beam_is_wide_enough_in_the_end():
    """The way that looks best is a dead end that no relaxation sees: one resource for two steps."""
    made = [
        FlatOperator(((0, 0),), effects=(FlatEffect(0, 1),)),
        FlatOperator(((0, 1), (1, 0)), effects=(FlatEffect(0, 3), FlatEffect(1, 1))),
        FlatOperator(((0, 3), (1, 0)), effects=(FlatEffect(0, 4),)),
        FlatOperator(((0, 0),), effects=(FlatEffect(0, 2),), cost=3.0),
        FlatOperator(((0, 2),), effects=(FlatEffect(0, 4),), cost=3.0),
    ]
    task = FlatBuilder([5, 2], [0, 0], [(0, 4)], made).build()
    options = SearchOptions(Algorithm.BEAM, Heuristic.FF)
    report = searched(task, Objective(ORDERS[1]), options)
    assert report.outcome is SearchOutcome.OPTIMAL
    assert report.best is not None
    assert report.best.operators == (3, 4)
