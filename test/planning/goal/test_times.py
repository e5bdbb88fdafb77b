# SPDX-License-Identifier: Apache-2.0
"""Goals with times in the house, where each action takes a second: plans, schedules, refusals."""

from dataclasses import replace

import pytest

from fcp_ros.domain import ExpressionError, check_goal, parse_expression
from fcp_ros.domain.model import Duration
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.goal import trajectory_monitors
from fcp_ros.planning.verification.verify import verify

WAITING = "at(bot, hall) and hold at(bot, kitchen) during 3 s to 10 s"


@pytest.mark.parametrize(
    ("goal", "ends"),
    [
        ("forall ?x: mug (on(?x, shelf) within 3 s)", (1, 2, 3)),
        ("hold at(bot, hall) during 1 s to 2 s and at(bot, kitchen)", (1, 2)),
        (WAITING, (10,)),
        ("not closed(crate) within 1 s after at(bot, kitchen)", (1,)),
        ("on(mug_1, shelf) and at(bot, kitchen) within 2 s after at(bot, hall)", (1, 2, 3, 4)),
    ],
)
def test_plans_keep_their_times(goal, ends, ask):
    result = ask(goal)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    found = result.plan.schedule.ends
    if "holding" not in goal:
        assert found == pytest.approx(ends)
    assert result.verification.ok


@pytest.mark.parametrize(
    "goal",
    [
        "hold at(bot, hall) during 0.5 s to 0.6 s",
        "hold at(bot, kitchen) after 5 s and sometime at(bot, hall) and at(bot, hall) within 0.5 s",
        "on(mug_1, shelf) and at(bot, kitchen) within 1 s after at(bot, hall)",
    ],
)
def test_what_is_too_late_is_proven_to_have_no_plan(goal, ask):
    assert ask(goal).status is PlanStatus.UNSOLVABLE_PROVEN


def test_a_preference_with_a_time_is_given_up_by_name(ask):
    result = ask("on(mug_1, shelf) and prefer 0.2 as fast: on(mug_1, shelf) within 2 s")
    assert [one.name for one in result.given_up] == ["fast"]
    assert result.plan.membership == pytest.approx(0.8)
    kept = ask("on(mug_1, shelf) and prefer 0.2 as fast: on(mug_1, shelf) within 3 s")
    assert not kept.given_up


def test_a_plan_waits_and_may_not_start_later(ask):
    result = ask(f"not closed(crate) within 2 s and {WAITING}")
    (opened, went), schedule = result.plan.steps, result.plan.schedule
    assert (opened.rule, went.rule) == ("open", "go")
    assert schedule.starts == pytest.approx((0.0, 9.0))
    assert schedule.latest_starts == pytest.approx((1.0, 9.0))


def test_counted_from_a_trigger_no_step_may_start_later(ask):
    result = ask("on(mug_1, shelf) and at(bot, kitchen) within 2 s after at(bot, hall)")
    assert result.plan.schedule.latest_starts == result.plan.schedule.starts


def test_the_verifier_has_its_own_clock(ask, house, home, degrees):
    text = "on(mug_1, shelf) within 4 s"
    made, goal = ask(text).plan, check_goal(parse_expression(text), house, home)

    def check(delay):
        moved = replace(
            made.schedule,
            starts=tuple(start + delay for start in made.schedule.starts),
            ends=tuple(end + delay for end in made.schedule.ends),
            latest_starts=tuple(start + delay for start in made.schedule.latest_starts),
            makespan=made.schedule.makespan + delay,
        )
        late = replace(made, schedule=moved)
        return verify(house, home, late, goal, degrees(), alpha=0.5)

    assert check(0.0).ok
    assert check(1.0).ok
    assert any("the goal's degree is 0" in problem for problem in check(1.1).problems)


def test_nothing_may_wait_where_time_is_counted_from_a_trigger(ask):
    result = ask(f"{WAITING} and closed(crate) within 1 s after not closed(crate)")
    assert result.status is PlanStatus.UNSUPPORTED
    assert "`hold ... after`" in result.message


def test_too_many_times_are_refused(ask, monkeypatch):
    monkeypatch.setattr(trajectory_monitors, "MAX_WAITS", 4)
    counted = "at(bot, kitchen) within {} s after at(bot, hall)"
    assert ask(counted.format(3)).status.solved
    result = ask(counted.format(4))
    assert result.status is PlanStatus.UNSUPPORTED
    assert "different times within 4 s" in result.message


def test_without_durations_times_are_refused(house, home):
    text = "on(mug_1, shelf) and at(bot, hall) within 5 s"
    with pytest.raises(ExpressionError, match="how long actions take: give them dur") as caught:
        check_goal(parse_expression(text), replace(house, timed=False), home, text)
    assert caught.value.column == text.index("at(bot") + 1


@pytest.mark.parametrize(
    ("begin", "status"),
    [("1 s", PlanStatus.UNSOLVABLE_PROVEN), ("1.000001 s", PlanStatus.SOLVED_OPTIMALLY)],
)
def test_a_step_without_duration_does_not_mend_what_was_reached_in_time(
    house, state, degrees, begin, status
):
    """The robot arrives after 1 s, and opens the crate at once."""
    rules = {**house.rules, "open": replace(house.rules["open"], duration=Duration(0.0))}
    instant = replace(house, rules=rules)
    elements = {"bot": "robot", "hall": "room", "kitchen": "room", "door": "door", "crate": "box"}
    facts = ["at(bot, hall)", "connected(hall, kitchen, door)", "in_room(crate, kitchen)"]
    home = state(instant, elements, [*facts, "closed(crate)"])
    goal = check_goal(parse_expression(f"hold not closed(crate) after {begin}"), instant, home)
    result = plan(PlanningRequest(instant, home, goal, PlanningOptions(), degrees()))
    assert result.status is status, result.message
