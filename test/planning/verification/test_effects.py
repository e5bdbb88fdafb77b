# SPDX-License-Identifier: Apache-2.0
"""Plans whose actions have conditional effects, windows and constraints on what effects add."""

from dataclasses import replace

import pytest

from fcp_ros.domain import Window, check_goal, parse_domain, parse_expression
from fcp_ros.planning import Plan, PlanStep, verify
from fcp_ros.planning.model.plan import Schedule

BOXES = """
domain: boxes
version: "1"
types: {thing: [], robot: [thing], box: [thing], item: [thing]}
relations:
  inside: {legs: {item: item, box: box}, functional: [item]}
  closed: {legs: {box: box}}
  dark: {legs: {item: item}}
  awake: {legs: {robot: robot}, static: true}
  alive: {legs: {item: item}, static: true}
attributes: {category: {of: thing, kind: string}}
rules:
  close:
    parameters: {robot: robot, box: box}
    when: ['awake(robot)', 'not closed(box)']
    add: [closed(box)]
    effects:
      - variables: {thing: item}
        when: ['inside(thing, box)']
        add: [dark(thing)]
    duration: 2
    executor: close
  take:
    parameters: {robot: robot, item: item, box: box}
    when: ['awake(robot)', 'inside(item, box)', 'not closed(box)']
    delete: ['inside(item, box)']
    duration: 3
    executor: take
constraints:
  kind:
    variables: {pet: item}
    never: ['alive(pet)', 'dark(pet)']
    because: it would be afraid
scene: {layers: {}, unknown: item}
"""
ELEMENTS = {
    "r1": "robot", "r2": "robot", "b1": "box", "b2": "box", "cat": "item", "sock": "item",
}  # fmt: skip
FACTS = ("inside(cat, b1)", "inside(sock, b1)", "alive(cat)", "awake(r1)", "awake(r2)")


@pytest.fixture(scope="module")
def boxes():
    return parse_domain(BOXES)


@pytest.fixture(scope="module")
def start(boxes, state):
    return state(boxes, ELEMENTS, FACTS)


@pytest.fixture
def verdict_on(boxes, start, degrees):
    def run(goal, *texts, domain=boxes, schedule=None, **options):
        steps = []
        for text in texts:
            name, _, rest = text.rstrip(")").partition("(")
            rule = domain.rules[name]
            bound = tuple(zip(rule.parameter_names, rest.split(", "), strict=True))
            steps.append(PlanStep(name, bound, 1.0, 1.0, rule.duration.base, rule.executor))
        plan = Plan(
            goal, tuple(steps), 1.0, 1.0, (), (), 1.0, "lukasiewicz", "x", schedule=schedule
        )
        checked = check_goal(parse_expression(goal), domain, start)
        return verify(domain, start, plan, checked, degrees(), alpha=1.0, **options)

    return run


def test_effects_happen_where_their_condition_holds(verdict_on):
    goal = "dark(sock) and closed(b1) and not dark(cat)"
    assert verdict_on(goal, "take(r1, cat, b1)", "close(r1, b1)").problems == ()
    late = verdict_on("dark(sock)", "take(r1, cat, b1)", "take(r1, sock, b1)", "close(r1, b1)")
    assert not late.ok


def test_what_an_effect_adds_is_held_against_constraints(verdict_on):
    verdict = verdict_on("dark(sock)", "close(r1, b1)")
    assert verdict.problems == (
        "step 1 close(r1, b1): alive(cat) and dark(cat) must never hold (kind): it would be afraid",
    )


def with_window(domain, rule, window):
    rules = {**domain.rules, rule: replace(domain.rules[rule], window=window)}
    return replace(domain, rules=rules)


def test_steps_wait_for_their_windows_and_must_end_in_them(boxes, verdict_on):
    steps = ("take(r1, cat, b1)", "close(r1, b1)")
    late = with_window(boxes, "close", Window(10.0, 12.0))
    assert verdict_on("closed(b1)", *steps, domain=late, deadline=12.0).ok
    assert "deadline" in verdict_on("closed(b1)", *steps, domain=late, deadline=11.0).problems[0]
    early = with_window(boxes, "close", Window(0.0, 4.0))
    problems = verdict_on("closed(b1)", *steps, domain=early).problems
    assert problems == (
        "step 2 close(r1, b1): it would run from 3 s to 5 s, outside its window [0, 4]",
    )


def schedule(starts, ends, order, agents):
    return Schedule(starts, ends, starts, order, agents, max(ends))


def test_a_schedule_must_work_in_the_order_of_its_times(verdict_on):
    goal = "dark(sock) and closed(b1) and closed(b2)"
    steps = ("take(r1, cat, b1)", "close(r1, b1)", "close(r2, b2)")
    agents = (("r1",), ("r1",), ("r2",))
    side_by_side = schedule((0.0, 3.0, 0.0), (3.0, 5.0, 2.0), ((0, 1),), agents)
    assert verdict_on(goal, *steps, schedule=side_by_side).problems == ()
    # Closing the box first: each step fits its time, but they can't be done in that order.
    too_early = schedule((2.0, 0.0, 0.0), (5.0, 2.0, 2.0), (), agents)
    problems = verdict_on(goal, *steps, schedule=too_early).problems
    assert "in the order of starts, step 2" in problems[0]
    assert "alive(cat) and dark(cat) must never hold (kind)" in problems[0]
