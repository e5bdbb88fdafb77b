# SPDX-License-Identifier: Apache-2.0
"""From one request to the next: a plan that still holds is kept."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from fcp_ros.domain import check_goal, parse_expression
from fcp_ros.fuzzy import AlphaPolicy
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.session import PlanningSession


def steps(result):
    return [str(step) for step in result.plan.steps]


@pytest.fixture
def again(house, degrees):
    """Plans in one session: again(instance, goal, degrees)."""
    session = PlanningSession(house)

    def run(instance, text, given=None, **options):
        goal = check_goal(parse_expression(text), house, instance, text)
        settings = PlanningOptions(**{"time_limit": 20.0, **options})
        return plan(
            PlanningRequest(house, instance, goal, settings, degrees(given), session=session)
        )

    return run


def test_a_plan_that_still_holds_is_kept(again, home):
    first = again(home, "on(mug_1, shelf)")
    second = again(home, "on(mug_1, shelf)")
    assert second.status is PlanStatus.SOLVED_OPTIMALLY
    assert second.plan.id == first.plan.id
    assert second.kept == 0
    assert "still holds" in second.message
    assert first.kept is None


def test_of_a_plan_that_was_begun_the_rest_is_kept(again, home, house, state, house_facts):
    first = again(home, "on(mug_1, shelf)")
    facts = [*(f for f in house_facts if f != "on(mug_1, table)"), "holding(bot, mug_1)"]
    begun = state(house, {n: home.type_of(home.id_of(n)) for n in home.names()}, facts)
    second = again(begun, "on(mug_1, shelf)")
    assert second.kept == 1
    assert steps(second) == steps(first)[1:]
    assert second.verification.ok


def test_a_plan_that_fails_now_is_made_anew(again, home, house, state, house_facts):
    again(home, "on(mug_1, shelf)")
    facts = [*house_facts, "closed(door_1)", "in_room(door_1, kitchen)"]
    changed = state(house, {n: home.type_of(home.id_of(n)) for n in home.names()}, facts)
    second = again(changed, "on(mug_1, shelf)")
    assert second.kept is None
    assert [step.rule for step in second.plan.steps].count("open") == 1


def test_a_plan_is_kept_only_if_no_plan_is_better(again, home):
    goal = 'on(?x, table) and is_a(?x, "mug") and serves_as(?x, "drinking")'
    worse = {"serves_as(mug_1, drinking)": 0.6, "serves_as(mug_2, drinking)": 0.5}
    better = {**worse, "serves_as(mug_2, drinking)": 0.9}
    assert again(home, goal, worse).plan.binding == (("x", "mug_1"),)
    same = again(home, goal, worse)
    assert same.kept == 0
    assert same.status is PlanStatus.SOLVED_OPTIMALLY
    other = again(home, goal, better)
    assert other.kept is None
    assert other.plan.binding == (("x", "mug_2"),)


def test_a_session_of_another_domain_is_refused(house, home, degrees):
    session = PlanningSession(replace(house))
    goal = parse_expression("on(mug_1, shelf)")
    result = plan(PlanningRequest(house, home, goal, PlanningOptions(), degrees(), session=session))
    assert result.status is PlanStatus.INVALID_REQUEST


def test_a_plan_that_is_kept_is_explained_like_a_new_one(again, home):
    given = {"can_grasp(bot, mug_1)": 0.9}
    first = again(home, "on(mug_1, shelf)", given, explain=True)
    crisp = again(home, "on(mug_2, table)", explain=True)
    kept = again(home, "on(mug_2, table)", explain=True)
    assert kept.kept == 0
    assert kept.explanation.binding == crisp.explanation.binding
    assert "a step of the plan" in kept.explanation.explain_element("mug_2")
    assert "not considered" in kept.explanation.explain_element("book")
    same = again(home, "on(mug_1, shelf)", given, explain=True)
    assert same.kept == 0
    assert same.explanation.shares == first.explanation.shares


def test_two_requests_at_once_share_a_session(again, home):
    goals = ["on(mug_1, shelf)", "on(book, shelf)", "on(mug_2, table)", "on(mug_1, shelf)"] * 3
    alone = {goal: again(home, goal, keep=False).plan.steps for goal in set(goals)}
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda goal: again(home, goal), goals))
    for goal, result in zip(goals, together, strict=True):
        assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
        assert result.plan.steps == alone[goal]


def test_an_adaptive_alpha_is_that_of_the_plan_that_is_kept(again, home):
    given = {"can_grasp(bot, mug_1)": 0.9, "stable(shelf, mug_1)": 0.9}
    policy = AlphaPolicy(0.85, free_length=1, length_factor=0.9, adaptive=True)
    for optimise, kept in ((Optimise.MEMBERSHIP, 0), (Optimise.COST, None)):
        asked = {"policy": policy, "optimise": optimise}
        first = again(home, "on(mug_1, shelf)", given, keep=False, **asked)
        second = again(home, "on(mug_1, shelf)", given, **asked)
        assert second.kept == kept
        for result in (first, second):
            assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
            assert result.alpha == result.plan.alpha == pytest.approx(0.85 * 0.9)
        assert second.alpha_reason == first.alpha_reason
