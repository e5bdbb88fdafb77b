# SPDX-License-Identifier: Apache-2.0
"""Preferences, weights and degrees combine as docs/goals.md says: beside trying everything."""

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import DEGREES, atom, worlds
from rewriting_twin import Twin

from fcp_ros.domain import ExpressionError, check_goal, evaluate, parse_expression
from fcp_ros.fuzzy import TNORMS, reaches
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan

GRADED = [atom("g", [a]) for a in ("a1", "a2")]
GRADED += [atom("h", [a, b]) for a in ("a1", "a2") for b in ("b1", "b2")]
HARD = st.sampled_from(["p(a1)", "s(b1)", "not p(a2)", "q(a1, b1) or r(a1, b1)"])
BODIES = st.sampled_from(
    [
        "p(a1)", "not p(a1)", "s(b1)", "not s(b2)", "q(a2, b2)", "p(a2) and g(a2)",
        "r(a1, b2) and h(a1, b2)", "g(a1) or s(b2)", "exists ?u: b (s(?u) and h(a1, ?u))",
        "forall ?u: a (p(?u) or q(?u, b1))", "at least 2 ?u: a (p(?u) or q(?u, b2))",
    ]
)  # fmt: skip
WEIGHTS = st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.3, 0.5, 1.0])
PROPERTY = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
    ],
)


@dataclass(frozen=True)
class Wish:
    """A preference, written and by its parts."""

    weight: float
    body: str

    def __str__(self) -> str:
        return f"prefer {self.weight}: ({self.body})"


WISHES = st.lists(st.builds(Wish, WEIGHTS, BODIES), min_size=1, max_size=4)


class WishingTwin(Twin):
    """Composes the degree of what is wanted with `1 - weight * (1 - degree)` of each wish."""

    def __init__(self, domain, instance, goal, source, tnorm, wishes):
        super().__init__(domain, instance, goal, source, tnorm)
        texts = [wish.body for wish in wishes]
        bodies = [check_goal(parse_expression(text), domain, instance, text) for text in texts]
        self.wishes = [(wish.weight, body) for wish, body in zip(wishes, bodies, strict=True)]

    def consider(self, state, membership):
        if evaluate(self.goal, state, lambda *_: 1.0, TNORMS["goedel"], types=self.types) == 0.0:
            return
        worth = [evaluate(self.goal, state, self.degree, self.tnorm, types=self.types)]
        for weight, body in self.wishes:
            worth.append(1.0 - weight * (1.0 - evaluate(body, state, self.degree, self.tnorm)))
        value = self.tnorm.compose_all([membership, *worth])
        self.best = value if self.best is None else max(self.best, value)


def ask(world, hard, wishes, source, **options):
    """Plan for what is wanted and wished for."""
    domain, instance = world
    text = " and ".join([f"({hard})", *map(str, wishes)])
    try:
        goal = check_goal(parse_expression(text), domain, instance, text)
    except ExpressionError:
        assume(False)
    return plan(
        PlanningRequest(
            domain, instance, goal, PlanningOptions(**{"alpha": 0.0, **options}), source
        )
    )


@pytest.fixture
def draw_source(degrees):
    """Draws the degree of each graded atom."""
    return lambda data: degrees({name: data.draw(DEGREES) for name in GRADED})


@pytest.mark.parametrize("tnorm", sorted(TNORMS))
@PROPERTY
@given(world=worlds(), hard=HARD, wishes=WISHES, data=st.data())
def test_no_plan_is_better(draw_source, tnorm, world, hard, wishes, data):
    source, alpha = draw_source(data), data.draw(st.sampled_from([0.0, 0.4, 0.85]))
    domain, instance = world
    goal = check_goal(parse_expression(hard), domain, instance, hard)
    twin = WishingTwin(domain, instance, goal, source, TNORMS[tnorm], wishes)
    twin.run(instance)
    assume(twin.complete)
    result = ask(world, hard, wishes, source, tnorm=tnorm, alpha=alpha)
    if twin.best is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, result.message
        return
    reached = reaches(twin.best, alpha)
    expected = PlanStatus.SOLVED_OPTIMALLY if reached else PlanStatus.UNSOLVABLE_AT_ALPHA
    assert result.status is expected, result.message
    assert result.best_membership == pytest.approx(twin.best, abs=1e-8)


@PROPERTY
@given(world=worlds(), hard=HARD, wishes=WISHES, data=st.data())
def test_what_is_given_up_adds_up(draw_source, world, hard, wishes, data):
    """With Lukasiewicz: 1 less the losses of the steps, the goal, and what is given up."""
    result = ask(world, hard, wishes, draw_source(data), tnorm="lukasiewicz")
    if result.plan is None or result.best_membership <= 0.0:
        return
    kept = len(wishes) - len(result.given_up)
    lost = sum(one.weight for one in result.given_up)
    steps = sum(1.0 - step.degree for step in result.plan.steps)
    if kept == 0:
        assert result.best_membership == pytest.approx(1.0 - steps - lost, abs=1e-8)
    assert result.best_membership <= 1.0 - steps - lost + 1e-8
