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
from fcp_ros.planning.goal.degree_formula import (
    AllOf,
    AnyOf,
    Degree,
    LeastOf,
    Share,
    Shortfall,
    all_of,
    any_of,
    highest,
    least_of,
    lowest,
    share,
    shortfall,
    surely_at_least,
    worth_of,
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
            st.builds(lambda a, b: all_of(tnorm, a, b), inner, inner),
            st.builds(lambda a, b: any_of(tnorm, a, b), inner, inner),
            st.builds(least_of, inner, inner),
            st.builds(shortfall, WEIGHTS, inner),
            st.builds(share, WEIGHTS, inner),
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
                [all_of(TNORMS[tnorm], one, other), least_of(one, other), share(0.8, one)]
            )
        )
    degrees = {atom: data.draw(DEGREES) for atom in ATOMS}
    known = {atom: degrees[atom] for atom in ATOMS if data.draw(st.booleans())}
    values = [worth_of(formula, degrees.get, 1.0) for formula in (one, other)]
    for formula, value in zip((one, other), values, strict=True):
        assert 0.0 <= value <= 1.0 + 1e-12
        assert worth_of(formula, known.get, 1.0) >= value - 1e-12
        assert worth_of(formula, known.get, 0.0) <= value + 1e-12
        assert lowest(formula) - 1e-12 <= value <= highest(formula) + 1e-12
    for a, b in ((0, 1), (1, 0)):
        if surely_at_least((one, other)[a], (one, other)[b]):
            assert values[a] >= values[b] - 1e-12


def test_what_formulas_are_worth():
    tnorm = TNORMS["lukasiewicz"]
    g, h = Degree(("g", ("a",))), Degree(("g", ("b",)), complement=True)
    degrees = {("g", ("a",)): 0.75, ("g", ("b",)): 0.25}

    def worth(formula):
        return worth_of(formula, degrees.get, 1.0)

    assert worth(Degree(("g", ("a",)), complement=True)) == 0.25
    assert worth(AllOf(tnorm, (g, h))) == 0.5
    assert worth(AnyOf(tnorm, (g, Share(0.2, h)))) == pytest.approx(0.9)
    assert worth(LeastOf((Shortfall(0.5, g), h))) == 0.75
    assert worth_of(h, lambda _: None, 1.0) == 1.0


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
        (g, Share(0.5, g)),
        (Share(0.7, g), Share(0.5, g)),
        (1.0, g),
        (Shortfall(0.3, g), 0.7),
    ]:
        assert surely_at_least(better, worse)
        assert not surely_at_least(worse, better)
    assert not surely_at_least(g, h)
    assert not surely_at_least(g, Degree(("g", ("a",)), complement=True))
    assert not surely_at_least(AllOf(tnorm, (g, h)), AllOf(tnorm, (g, g)))


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
def test_alternatives_made_before_judging_are_worth_what_evaluate_says(
    world, text, tnorm, rng
):
    domain, instance = world
    assume(facts(instance))
    given_degrees = {}

    def degree_of(predicate, arguments):
        return given_degrees.setdefault((predicate, arguments), rng.choice([0.0, 0.25, 0.6, 1.0]))

    judged = rng.choice([0.0, 0.5])

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
