# SPDX-License-Identifier: Apache-2.0
"""Macro operators of tasks: they do what their steps do in turn."""

from dataclasses import replace

import pytest
from exhaustive_compiler import compile_task
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_walks import Walker
from random_worlds import worlds

from fcp_ros.cset import InstanceBuilder, facts
from fcp_ros.domain import (
    Atom,
    Chunk,
    Parameter,
    Variable,
    check_goal,
    infer_types,
    parse_domain,
    parse_expression,
)
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.encoding.chunk_macros import MacroOptions, bind_macro_maker, label_steps
from fcp_ros.planning.encoding.encode import EncodeOptions, encode
from fcp_ros.planning.encoding.encoding import FlatAction
from fcp_ros.planning.flat.semantics import is_applicable, successor
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.model.request import Optimise, Switches
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.task.task import Conditions

PLAIN = Switches(*[False] * 4)

CHUNKS = """
graded:
  can_grasp:
    parameters: {robot: robot, item: item}
    oracle: table
    default_degree: 0.9
  suits:
    parameters: {item: item, place: place}
    oracle: table
    default_degree: 0.8
chunks:
  fetch:
    parameters: {robot: robot, item: item, here: place, there: place}
    steps: ['pick(robot, item, here)', 'go(robot, here, there)']
  carry:
    parameters: {robot: robot, item: item, here: place, there: place}
    steps: ['pick(robot, item, here)', 'go(robot, here, there)', 'place(robot, item, there)']
    graded: ['suits(item, there)']
"""


@pytest.fixture(scope="module")
def domain(repository):
    text = (repository / "config/domains/tiny.yaml").read_text() + CHUNKS
    made = parse_domain(text)
    rules = dict(made.rules)
    grasp = Atom("can_grasp", (Variable("robot"), Variable("item")))
    rules["pick"] = replace(rules["pick"], graded=(grasp,))
    return replace(made, rules=rules)


@pytest.fixture(scope="module")
def state(domain):
    builder = InstanceBuilder(domain.schema)
    for name, type_ in {"r": "robot", "a": "item", "b": "item"}.items():
        builder.add(type_, name)
    for name in ("x", "y", "z"):
        builder.add("place", name)
    for relation, *names in (("at", "r", "x"), ("on", "a", "x"), ("on", "b", "y")):
        builder.relate(relation, *map(builder.id_of, names))
    return builder.build()


def encoding_of(domain, instance, text, macros, **options):
    watch = Watch(PlanningOptions())
    goal = check_goal(parse_expression(text), domain, instance, text)
    formula = ground_goal(goal, infer_types(goal, domain), domain, instance, watch).formula
    task = compile_task(domain, instance, watch)
    conditions = Conditions(task)
    alternatives = find_alternatives(formula, lambda _: None, TNORMS["lukasiewicz"], task, watch)
    chosen = EncodeOptions(**{"switches": PLAIN, "macros": macros, **options})
    return encode(task, conditions, alternatives, chosen, watch)


GOAL = "on(a, y) and on(b, z)"


def macros_of(encoding):
    return {
        (action.chunk, tuple(map(str, action.steps))): number
        for number, action in enumerate(encoding.actions)
        if action.chunk
    }


def test_declared_chunks_become_operators(domain, state):
    encoding = encoding_of(
        domain,
        state,
        GOAL,
        bind_macro_maker(list(domain.chunks.values())),
        optimise=Optimise.DURATION,
    )
    made = macros_of(encoding)
    carry = made["carry", ("pick(r, a, x)", "go(r, x, y)", "place(r, a, y)")]
    fetch = made["fetch", ("pick(r, a, x)", "go(r, x, y)")]
    assert {name for name, _ in made} == {"fetch", "carry"}
    assert encoding.graded[carry] == (("suits", ("a", "y")),)
    assert encoding.graded[fetch] == (("can_grasp", ("r", "a")),)
    assert encoding.flat.cost[carry] == 20.0
    assert encoding.flat.cost[fetch] == 15.0
    finish = next(n for n, action in enumerate(encoding.actions) if action.finishes)
    decoded = encoding.decode([carry, finish])
    assert list(map(str, decoded.steps)) == ["pick(r, a, x)", "go(r, x, y)", "place(r, a, y)"]
    # Other robots' places and different items can't be mixed up, nor a place with itself.
    for _, steps in made:
        assert len({step.split("(")[1].split(",")[0] for step in steps}) == 1
        assert not any("go(r, x, x)" in step for step in steps)


def test_parameters_of_a_chunk_are_different_things(domain, state):
    steps = (
        ("go", ("robot", "from", "via")),
        ("go", ("robot", "via", "to")),
        ("pick", ("robot", "item", "to")),
    )
    names = ("robot", "item", "from", "via", "to")
    around = Chunk("around", tuple(Parameter(name, "thing") for name in names), steps)
    library = [around]
    made = {
        steps for _, steps in macros_of(encoding_of(domain, state, GOAL, bind_macro_maker(library)))
    }
    assert ("go(r, x, z)", "go(r, z, y)", "pick(r, b, y)") in made
    assert ("go(r, x, z)", "go(r, z, x)", "pick(r, a, x)") not in made


