# SPDX-License-Identifier: Apache-2.0
"""Schedules by example: two robots, a battery that is charged, windows, deadlines, bad numbers."""

import math
from dataclasses import replace

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import Window, parse_domain
from fcp_ros.planning.model.plan import PlanStep, Schedule
from fcp_ros.planning.schedule import Inconsistency, schedule_steps

DOMAIN = """
domain: two
version: "1"
types: {thing: [], place: [thing], robot: [thing], item: [thing], person: [agent], agent: [thing]}
relations:
  at: {legs: {robot: robot, place: place}, functional: [robot]}
  on: {legs: {item: item, place: place}, functional: [item]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
  lit: {legs: {place: place}}
  wet: {legs: {place: place}}
  met: {legs: {person: person}}
rules:
  go:
    parameters: {robot: robot, from: place, to: place}
    when: ['at(robot, from)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 10
    uses: {battery: 3}
    executor: go
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
  light:
    parameters: {place: place}
    when: ['not lit(place)']
    add: ['lit(place)']
    duration: 2
    executor: home
  mop:
    parameters: {place: place}
    when: ['not wet(place)']
    add: ['wet(place)']
    duration: 3
    executor: home
  dry:
    parameters: {place: place}
    when: ['wet(place)']
    delete: ['wet(place)']
    duration: 4
    executor: fan
  appear:
    parameters: {item: item, place: place}
    add: ['on(item, place)']
    duration: 1
    executor: home
  charge:
    parameters: {robot: robot, place: place}
    when: ['at(robot, place)']
    add: ['lit(place)']
    duration: 20
    uses: {battery: -4}
    executor: dock
  greet:
    parameters: {robot: robot, person: person}
    when: ['not holding(robot, ?any)']
    add: ['met(person)']
    effects: [{variables: {p: place}, when: ['at(robot, p)'], add: [lit(p)]}]
    duration: 1
    executor: greet
constraints:
  nothing_on_wet:
    variables: {item: item, place: place}
    never: ['on(item, place)', 'wet(place)']
    because: it gets wet
resources:
  battery: {initial: 6, minimum: 0, maximum: 9}
scene: {layers: {room: place, agent: robot}, unknown: item}
"""
ELEMENTS = {
    "r1": "robot",
    "r2": "robot",
    "anna": "person",
    "hall": "place",
    "shelf": "place",
    "table": "place",
    "mug": "item",
    "jar": "item",
}
FACTS = [("at", "r1", "shelf"), ("at", "r2", "hall"), ("on", "mug", "shelf"), ("on", "jar", "hall")]


@pytest.fixture(scope="module")
def domain():
    return parse_domain(DOMAIN)


@pytest.fixture(scope="module")
def state(domain):
    builder = InstanceBuilder(domain.schema)
    for name, type_ in ELEMENTS.items():
        builder.add(type_, name)
    for relation, *names in FACTS:
        builder.relate(relation, *map(builder.id_of, names))
    return builder.build()


def plan_steps(domain, *texts):
    """Steps such as "go r1 shelf table"."""
    made = []
    for text in texts:
        name, *arguments = text.split()
        rule = domain.rules[name]
        bound = tuple(zip(rule.parameter_names, arguments, strict=True))
        made.append(PlanStep(name, bound, 1.0, 1.0, rule.duration.base, rule.executor))
    return made


def scheduled(domain, state, *texts, **options):
    return schedule_steps(domain, state, plan_steps(domain, *texts), **options)


BRING = (
    "pick r1 mug shelf",
    "go r1 shelf table",
    "put r1 mug table",
    "pick r2 jar hall",
    "go r2 hall table",
    "put r2 jar table",
)


def test_two_robots_work_side_by_side(domain, state):
    made = scheduled(domain, state, *BRING)
    assert made == Schedule(
        starts=(0, 5, 15, 0, 5, 15),
        ends=(5, 15, 20, 5, 15, 20),
        latest_starts=(0, 5, 15, 0, 5, 15),
        order=((0, 1), (1, 2), (3, 4), (4, 5)),
        agents=(("r1",),) * 3 + (("r2",),) * 3,
        makespan=20,
    )


