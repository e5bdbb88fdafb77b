# SPDX-License-Identifier: Apache-2.0
"""The verifier: right plans pass, and every mutation of a right plan fails with a sentence."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.fuzzy import EPSILON, TNORMS
from fcp_ros.planning import PlanningOptions, PlanningRequest, plan, verify
from fcp_ros.planning.verification.stepping import StepRules
from fcp_ros.planning.verification.verify import compose_running

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


MUTATIONS = {  # beside those of random plans, in test_random_plans
    "no steps": lambda p: replace(p, steps=()),
    "other rule": lambda p: mutated_step(p, 0, rule="place"),
    "parameters in another order": lambda p: mutated_step(
        p, 0, arguments=tuple(reversed(p.steps[0].arguments))
    ),
    "one element twice": lambda p: with_argument(p, 0, "support", p.steps[0].arguments[1][1]),
    "binding to another": lambda p: replace(p, binding=(("x", "mug_2"),)),
    "other t-norm": lambda p: replace(p, tnorm="goedel"),
}


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


def test_degrees_are_asked_again(good, verdict_on, degrees):
    assert not verdict_on(good, source=degrees()).ok


@pytest.mark.parametrize("tnorm", TNORMS.values(), ids=TNORMS)
@given(degrees=st.lists(st.sampled_from([0.0, 0.3, 0.7, 0.95, 1.0, 1.0]), max_size=8))
def test_running_composition(tnorm, degrees):
    expected = [tnorm.compose_all(degrees[: n + 1]) for n in range(len(degrees))]
    assert compose_running(degrees, tnorm) == pytest.approx(expected, abs=EPSILON)