def test_no_more_macros_than_allowed(domain, state):
    library = list(domain.chunks.values())
    everything = macros_of(encoding_of(domain, state, GOAL, bind_macro_maker(library)))
    for options, many in (
        (MacroOptions(most=3), 3),
        (MacroOptions(most_of_chunk=1), 2),
        (MacroOptions(tries=0), 0),
    ):
        made = macros_of(encoding_of(domain, state, GOAL, bind_macro_maker(library, options)))
        assert len(made) == many
        assert made.keys() <= everything.keys()


def test_making_macros_can_be_stopped(domain, state):
    def stop():
        raise InterruptedError

    with pytest.raises(InterruptedError):
        encoding_of(domain, state, GOAL, bind_macro_maker(list(domain.chunks.values()), check=stop))


def test_steps_of_a_chunk_are_labelled(domain):
    step = object()
    actions = [
        FlatAction((step, step), chunk="fetch"),
        FlatAction((step,)),
        FlatAction((step, step), chunk="fetch"),
        FlatAction(alternative=0),
        FlatAction((step,), chunk="carry"),
    ]
    assert label_steps(actions) == ("fetch", "fetch", "", "fetch 2", "fetch 2", "carry")


@pytest.mark.parametrize("switches", [Switches(), PLAIN])
def test_the_optimisations_leave_macros_alone(domain, state, switches):
    encoding = encoding_of(
        domain, state, GOAL, bind_macro_maker(list(domain.chunks.values())), switches=switches
    )
    carry = ("carry", ("pick(r, a, x)", "go(r, x, y)", "place(r, a, y)"))
    assert carry in macros_of(encoding)


# --- against rewriting


def chunk_of(steps):
    """The chunk that ground steps are an occurrence of."""
    names = {}
    shape = []
    for step in steps:
        for _, element in step.arguments:
            names.setdefault(element, f"e{len(names)}")
        shape.append((step.rule, tuple(names[element] for _, element in step.arguments)))
    parameters = tuple(Parameter(name, "thing") for name in names.values())
    return Chunk("walked", parameters, tuple(shape)), names


def side_by_side(encoding, walker, instance, rng):
    """States along a random walk with the task's own operators, flat and by rewriting."""
    flat, state = flat_state(encoding, instance), instance
    yield flat, state
    for _ in range(3):
        choices = [
            number
            for number, action in enumerate(encoding.actions)
            if len(action.steps) == 1 and is_applicable(encoding.flat, flat, number)
        ]
        if not choices:
            return
        chosen = rng.choice(choices)
        flat = successor(encoding.flat, flat, chosen)
        (step,) = encoding.actions[chosen].steps
        named = zip(step.rule.parameter_names, step.arguments, strict=True)
        state = walker.redo(PlanStep(step.rule.name, tuple(named), 1.0, 1.0, 1.0, ""), state)
        assert flat == flat_state(encoding, state)
        yield flat, state


def flat_state(encoding, instance):
    """The values of the variables in a state."""
    known, values = facts(instance), []
    for listed in encoding.variables.values:
        there = [
            v for v, f in enumerate(listed) if f is not None and encoding.task.facts[f] in known
        ]
        assert len(there) < 2
        values.append(there[0] if there else listed.index(None))
    return (*values, 0)


@st.composite
def walked(draw):
    """(domain, instance, walker, states after each step, plan steps, random)."""
    domain, instance = draw(worlds())
    domain = replace(
        domain,
        resources={},
        rules={name: replace(rule, uses={}) for name, rule in domain.rules.items()},
    )
    assume(facts(instance))
    rng = draw(st.randoms(use_true_random=False))
    walker = Walker(domain)
    states, steps = walker.walk(instance, rng, draw(st.integers(2, 3)))
    assume(len(steps) > 1)
    return domain, instance, walker, states, steps, rng


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(walked())
def test_a_macro_does_what_its_steps_do_in_turn(case):
    domain, instance, walker, states, steps, rng = case
    end = states[-1]
    changed = [str(f) for f in facts(end) - facts(instance)]
    changed += [f"not {f}" for f in facts(instance) - facts(end)]
    assume(changed)
    chunk, _ = chunk_of(steps)
    encoding = encoding_of(
        domain, instance, " and ".join(sorted(changed)), bind_macro_maker([chunk])
    )
    wanted = tuple(map(str, steps))
    numbers = [
        n for n, a in enumerate(encoding.actions) if a.chunk and tuple(map(str, a.steps)) == wanted
    ]
    assume(numbers)
    for flat, state in side_by_side(encoding, walker, instance, rng):
        after = state
        for step in steps:
            after = None if after is None else walker.redo(step, after)
        ends = [
            successor(encoding.flat, flat, n)
            for n in numbers
            if is_applicable(encoding.flat, flat, n)
        ]
        assert bool(ends) == (after is not None), wanted
        assert all(found == flat_state(encoding, after) for found in ends)
