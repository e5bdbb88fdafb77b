# SPDX-License-Identifier: Apache-2.0
"""Searches near the best plan: what they find are plans, and better ones."""

from __future__ import annotations

from flat_enumeration import optimum, replayed, undominated
from flat_trade_offs import trade_offs
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.model.request import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search.best_first import BestFirst, ignore_spent
from fcp_ros.planning.search.neighbourhood import PlanNeighbourhood
from fcp_ros.planning.search.objective import Criterion, Objective
from fcp_ros.planning.search.outcome import FlatPlan, SearchOutcome
from fcp_ros.planning.search.prepared import PreparedTask

COST = (Criterion.COST, Criterion.LOSS)
OBJECTIVES = st.builds(
    Objective,
    st.just(COST),
    st.sampled_from(list(Composition)),
    st.sampled_from([float("inf"), 0.1, 0.3]),
)
MEMORY = 1 << 26


def improve(
    task: FlatTask, objective: Objective, plan: FlatPlan, effort: int, pause: int, seed: int = 0
) -> list[FlatPlan]:
    """The given plan, and the better ones that were found near it, one after the other."""
    plans = [plan]

    def take(better: FlatPlan) -> None:
        if better.is_better(plans[-1], objective):
            plans.append(better)
            near.know(better)

    options = SearchOptions(seed=seed)
    near = PlanNeighbourhood(
        PreparedTask(task), objective, options, MEMORY, plan, ignore_spent, take
    )
    while near.effort < effort and near.run(pause).outcome is SearchOutcome.PAUSED:
        pass
    return plans


@settings(max_examples=60, deadline=None)
@given(flat_tasks() | flat_tasks(axioms=True) | trade_offs(), OBJECTIVES, st.integers(0, 2))
def test_each_plan_works_within_the_budgets_and_is_better(task, objective, seed):
    greedy = SearchOptions(Algorithm.LAZY_GREEDY, Heuristic.FF)
    first = BestFirst(task, objective, greedy).run(10**6).best
    if first is None:
        return
    plans = improve(task, objective, first, 2000, 2000, seed)
    for plan in plans:
        way = replayed(task, plan.operators, objective.composition)
        assert way is not None
        assert abs(way[0] - plan.loss) + abs(way[1] - plan.cost) <= EPSILON
        assert plan.is_within(objective)
    best = optimum(undominated(task, objective.composition), objective)
    assert best is not None
    assert plans[-1].cost >= best[1] - EPSILON
    assert improve(task, objective, first, 2000, 7, seed) == plans  # pauses change nothing


def make_errands(count: int, together: bool) -> FlatTask:
    """Errands of two steps each, then a gate behind which each is settled, or given up for 10.

    Args:
        count: of the errands.
        together: False if only one of them can be run.
    """
    stage = count
    operators = []
    for errand in range(count):
        alone = () if together else tuple((e, 0) for e in range(count) if e != errand)
        operators += [
            FlatOperator(((errand, 0), (stage, 0), *alone), effects=(FlatEffect(errand, 1),)),
            FlatOperator(((errand, 1), (stage, 0)), effects=(FlatEffect(errand, 2),)),
        ]
    operators.append(FlatOperator(((stage, 0),), effects=(FlatEffect(stage, 1),)))
    for errand in range(count):
        at, done = (stage, errand + 1), (FlatEffect(stage, errand + 2),)
        operators.append(FlatOperator((at, (errand, 2)), effects=done))
        operators.append(FlatOperator((at,), effects=done, cost=10.0 + errand))
    task = FlatBuilder(
        [3] * count + [count + 2], [0] * (count + 1), [(stage, count + 1)], operators
    ).build()
    free = [operator.cost < 10.0 for operator in operators]
    return task._replace(cost=task.cost * [0.0 if one else 1.0 for one in free])


def give_all_up(task: FlatTask, count: int) -> FlatPlan:
    dear = [operator for operator in range(len(task.cost)) if task.cost[operator] > 0.0]
    return FlatPlan((2 * count, *dear), 0.0, float(task.cost.sum()))


def test_what_was_given_up_is_reached_one_by_one():
    task = make_errands(6, together=True)
    plans = improve(task, Objective(COST), give_all_up(task, 6), 20_000, 1000)
    assert plans[-1].cost == 0.0
    assert len(plans) > 3  # it was not found at once


def test_of_errands_that_exclude_one_another_the_dearest_is_run():
    task = make_errands(5, together=False)
    plans = improve(task, Objective(COST), give_all_up(task, 5), 20_000, 1000)
    assert plans[-1].cost == task.cost.sum() - task.cost.max()
