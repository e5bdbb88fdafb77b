# SPDX-License-Identifier: Apache-2.0
"""Steps with conditional and universal effects: every order they allow does the same."""

import itertools
from dataclasses import replace

from explored_order import ExploredOrder
from fact_twin import FactTwin
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import SHAPES, worlds

from fcp_ros.domain import Atom, Effect, Literal, Parameter, Variable
from fcp_ros.planning.footprint import FactView, find_footprints
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.step_order import find_causal_pairs

PROPERTY = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@st.composite
def effects(draw, rule):
    """An effect over the rule's parameters and up to two variables."""
    variables = draw(
        st.lists(
            st.sampled_from([Parameter("u", "a"), Parameter("v", "b"), Parameter("w", "c")]),
            unique=True,
            max_size=2,
        )
    )
    kinds = {p.name: p.type for p in (*rule.parameters, *variables)}

    def some_atom(predicates, wild=False):
        predicate = draw(st.sampled_from(predicates))
        names = []
        for kind in SHAPES[predicate]:
            fitting = [n for n, t in kinds.items() if t == kind or (t, kind) == ("c", "a")]
            fitting += ["?any"] if wild or not fitting else []
            names.append(draw(st.sampled_from(fitting)))
        return Atom(predicate, tuple(map(Variable, names)))

    positive = [some_atom("pqrst") for _ in range(draw(st.integers(0, 2)))]
    negative = [some_atom("pqrs", wild=True) for _ in range(draw(st.integers(0, 1)))]
    add = [some_atom("prs") for _ in range(draw(st.integers(0, 1)))]
    known = [a for a in (*positive, *rule.positive()) if a.predicate != "t"]
    delete = [a for a in known if draw(st.booleans())]
    atoms = (*positive, *add, *delete)
    assume(all(t.name in kinds for a in atoms for t in a.arguments) and (add or delete))
    when = (*map(Literal, positive), *(Literal(a, negated=True) for a in negative))
    return Effect(tuple(variables), when, tuple(add), tuple(delete))


@st.composite
def sequences(draw):
    """(twin, steps): ground steps that can be done one after the other."""
    domain, instance = draw(worlds())
    rules = {
        name: replace(rule, effects=(draw(effects(rule)),)) if draw(st.booleans()) else rule
        for name, rule in domain.rules.items()
    }
    domain = replace(domain, rules=rules)
    twin, rng = FactTwin(domain, instance), draw(st.randoms(use_true_random=False))
    ground = [
        GroundStep(rule, tuple(binding.values()))
        for rule in rules.values()
        for binding in twin.bindings(rule.parameters, monic=True)
    ]
    state, steps = twin.initial(), []
    for _ in range(draw(st.integers(2, 7))):
        rng.shuffle(ground)
        for step in ground:
            after = twin.after(step.rule, step.arguments, state)
            if after not in (None, state) and not twin.breaks(state, after):
                steps.append(step)
                state = after
                break
    assume(len(steps) > 1)
    return twin, steps, state


@PROPERTY
@given(sequences())
def test_every_order_ends_in_the_same_state(sequence):
    twin, steps, end = sequence
    prints = find_footprints(twin.domain, twin.instance, steps)
    order = ExploredOrder.of(len(steps), find_causal_pairs(FactView(twin.instance), prints))
    for chosen in itertools.islice(order.linear_extensions(), 40):
        state = twin.initial()
        for number in chosen:
            after = twin.after(steps[number].rule, steps[number].arguments, state)
            assert after is not None, (chosen, number)
            assert not twin.breaks(state, after), (chosen, number)
            state = after
        assert state == end, chosen


@PROPERTY
@given(sequences())
def test_footprints_write_what_the_steps_write(sequence):
    twin, steps, _ = sequence
    state = twin.initial()
    for step, found in zip(steps, find_footprints(twin.domain, twin.instance, steps), strict=True):
        after = twin.after(step.rule, step.arguments, state)
        assert state - found.deletes | found.adds == after
        assert found.needs <= state
        assert not found.adds & found.deletes
        state = after