def test_who_is_busy(domain, state):
    made = scheduled(domain, state, "light hall", "mop table", "dry table", "greet r1 anna")
    assert made.agents == (
        ("executor home",),
        ("executor home",),
        ("executor fan",),
        ("r1", "anna"),
    )
    assert made.starts == (0, 2, 5, 0)


def test_a_battery_is_charged_before_it_is_empty(domain, state):
    texts = ("go r1 shelf hall", "go r2 hall table", "charge r1 hall", "go r2 table shelf")
    made = scheduled(domain, state, *texts)
    assert {(0, 2), (1, 2), (2, 3)} <= set(made.order)
    assert made.starts == (0, 0, 10, 30)
    # With more at first no order of the steps can empty it, nor overfill it.
    roomy = replace(domain.resources["battery"], initial=20.0, maximum=30.0)
    free = scheduled(replace(domain, resources={"battery": roomy}), state, *texts)
    assert free.starts == (0, 0, 10, 10)
    assert scheduled(domain, state, *texts, levels={"battery": 9.0}).starts == (0, 0, 10, 30)


def with_window(domain, rule, opens, closes):
    rules = {**domain.rules, rule: replace(domain.rules[rule], window=Window(opens, closes))}
    return replace(domain, rules=rules)


def test_contradictory_windows_are_named(domain, state):
    late = with_window(with_window(domain, "pick", 30, 60), "put", 0, 40)
    made = scheduled(late, state, *BRING[:3])
    assert made == Inconsistency(
        "Step 1 pick(r1, mug, shelf), step 2 go(r1, shelf, table) and step 3 put(r1, mug, table) "
        "take 20 s one after the other and can't start before 30 s, when the window of the first "
        "opens, but the window of the last closes at 40 s: 10 s too late.",
        (0, 1, 2),
        10.0,
        True,
    )


def test_a_deadline_that_is_too_near_is_named(domain, state):
    assert scheduled(domain, state, *BRING, deadline=20.0).makespan == 20.0
    made = scheduled(domain, state, *BRING, deadline=19.0)
    assert isinstance(made, Inconsistency)
    assert made.proven
    assert made.excess == 1.0
    assert "the deadline is at 19 s: 1 s too late" in made.message


def test_a_deadline_of_no_length(domain, state):
    made = scheduled(domain, state, "light hall", deadline=0.0)
    assert made.message == (
        "Step 1 light(hall) takes 2 s, but the deadline is at 0 s: 2 s too late."
    )


def test_agents_change_their_order_for_a_window(domain, state):
    texts = ("light hall", "mop table")  # both go to the executor `home`
    narrow = with_window(with_window(domain, "light", 10, 20), "mop", 0, 5)
    made = scheduled(narrow, state, *texts)
    assert made.starts == (10, 0)
    assert made.order == ((1, 0),)
    # ... but where that does not help, it is only said that no schedule was found.
    tight = with_window(with_window(domain, "light", 0, 3), "mop", 0, 4)
    failed = scheduled(tight, state, *texts)
    assert isinstance(failed, Inconsistency)
    assert not failed.proven


@pytest.mark.parametrize("deadline", [-1.0, math.nan, -math.inf])
def test_bad_deadlines_are_refused(domain, state, deadline):
    with pytest.raises(ValueError, match=r"the deadline is .*: give a number of seconds"):
        scheduled(domain, state, "light hall", deadline=deadline)


@pytest.mark.parametrize("duration", [-1.0, math.nan, math.inf])
def test_bad_durations_are_refused(domain, state, duration):
    steps = [replace(plan_steps(domain, "light hall")[0], duration=duration)]
    with pytest.raises(ValueError, match=r"the duration of light.hall. is .*: give a finite"):
        schedule_steps(domain, state, steps)
