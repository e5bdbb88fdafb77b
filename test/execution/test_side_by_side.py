# SPDX-License-Identifier: Apache-2.0
"""Plans side by side: which ones meet, who waits for whom, and that the others don't interfere."""

from __future__ import annotations

import weakref
from dataclasses import replace
from itertools import product

import pytest
from carrying_robots import DOMAIN, make_state, make_step
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import facts
from fcp_ros.execution.plan_register import PlanRegister
from fcp_ros.execution.side_by_side import Claim, MeetingFinder, make_claim
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules, holds

SHARED = ("go", "pick", "shut", "dance")


@pytest.fixture(scope="module")
def present():
    """Two robots in the hall and on the shelf's side; the kitchen is open."""
    places = ("at r1 shelf", "at r2 hall", "at r3 hall", "on cup shelf", "on book hall")
    return make_state(*places, "open kitchen")


def claim(*lines: str, goal: str = "") -> Claim:
    return make_claim("G", goal, [make_step(line) for line in lines], DOMAIN, is_shifted=False)


def find(present, plan, other, shared=SHARED):
    return MeetingFinder(DOMAIN, shared).find(plan, other, present)


FETCH = claim("pick r1 cup shelf", "go r1 shelf hall")


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


def test_a_goal_gets_its_place_also_when_others_have_begun_while_it_was_planned_for(plans):
    anything = Claim("X", alone="there is no plan beside it")

    def find():
        found = plans.find_meeting(b"2", anything)
        plans.wait(b"2", anything)
        return found

    plans.begin(b"1", claim("go r1 shelf hall"))
    before = plans.running
    assert plans.find_in_way(before, find).key == b"1"
    plans.leave(b"2")
    plans.begin(b"3", claim("go r2 hall shelf"))
    assert plans.find_in_way(before, find) is None, "it is planned for again"
    assert plans.find_meeting(b"4", claim("go r3 hall shelf")).key == b"2"


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


# --- plans that are made for the end of others


ROUND = ("pick r1 cup shelf", "go r1 shelf hall")
AFTER = ("go r1 hall kitchen", "go r2 hall shelf", "pick r2 book hall")


def begin_both(plans, *lines: str, goal: str = ""):
    """One plan runs, and another one behind it."""
    plans.begin(b"a", claim(*ROUND))
    ahead, wanted = plans.find_ahead(b"b"), claim(*lines, goal=goal)
    assert plans.find_meeting(b"b", wanted, ahead) is None
    plans.begin(b"b", wanted, ahead)
    return ahead


def test_what_depends_on_the_goal_ahead_waits_for_all_of_it(plans):
    plans.begin(b"a", claim(*ROUND, goal="on(book, hall)"))
    plans.begin(b"b", claim("pick r2 book hall"), plans.find_ahead(b"b"))
    plans.note_done(b"a", 1)
    assert plans.is_held(b"b", 0)
    plans.note_done(b"a", 0)
    assert not plans.is_held(b"b", 0)


def test_a_plan_that_ends_otherwise_takes_those_with_it_that_wait_for_it(plans):
    begin_both(plans, *AFTER)
    third = plans.find_ahead(b"c")
    plans.begin(b"c", claim("go r1 kitchen hall"), third)
    assert plans.is_anybody_waiting
    plans.leave(b"a")
    assert plans.find_loss(b"b") == "The plan of the goal 'G' has ended, which this one counted on."
    assert third.are_lost
    assert plans.find_ahead(b"d").entries == (), "nobody joins a plan that is lost"
    plans.leave(b"b")
    assert plans.find_loss(b"c")


def test_a_plan_that_has_ended_keeps_none_of_those_before_it(plans):
    """A chain of goals, each behind the one before, may go on for days."""
    first = weakref.ref(begin_both(plans, *AFTER).entries[0])
    plans.begin(b"c", claim("go r2 shelf hall"), plans.find_ahead(b"c"))
    assert plans.is_anybody_waiting
    for key, count in ((b"a", len(ROUND)), (b"b", len(AFTER))):
        for index in range(count):
            plans.note_done(key, index)
        plans.leave(key)
    assert not plans.is_held(b"c", 0)
    assert first() is None


