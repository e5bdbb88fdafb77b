# SPDX-License-Identifier: Apache-2.0
"""Formulas as nested application conditions, next to their evaluation by definition."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.cset import InstanceBuilder, Relation, Schema, find_homs
from fcp_ros.domain import ActionRule, Duration, Effect, Parameter, parse_expression
from fcp_ros.domain.expressions.evaluation import find_unmet, holds
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Forall,
    Not,
    Or,
    TypedVariable,
    Variable,
    substitute,
    to_text,
)
from fcp_ros.domain.rule_spans import Scope, apply_rule, build_span, find_effect_matches

SCHEMA = Schema(
    "things",
    {"thing": (), "a": ("thing",), "b": ("thing",), "ab": ("a", "b"), "room": ()},
    relations=(
        Relation("p", (("x", "thing"),)),
        Relation("q", (("x", "a"), ("y", "thing"))),
        Relation("in", (("x", "thing"), ("r", "room")), functional=("x",)),
        Relation("r", (("x", "b"), ("y", "b"))),
    ),
)
LEGS = {r.name: [type_ for _, type_ in r.legs] for r in SCHEMA.relations}
ELEMENTS = {"a1": "a", "b1": "b", "ab1": "ab", "t1": "thing", "r1": "room", "r2": "room"}
PARAMETERS = {"x": "a", "y": "thing", "z": "room"}


@st.composite
def states(draw):
    builder = InstanceBuilder(SCHEMA)
    ids = {name: builder.add(type_, name) for name, type_ in ELEMENTS.items()}
    for relation, legs in LEGS.items():
        fitting = [
            [name for name, type_ in ELEMENTS.items() if SCHEMA.is_subtype(type_, leg)]
            for leg in legs
        ]
        tuples = list(itertools.product(*fitting))
        seen = set()
        for chosen in draw(st.lists(st.sampled_from(tuples), unique=True)):
            if relation != "in" or chosen[0] not in seen:
                seen.add(chosen[0])
                builder.relate(relation, *(ids[name] for name in chosen))
    return builder.build()


def meets(type_, other):
    return any(SCHEMA.is_subtype(t, type_) and SCHEMA.is_subtype(t, other) for t in SCHEMA.types)


@st.composite
def formulas(draw, scope, depth=3):
    kinds = ["atom", "not"]
    if depth:
        kinds += ["and", "or", "exists", "forall", "exists", "forall"]
    kind = draw(st.sampled_from(kinds))
    if kind == "atom":
        possible = [
            Atom(relation, tuple(map(Variable, chosen)))
            for relation, legs in LEGS.items()
            for chosen in itertools.product(
                *([n for n, type_ in scope.items() if meets(type_, leg)] for leg in legs)
            )
        ]
        return draw(st.sampled_from(possible))
    if kind == "not":
        return Not(draw(formulas(scope, max(depth - 1, 0))))
    if kind in ("and", "or"):
        parts = draw(st.lists(formulas(scope, depth - 1), min_size=2, max_size=3))
        return (And if kind == "and" else Or)(tuple(parts))
    # A name that is bound already may be bound again, which hides the outer one.
    name = draw(st.sampled_from(["u", "v", "w"]))
    type_ = draw(st.sampled_from(["thing", "a", "b", "ab", "room"]))
    body = draw(formulas({**scope, name: type_}, depth - 1))
    variables = (TypedVariable(name, type_),)
    return (Exists if kind == "exists" else Forall)(variables, body)


BINDINGS = [
    {"x": x, "y": y, "z": z}
    for x, y, z in itertools.product(("a1", "ab1"), ("b1", "t1", "ab1"), ("r1", "r2"))
    if x != y
]


@given(formulas(PARAMETERS), states(), st.sampled_from(BINDINGS))
def test_nested_conditions_mean_what_formulas_say(formula, state, binding):
    scope = Scope(SCHEMA, "rule", PARAMETERS, ())
    initial = {scope.pattern.id_of(name): state.id_of(e) for name, e in binding.items()}
    (match,) = find_homs(scope.pattern, state, initial=initial)
    expected = holds(formula, state, binding)
    for wanted in (True, False):
        violation = scope.require(formula, wanted).violation(match)
        assert (violation is None) == (expected is wanted), to_text(formula)


@given(formulas(PARAMETERS), states(), st.sampled_from(BINDINGS))
def test_the_unmet_part_fails_indeed(formula, state, binding):
    if not holds(formula, state, binding):
        unmet = find_unmet(formula, state, binding)
        assert not holds(unmet, state, {})
        assert parse_expression(to_text(unmet))


def rule_with(formulas=(), effects=()):
    return ActionRule(
        name="act",
        parameters=tuple(Parameter(name, type_) for name, type_ in PARAMETERS.items()),
        when=(),
        add=(Atom("p", (Variable("x"),)),),
        delete=(),
        graded=(),
        duration=Duration(1.0),
        uses={},
        executor="act",
        formulas=formulas,
        effects=effects,
    )


@given(st.lists(formulas(PARAMETERS, 2), max_size=2), states(), st.sampled_from(BINDINGS))
def test_a_rule_applies_where_all_its_formulas_hold(given_formulas, state, binding):
    rule = rule_with(tuple(given_formulas))
    span = build_span(rule, SCHEMA)
    initial = {span.parameters[name]: state.id_of(element) for name, element in binding.items()}
    (match,) = find_homs(span.rule.L, state, initial=initial)
    result = apply_rule(rule, span, match)
    assert (result.instance is not None) == all(holds(f, state, binding) for f in given_formulas)


@given(formulas({**PARAMETERS, "e": "thing"}, 2), states(), st.sampled_from(BINDINGS))
def test_an_effect_happens_where_its_formula_holds(formula, state, binding):
    effect = Effect((Parameter("e", "thing"),), (), (Atom("p", (Variable("e"),)),), (), (formula,))
    rule = rule_with(effects=(effect,))
    bound = {name: state.id_of(element) for name, element in binding.items()}
    found = {state.name_of(m["e"]) for m in find_effect_matches(rule, effect, state, bound)}
    things = [name for name, type_ in ELEMENTS.items() if SCHEMA.is_subtype(type_, "thing")]
    assert found == {e for e in things if holds(formula, state, {**binding, "e": e})}


@pytest.mark.parametrize(
    ("text", "unmet"),
    [
        ("p(?x) and p(?y)", "p(b1)"),
        ("forall ?u: b (r(?u, ?u) or p(?u))", "r(b1, b1) or p(b1)"),
        ("exists ?u: a (p(?u) and q(?u, ?u))", "exists ?u: a (p(?u) and q(?u, ?u))"),
        ("exists ?u: ab (p(?u) and q(?x, ?y))", "p(ab1)"),
    ],
)
def test_messages_name_the_part_that_fails(text, unmet):
    builder = InstanceBuilder(SCHEMA)
    ids = {name: builder.add(type_, name) for name, type_ in ELEMENTS.items()}
    builder.relate("p", ids["a1"])
    binding = {"x": "a1", "y": "b1"}
    found = find_unmet(parse_expression(text), builder.build(), binding)
    assert to_text(found) == unmet


def test_terms_take_the_place_of_free_variables_only():
    formula = parse_expression("p(?u) or exists ?u: a (q(?u, ?x))")
    found = substitute(formula, {"u": Variable("k"), "x": Variable("m")})
    assert to_text(found) == "p(?k) or exists ?u: a (q(?u, ?m))"
