# SPDX-License-Identifier: Apache-2.0
"""A source that can look more closely does so at what plans rest on, and at nothing else."""

from __future__ import annotations

import pytest

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.grounding.judgement import GroundingCode, GroundingError, Membership
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.relaxation.plan_goal import plan_goal

GOAL = '(serves_as(mug_1, "drinking") or serves_as(mug_2, "drinking")) and on(book, tv)'
FIRST, SECOND = "serves_as(mug_1, drinking)", "serves_as(mug_2, drinking)"


def write(request):
    return str(request).replace('"', "")


class TwoStages:
    """Answers with rough degrees until it is asked to confirm them."""

    def __init__(self, rough, exact):
        self.given = dict(rough)
        self.exact = exact
        self.batches = 0
        self.confirmed: list[str] = []

    def judge(self, requests):
        self.batches += 1
        degrees = [self.given.get(write(request), 1.0) for request in requests]
        return [Membership(degree, degree, source="table") for degree in degrees]

    def confirm(self, requests):
        before = dict(self.given)
        for name in map(write, requests):
            if name in self.given:
                self.confirmed.append(name)
            if name in self.exact:
                self.given[name] = self.exact[name]
        return self.given != before


@pytest.fixture
def planned(house, home):
    def run(source, **options):
        goal = check_goal(parse_expression(GOAL), house, home, GOAL)
        settings = PlanningOptions(**{"time_limit": 20.0, "alpha": 0.3, **options})
        return plan(PlanningRequest(house, home, goal, settings, source))

    return run


def list_judged(result):
    return {write(j.request): j.membership.degree for j in result.plan.goal_judgements}


def test_a_plan_that_rests_on_too_high_a_degree_is_made_again(planned):
    source = TwoStages({FIRST: 0.9, SECOND: 0.7}, {FIRST: 0.4, SECOND: 0.8})
    result = planned(source)
    assert result.status.solved, result.message
    assert list_judged(result) == {SECOND: 0.8}
    assert sorted(set(source.confirmed)) == [FIRST, SECOND]


def test_a_goal_that_may_be_relaxed_rests_on_confirmed_degrees_too(house, home):
    """The memory of a request's answers lets them be confirmed; it hid them once (issue 34)."""
    source = TwoStages({FIRST: 0.9, SECOND: 0.7}, {FIRST: 0.4, SECOND: 0.8})
    settings = PlanningOptions(time_limit=20.0, alpha=0.3)
    result = plan_goal(PlanningRequest(house, home, GOAL, settings, source))
    assert result.status.solved, result.message
    assert list_judged(result) == {SECOND: 0.8}


def test_what_no_plan_rests_on_is_not_looked_at(planned):
    source = TwoStages({FIRST: 0.9, SECOND: 0.2}, {FIRST: 0.9, SECOND: 0.95})
    result = planned(source)
    assert list_judged(result) == {FIRST: 0.9}
    assert set(source.confirmed) == {FIRST}


def test_a_source_whose_degrees_never_rest_ends_nothing_late(planned):
    class Restless(TwoStages):
        def confirm(self, requests):
            super().confirm(requests)
            return True

    source = Restless({FIRST: 0.9, SECOND: 0.2}, {})
    assert planned(source).status.solved
    assert source.batches < 20


def test_a_source_that_fails_to_confirm_costs_a_note(planned):
    class Broken(TwoStages):
        def confirm(self, requests):
            raise GroundingError(GroundingCode.MODEL_FAILED, "the model is gone")

    result = planned(Broken({FIRST: 0.9, SECOND: 0.2}, {}))
    assert result.status.solved
    assert any("the model is gone" in note for note in result.notes)


def test_a_plan_is_not_lost_to_a_second_one_that_takes_too_long(planned, monkeypatch):
    from fcp_ros.planning import confirmation, planner

    source = TwoStages({FIRST: 0.9, SECOND: 0.7}, {FIRST: 0.8})
    plan_once, calls = planner._plan_once, []

    def run_out(request):
        calls.append(request.start)
        result = plan_once(request)
        if len(calls) > 1:
            return type(result)(PlanStatus.TIMEOUT, "no time was left")
        return result

    monkeypatch.setattr(planner, "_plan_once", run_out)
    result = planned(source)
    assert result.status.solved
    assert any(confirmation._OUT_OF_TIME in note for note in result.notes)
    assert len(calls) == 2
    assert calls[0] is calls[1] is not None  # both share the limits
