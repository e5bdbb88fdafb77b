# SPDX-License-Identifier: Apache-2.0
"""Bidirectional search against enumeration by the meaning of flat tasks."""

import math

import pytest
from connected_tasks import connected_task
from flat_enumeration import optimum, replayed, undominated
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks
from supplied_tasks import supplied

from fcp_ros.fuzzy import Goedel, Hamacher, Lukasiewicz, Product
from fcp_ros.planning.search.bidirectional import BidirectionalSearch, LowerBounds
from fcp_ros.planning.search.settings import Criterion, Objective, SearchOutcome

TNORMS = (Lukasiewicz(), Product(), Goedel(), Hamacher(), Hamacher(2.0))
LOSS_FIRST = (Criterion.LOSS, Criterion.COST)
COST_FIRST = (Criterion.COST, Criterion.LOSS)


def through(search, allowance=7):
    """Run a search in slices until it is through; the last report."""
    for _ in range(100_000):
        report = search.run(allowance)
        if report.outcome in (SearchOutcome.OPTIMAL, SearchOutcome.EXHAUSTED):
            return report
        assert report.outcome in (SearchOutcome.PAUSED, SearchOutcome.FOUND)
    raise AssertionError("the search never ends")


def check(task, *objectives):
    """The search's answers equal those of enumeration."""
    ways = undominated(task, objectives[0].composition)
    bounds = LowerBounds(task, objectives[0].composition)
    for number, objective in enumerate(objectives):
        search = BidirectionalSearch(task, objective, estimate=bounds if number % 2 else None)
        report = through(search)
        expected = optimum(ways, objective)
        if expected is None:
            assert report.outcome is SearchOutcome.EXHAUSTED
            assert report.best is None
            assert report.bound == math.inf
            continue
        assert report.outcome is SearchOutcome.OPTIMAL
        way = replayed(task, report.best.operators, objective.composition)
        assert way == pytest.approx((report.best.loss, report.best.cost), abs=1e-9)
        assert way == pytest.approx(expected, abs=1e-9)


def with_degrees(task, tnorm):
    """The task with the losses that the t-norm gives to degrees 1 - loss."""
    return task._replace(loss=_losses(task, tnorm))


def _losses(task, tnorm):
    found = task.loss.copy()
    for operator, loss in enumerate(task.loss):
        found[operator] = tnorm.loss(1.0 - float(loss))
    return found


@settings(max_examples=120)
@given(
    task=flat_tasks() | flat_tasks(resources=False, windows=False, max_operators=10),
    order=st.sampled_from([LOSS_FIRST, COST_FIRST]),
    tnorm=st.sampled_from(TNORMS),
    alpha=st.sampled_from([0.0, 0.0, 0.2, 0.5, 0.8, 0.9]),
    cost=st.sampled_from([math.inf, math.inf, 0.0, 2.0, 5.0]),
)
def test_the_best_within_budgets_is_that_of_enumeration(task, order, tnorm, alpha, cost):
    objective = Objective(order, tnorm.composition, tnorm.loss_budget(alpha), cost)
    check(with_degrees(task, tnorm), objective)


def ranges(tnorm):
    """Objectives of both orders, with and without budgets."""
    return [
        Objective(order, tnorm.composition, loss, cost)
        for order in (LOSS_FIRST, COST_FIRST)
        for loss in (math.inf, 1.0, 0.5)
        for cost in (math.inf, 8.0, 5.0, 3.0)
        for _ in ("plain", "with an estimate")
    ]


@settings(max_examples=80)
@given(
    seed=st.integers(0, 100_000),
    tnorm=st.sampled_from([Lukasiewicz(), Goedel()]),
    is_supplied=st.booleans(),
)
def test_tasks_of_many_steps_are_solved_as_by_enumeration(seed, tnorm, is_supplied):
    """With resources and windows, and without."""
    if is_supplied:
        task = supplied(connected_task(seed, variables=3, operators=9, plain=True), seed)
        check(task, *ranges(tnorm)[::5])
    else:
        check(connected_task(seed, variables=3), *ranges(tnorm))


@settings(max_examples=60)
@given(task=flat_tasks(), seed=st.integers(0, 5), allowance=st.integers(1, 40))
def test_slices_and_seeds_change_nothing(task, seed, allowance):
    objective = Objective()
    first = through(BidirectionalSearch(task, objective), 1000)
    second = through(BidirectionalSearch(task, objective, seed=seed), allowance)
    assert first.outcome is second.outcome
    if first.best is not None:
        assert (first.best.loss, first.best.cost) == pytest.approx(
            (second.best.loss, second.best.cost)
        )


@settings(max_examples=50)
@given(task=flat_tasks())
def test_bounds_never_exceed_what_is_found_later(task):
    search = BidirectionalSearch(task, Objective())
    bounds = []
    while True:
        report = search.run(3)
        bounds.append(report.bound)
        if report.outcome in (SearchOutcome.OPTIMAL, SearchOutcome.EXHAUSTED):
            break
        if report.best is not None:
            assert report.outcome in (SearchOutcome.FOUND, SearchOutcome.PAUSED)
    if report.best is not None:
        before = [bound for bound in bounds[:-1] if bound != math.inf]
        assert all(bound <= report.best.loss + 1e-9 for bound in before)
