# SPDX-License-Identifier: Apache-2.0
"""Rules that merely forget an old value: one operator for each new one."""

import math
from dataclasses import replace

import pytest
from encoded_goals import PLAIN, encode_goal
from flat_twin import least
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fcp_ros.domain import parse_domain
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.relevance.overwriting import find_forgotten_parameter, find_overwritings
from fcp_ros.planning.task.lifted import lift_domain

DOMAIN = """
domain: places
version: "1"
types: {thing: [], robot: [thing], place: [thing], far: [place]}
relations:
  at: {legs: {robot: robot, place: place}, functional: [robot]}
  lost: {legs: {robot: robot}}
  shut: {legs: {place: place}}
attributes: {x: {of: thing, kind: float}, y: {of: thing, kind: float}}
rules:
  go:
    parameters: {robot: robot, from: OLD, to: place}
    when: ['at(robot, from)', 'not shut(to)'EXTRA]
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: DURATION
    executor: go
  stray:
    parameters: {robot: robot, from: place}
    when: ['at(robot, from)']
    delete: ['at(robot, from)']
    add: ['lost(robot)']
    duration: 1
    executor: stray
  shut:
    parameters: {robot: robot, place: place}
    when: ['at(robot, place)']
    add: ['shut(place)']
    duration: 1
    executor: shut
scene: {layers: {room: place}, unknown: thing}
"""


def domain_of(extra="", duration="1", old="place"):
    text = DOMAIN.replace("EXTRA", extra).replace("DURATION", duration).replace("OLD", old)
    return parse_domain(text)


def state_of(state, domain, places=6, far=2):
    kinds = {f"p{i}": "far" if i < far else "place" for i in range(places)}
    return state(domain, {"bot": "robot", "rob": "robot", **kinds}, ["at(bot, p0)", "at(rob, p1)"])


FORGETTING = replace(PLAIN, forgetting=True)


@pytest.mark.parametrize(
    ("extra", "duration", "durations", "expected"),
    [
        ("", "1", True, 1),
        (", 'not shut(from)'", "1", True, None),
        ("", "{base: 1, per_metre: 1, between: [from, to]}", True, None),
        ("", "{base: 1, per_metre: 1, between: [from, to]}", False, 1),
    ],
)
def test_a_parameter_that_nothing_else_speaks_of_is_forgotten(extra, duration, durations, expected):
    domain = domain_of(extra, duration)
    found = find_forgotten_parameter(domain.rules["go"], domain.schema, durations)
    assert (found and found.parameter) == expected
    assert find_forgotten_parameter(domain.rules["stray"], domain.schema, durations) is None


def test_operators_are_linear_in_the_places(state):
    domain = domain_of()
    instance = state_of(state, domain)
    many = encode_goal(domain, instance, "at(bot, p5)").encoding
    few = encode_goal(domain, instance, "at(bot, p5)", switches=FORGETTING).encoding
    names = [str(action.steps[0]) for action in few.actions if action.steps]
    assert sum(name.startswith("go(bot") for name in names) == 6
    assert sum(str(a.steps[0]).startswith("go(bot") for a in many.actions if a.steps) == 30
    _, plan = least(few.flat, few.flat.cost)
    assert [str(step) for step in few.decode(plan).steps] == ["go(bot, p0, p5)"]


def test_only_representatives_are_grounded(state):
    domain = domain_of()
    instance = state_of(state, domain, places=40, far=20)
    goal = "at(bot, p5) or at(bot, p6) or shut(p7) or at(bot, p0)"
    moves = {}
    for switches in (FORGETTING, PLAIN):
        made = encode_goal(domain, instance, goal, switches=switches, on_demand=True).encoding
        moves[switches] = [str(a.steps[0]) for a in made.actions if a.steps]
    few, many = (
        [name for name in moves[switches] if name.startswith("go(bot")]
        for switches in (FORGETTING, PLAIN)
    )
    assert sorted(few) == [f"go(bot, , p{n})" for n in (0, 5, 6, 7)]
    assert len(many) == 4 * 3
    task = encode_goal(domain, instance, goal, switches=FORGETTING, on_demand=True).encoding.task
    assert sum(operator.rule.name == "go" for operator in task.operators) == 6


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("", ["go"]),
        ("when: ['not at(?any, place)'], add: ['shut(place)']", []),
        ("when: ['shut(place)', 'lost(robot)'], add: ['at(robot, place)']", []),
        (
            "when: ['shut(place)'], effects: [{variables: {r: robot}, when: ['at(r, place)'], "
            "delete: ['shut(place)']}]",
            [],
        ),
        ("when: ['shut(place)', 'at(robot, place)'], delete: ['shut(place)']", ["go"]),
    ],
)
def test_what_must_not_depend_on_the_place_that_is_left(rules, expected):
    text = DOMAIN.replace("EXTRA", "").replace("DURATION", "1").replace("OLD", "place")
    more = ""
    if rules:
        robot = "robot: robot, " if "robot" in rules.replace("robot}", "") else ""
        more = f"  more: {{parameters: {{{robot}place: place}}, {rules}, duration: 1, executor: x}}"
    lifted = lift_domain(parse_domain(text.replace("scene:", more + "\nscene:")))
    found = find_overwritings(lifted).rules
    assert [lifted.rules[number].action.name for number in found] == expected


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    old=st.sampled_from(["place", "far"]),
    places=st.integers(3, 5),
    far=st.integers(1, 5),
    goal=st.sampled_from(
        [
            "at(bot, p2)",
            "at(bot, p1) and shut(p2)",
            "lost(bot) and at(rob, p2)",
            "lost(bot) and at(bot, p2)",
            "shut(p1) and at(rob, p2) and at(bot, p2)",
            "not at(bot, p0) and shut(p0)",
            "lost(rob) and lost(bot) and shut(p2)",
        ]
    ),
    optimise=st.sampled_from(list(Optimise)),
    on_demand=st.booleans(),
    switches=st.sampled_from([FORGETTING, PLAIN]),
)
def test_forgetting_changes_no_optimum(
    state, old, places, far, goal, optimise, on_demand, switches
):
    domain = domain_of(old=old)
    instance = state_of(state, domain, places, far)
    plain = encode_goal(domain, instance, goal, optimise=optimise).flat
    made = encode_goal(
        domain, instance, goal, optimise=optimise, switches=switches, on_demand=on_demand
    )
    expected, _ = least(plain, plain.cost)
    cost, plan = least(made.flat, made.flat.cost)
    assert cost == expected
    assert len(made.flat.cost) <= len(plain.cost)
    if cost < math.inf:
        steps = made.encoding.decode(plan).steps
        assert len(steps) == cost
        at = {"bot": "p0", "rob": "p1"}
        for step in steps:
            if step.rule.name in ("go", "stray"):
                assert at[step.arguments[0]] == step.arguments[1]
                at[step.arguments[0]] = step.arguments[-1]
