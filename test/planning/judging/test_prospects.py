# SPDX-License-Identifier: Apache-2.0
"""The alternatives of a goal: which are worth a look, and the loss that no plan avoids."""

import math
from contextlib import nullcontext
from dataclasses import replace

import pytest
from exhaustive_compiler import exhaustive_compilation
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_worlds import DEGREES, SOFT, atom, worlds
from rewriting_twin import Twin, wandered

from fcp_ros.domain import ExpressionError, check_goal, infer_types, parse_expression
from fcp_ros.fuzzy import EPSILON, TNORMS
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, Switches, plan, solver
from fcp_ros.planning.goal.formula import split_choices
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.judging import prospects
from fcp_ros.planning.judging.prospects import Prospects, UnavoidableLoss
from fcp_ros.planning.judging.regression import FactLossBounds
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.solver import MANY

GOAL = 'on(?x, shelf) and serves_as(?x, "drinking")'
POOR = {f"serves_as({item}, drinking)": 0.3 for item in ("mug_2", "book", "milk")}


@pytest.fixture
def shown(house, home, degrees):
    """Whether it can be shown that no plan has less loss, and who was asked: (loss, degrees)."""

    def run(loss, given):
        goal = check_goal(parse_expression(GOAL), house, home, GOAL)
        watch = Watch(PlanningOptions())
        formula = ground_goal(goal, infer_types(goal, house), house, home, watch).formula
        source = degrees(given)
        judge = Judge(house, home, source)

        def bounds():
            return UnavoidableLoss(
                FactLossBounds(house, home, judge.find_degree, TNORMS["lukasiewicz"], lambda: None)
            )

        alternatives = Prospects(list(split_choices(formula)), bounds, judge, watch.check)
        return alternatives.none_is_better(loss), source.asked

    return run


def test_every_alternative_that_costs_too_much_is_asked_about_until_it_does(shown):
    mug = {"serves_as(mug_1, drinking)": 0.9, "stable(shelf, mug_1)": 0.8}
    proven, asked = shown(0.3, {**POOR, **mug})
    assert proven
    assert set(asked) == {*POOR, *mug}, "and not how it can be grasped"


def test_an_alternative_that_may_be_better_is_not_explained_away(shown):
    proven, _ = shown(0.3, {**POOR, "serves_as(mug_1, drinking)": 0.8})
    assert not proven


def test_nothing_has_to_be_asked_of_a_perfect_plan(shown):
    assert shown(0.0, POOR) == (True, [])


@pytest.mark.parametrize("many", [MANY - 4, 70])
def test_what_is_shown_needs_no_wider_task(house, state, degrees, many):
    """Most of the house is never looked at, and the answer is that of looking at all of it."""
    elements = {"hall": "room", "bot": "robot", "shelf": "support"}
    facts = ["at(bot, hall)", "in_room(shelf, hall)"]
    for i in range(many):
        elements |= {f"table_{i % 20}": "support", f"mug_{i}": "cup"}
        facts += [f"in_room(table_{i % 20}, hall)", f"on(mug_{i}, table_{i % 20})"]
    instance = state(house, elements, dict.fromkeys(facts))
    given = {f"serves_as(mug_{i}, drinking)": 0.9 - 0.01 * i for i in range(many)}
    goal = check_goal(parse_expression(GOAL), house, instance, GOAL)
    answers = []
    for compilation in (nullcontext(), exhaustive_compilation()):
        with compilation:
            options = PlanningOptions(explain=True)
            answers.append(plan(PlanningRequest(house, instance, goal, options, degrees(given))))
    narrow, everything = answers
    for result in answers:
        assert result.status is PlanStatus.SOLVED_OPTIMALLY
        assert result.plan.binding == (("x", "mug_0"),)
    assert everything.explanation.operators > 20 * many
    assert narrow.explanation.operators < 10 * MANY


@pytest.mark.parametrize("tnorm", sorted(TNORMS))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_shortlist_changes_no_answer(degrees, house, home, monkeypatch, tnorm, data):
    degree = st.sampled_from([0.0, 0.2, 0.5, 0.8, 0.95, 1.0])
    items = ("mug_1", "mug_2", "book", "milk")
    source = degrees(
        {f"serves_as({i}, drinking)": data.draw(degree) for i in items}
        | {f"can_grasp(bot, {i})": data.draw(degree) for i in items}
        | {f"stable(shelf, {i})": data.draw(degree) for i in items}
    )
    goal = check_goal(parse_expression(GOAL), house, home, GOAL)
    options = PlanningOptions(alpha=data.draw(st.sampled_from([0.0, 0.4, 0.85])), tnorm=tnorm)
    monkeypatch.setattr(prospects, "FEW", 1)
    monkeypatch.setattr(solver, "MANY", 3)
    short = plan(PlanningRequest(house, home, goal, options, source))
    everything = replace(options, switches=Switches(lazy=False))
    with exhaustive_compilation():
        expected = plan(PlanningRequest(house, home, goal, everything, source))
    assert short.status is expected.status, short.message
    assert short.best_membership == pytest.approx(expected.best_membership, abs=1e-8)


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
