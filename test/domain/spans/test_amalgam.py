# SPDX-License-Identifier: Apache-2.0
"""Conditional and universal effects as amalgamated DPO rules, next to PDDL's semantics on sets."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.cset import InstanceBuilder, Relation, Schema, facts, find_homs
from fcp_ros.domain import ActionRule, Atom, Duration, Literal, Parameter, Variable, build_span
from fcp_ros.domain.model import Effect
from fcp_ros.domain.rule_spans import apply_rule

SCHEMA = Schema(
    "small",
    {"thing": (), "box": ("thing",), "item": ("thing",)},
    relations=(
        Relation("in", (("inside", "item"), ("box", "box"))),
        Relation("beside", (("one", "thing"), ("other", "thing"))),
        Relation("marked", (("what", "thing"),)),
    ),
)
ELEMENTS = {"b1": "box", "b2": "box", "i1": "item", "i2": "item"}


def legs(predicate):
    return [type_ for _, type_ in SCHEMA.relation(predicate).legs]


def atom(predicate, *names):
    return Atom(predicate, tuple(map(Variable, names)))


def rule_of(parameters, when=(), add=(), delete=(), effects=()):
    return ActionRule(
        "act",
        tuple(Parameter(name, type_) for name, type_ in parameters),
        tuple(when),
        tuple(add),
        tuple(delete),
        (),
        Duration(1.0),
        {},
        "act",
        tuple(effects),
    )


def state_of(held):
    builder = InstanceBuilder(SCHEMA)
    for name, type_ in ELEMENTS.items():
        builder.add(type_, name)
    for relation, *arguments in held:
        builder.relate(relation, *map(builder.id_of, arguments))
    return builder.build()


# --- the twin: facts as a set


def ground(atoms, binding):
    return {(a.predicate, *(binding[t.name] for t in a.arguments)) for a in atoms}


def occurs(absent, held, binding):
    names = [term.name for term in absent.arguments]
    open_ = [name for name in dict.fromkeys(names) if name not in binding]
    return any(
        (
            absent.predicate,
            *({**binding, **dict(zip(open_, chosen, strict=True))}[n] for n in names),
        )
        in held
        for chosen in itertools.product(ELEMENTS, repeat=len(open_))
    )


def holds(literals, held, binding):
    return all(
        not occurs(literal.atom, held, binding)
        if literal.negated
        else ground([literal.atom], binding) <= held
        for literal in literals
    )


def after(rule, held, binding):
    add, delete = ground(rule.add, binding), ground(rule.delete, binding)
    for effect in rule.effects:
        ranges = [
            [e for e, type_ in ELEMENTS.items() if SCHEMA.is_subtype(type_, v.type)]
            for v in effect.variables
        ]
        for chosen in itertools.product(*ranges):
            names = [variable.name for variable in effect.variables]
            inner = {**binding, **dict(zip(names, chosen, strict=True))}
            if holds(effect.when, held, inner):
                add |= ground(effect.add, inner)
                delete |= ground(effect.delete, inner)
    return (held - delete) | add


# --- random rules


PARAMETERS = (("p", "box"), ("q", "item"))
VARIABLES = (("x", "box"), ("y", "item"), ("z", "item"))


@st.composite
def atoms_over(draw, names, open_names=()):
    predicate = draw(st.sampled_from(["in", "beside", "marked"]))
    terms = []
    for type_ in legs(predicate):
        fitting = [n for n, t in names if SCHEMA.is_subtype(t, type_)]
        terms.append(draw(st.sampled_from(fitting + list(open_names))))
    return atom(predicate, *terms)


@st.composite
def effects(draw):
    variables = draw(st.lists(st.sampled_from(VARIABLES), unique=True, max_size=3))
    names = [*PARAMETERS, *variables]
    positive = draw(st.lists(atoms_over(names), max_size=3, unique=True))
    negative = draw(st.lists(atoms_over(names, ("any",)), max_size=2, unique=True))
    delete = [a for a in positive if draw(st.booleans())]
    add = [a for a in draw(st.lists(atoms_over(names), max_size=2)) if a not in delete]
    return Effect(
        tuple(Parameter(*variable) for variable in variables),
        (*(Literal(a) for a in positive), *(Literal(a, negated=True) for a in negative)),
        tuple(add),
        tuple(delete),
    )


@st.composite
def rules(draw):
    positive = draw(st.lists(atoms_over(PARAMETERS), max_size=2, unique=True))
    delete = [a for a in positive if draw(st.booleans())]
    add = [a for a in draw(st.lists(atoms_over(PARAMETERS), max_size=2)) if a not in positive]
    negative = draw(st.lists(atoms_over(PARAMETERS, ("any",)), max_size=1))
    when = (*(Literal(a) for a in positive), *(Literal(a, negated=True) for a in negative))
    return rule_of(PARAMETERS, when, add, delete, draw(st.lists(effects(), max_size=3)))


@st.composite
def states(draw):
    possible = [
        (predicate, *chosen)
        for predicate in ("in", "beside", "marked")
        for chosen in itertools.product(
            *(
                [e for e, t in ELEMENTS.items() if SCHEMA.is_subtype(t, leg)]
                for leg in legs(predicate)
            )
        )
    ]
    return set(draw(st.lists(st.sampled_from(possible), max_size=10)))


def as_sets(instance):
    return {(fact.relation, *fact.arguments) for fact in facts(instance)}


@given(rules(), states())
def test_rewriting_equals_the_semantics_on_sets(rule, held):
    state = state_of(held)
    span = build_span(rule, SCHEMA)
    applied = 0
    for match in find_homs(span.rule.L, state):
        binding = {name: state.name_of(match.mapping[id_]) for name, id_ in span.parameters.items()}
        result = apply_rule(rule, span, match)
        if result.instance is None:
            assert not holds(rule.when, held, binding)
            continue
        applied += 1
        assert holds(rule.when, held, binding)
        assert as_sets(result.instance) == after(rule, held, binding)
        assert as_sets(state) == held, "the state before stays as it was"
        before, now = as_sets(state), as_sets(result.instance)
        assert {(f.relation, *f.arguments) for f in result.delta.added} == now - before
        assert {(f.relation, *f.arguments) for f in result.delta.removed} == before - now
    expected = sum(
        holds(rule.when, held, {"p": p, "q": q}) for p in ("b1", "b2") for q in ("i1", "i2")
    )
    assert applied == expected


# --- by hand


def test_a_functional_leg_that_effects_break_is_refused():
    schema = Schema(
        "s", {"a": ()}, relations=(Relation("at", (("who", "a"), ("where", "a")), ("who",)),)
    )
    builder = InstanceBuilder(schema)
    for name in ("one", "two"):
        builder.add("a", name)
    state = builder.build()
    rule = rule_of(
        (("p", "a"),), effects=(Effect((Parameter("x", "a"),), (), (atom("at", "p", "x"),), ()),)
    )
    span = build_span(rule, schema)
    match = next(iter(find_homs(span.rule.L, state)))
    result = apply_rule(rule, span, match)
    assert result.instance is None
    assert result.violations
