# SPDX-License-Identifier: Apache-2.0
"""Plans that reach one part of a goal after the other."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.planning.flat.builder import (
    FlatBuilder,
    FlatEffect,
    FlatOperator,
    FlatResource,
    Stepper,
)
from fcp_ros.planning.flat.semantics import (
    amounts_after,
    initial_amounts,
    initial_state,
    is_applicable,
    successor,
)
from fcp_ros.planning.search.part_by_part import CollectablePart, follow, reach_parts
from fcp_ros.planning.search.prepared import PreparedTask
from fcp_ros.planning.search.settings import Criterion, Objective

ORDER = (Criterion.COST, Criterion.LOSS)


def make_row(places, battery, losses):
    """A walker in a row of places, each of which can be marked; the goal collects the marks."""
    walk, goal = 0, places + 1
    operators = [
        FlatOperator(((walk, place),), (), (FlatEffect(walk, other),), use=(1.0,))
        for place in range(places)
        for other in (place - 1, place + 1)
        if 0 <= other < places
    ]
    marks, parts = [], []
    for place, loss in enumerate(losses):
        marks.append(len(operators))
        effects = (FlatEffect(1 + place, 1),)
        operators.append(FlatOperator(((walk, place),), (), effects, loss=loss, use=(1.0,)))
    for place in range(places):
        parts.append(CollectablePart((len(operators),), 1.0))
        on = (FlatEffect(goal, place + 1),)
        operators.append(
            FlatOperator(((1 + place, 1), (goal, place)), (), on, cost=0.0, use=(0.0,))
        )
        operators.append(FlatOperator(((goal, place),), (), on, cost=1.0, use=(0.0,)))
    builder = FlatBuilder(
        [places, *[2] * places, places + 1],
        [0] * (places + 2),
        [(goal, places)],
        operators,
        [FlatResource(battery, 0.0, 20.0)],
    )
    return builder.build(), parts, goal, marks


def count_marks(task, operators, places):
    state, amounts = initial_state(task), initial_amounts(task)
    for operator in operators:
        assert is_applicable(task, state, operator)
        amounts = amounts_after(task, amounts, operator)
        assert amounts is not None
        state = successor(task, state, operator)
    return sum(state[1 : places + 1])


@pytest.mark.parametrize(("battery", "reached"), [(0.0, 0), (1.0, 1), (2.0, 1), (3.0, 2), (9.0, 5)])
def test_as_many_marks_as_the_battery_lasts_for(battery, reached):
    task, parts, goal, _ = make_row(5, battery, [0.0] * 5)
    found = list(reach_parts(PreparedTask(task), parts, goal, Objective(ORDER), lambda: None))
    assert max(count_marks(task, operators, 5) for operators in found) == reached


def test_parts_that_lose_too_much_are_passed_over():
    task, parts, goal, marks = make_row(3, 20.0, [0.1, 0.9, 0.1])
    objective = Objective(ORDER, loss_budget=0.5)
    for operators in reach_parts(PreparedTask(task), parts, goal, objective, lambda: None):
        assert count_marks(task, operators, 3) == 2
        assert marks[1] not in operators
        assert math.fsum(task.loss[list(operators)]) <= 0.5


def test_the_check_ends_it():
    task, parts, goal, _ = make_row(3, 20.0, [0.0] * 3)

    def refuse():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        next(reach_parts(PreparedTask(task), parts, goal, Objective(ORDER), refuse))


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
    stepper = Stepper(task)
    (after, left), done = follow(stepper, stepper.start, pending)
    assert done == expected
    assert after == state
    assert left == pytest.approx(amounts)