def test_another_plan_for_the_same_goal_is_not_what_was_counted_on(plans):
    begin_both(plans, *AFTER)
    plans.begin(b"a", claim(*ROUND))
    assert plans.find_loss(b"b")


def test_a_plan_that_waits_for_nothing_more_goes_on_without_the_one_ahead(plans):
    begin_both(plans, "go r2 hall shelf")
    plans.leave(b"a")
    assert plans.find_loss(b"b") == ""


def test_nobody_is_joined_who_runs_alone_or_has_waited_longer(plans):
    plans.begin(b"a", claim(*ROUND))
    ahead = plans.find_ahead(b"b")
    assert plans.find_meeting(b"b", claim("go r1 hall shelf", goal="always at(r2, hall)"), ahead)
    plans.wait(b"b", claim("go r1 hall shelf"))
    assert plans.find_ahead(b"c").entries == ()
    plans.leave(b"b")
    plans.begin(b"d", claim("dance r2", goal="always at(r3, hall)"))
    assert plans.find_ahead(b"c").entries == ()


def test_where_an_element_is_gone_the_plans_are_done_one_after_the_other(present):
    ahead = claim("pick r1 lamp shelf", "go r1 shelf hall")
    waits = MeetingFinder(DOMAIN, SHARED).find_waits([ahead], claim("go r2 hall shelf"), present)
    everything = {(0, 0), (0, 1)}
    assert waits == {0: everything, 1: everything}


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


class Mixture:
    """Plans that are done step by step, those of one plan in their order; the goals are checked."""

    def __init__(self, present, shared, rng) -> None:
        self.state, self.rng = present, rng
        self.plans = PlanRegister(MeetingFinder(DOMAIN, shared), lambda: self.state)
        self.claims: list[Claim] = []
        self.left: list[list[int]] = []

    def begin(self, robot: str, length: int) -> None:
        """Begin a plan that is made for the end of the others, with a part of it as its goal."""
        key = bytes([len(self.claims)])
        ahead = self.plans.find_ahead(key)
        foreseen = RULES.foresee(ahead.steps, self.state)
        steps = walk(foreseen, robot, self.rng, length)
        new = sorted(facts(RULES.foresee(steps, foreseen)))
        goal = str(self.rng.choice(new)) if self.rng.random() < 0.7 else ""
        self.claims.append(make_claim("G", goal, steps, DOMAIN, is_shifted=False))
        self.left.append(list(range(len(steps))))
        self.plans.begin(key, self.claims[-1], ahead)

    def go_on(self) -> bool:
        """Do a step, any that waits for nothing; False if there is none."""
        possible = [
            (number, left)
            for number, left in enumerate(self.left)
            if left and not self.plans.is_held(bytes([number]), left[0])
        ]
        if not possible:
            return False
        number, left = self.rng.choice(possible)
        step = self.claims[number].steps[left[0]]
        self.state = RULES.apply(step, self.state).instance
        assert self.state is not None, f"{step} can't be done any more"
        were_met = self.list_met()
        self.plans.note_done(bytes([number]), left.pop(0))
        for one in set(self.list_met()) - set(were_met):
            assert all(holds(fact, self.state) for fact in self.claims[one].demands)
        return True

    def list_met(self) -> list[int]:
        """The goals that the executive reports as achieved."""
        return [
            number
            for number, left in enumerate(self.left)
            if not left and not self.plans.is_held(bytes([number]), len(self.claims[number].steps))
        ]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["r1", "r2"]), st.integers(0, 3)), min_size=2, max_size=3),
    st.integers(1, 4),
    st.sampled_from([SHARED, ("go",)]),
    st.randoms(use_true_random=False),
)
def test_plans_made_for_the_end_of_others_reach_all_goals_in_every_mixture(
    present, goals, length, shared, rng
):
    """The verifier's rules do the steps."""
    mixture = Mixture(present, shared, rng)
    for robot, steps_before_the_next in goals:
        mixture.begin(robot, length)
        for _ in range(steps_before_the_next):
            mixture.go_on()
    while any(mixture.left):
        assert mixture.go_on(), "nobody waits for ever"
    steps = [step for one in mixture.claims for step in one.steps]
    assert len(mixture.list_met()) == len(goals)
    assert mixture.state == RULES.foresee(steps, present), "as if done one after the other"
