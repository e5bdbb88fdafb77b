# SPDX-License-Identifier: Apache-2.0
"""Policies in front of the planner: used where they fit, else a search that says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy, PolicyFault
from fcp_ros.abstraction.policy.policy_file import parse_policy
from fcp_ros.abstraction.policy.runner import (
    DomainPolicies,
    describe_refusals,
    plan_with_policies,
    read_policy_folder,
)
from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import check_goal, parse_domain, parse_expression
from fcp_ros.domain.identity import identify_domain
from fcp_ros.grounding.judgement import Membership
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningResult, PlanStatus

KITCHEN = """
domain: kitchen
version: "1"
types: {thing: [], room: [thing], robot: [thing], cup: [thing], washer: [thing]}
relations:
  at: {legs: {robot: robot, room: room}, functional: [robot]}
  in_room: {legs: {thing: thing, room: room}, functional: [thing]}
  holding: {legs: {robot: robot, cup: cup}, functional: [robot, cup]}
  inside: {legs: {cup: cup, washer: washer}, functional: [cup]}
  dirty: {legs: {cup: cup}, static: true}
rules:
  go:
    parameters: {robot: robot, from: room, to: room}
    when: ['at(robot, from)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 1
    executor: go
  pick:
    parameters: {robot: robot, cup: cup, room: room}
    when: ['at(robot, room)', 'in_room(cup, room)', 'not holding(robot, ?any)']
    delete: ['in_room(cup, room)']
    add: ['holding(robot, cup)']
    graded: ['can_grasp(robot, cup)']
    duration: 1
    executor: pick
  load:
    parameters: {robot: robot, cup: cup, washer: washer, room: room}
    when: ['at(robot, room)', 'in_room(washer, room)', 'holding(robot, cup)']
    delete: ['holding(robot, cup)']
    add: ['inside(cup, washer)']
    uses: {battery: 1}
    duration: 1
    executor: load
resources:
  battery: {initial: 10, minimum: 0, maximum: 10}
graded:
  can_grasp:
    parameters: {robot: robot, cup: cup}
    context: {cup: [name]}
    oracle: table
    default_degree: 1.0
scene: {layers: {room: room}, unknown: thing}
"""
POLICY = """format: fcp_ros general policy
version: 1
name: dishes
domain: {{name: kitchen, hash: "{hash}"}}
goals: [inside]
features:
  holds: "any(some(holding, top))"
  left: "count(some(difference(goal.inside, inside), top))"
goal: [left = 0]
actions:
  fetch:
    when: [not holds, left > 0]
    effects: [holds]
    programs:
      - "pick(cup: some(goal.inside, top))"
      - "go(to: some(inverse(in_room), some(goal.inside, top))); pick(cup: some(goal.inside, top))"
  stow:
    when: [holds, left > 0]
    effects: [not holds, left decreases]
    programs:
      - "load(washer: some(inverse(goal.inside), some(inverse(holding), top)))"
      - "go(to: some(in_room, top)); load()"
      - "go(); load()"
policy:
  - {{when: [not holds, left > 0], do: [fetch]}}
  - {{when: [holds, left > 0], do: [stow]}}
"""
DOMAIN = parse_domain(KITCHEN)
DISHES = parse_policy(POLICY.format(hash=identify_domain(DOMAIN)))


class Grasps:
    """Judges each grasp alike."""

    def __init__(self, degree: float = 1.0) -> None:
        self.degree = degree

    def judge(self, requests):
        return [Membership(self.degree, self.degree, source="table") for _ in requests]


def make_kitchen(cups: int):
    builder = InstanceBuilder(DOMAIN.schema)
    for room in ("kitchen", "hall", "study"):
        builder.add("room", room)
    builder.add("robot", "bot")
    builder.add("washer", "washer_1")
    builder.relate("at", builder.id_of("bot"), builder.id_of("hall"))
    builder.relate("in_room", builder.id_of("washer_1"), builder.id_of("kitchen"))
    for number in range(cups):
        cup = builder.add("cup", f"cup_{number}")
        builder.relate("in_room", cup, builder.id_of("study" if number % 2 else "hall"))
        builder.relate("dirty", cup)
    return builder.build()


def run(
    goal: str,
    cups: int = 3,
    policies: tuple[GeneralPolicy, ...] = (DISHES,),
    degree: float = 1.0,
    **options,
) -> PlanningResult:
    instance = make_kitchen(cups)
    wanted = check_goal(parse_expression(goal), DOMAIN, instance, goal)
    settings = PlanningOptions(**{"time_limit": 20.0, **options})
    return plan_with_policies(
        policies, PlanningRequest(DOMAIN, instance, wanted, settings, Grasps(degree))
    )


ALL_DIRTY = "forall ?c: cup (not dirty(?c) or inside(?c, washer_1))"


def test_a_policy_makes_the_plan_of_any_number_of_cups() -> None:
    for cups in (0, 1, 5, 10):
        result = run(ALL_DIRTY, cups)
        assert result.policy == "dishes"
        assert result.status.solved
        assert result.verification is not None
        assert result.verification.ok
        assert len(result.plan.steps) == max(0, 4 * cups - 1)  # it starts at the first cup
        assert result.plan.resources_after["battery"] == 10 - cups
        assert result.policy_notes == ()


def test_the_result_has_the_run_of_the_policy() -> None:
    trace = run(ALL_DIRTY, 2).policy_trace
    assert trace is not None
    assert [(one.name, one.is_boolean) for one in trace.features] == [
        ("holds", True),
        ("left", False),
    ]
    assert [(one.action, one.values, one.steps) for one in trace.moves] == [
        ("fetch", (0, 2), 1),
        ("stow", (1, 2), 3),
        ("fetch", (0, 1), 5),
        ("stow", (1, 1), 7),
    ]
    assert trace.final == (0, 0)
    assert run(ALL_DIRTY, 0).policy_trace.moves == ()
    assert run(ALL_DIRTY, 2, degree=0.1, alpha=0.5).policy_trace is None


def test_degrees_of_the_steps_enter_the_plan() -> None:
    result = run(ALL_DIRTY, 2, degree=0.9, alpha=0.5)
    assert result.policy == "dishes"
    assert result.plan.membership == pytest.approx(0.8)  # two losses of 0.1 each
    grasp = next(step for step in result.plan.steps if step.rule == "pick")
    assert grasp.degree == 0.9
    assert grasp.judgements[0].request.predicate == "can_grasp"


def test_a_plan_below_alpha_is_not_used() -> None:
    result = run(ALL_DIRTY, 2, degree=0.7, alpha=0.5)  # two cups: the proof takes no time
    assert result.policy == ""
    assert result.status is PlanStatus.UNSOLVABLE_AT_ALPHA
    assert "has membership 0.40, below alpha 0.50" in result.policy_notes[0]


def test_a_plan_that_uses_too_much_is_refused_by_the_verifier() -> None:
    result = run(ALL_DIRTY, 11, time_limit=3.0)
    assert result.policy == ""
    assert not result.status.solved
    assert "battery would be -1" in result.policy_notes[0]


def test_goals_that_policies_do_not_know_are_searched() -> None:
    other = run("at(bot, kitchen)")
    assert other.policy == ""
    assert other.status is PlanStatus.SOLVED_OPTIMALLY
    assert "The goal asks for at; the policy knows inside." in other.policy_notes[0]
    choice = run("inside(cup_0, washer_1) or at(bot, kitchen)")
    assert choice.status is PlanStatus.SOLVED_OPTIMALLY
    assert "UNSUPPORTED" in choice.policy_notes[0]
    assert "leaves a choice" in choice.policy_notes[0]


def test_policies_are_tried_in_their_order() -> None:
    idle = parse_policy(
        POLICY.format(hash=identify_domain(DOMAIN))
        .replace("name: dishes", "name: idle")
        .partition("policy:")[0]
        + "policy: []"
    )
    other = parse_policy(POLICY.format(hash="0" * 64).replace("name: dishes", "name: old"))
    result = run(ALL_DIRTY, 2, (other, idle, DISHES))
    assert result.policy == "dishes"
    assert "Policy idle was not used: NO_RULE." in result.policy_notes[0]
    assert "Policy old is for another version of domain kitchen" in result.policy_notes[1]


def test_limits_hold_for_policies_too() -> None:
    result = run(ALL_DIRTY, 3, time_limit=1e-6)
    assert result.status is PlanStatus.TIMEOUT


def test_a_folder_of_policies(tmp_path: Path) -> None:
    text = POLICY.format(hash=identify_domain(DOMAIN))
    (tmp_path / "a.yaml").write_text(text)
    (tmp_path / "b.yaml").write_text(text.replace("goals:", "gaols:"))
    (tmp_path / "c.yaml").write_text(
        text.replace("name: kitchen", "name: garden").replace("5", "6")
    )
    (tmp_path / "readme.txt").write_text("no policy")
    found = read_policy_folder(tmp_path)
    assert [policy.name for policy in found.policies] == ["dishes", "dishes"]
    assert [one.fault for one in found.refused] == [PolicyFault.MALFORMED]
    fitting = DomainPolicies(found.policies, DOMAIN)
    assert fitting.names == ("dishes",)
    said = describe_refusals((*found.refused, *fitting.refused))
    assert "unknown key gaols" in said[0]
    assert said[1] == "For other domains: dishes."
