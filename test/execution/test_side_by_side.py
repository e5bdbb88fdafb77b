# SPDX-License-Identifier: Apache-2.0
"""Plans side by side: which ones meet, who waits for whom, and that the others don't interfere."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import parse_domain
from fcp_ros.execution.side_by_side import Claim, MeetingFinder, PlanRegister, make_claim
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules

DOMAIN = parse_domain(
    """
domain: two
version: "1"
types: {thing: [], place: [thing], robot: [thing], item: [thing]}
relations:
  at: {legs: {robot: robot, place: place}, functional: [robot]}
  on: {legs: {item: item, place: place}, functional: [item]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
  open: {legs: {place: place}}
  tired: {legs: {robot: robot}}
resources:
  battery: {initial: 100, unit: "%", minimum: 0, maximum: 100}
rules:
  go:
    parameters: {robot: robot, from: place, to: place}
    when: ['at(robot, from)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    executor: go
  enter:
    parameters: {robot: robot, from: place, to: place}
    when: ['at(robot, from)', 'open(to)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    executor: go
  shut:
    parameters: {robot: robot, place: place}
    when: ['open(place)', 'not holding(robot, ?any)']
    delete: ['open(place)']
    duration: 1
    executor: shut
  pick:
    parameters: {robot: robot, item: item, place: place}
    when: ['at(robot, place)', 'on(item, place)', 'not holding(robot, ?any)']
    delete: ['on(item, place)']
    add: ['holding(robot, item)']
    duration: 1
    executor: pick
  dance:
    parameters: {robot: robot}
    add: ['tired(robot)']
    uses: {battery: 60}
    duration: 1
    executor: dance
scene: {layers: {}, unknown: item}
"""
)
SHARED = ("go", "pick", "shut", "dance")


@pytest.fixture(scope="module")
def present():
    """Two robots in the hall and on the shelf's side; the kitchen is open."""
    builder = InstanceBuilder(DOMAIN.schema)
    for name in ("r1", "r2", "r3"):
        builder.add("robot", name)
    for name in ("hall", "shelf", "kitchen"):
        builder.add("place", name)
    for name in ("cup", "book"):
        builder.add("item", name)
    for line in (
        "at r1 shelf",
        "at r2 hall",
        "at r3 hall",
        "on cup shelf",
        "on book hall",
        "open kitchen",
    ):
        relation, *names = line.split()
        builder.relate(relation, *map(builder.id_of, names))
    return builder.build()


def make_step(line: str) -> PlanStep:
    rule, *values = line.split()
    known = DOMAIN.rules[rule]
    arguments = tuple(zip(known.parameter_names, values, strict=True))
    return PlanStep(rule, arguments, 1.0, 1.0, 1.0, known.executor)


def claim(*lines: str, goal: str = "") -> Claim:
    return make_claim("G", goal, [make_step(line) for line in lines], DOMAIN, is_shifted=False)


def find(present, plan, other, shared=SHARED):
    return MeetingFinder(DOMAIN, shared).find(plan, other, present)


FETCH = claim("pick r1 cup shelf", "go r1 shelf hall")


def test_plans_that_share_nothing_do_not_meet(present):
    assert find(present, claim("pick r2 book hall", "go r2 hall shelf"), FETCH) == ""


@pytest.mark.parametrize(
    ("plan", "shared", "reason"),
    [
        (claim("go r1 shelf kitchen"), SHARED, "both need r1"),
        (claim("pick r2 book hall"), ("go",), "both need pick, which does one step at a time"),
        (claim("pick r2 cup shelf"), SHARED, "pick(r2, cup, shelf) depends on pick(r1, cup"),
        (claim("dance r2"), SHARED, ""),
        (claim("pick r2 book hall", goal="on(cup, shelf)"), SHARED, "G depends on pick(r1, cup"),
        (claim("pick r2 book hall", goal="always on(book, hall)"), SHARED, "its goal says how"),
        (replace(FETCH, steps=()), SHARED, ""),
    ],
)
def test_what_two_plans_share_is_said(present, plan, shared, reason):
    found = find(present, plan, FETCH, shared)
    assert reason in found
    assert bool(reason) == bool(found)


def test_a_resource_that_is_not_enough_for_both_keeps_them_apart(present):
    found = find(present, claim("dance r2"), claim("dance r1"))
    assert found == "there is not enough battery for both"


def test_a_room_that_one_shuts_and_the_other_enters(present):
    shuts, enters = claim("shut r2 kitchen"), claim("enter r1 shelf kitchen")
    assert "depends on" in find(present, shuts, enters)
    assert "depends on" in find(present, enters, shuts)


def test_the_goal_of_the_plan_that_runs_is_kept_from_the_other_one(present):
    running = claim("go r1 shelf hall", goal="on(book, hall) and at(r1, hall)")
    assert find(present, claim("pick r2 book hall"), running) == "pick(r2, book, hall) depends on G"


def test_a_thing_that_is_gone_keeps_them_apart(present):
    assert "is gone" in find(present, claim("go r2 hall shelf"), claim("pick r1 lamp shelf"))


# --- who waits for whom


@pytest.fixture
def plans(present):
    return PlanRegister(MeetingFinder(DOMAIN, SHARED), lambda: present)


def test_a_robot_that_is_done_with_its_part_is_free(plans):
    both = claim("pick r1 cup shelf", "go r2 hall shelf", "go r1 shelf hall")
    assert plans.find_meeting(b"a", both) is None
    plans.begin(b"a", both)
    wanted = claim("go r2 hall kitchen")
    meeting = plans.find_meeting(b"b", wanted)
    assert (meeting.key, meeting.reason) == (b"a", "Waits for the goal 'G': both need r2.")
    assert plans.list_busy(b"b") == {b"a": {"r1", "r2"}}
    assert plans.list_busy(b"a") == {}
    plans.note_done(b"a", 1)
    assert plans.list_busy(b"b") == {b"a": {"r1"}}
    assert plans.find_meeting(b"b", wanted) is None


def test_a_plan_does_not_overtake_one_that_has_waited_longer(plans):
    first, second, third = (
        claim("go r1 shelf hall"),
        claim("go r1 shelf hall", "go r2 hall shelf"),
        claim("go r2 hall shelf"),
    )
    plans.begin(b"1", first)
    assert plans.find_meeting(b"2", second).key == b"1"
    plans.wait(b"2", second)
    assert plans.is_anybody_waiting
    assert plans.find_meeting(b"3", third).key == b"2"
    plans.wait(b"3", third)
    plans.leave(b"1")
    assert plans.find_meeting(b"2", second) is None
    plans.begin(b"2", second)
    assert plans.find_meeting(b"3", third).key == b"2"
    plans.leave(b"2")
    assert plans.find_meeting(b"3", third) is None


def test_a_goal_without_a_plan_beside_the_others_keeps_younger_ones_waiting(plans):
    plans.begin(b"1", claim("go r1 shelf hall"))
    anything = Claim("X", alone="there is no plan beside it")
    assert plans.find_meeting(b"2", anything).key == b"1"
    plans.wait(b"2", anything)
    assert plans.find_meeting(b"3", claim("go r2 hall shelf")).key == b"2"
    plans.leave(b"1")
    assert plans.find_meeting(b"2", anything) is None


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["r1", "r2", "r3"]))))
def test_no_robot_is_in_two_plans_and_somebody_can_always_begin(present, moves):
    """Goals that want robots, one after the other; each ends when it comes again while it runs."""
    plans = PlanRegister(MeetingFinder(DOMAIN, SHARED), lambda: present)
    running, waiting = {}, {}
    for name, robot in moves:
        key = name.encode()
        if key in running:
            del running[key]
            plans.leave(key)
        elif key not in waiting:
            waiting[key] = claim(f"go {robot} {'shelf' if robot == 'r1' else 'hall'} kitchen")
            plans.wait(key, waiting[key])
        for one in list(waiting):
            if plans.find_meeting(one, waiting[one]) is None:
                running[one] = waiting.pop(one)
                plans.begin(one, running[one])
        robots = [step.elements[0] for one in running.values() for step in one.steps]
        assert len(robots) == len(set(robots))
        assert running or not waiting, "nobody waits for nothing"


