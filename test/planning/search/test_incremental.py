# SPDX-License-Identifier: Apache-2.0
"""Better plans by keeping one more preference at a time, on tasks small enough to enumerate."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from flat_enumeration import optimum, replayed, undominated
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.builder import (
    FlatBuilder,
    FlatEffect,
    FlatOperator,
    FlatResource,
    find_goal_stages,
)
from fcp_ros.planning.flat.semantics import initial_state, is_applicable, successor
from fcp_ros.planning.heuristics.relaxed_task import relax, replace_goal
from fcp_ros.planning.model.request import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search.best_first import BestFirst
from fcp_ros.planning.search.incremental import IncrementalSearch
from fcp_ros.planning.search.prepared import PreparedTask
from fcp_ros.planning.search.settings import Criterion, Objective, SearchOutcome

GREEDY = SearchOptions(Algorithm.LAZY_GREEDY, Heuristic.LANDMARK_COUNT)
LOSS, COST = Criterion.LOSS, Criterion.COST
PRICES = st.sampled_from([0.0, 0.05, 0.1, 0.2])


@st.composite
def staged_tasks(draw):
    """A flat task with a finish and up to four preferences, one stage each."""
    domain = [draw(st.integers(2, 3)) for _ in range(draw(st.integers(1, 3)))]
    goal = len(domain)

    def some(limit):
        found = {}
        for _ in range(draw(st.integers(0, limit))):
            variable = draw(st.integers(0, goal - 1))
            found[variable] = draw(st.integers(0, domain[variable] - 1))
        return tuple(sorted(found.items()))

    battery = [FlatResource(3.0, 0.0)] if draw(st.booleans()) else []
    none = (0.0,) * len(battery)
    operators = []
    for _ in range(draw(st.integers(1, 6))):
        (variable, value), *_ = some(1) or ((0, 1),)
        operators.append(
            FlatOperator(
                (*some(2), (goal, 0)),
                (),
                (FlatEffect(variable, value),),
                (),
                draw(st.sampled_from([0.0, 0.0, 0.1])),
                draw(st.sampled_from([0.0, 1.0, 2.0])),
                (1.0,) * len(battery),
            )
        )

    def settle(stage, pre, unequal, loss, cost):
        effects = (FlatEffect(goal, stage + 1),)
        return FlatOperator((*pre, (goal, stage)), unequal, effects, (), loss, cost, none)

    operators.append(settle(0, some(1), (), 0.0, 0.0))
    stages = draw(st.integers(1, 4))
    for stage in range(1, stages + 1):
        for _ in range(draw(st.integers(0, 2))):
            operators.append(settle(stage, some(2), some(1), draw(PRICES), 0.0))
        operators.append(settle(stage, (), (), 0.3, draw(st.sampled_from([3.0, 5.0]))))
    sizes = [*domain, stages + 2]
    return FlatBuilder(sizes, [0] * len(sizes), [(goal, stages + 1)], operators, battery).build()


def find_any(task, objective):
    search = BestFirst(task, objective, GREEDY)
    return search.run(10**6).best


@settings(max_examples=200)
@given(staged_tasks(), st.sampled_from([(LOSS, COST), (COST, LOSS)]), st.sampled_from([3, 10**6]))
def test_each_plan_works_and_is_better(task, order, pause):
    objective = Objective(order)
    known = find_any(task, objective)
    assume(known is not None)
    stages = find_goal_stages(task)
    plans = [known]
    search = IncrementalSearch(
        PreparedTask(task), stages, objective, GREEDY, known, improved=plans.append
    )
    while search.run(pause).outcome is SearchOutcome.PAUSED:
        pass
    for before, after in itertools.pairwise(plans):
        assert after.is_better(before, objective)
        way = replayed(task, after.operators, objective.composition)
        assert way == pytest.approx((after.loss, after.cost), abs=EPSILON)
    best = optimum(undominated(task, objective.composition), objective)
    place = order.index(LOSS)
    assert plans[-1].first(objective) >= best[0 if place == 0 else 1] - EPSILON
    assert search.report().best == plans[-1]


@pytest.mark.parametrize("order", [(LOSS, COST), (COST, LOSS)])
def test_preferences_that_can_all_be_kept_are_kept(order):
    """Eight switches; a plan that turns none on is where it begins."""
    count = 8
    operators = [
        FlatOperator(((count, 0),), (), (FlatEffect(switch, 1),), loss=0.0, cost=0.0)
        for switch in range(count)
    ]
    operators.append(FlatOperator(((count, 0),), (), (FlatEffect(count, 1),), loss=0.0, cost=0.0))
    for stage in range(1, count + 1):
        settled = (FlatEffect(count, stage + 1),)
        kept = ((count, stage), (stage - 1, 1))
        operators.append(FlatOperator(kept, (), settled, loss=0.0, cost=0.0))
        operators.append(FlatOperator(((count, stage),), (), settled, loss=0.1, cost=1.0))
    sizes = [2] * count + [count + 2]
    task = FlatBuilder(sizes, [0] * (count + 1), [(count, count + 1)], operators).build()
    objective = Objective(order)
    known = find_any(task, objective)
    search = IncrementalSearch(PreparedTask(task), find_goal_stages(task), objective, GREEDY, known)
    assert search.run(10**6).best.first(objective) == 0.0


@settings(max_examples=200)
@given(staged_tasks(), st.data())
def test_the_best_way_is_the_cheapest(task, data):
    stages = find_goal_stages(task)
    state = initial_state(task)
    for _ in range(data.draw(st.integers(0, 4))):
        world = [
            o
            for o in range(len(task.loss))
            if all(o not in moves for moves in stages.moves.values())
            and is_applicable(task, state, o)
        ]
        if world:
            state = successor(task, state, data.draw(st.sampled_from(world)))
    found = stages.find_best_way(state, lambda operator: (float(task.loss[operator]), 0.0))
    prices = []
    waiting = [(state, 0.0)]
    while waiting:
        at, paid = waiting.pop()
        if at[stages.variable] == stages.last:
            prices.append(paid)
        for operator in stages.moves.get(at[stages.variable], ()):
            if is_applicable(task, at, operator):
                waiting.append((successor(task, at, operator), paid + float(task.loss[operator])))
    if found is None:
        assert prices == []
    else:
        assert sum(float(task.loss[o]) for o in found) == pytest.approx(min(prices))


@settings(max_examples=100)
@given(staged_tasks(), st.data())
def test_a_relaxation_with_another_goal_is_that_of_the_task_with_it(task, data):
    variable = data.draw(st.integers(0, len(task.domain) - 1))
    goal = {variable: data.draw(st.integers(0, int(task.domain[variable]) - 1))}
    other = task._replace(
        goal_var=np.array(list(goal), np.int32), goal_val=np.array(list(goal.values()), np.int32)
    )
    mine, theirs = replace_goal(relax(task, task.loss), goal), relax(other, task.loss)
    for name in mine._fields:
        assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name


def test_a_task_with_a_finish_alone_has_no_stages():
    operators = [FlatOperator(((0, 0),), (), (FlatEffect(0, 1),))]
    assert find_goal_stages(FlatBuilder([2], [0], [(0, 1)], operators).build()) is None
