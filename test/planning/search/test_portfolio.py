# SPDX-License-Identifier: Apache-2.0
"""The portfolio: proof, any plan, better ones, a shorter one; and plans without needless steps."""

from __future__ import annotations

import pytest
from flat_enumeration import optimum, replayed, undominated
from flat_trade_offs import trade_offs
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.model.search_options import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search import portfolio
from fcp_ros.planning.search.elimination import without_needless
from fcp_ros.planning.search.engine import BestFirst
from fcp_ros.planning.search.objective import Criterion, Objective
from fcp_ros.planning.search.outcome import FlatPlan, Outcome
from fcp_ros.planning.search.portfolio import Portfolio
from fcp_ros.planning.search.prepared import prepare
from fcp_ros.planning.search.shortening import shortenings

TASKS = flat_tasks() | trade_offs()
FOUR = ((10, 0, 1.0), (20, 0, 1.0), (10, 50, 1.0), (10, 0, 0.5))
BUDGETS = st.sampled_from([float("inf"), 0.1, 0.3])
OBJECTIVES = st.builds(
    Objective,
    st.sampled_from(
        [(Criterion.LOSS, Criterion.COST), (Criterion.COST, Criterion.LOSS)],
    ),
    st.sampled_from(list(Composition)),
    BUDGETS,
)


def run(search: Portfolio, pause: int) -> None:
    """Runs it to its end, with pauses."""
    while search.run(pause).outcome is Outcome.PAUSED:
        pass


@settings(max_examples=150)
@given(TASKS, OBJECTIVES, st.integers(0, 2), st.sampled_from([5, 10**6]))
def test_the_portfolio_finds_the_optimum(task, objective, seed, pause):
    best = optimum(undominated(task, objective.composition), objective)
    plans: list[FlatPlan] = []
    search = Portfolio(task, objective, SearchOptions(seed=seed), improved=plans.append)
    run(search, pause)
    report = search.report()
    if best is None:
        assert report.outcome is Outcome.EXHAUSTED
        assert plans == []
        return
    assert report.outcome is Outcome.OPTIMAL
    assert report.best == plans[-1]
    for plan in plans:
        way = replayed(task, plan.operators, objective.composition)
        assert way == pytest.approx((plan.loss, plan.cost), abs=EPSILON)
    place = 0 if objective.order[0] is Criterion.LOSS else 1
    first = (plans[-1].loss, plans[-1].cost)[place]
    assert first == pytest.approx(best[place], abs=EPSILON)
    assert report.bound == pytest.approx(best[place], abs=EPSILON)


@settings(max_examples=150)
@given(TASKS, OBJECTIVES, st.integers(0, 2))
def test_short_turns_lead_to_the_same_optimum(task, objective, seed):
    """With turns of one step, all searches of the portfolio have their say in small tasks."""
    best = optimum(undominated(task, objective.composition), objective)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Portfolio, "_length", lambda _self, _turn: 1)
        patched.setattr(portfolio, "PLAN_TURN", 1)
        patched.setattr(portfolio, "PATIENCE", 0)
        search = Portfolio(task, objective, SearchOptions(seed=seed))
        run(search, 1)
    report = search.report()
    assert (report.outcome is Outcome.EXHAUSTED) == (best is None)
    if best is not None and report.best is not None:
        assert report.outcome is Outcome.OPTIMAL
        place = 0 if objective.order[0] is Criterion.LOSS else 1
        found = (report.best.loss, report.best.cost)[place]
        assert found == pytest.approx(best[place], abs=EPSILON)


@settings(max_examples=150)
@given(TASKS, st.sampled_from(list(Composition)), st.integers(0, 2))
def test_in_small_tasks_no_plan_of_the_same_loss_costs_less(task, composition, seed):
    objective = Objective(composition=composition)
    best = optimum(undominated(task, composition), objective)
    report = Portfolio(task, objective, SearchOptions(seed=seed)).run(10**6)
    if best is not None:
        assert report.best is not None
        assert (report.best.loss, report.best.cost) == pytest.approx(best, abs=EPSILON)


def test_that_there_is_no_plan_shows_by_going_through_all_states():
    """Neighbouring switches turn together: an odd number of them is never on, whatever FF says."""
    count = 17
    made = [
        FlatOperator(
            ((v, one), (v + 1, other)),
            effects=(FlatEffect(v, 1 - one), FlatEffect(v + 1, 1 - other)),
        )
        for v in range(count - 1)
        for one in (0, 1)
        for other in (0, 1)
    ]
    task = FlatBuilder([2] * count, [0] * count, [(v, 1) for v in range(count)], made).build()
    search = Portfolio(task, Objective())
    report = search.run(10**7)
    assert report.outcome is Outcome.EXHAUSTED
    assert report.bound == float("inf")
    assert report.expanded >= 2 ** (count - 1)
    assert search._effort < 2**count  # were each of them evaluated, it would be at least that


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
    first = shortenings(SearchOptions(), 120, 0, 1.0)
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


def test_effort_of_shortening_follows_steps_share_and_what_was_spent():
    efforts = [[s.effort for s in shortenings(SearchOptions(), *n)] for n in FOUR]
    assert efforts[0] == [2000, 200, 400]
    assert efforts[1] == [2000, 400, 800]
    assert efforts[2] == [2000, 200, 450]
    assert efforts[3] == [1000, 100, 200]


@settings(max_examples=60)
@given(TASKS, OBJECTIVES, st.integers(1, 5))
def test_pauses_change_nothing(task, objective, pause):
    whole = Portfolio(task, objective)
    whole.run(10**6)
    parts = Portfolio(task, objective)
    run(parts, pause)
    assert parts.report() == whole.report()


@settings(max_examples=100)
@given(TASKS)
def test_a_prepared_task_takes_other_losses(task):
    objective = Objective()
    prepared = prepare(task)
    other = task._replace(loss=task.loss[::-1].copy())
    reused = Portfolio(prepared.revalued(other), objective).run(10**6)
    assert reused == Portfolio(other, objective).run(10**6)


@settings(max_examples=100)
@given(TASKS, st.integers(1, 5))
def test_a_plan_without_needless_steps_works_and_needs_each(task, seed):
    options = SearchOptions(Algorithm.GREEDY, Heuristic.BLIND, seed=seed)
    plan = BestFirst(task, Objective(), options).run(10**6).best
    if plan is None:
        return
    operators = without_needless(task, plan.operators)
    way = replayed(task, operators, Composition.SUM)
    assert way is not None
    assert way[0] <= plan.loss + EPSILON
    assert way[1] <= plan.cost + EPSILON
    for position in range(len(operators)):
        shorter = operators[:position] + operators[position + 1 :]
        assert replayed(task, shorter, Composition.SUM) is None
