# SPDX-License-Identifier: Apache-2.0
"""Loss that no plan avoids: never above the optimum, and exact where the goal names everything."""

import math

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import DEGREES, SOFT, atom, worlds
from rewriting_twin import Twin, wandered

from fcp_ros.domain import ExpressionError, check_goal, infer_types, parse_expression
from fcp_ros.fuzzy import EPSILON, TNORMS
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.judging.prospects import UnavoidableLoss
from fcp_ros.planning.judging.regression import FactLossBounds
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.watch import Watch

ATOMS = [("g", (a,)) for a in ("a1", "a2")]
ATOMS += [("h", (a, b)) for a in ("a1", "a2") for b in ("b1", "b2")]


def formula_of(domain, instance, text):
    goal = check_goal(parse_expression(text), domain, instance, text)
    watch = Watch(PlanningOptions())
    return goal, ground_goal(goal, infer_types(goal, domain), domain, instance, watch).formula


@pytest.mark.parametrize("tnorm", sorted(TNORMS))
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
    ],
)
@given(world=worlds(), soft=SOFT, data=st.data(), rng=st.randoms(use_true_random=False))
def test_no_plan_is_better_than_the_bound(degrees, tnorm, world, soft, data, rng):
    domain, instance = world
    source = degrees({atom(*a): data.draw(DEGREES) for a in ATOMS})
    parts = wandered(domain, instance, source, TNORMS[tnorm], rng, data.draw(st.integers(0, 7)))
    if not parts or data.draw(st.integers(0, 2)) == 0:
        parts.append(f"({soft})")
    try:
        goal, formula = formula_of(domain, instance, " and ".join(parts))
    except ExpressionError:
        assume(False)
    twin = Twin(domain, instance, goal, source, TNORMS[tnorm])
    twin.run(instance)
    assume(twin.complete)
    judge = Judge(domain, instance, source)
    judge.judge(data.draw(st.lists(st.sampled_from(ATOMS), unique=True)))
    bounds = UnavoidableLoss(
        FactLossBounds(domain, instance, judge.find_degree, TNORMS[tnorm], lambda: None)
    )
    least = bounds.estimate(formula)
    if twin.best is not None and twin.best > 0.0:
        assert TNORMS[tnorm].degree_of(least.total) >= twin.best - EPSILON
    for question in least.open:
        assert judge.find_degree(question) is None


def test_with_all_questions_answered_it_is_what_the_plan_costs(degrees, house, home):
    _, formula = formula_of(house, home, 'on(mug_1, shelf) and serves_as(mug_1, "drinking")')
    source = degrees(
        {
            "serves_as(mug_1, drinking)": 0.9,
            "can_grasp(bot, mug_1)": 0.8,
            "stable(shelf, mug_1)": 0.85,
        }
    )
    judge = Judge(house, home, source)
    totals = []
    while True:
        bounds = UnavoidableLoss(
            FactLossBounds(house, home, judge.find_degree, TNORMS["lukasiewicz"], lambda: None)
        )
        least = bounds.estimate(formula)
        totals.append(least.total)
        if not least.open:
            break
        judge.judge(least.open[:1])
    assert totals == pytest.approx([0.0, 0.1, 0.25, 0.45])


def test_what_no_rule_makes_true_is_never_reached(house, home):
    _, formula = formula_of(house, home, "inside(mug_1, crate)")
    bounds = UnavoidableLoss(
        FactLossBounds(house, home, lambda _: None, TNORMS["product"], lambda: None)
    )
    assert bounds.estimate(formula).total == math.inf