# --- the twin: all that do not meet are tried in mixed orders

RULES = StepRules(DOMAIN)
THINGS = {"place": ("hall", "shelf", "kitchen"), "item": ("cup", "book")}


def list_steps(robot: str) -> list[PlanStep]:
    """All steps of a robot, possible or not."""
    found = []
    for rule in DOMAIN.rules.values():
        choices = [(robot,) if p.type == "robot" else THINGS[p.type] for p in rule.parameters]
        found += [make_step(" ".join((rule.name, *values))) for values in product(*choices)]
    return found


def walk(state, robot: str, rng, length: int) -> list[PlanStep]:
    """Some steps of a robot that can be done one after the other."""
    steps = []
    for _ in range(length):
        possible = [
            (step, after)
            for step in list_steps(robot)
            if (after := RULES.apply(step, state).instance) is not None
        ]
        if not possible:
            break
        step, state = rng.choice(possible)
        steps.append(step)
    return steps


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.integers(1, 4), st.integers(1, 4), st.randoms(use_true_random=False))
def test_every_mixture_of_plans_that_do_not_meet_can_be_done_and_ends_the_same(
    present, one_length, other_length, rng
):
    plans = [walk(present, "r1", rng, one_length), walk(present, "r2", rng, other_length)]
    claims = [make_claim("G", "", steps, DOMAIN, is_shifted=False) for steps in plans]
    assume(all(plans))
    assume(not find(present, claims[1], claims[0]))
    ends = []
    for _ in range(6):
        state, left = present, [list(steps) for steps in plans]
        while any(left):
            step = rng.choice([steps for steps in left if steps]).pop(0)
            state = RULES.apply(step, state).instance
            assert state is not None, f"{step} can't be done any more"
        ends.append(state)
    assert all(end == ends[0] for end in ends)
