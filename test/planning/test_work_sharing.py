# SPDX-License-Identifier: Apache-2.0
"""The work of a plan dealt out among robots: it ends sooner, and is a plan as good as the other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.domain import check_goal, parse_domain, parse_expression
from fcp_ros.planning import PlanningOptions, PlanningRequest, plan
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.model.request import AbsentExecutor
from fcp_ros.planning.verification.verify import verify
from fcp_ros.planning.work_sharing import share_work

DOMAIN = parse_domain(
    """
domain: depot
version: "1"
types: {thing: [], place: [thing], gate: [thing], robot: [thing], item: [thing]}
relations:
  at: {legs: {robot: robot, place: place}, functional: [robot]}
  on: {legs: {item: item, place: place}, functional: [item]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
  joins: {legs: {from: place, to: place, gate: gate}, static: true}
  shut: {legs: {gate: gate}}
rules:
  go:
    parameters: {robot: robot, from: place, to: place, gate: gate}
    when: ['at(robot, from)', 'joins(from, to, gate)', 'not shut(gate)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 10
    executor: go
  unlock:
    parameters: {robot: robot, place: place, other: place, gate: gate}
    when: ['at(robot, place)', 'joins(place, other, gate)', 'shut(gate)']
    delete: ['shut(gate)']
    duration: 4
    executor: unlock
  pick:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'on(item, place)', 'not holding(robot, ?any)']
    delete: ['on(item, place)']
    add: ['holding(robot, item)']
    duration: 5
    executor: pick
  put:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'holding(robot, item)']
    delete: ['holding(robot, item)']
    add: ['on(item, place)']
    duration: 5
    executor: put
scene: {layers: {}, unknown: item}
"""
)
PLACES, ITEMS, ROBOTS = ("a", "b", "c", "d"), ("cup", "jar", "box"), ("r1", "r2")
ELEMENTS = {
    **dict.fromkeys(PLACES, "place"),
    **dict.fromkeys(ITEMS, "item"),
    **dict.fromkeys(ROBOTS, "robot"),
    **{f"gate_{one}": "gate" for one in "bcd"},
}
JOINS = tuple(
    f"joins({one}, {other}, gate_{max(one, other)})"
    for one in PLACES
    for other in PLACES
    if "a" in (one, other) and one != other
)
"""All places are around the first one."""
ALL_TO_A = "on(cup, a) and on(jar, a) and on(box, a)"


@pytest.fixture(scope="session")
def ask_depot(state):
    """Plans in the depot: (goal, *facts, **options); returns the result, the state and the goal."""

    def run(goal, *facts, **options):
        world = state(DOMAIN, ELEMENTS, (*JOINS, *facts))
        settings_ = PlanningOptions(allow_relaxation=False, improve_time=0.2, **options)
        checked = check_goal(parse_expression(goal), DOMAIN, world, goal)
        return plan(PlanningRequest(DOMAIN, world, checked, settings_)), world, checked

    return run


def list_agents(result):
    return {step.elements[0] for step in result.plan.steps}


BOTH_AT_A = ("at(r1, a)", "at(r2, a)", "on(cup, b)", "on(jar, c)", "on(box, d)")


def test_two_robots_at_one_place_share_what_one_would_do(ask_depot):
    alone, _, _ = ask_depot(ALL_TO_A, *BOTH_AT_A)
    shared, _, _ = ask_depot(ALL_TO_A, *BOTH_AT_A, share_work=True)
    assert list_agents(shared) == set(ROBOTS)
    assert shared.plan.end == 60.0, "one fetches two things, the other one"
    assert alone.plan.end > shared.plan.end
    assert f"it ends after 60 s, not {alone.plan.end:g} s" in shared.message
    assert shared.plan.membership == alone.plan.membership


def test_a_robot_without_the_executor_gets_nothing(ask_depot):
    absent = frozenset({AbsentExecutor("r2", "pick")})
    shared, _, _ = ask_depot(ALL_TO_A, *BOTH_AT_A, share_work=True, absent=absent)
    assert list_agents(shared) == {"r1"}


def test_who_has_to_hold_something_at_the_end_does_not_pass_it_on(ask_depot):
    goal = "holding(r1, cup) and on(jar, a) and on(box, a)"
    shared, world, checked = ask_depot(goal, *BOTH_AT_A, share_work=True)
    assert verify(DOMAIN, world, shared.plan, checked, NoMemberships(), alpha=0.5).ok
    (pick,) = [one for one in shared.plan.steps if one.elements[:2] == ("r1", "cup")]
    assert pick.rule == "pick"
    assert list_agents(shared) == set(ROBOTS)


def test_a_plan_for_one_robot_is_left_alone(state):
    world = state(DOMAIN, {k: v for k, v in ELEMENTS.items() if k != "r2"}, (*JOINS, "at(r1, a)"))
    step = GroundStep(DOMAIN.rules["go"], ("r1", "a", "b", "gate_b"))
    assert share_work(DOMAIN, world, [step]) is None


places = st.sampled_from(PLACES)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(places, min_size=5, max_size=5),
    st.lists(places, min_size=3, max_size=3),
    st.sets(st.sampled_from(["gate_b", "gate_c", "gate_d"]), max_size=1),
    st.sets(st.sampled_from(ROBOTS)),
)
def test_it_is_a_plan_for_the_goal_and_never_ends_later(ask_depot, begin, end, shut, named):
    facts = [f"at({robot}, {place})" for robot, place in zip(ROBOTS, begin[:2], strict=True)]
    facts += [f"on({item}, {place})" for item, place in zip(ITEMS, begin[2:], strict=True)]
    facts += [f"shut({gate})" for gate in shut]
    wanted = [f"on({item}, {place})" for item, place in zip(ITEMS, end, strict=True)]
    wanted += [f"at({robot}, a)" for robot in sorted(named)]
    goal = " and ".join(wanted)
    alone, _, _ = ask_depot(goal, *facts)
    shared, world, checked = ask_depot(goal, *facts, share_work=True)
    assert shared.status.solved == alone.status.solved
    if shared.plan is not None:
        assert verify(DOMAIN, world, shared.plan, checked, NoMemberships(), alpha=0.5).ok
        assert shared.plan.end <= alone.plan.end
