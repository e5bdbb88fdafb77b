# SPDX-License-Identifier: Apache-2.0
"""Degrees that move while a plan is made, and between one plan and the next."""

from collections import Counter

import pytest

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.grounding import CalibrationStore, Grounder, JudgementCache
from fcp_ros.grounding.judgement import Membership
from fcp_ros.grounding.stated import TableOracle
from fcp_ros.planning import (
    Optimise,
    PlanningOptions,
    PlanningRequest,
    PlanningSession,
    PlanStatus,
    plan,
    verify,
)

GOAL = 'on(?x, shelf) and is_a(?x, "mug") and serves_as(?x, "drinking") and on(book, tv)'
GIVEN = {
    "serves_as(mug_1, drinking)": 0.95,
    "serves_as(mug_2, drinking)": 0.5,
    "can_grasp(bot, mug_1)": 0.97,
}


class MovingSource:
    """Answers the first time with a table's degree, and a little less each time it is asked again.

    Attributes:
        asked: context key -> how often it was asked.
    """

    def __init__(self, given):
        self.given = given
        self.asked = Counter()

    def judge(self, requests):
        found = []
        for request in requests:
            degree = self.given.get(str(request).replace('"', ""), 1.0)
            found.append(Membership(degree * 0.9 ** self.asked[request.context_key], degree))
            self.asked[request.context_key] += 1
        return found


class LearningSource:
    """The real grounder; an outcome of whatever was judged arrives right after each answer."""

    def __init__(self, grounder):
        self.grounder = grounder
        self.asked = Counter()

    def judge(self, requests):
        found = self.grounder.judge(requests)
        self.asked.update(request.context_key for request in requests)
        for request, membership in zip(requests, found, strict=True):
            self.grounder.record(request, 0.0, "it failed elsewhere", membership=membership)
        return found


@pytest.fixture
def grounder(house):
    grounder = Grounder(
        house.graded,
        {"table": TableOracle()},
        "table",
        JudgementCache(),
        CalibrationStore(":memory:"),
    )
    yield grounder
    grounder.close()


@pytest.fixture
def planned(house, home):
    """Plans a goal: planned(source, text, session, **options)."""

    def run(source, text=GOAL, session=None, **options):
        goal = check_goal(parse_expression(text), house, home, text)
        settings = PlanningOptions(**{"time_limit": 20.0, **options})
        return plan(PlanningRequest(house, home, goal, settings, source, session=session))

    return run


def test_a_degree_that_moves_after_the_search_spoils_no_plan(planned):
    source = MovingSource(GIVEN)
    result = planned(source)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    assert result.verification.ok
    assert result.plan.membership == pytest.approx(0.92)
    assert set(source.asked.values()) == {1}


def test_an_outcome_that_arrives_after_the_search_spoils_no_plan(planned, grounder):
    source = LearningSource(grounder)
    result = planned(source)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    assert set(source.asked.values()) == {1}
    judged = [*result.plan.goal_judgements, *(j for s in result.plan.steps for j in s.judgements)]
    now = [grounder.judge([j.request])[0].degree for j in judged]
    assert any(one < j.membership.degree for one, j in zip(now, judged, strict=True))


@pytest.mark.parametrize("options", [{"improve_time": 0.0}, {"optimise": Optimise.COST}])
def test_what_a_plan_does_not_rest_on_is_asked_by_nobody(planned, options):
    """Either mug would do: the plan rests on one of them, whatever the other is worth."""
    text = '(serves_as(mug_1, "drinking") or serves_as(mug_2, "drinking")) and on(book, tv)'
    for given in (0.2, 0.8), (0.8, 0.2):
        degrees = zip(
            ("serves_as(mug_1, drinking)", "serves_as(mug_2, drinking)"), given, strict=True
        )
        source = MovingSource(dict(degrees))
        result = planned(source, text, alpha=0.1, **options)
        assert result.status.solved, result.message
        (judged,) = result.plan.goal_judgements
        assert result.plan.goal_degree == judged.membership.degree
        assert set(source.asked.values()) == {1}


def test_judging_again_is_for_the_caller_of_the_verifier(planned, house, home):
    source = MovingSource(GIVEN)
    found = planned(source).plan
    goal = check_goal(parse_expression(GOAL), house, home, GOAL)
    verdict = verify(house, home, found, goal, source, alpha=0.5)
    assert not verdict.ok
    assert "as claimed" in " ".join(verdict.problems)


def test_an_earlier_plan_is_judged_by_what_holds_now(planned, house):
    session = PlanningSession(house)
    source = MovingSource(GIVEN)
    text = "on(mug_1, shelf)"
    first = planned(source, text, session)
    second = planned(source, text, session)
    assert first.plan.membership == pytest.approx(0.97)
    assert second.kept == 0
    assert second.plan.steps[0].degree == pytest.approx(0.97 * 0.9)
    assert second.plan.membership < first.plan.membership
    assert second.verification.ok
    assert set(source.asked.values()) == {2}


def test_an_earlier_plan_notices_an_outcome(planned, house, grounder):
    session = PlanningSession(house)
    text = 'on(?x, shelf) and is_a(?x, "mug") and serves_as(?x, "drinking") and on(book, table)'
    first = planned(grounder, text, session)
    assert first.plan.steps == ()
    (judged,) = first.plan.goal_judgements
    assert first.plan.binding == (("x", "mug_2"),)
    for _ in range(5):
        grounder.record(judged.request, 0.0, "it leaks")
    second = planned(grounder, text, session)
    assert second.kept is None
    assert second.plan.binding == (("x", "mug_1"),)
    assert second.verification.ok
