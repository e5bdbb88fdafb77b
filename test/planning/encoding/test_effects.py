# SPDX-License-Identifier: Apache-2.0
"""Conditional effects: encoded tasks against sets of facts, where every binding is tried."""

import math
from collections import deque
from dataclasses import replace

from encoded_goals import encode_goal
from fact_twin import FactTwin
from flat_twin import TooLarge, least
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import SHAPES, worlds

from fcp_ros.domain import Literal, Parameter
from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.model import Effect

ON = "pqrs"


@st.composite
def effects(draw, rule):
    """An effect of a rule, over its parameters and perhaps a variable."""
    variables = draw(st.sampled_from([(), (Parameter("u", "a"),), (Parameter("v", "b"),)]))
    kinds = {p.name: p.type for p in (*rule.parameters, *variables)}

    def fitting(kind):
        return [n for n, t in kinds.items() if t == kind or (t, kind) == ("c", "a")][::-1]

    shapes = [shape for shape in ON if all(map(fitting, SHAPES[shape]))]

    def atom():
        shape = draw(st.sampled_from(shapes))
        return Atom(
            shape, tuple(Variable(draw(st.sampled_from(fitting(k)))) for k in SHAPES[shape])
        )

    when = [Literal(atom(), draw(st.booleans())) for _ in range(draw(st.integers(0, 2)))]
    delete = [literal.atom for literal in when if not literal.negated and draw(st.booleans())]
    add = [atom() for _ in range(draw(st.integers(0 if delete else 1, 1)))]
    return Effect(variables, tuple(when), tuple(add), tuple(a for a in delete if a not in add))


@st.composite
def worlds_with_effects(draw):
    domain, instance = draw(worlds())
    rules = {}
    for name, rule in domain.rules.items():
        found = tuple(draw(effects(rule)) for _ in range(draw(st.sampled_from([0, 1, 1, 2]))))
        rules[name] = replace(rule, effects=found, uses={})
    return replace(domain, rules=rules, resources={}), instance


def fewest_steps(domain, instance, wanted, limit):
    """Steps of the shortest plan, by breadth-first search over sets of facts."""
    twin = FactTwin(domain, instance)
    steps = [
        (rule, tuple(binding.values()))
        for rule in domain.rules.values()
        for binding in twin.bindings(rule.parameters, monic=True)
    ]
    start = twin.initial()
    distance, queue = {start: 0}, deque([start])
    while queue:
        state = queue.popleft()
        if all((fact in state) == holds for fact, holds in wanted):
            return distance[state]
        assert len(distance) <= limit, "too large"
        for rule, arguments in steps:
            after = twin.after(rule, arguments, state)
            if after is not None and after not in distance and not twin.breaks(state, after):
                distance[after] = distance[state] + 1
                queue.append(after)
    return math.inf


def wandered(domain, instance, rng, length):
    """Facts and whether they hold after a random walk that changed them."""
    twin = FactTwin(domain, instance)
    start = state = twin.initial()
    for _ in range(length):
        choices = {
            after
            for rule in domain.rules.values()
            for binding in twin.bindings(rule.parameters, monic=True)
            if (after := twin.after(rule, tuple(binding.values()), state)) is not None
            and not twin.breaks(state, after)
        }
        if not choices:
            break
        state = rng.choice(sorted(choices, key=sorted))
    changed = sorted(start ^ state)
    return [(fact, fact in state) for fact in rng.sample(changed, min(2, len(changed)))]


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
    ],
)
@given(world=worlds_with_effects(), rng=st.randoms(use_true_random=False), length=st.integers(1, 6))
def test_the_fewest_steps_are_those_on_sets_of_facts(world, rng, length):
    domain, instance = world
    goal = wandered(domain, instance, rng, length)
    assume(goal)
    text = " and ".join(str(fact) if holds else f"not {fact}" for fact, holds in goal)
    made = encode_goal(domain, instance, text, on_demand=True)
    try:
        expected = fewest_steps(domain, instance, goal, 150)
        cost, plan = least(made.flat, made.flat.cost)
    except (TooLarge, AssertionError):
        assume(False)
    assert cost == expected
    if plan is not None:
        twin = FactTwin(domain, instance)
        state = twin.initial()
        for step in made.encoding.decode(plan).steps:
            after = twin.after(step.rule, step.arguments, state)
            assert after is not None, step
            assert not twin.breaks(state, after), step
            state = after
