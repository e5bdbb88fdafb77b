# SPDX-License-Identifier: Apache-2.0
"""Executors that some robots have not: the others get their steps, or there is no plan."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.domain import Domain, parse_domain
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningSession, plan
from fcp_ros.planning.model.request import AbsentExecutor

TWO = {"bot_2": "robot"}


@pytest.fixture
def ask_two(ask, house_facts):
    """Plans in the house with a second robot in the hall."""

    def run(goal, *absent, **options):
        lacking = frozenset(AbsentExecutor(*one.split()) for one in absent)
        facts = (*house_facts, "at(bot_2, hall)")
        return ask(goal, facts=facts, elements=TWO, absent=lacking, **options)

    return run


def list_agents(result):
    return {step.elements[0] for step in result.plan.steps}


def test_the_other_robot_gets_the_steps(ask_two):
    assert list_agents(ask_two("on(mug_1, shelf)")) == {"bot"}, "it is nearer"
    assert list_agents(ask_two("on(mug_1, shelf)", "bot pick")) == {"bot_2"}


def test_robots_that_are_alike_are_not_taken_for_each_other(ask, house_facts):
    """Two robots side by side are interchangeable, unless one of them lacks something."""
    facts = (*house_facts, "at(bot_2, kitchen)")
    for lacking, able in (("bot", "bot_2"), ("bot_2", "bot")):
        absent = frozenset({AbsentExecutor(lacking, "pick")})
        result = ask("holding(?robot, mug_1)", facts=facts, elements=TWO, absent=absent)
        assert list_agents(result) == {able}


def test_a_session_keeps_plans_apart_by_who_is_there(ask_two, house):
    session = PlanningSession(house)

    def who(*absent):
        return list_agents(ask_two("on(mug_1, shelf)", *absent, session=session))

    gone = "bot go"
    assert [who(), who(gone), who(), who(gone)] == [{"bot"}, {"bot_2"}, {"bot"}, {"bot_2"}]


# --- the twin says the same in the domain itself, by a condition of each rule


def make_domain(*, with_conditions: bool) -> Domain:
    relations, rules = "", ""
    for name, (more, when, delete, add) in RULES.items():
        able = ""
        if with_conditions:
            relations += f"  lacks_{name}: {{legs: {{robot: robot}}, static: true}}\n"
            able = f", 'not lacks_{name}(robot)'"
        rules += (
            f"  {name}:\n    parameters: {{robot: robot, {more}}}\n    when: [{when}{able}]\n"
            f"    delete: ['{delete}']\n    add: ['{add}']\n    duration: 1\n"
            f"    executor: do_{name}\n"
        )
    return parse_domain(
        f"""
domain: twin
version: "1"
types: {{thing: [], place: [thing], robot: [thing], item: [thing]}}
relations:
  at: {{legs: {{robot: robot, place: place}}, functional: [robot]}}
  on: {{legs: {{item: item, place: place}}, functional: [item]}}
  holding: {{legs: {{robot: robot, item: item}}, functional: [robot, item]}}
{relations}rules:
{rules}scene: {{layers: {{}}, unknown: item}}
"""
    )


RULES = {
    "go": ("from: place, to: place", "'at(robot, from)'", "at(robot, from)", "at(robot, to)"),
    "pick": (
        "item: item, place: place",
        "'at(robot, place)', 'on(item, place)', 'not holding(robot, ?any)'",
        "on(item, place)",
        "holding(robot, item)",
    ),
    "put": (
        "item: item, place: place",
        "'at(robot, place)', 'holding(robot, item)'",
        "holding(robot, item)",
        "on(item, place)",
    ),
}
ROBOTS = ("r1", "r2", "r3")
ELEMENTS = {"a": "place", "b": "place", "c": "place", "cup": "item", "jar": "item"}
GOALS = (
    "on(cup, b)",
    "on(cup, c) and on(jar, a)",
    "holding(?robot, cup)",
    "at(r1, c) and holding(r2, jar)",
    "exists ?robot: robot (at(?robot, c))",
)
PLAIN, CONDITIONED = make_domain(with_conditions=False), make_domain(with_conditions=True)


@settings(max_examples=40, deadline=None)
@given(
    st.sets(st.tuples(st.sampled_from(ROBOTS), st.sampled_from(tuple(RULES)))),
    st.lists(st.sampled_from("abc"), min_size=3, max_size=3),
    st.sampled_from(GOALS),
)
def test_it_is_as_if_each_rule_had_the_condition(state, lacking, places, goal):
    elements = {**ELEMENTS, **dict.fromkeys(ROBOTS, "robot")}
    facts = [f"at({one}, {place})" for one, place in zip(ROBOTS, places, strict=True)]
    facts += ["on(cup, a)", "on(jar, b)"]
    absent = frozenset(AbsentExecutor(robot, f"do_{rule}") for robot, rule in lacking)
    options = PlanningOptions(absent=absent, allow_relaxation=False)
    ours = plan(PlanningRequest(PLAIN, state(PLAIN, elements, facts), goal, options))
    told = [f"lacks_{rule}({robot})" for robot, rule in lacking]
    world = state(CONDITIONED, elements, [*facts, *told])
    plainly = PlanningOptions(allow_relaxation=False)
    other = plan(PlanningRequest(CONDITIONED, world, goal, plainly))
    assert ours.status is other.status
    if ours.plan is not None:
        assert len(ours.plan.steps) == len(other.plan.steps)
        assert all((one.elements[0], one.rule) not in lacking for one in ours.plan.steps)
