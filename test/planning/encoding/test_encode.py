# SPDX-License-Identifier: Apache-2.0
"""Encoded tasks against the facts they were made from, and against DPO rewriting."""

from dataclasses import replace

import pytest
from encoded_goals import encode_goal
from flat_twin import TooLarge, least
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import CRISP, DEGREES, SOFT, atom, worlds
from rewriting_twin import Twin, wandered
from task_twin import TaskTwin

from fcp_ros.cset import facts
from fcp_ros.domain import ExpressionError, evaluate, parse_expression
from fcp_ros.domain.expressions.syntax import TypedVariable
from fcp_ros.domain.model import Constraint
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.encoding.variables import find_needed
from fcp_ros.planning.flat.semantics import (
    amounts_after,
    find_applicable,
    initial_amounts,
    initial_state,
    successor,
)
from fcp_ros.planning.model.request import Switches
from fcp_ros.planning.model.watch import Watch

SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
SWITCHES = st.builds(Switches, *[st.booleans()] * 4)
GUARDED = ("at(?robot, ?room)", "closed(?box)", "inside(?item, ?box)")
GRADED = [atom("g", [a]) for a in ("a1", "a2")] + [
    atom("h", [a, b]) for a in ("a1", "a2") for b in ("b1", "b2")
]


def facts_in(made, state):
    """The facts that a flat state stands for, restricted to changing ones that matter."""
    values = made.encoding.variables.values
    chosen = (values[variable][value] for variable, value in enumerate(state[:-1]))
    return {fact for fact in chosen if fact is not None}


@settings(max_examples=40, deadline=None, suppress_health_check=SLOW)
@given(
    world=worlds(),
    parts=st.lists(CRISP, min_size=1, max_size=2),
    rng=st.randoms(use_true_random=False),
)
def test_flat_steps_are_those_of_the_task(world, parts, rng):
    domain, instance = world
    assume(facts(instance))
    made = encode_goal(domain, instance, " and ".join(parts))
    task, encoding, flat = made.task, made.encoding, made.flat
    fuel = domain.resources["fuel"].initial
    replay = TaskTwin(task, made.conditions)
    found = find_needed(task, made.conditions, made.alternatives, Watch(PlanningOptions()))
    names = {i: str(task.operators[i]) for i in found.operators}
    place = encoding.variables.place
    state, amounts = initial_state(flat), initial_amounts(flat)
    truth, left = task.initial, (fuel,)
    for _ in range(5):
        assert facts_in(made, state) == {fact for fact in truth if fact in place}
        expected = {}
        for index in found.operators:
            step = replay.successor(index, truth, left)
            if step is not None:
                expected[names[index]] = (step[0], step[1])
        got = {}
        for operator in find_applicable(flat, state):
            after = amounts_after(flat, amounts, operator)
            if after is not None and not encoding.actions[operator].finishes:
                (step,) = encoding.actions[operator].steps
                assert str(step) not in got
                got[str(step)] = (successor(flat, state, operator), after)
        assert set(got) <= set(expected)
        for name in set(expected) - set(got):
            # Left out because it would change nothing.
            assert {f for f in expected[name][0] if f in place} == facts_in(made, state), name
            assert expected[name][1] == left
        if not got:
            return
        name = rng.choice(sorted(got))
        (state, amounts), (truth, left) = got[name], expected[name]


@pytest.mark.parametrize("tnorm", sorted(TNORMS))
@settings(max_examples=25, deadline=None, suppress_health_check=SLOW)
@given(world=worlds(), soft=SOFT, data=st.data(), rng=st.randoms(use_true_random=False))
def test_the_least_loss_is_that_of_rewriting(degrees, tnorm, world, soft, data, rng):
    domain, instance = world
    assume(facts(instance))
    source = degrees({name: data.draw(DEGREES) for name in GRADED})
    parts = wandered(domain, instance, source, TNORMS[tnorm], rng, data.draw(st.integers(0, 7)))
    if not parts or data.draw(st.integers(0, 2)) == 0:
        parts.append(f"({soft})")

    def degree_of(graded):
        return source.given.get(atom(*graded), source.default)

    eager = data.draw(st.booleans())
    try:
        made = encode_goal(
            domain,
            instance,
            " and ".join(parts),
            tnorm,
            degree_of if eager else lambda _: None,
            data.draw(st.booleans()),
            switches=data.draw(SWITCHES),
        )
    except ExpressionError:
        assume(False)
    twin = Twin(domain, instance, made.goal, source, TNORMS[tnorm])
    twin.run(instance)
    assume(twin.complete)
    task = made.encoding.with_losses(degree_of, TNORMS[tnorm])
    try:
        loss, plan = least(task, task.loss, TNORMS[tnorm].composition)
    except TooLarge:
        assume(False)
    if twin.best is None:
        assert plan is None
    else:
        assert TNORMS[tnorm].degree_of(loss) == pytest.approx(twin.best, abs=1e-8)
        decoded = made.encoding.decode(plan)
        assert worth(domain, instance, made.goal, decoded.steps, source, tnorm) >= twin.best - 1e-8


def worth(domain, instance, goal, steps, source, tnorm):
    """The membership of a plan, replayed on the C-set; fails where it can't be done."""
    left = {name: resource.initial for name, resource in domain.resources.items()}
    degrees = []
    twin = Twin(domain, instance, goal, source, TNORMS[tnorm])
    for step in steps:
        after = [
            found for named, *found in twin.named_successors(instance, left) if named == str(step)
        ]
        assert len(after) == 1, f"{step} can't be done"
        instance, degree, left = after[0]
        degrees.append(degree)
    reached = evaluate(goal, instance, twin.degree, TNORMS[tnorm], types=twin.types)
    return TNORMS[tnorm].compose_all([*degrees, reached])


def test_a_constraint_of_three_facts_keeps_the_robot_in_the_room(house, home):
    names = {"robot": "robot", "room": "room", "item": "item", "box": "box"}
    guard = Constraint(
        "guard",
        tuple(TypedVariable(name, type_) for name, type_ in names.items()),
        tuple(map(parse_expression, GUARDED)),
        "what is shut in a box is not left alone",
    )
    free = encode_goal(replace(house, constraints=()), home, "at(bot, hall)")
    made = encode_goal(replace(house, constraints=(guard,)), home, "at(bot, hall)")
    assert least(free.flat, free.flat.cost)[0] == 1
    cost, plan = least(made.flat, made.flat.cost)
    steps = [str(step) for step in made.encoding.decode(plan).steps]
    assert (cost, steps[0]) == (2, "open(bot, crate, kitchen)")


@pytest.mark.parametrize(
    ("goal", "finishes"),
    [
        ("on(mug_1, shelf) and holding(bot, mug_1)", 0),
        ("on(mug_1, shelf) and holding(bot, mug_2)", 1),
        ("on(milk, shelf) and inside(milk, crate) and on(mug_1, shelf)", 0),
    ],
)
def test_a_goal_with_one_thing_in_two_places_has_no_finish(house, home, goal, finishes):
    made = encode_goal(house, home, goal)
    assert sum(action.finishes for action in made.encoding.actions) == finishes
