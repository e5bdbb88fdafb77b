# SPDX-License-Identifier: Apache-2.0
"""What alternatives are worth while some degrees are unknown."""

import pytest
from encoded_goals import encode_goal
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import SOFT, worlds
from rewriting_twin import fluents_of, walk

from fcp_ros.cset import facts
from fcp_ros.domain import ExpressionError, evaluate, infer_types
from fcp_ros.fuzzy import TNORMS
from fcp_ros.planning.goal.alternatives import (
    AllOf,
    AnyOf,
    Degree,
    Fraction,
    LeastOf,
    Shortfall,
    compose,
    compose_dually,
    evaluate_degree,
    is_surely_at_least,
    lower_bound,
    make_fraction,
    make_shortfall,
    take_least,
    upper_bound,
)

ATOMS = [("g", (name,)) for name in "abc"]
DEGREES = st.sampled_from([0.0, 0.25, 0.6, 1.0])
WEIGHTS = st.sampled_from([0.3, 0.8, 1.0])


def formulas(tnorm):
    """Formulas over three atoms, made by the constructors."""
    leaves = st.one_of(st.builds(Degree, st.sampled_from(ATOMS), st.booleans()), DEGREES)
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(lambda a, b: compose(tnorm, a, b), inner, inner),
            st.builds(lambda a, b: compose_dually(tnorm, a, b), inner, inner),
            st.builds(take_least, inner, inner),
            st.builds(make_shortfall, WEIGHTS, inner),
            st.builds(make_fraction, WEIGHTS, inner),
        ),
        max_leaves=5,
    )


@settings(max_examples=80, deadline=None)
@given(data=st.data(), tnorm=st.sampled_from(sorted(TNORMS)))
def test_bounds_and_comparisons_are_certain(data, tnorm):
    one, other = data.draw(formulas(TNORMS[tnorm])), data.draw(formulas(TNORMS[tnorm]))
    if data.draw(st.booleans()):  # related formulas, so that comparisons succeed more often
        other = data.draw(
            st.sampled_from(
                [
                    compose(TNORMS[tnorm], one, other),
                    take_least(one, other),
                    make_fraction(0.8, one),
                ]
            )
        )
    degrees = {atom: data.draw(DEGREES) for atom in ATOMS}
    known = {atom: degrees[atom] for atom in ATOMS if data.draw(st.booleans())}
    values = [evaluate_degree(formula, degrees.get, 1.0) for formula in (one, other)]
    for formula, value in zip((one, other), values, strict=True):
        assert 0.0 <= value <= 1.0 + 1e-12
        assert evaluate_degree(formula, known.get, 1.0) >= value - 1e-12
        assert evaluate_degree(formula, known.get, 0.0) <= value + 1e-12
        assert lower_bound(formula) - 1e-12 <= value <= upper_bound(formula) + 1e-12
    for a, b in ((0, 1), (1, 0)):
        if is_surely_at_least((one, other)[a], (one, other)[b]):
            assert values[a] >= values[b] - 1e-12


def test_what_can_be_compared():
    tnorm = TNORMS["product"]
    g, h = Degree(("g", ("a",))), Degree(("h", ("a",)))
    for better, worse in [
        (g, AllOf(tnorm, (h, g))),
        (AllOf(tnorm, (g,)), AllOf(tnorm, (h, g))),
        (AnyOf(tnorm, (h, g)), g),
        (AnyOf(tnorm, (h, g, g)), AnyOf(tnorm, (g, h))),
        (g, LeastOf((g, h))),
        (Shortfall(0.5, g), g),
        (Shortfall(0.3, g), Shortfall(0.5, g)),
        (g, Fraction(0.5, g)),
        (Fraction(0.7, g), Fraction(0.5, g)),
        (1.0, g),
        (Shortfall(0.3, g), 0.7),
    ]:
        assert is_surely_at_least(better, worse)
        assert not is_surely_at_least(worse, better)
    assert not is_surely_at_least(g, h)
    assert not is_surely_at_least(g, Degree(("g", ("a",)), complement=True))
    assert not is_surely_at_least(AllOf(tnorm, (g, h)), AllOf(tnorm, (g, g)))


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
    ],
)
@given(
    world=worlds(),
    text=st.one_of(SOFT, SOFT.map("not ({})".format), st.tuples(SOFT, SOFT).map(" and not ".join)),
    tnorm=st.sampled_from(sorted(TNORMS)),
    rng=st.randoms(use_true_random=False),
)
def test_alternatives_made_before_judging_are_worth_what_evaluate_says(world, text, tnorm, rng):
    domain, instance = world
    assume(facts(instance))
    given_degrees = {}

    def degree_of(predicate, arguments):
        return given_degrees.setdefault((predicate, arguments), rng.choice([0.0, 0.25, 0.6, 1.0]))

    judged = rng.choice([0.0, 0.5, 1.0])

    def known(atom):
        return degree_of(*atom) if rng.random() < judged else None

    try:
        made = encode_goal(domain, instance, text, tnorm, known)
    except ExpressionError:
        assume(False)
    types = infer_types(made.goal, domain)
    for _, state, _ in walk(domain, instance, rng, 4):
        holding = [a for a in made.alternatives if a.holds(fluents_of(made.task, state))]
        expected = evaluate(made.goal, state, degree_of, TNORMS[tnorm], types=types)
        values = [a.value(lambda atom: degree_of(*atom)) for a in holding]
        assert max(values, default=0.0) == pytest.approx(expected, abs=1e-9)
        assert all(
            a.upper(lambda _: None) >= v - 1e-9 for a, v in zip(holding, values, strict=True)
        )
