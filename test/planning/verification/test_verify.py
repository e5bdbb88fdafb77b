# SPDX-License-Identifier: Apache-2.0
"""The verifier: right plans pass, and every mutation of a right plan fails with a sentence."""

from dataclasses import replace

import pytest

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.grounding.protocol.judgement import Membership
from fcp_ros.planning import PlanningOptions, PlanningRequest, plan, verify
from fcp_ros.planning.stepping.rules import StepRules

GOAL = 'on(?x, shelf) and is_a(?x, "mug") and serves_as(?x, "drinking") and on(book, tv)'
GIVEN = {
    "serves_as(mug_1, drinking)": 0.95,
    "serves_as(mug_2, drinking)": 0.5,
    "can_grasp(bot, mug_1)": 0.97,
    "can_grasp(bot, book)": 0.98,
}


@pytest.fixture
def goal(house, home):
    return check_goal(parse_expression(GOAL), house, home, GOAL)


@pytest.fixture
def good(house, home, goal, degrees):
    result = plan(PlanningRequest(house, home, goal, PlanningOptions(alpha=0.6), degrees(GIVEN)))
    assert result.plan is not None, result.message
    assert result.plan.membership == pytest.approx(0.9)
    return result.plan


@pytest.fixture
def verdict_on(house, home, goal, degrees):
    def run(candidate, *, alpha=0.6, resources=None, source=None, wanted=None):
        return verify(
            house,
            home,
            candidate,
            goal if wanted is None else wanted,
            source or degrees(GIVEN),
            alpha=alpha,
            resources=resources,
        )

    return run


def test_a_good_plan_passes(good, verdict_on):
    verdict = verdict_on(good)
    assert verdict.ok
    assert verdict.problems == ()
    assert verdict.memberships == tuple(step.membership_after for step in good.steps)
    assert verdict.final is not None


def mutated_step(plan, index, **changes):
    steps = list(plan.steps)
    steps[index] = replace(steps[index], **changes)
    return replace(plan, steps=tuple(steps))


def with_argument(plan, index, parameter, element):
    arguments = tuple(
        (name, element if name == parameter else value)
        for name, value in plan.steps[index].arguments
    )
    return mutated_step(plan, index, arguments=arguments)


MUTATIONS = {
    "first step missing": lambda p: replace(p, steps=p.steps[1:]),
    "last step missing": lambda p: replace(p, steps=p.steps[:-1]),
    "steps swapped": lambda p: replace(p, steps=(p.steps[1], p.steps[0], *p.steps[2:])),
    "step repeated": lambda p: replace(p, steps=(p.steps[0], *p.steps)),
    "no steps": lambda p: replace(p, steps=()),
    "unknown rule": lambda p: mutated_step(p, 0, rule="fly"),
    "other rule": lambda p: mutated_step(p, 0, rule="place"),
    "parameters in another order": lambda p: mutated_step(
        p, 0, arguments=tuple(reversed(p.steps[0].arguments))
    ),
    "no arguments": lambda p: mutated_step(p, 0, arguments=()),
    "unknown element": lambda p: with_argument(p, 0, "item", "cup_9"),
    "element of the wrong type": lambda p: with_argument(p, 0, "item", "kitchen"),
    "one element twice": lambda p: with_argument(p, 0, "support", p.steps[0].arguments[1][1]),
    "degree too high": lambda p: mutated_step(p, 0, degree=1.0),
    "degree undefined": lambda p: mutated_step(p, 0, degree=float("nan")),
    "membership after too high": lambda p: mutated_step(p, 1, membership_after=1.0),
    "membership too high": lambda p: replace(p, membership=1.0),
    "membership too low": lambda p: replace(p, membership=0.89),
    "goal degree wrong": lambda p: replace(p, goal_degree=1.0),
    "binding to another": lambda p: replace(p, binding=(("x", "mug_2"),)),
    "binding to nothing": lambda p: replace(p, binding=(("x", "cup_9"),)),
    "resources wrong": lambda p: replace(p, resources_after={"battery": 100.0}),
    "unknown resource": lambda p: replace(p, resources_after={"fuel": 1.0}),
    "unknown t-norm": lambda p: replace(p, tnorm="drastic"),
    "other t-norm": lambda p: replace(p, tnorm="goedel"),
    "higher alpha": lambda p: replace(p, alpha=0.95),
    "other duration": lambda p: mutated_step(p, 0, duration=p.steps[0].duration + 1.0),
    "other executor": lambda p: mutated_step(p, 0, executor="place"),
    "judged otherwise": lambda p: mutated_step(p, 0, judgements=(judged_as(p.steps[0], 0.5),)),
    "judged twice": lambda p: mutated_step(p, 0, judgements=p.steps[0].judgements * 2),
    "goal judged otherwise": lambda p: replace(
        p, goal_judgements=(replace(p.goal_judgements[0], membership=Membership(0.1, 0.1)),)
    ),
}


def judged_as(step, degree):
    return replace(step.judgements[0], membership=Membership(degree, degree, source="table"))


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutated_plans_fail(good, verdict_on, name):
    verdict = verdict_on(MUTATIONS[name](good))
    assert not verdict.ok
    assert verdict.problems
    assert all(len(problem) > 10 for problem in verdict.problems)


def test_rules_may_be_prepared_before(good, house, home, goal, degrees):
    rules = StepRules(house)
    rules.prepare()
    source = degrees(GIVEN)
    for _ in range(2):
        assert verify(house, home, good, goal, source, alpha=0.6, rules=rules).ok


def test_degrees_of_steps_are_asked_in_one_batch(good, house, home, goal, degrees):
    source = degrees(GIVEN)
    assert verify(house, home, good, goal, source, alpha=0.6).ok
    assert source.batches <= 2  # the steps', and the goal's
    assert len(source.asked) == len(set(source.asked))


def test_a_source_that_keeps_answers_back_is_no_proof(good, house, home, goal):
    class Silent:
        def judge(self, requests):
            return []

    with pytest.raises(ValueError, match="answered 0 of 4 requests"):
        verify(house, home, good, goal, Silent(), alpha=0.6)


def test_a_verification_can_be_stopped(good, house, home, goal, degrees):
    class Stop(Exception):
        pass

    def check():
        raise Stop

    with pytest.raises(Stop):
        verify(house, home, good, goal, degrees(GIVEN), alpha=0.6, check=check)


def test_alpha_is_cut_again(good, verdict_on):
    assert verdict_on(good, alpha=0.9).ok
    assert "does not reach" in verdict_on(good, alpha=0.91).problems[0]


def test_resources_are_counted_again(good, verdict_on):
    verdict = verdict_on(good, resources={"battery": 3.0})
    assert not verdict.ok
    assert "battery" in verdict.problems[0]


def test_degrees_are_asked_again(good, verdict_on, degrees):
    assert not verdict_on(good, source=degrees()).ok


def test_another_goal_fails(good, verdict_on):
    assert not verdict_on(good, wanted=parse_expression("on(mug_1, tv)")).ok


def test_constraints_are_checked(good, house, home, degrees, verdict_on):
    """A plan for the book becomes one that puts milk over electronics."""
    text = "on(milk, shelf)"
    result = plan(
        PlanningRequest(house, home, parse_expression(text), PlanningOptions(), degrees())
    )
    wet = with_argument(result.plan, len(result.plan.steps) - 1, "support", "tv")
    verdict = verify(house, home, wet, parse_expression("on(milk, tv)"), degrees(), alpha=0.0)
    assert not verdict.ok
    assert "dry" in " ".join(verdict.problems)
    assert "milk" in " ".join(verdict.problems)


def test_functional_legs_are_checked(house, home, degrees):
    """Picking twice: nothing but `functional: [robot]` forbids it."""
    result = plan(
        PlanningRequest(
            house, home, parse_expression("holding(bot, book)"), PlanningOptions(), degrees()
        )
    )
    twice = replace(result.plan, steps=(*result.plan.steps, *result.plan.steps))
    other = with_argument(twice, 1, "item", "mug_1")
    verdict = verify(
        house, home, other, parse_expression("holding(bot, mug_1)"), degrees(), alpha=0.0
    )
    assert not verdict.ok
    assert "holding" in verdict.problems[0]
