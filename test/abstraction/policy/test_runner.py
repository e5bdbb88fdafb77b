# SPDX-License-Identifier: Apache-2.0
"""Policies at work: every plan passes the verifier, and every other end has its reason."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy, check_fit
from fcp_ros.abstraction.policy.policy_file import parse_policy, read_policy
from fcp_ros.abstraction.policy.runner import (
    Execution,
    ExecutionLimits,
    ExecutionStatus,
    PolicyRunner,
)
from fcp_ros.domain.pddl import PddlTask, parse_pddl, read_pddl
from fcp_ros.planning import verify
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.verification.ipc_plan import plan_from_actions

POLICIES = Path(__file__).parents[3] / "benchmark/abstraction/policies"
DOMAINS = ("delivery", "ferry", "forest", "gripper", "heavy", "miconic", "spanner")

WALKS = """(define (domain walks) (:requirements :strips)
  (:predicates (here ?x) (road ?x ?y) (lamp ?x))
  (:action walk :parameters (?x ?y) :precondition (and (here ?x) (road ?x ?y))
    :effect (and (here ?y) (not (here ?x))))
  (:action light :parameters (?x) :precondition (here ?x) :effect (lamp ?x)))
"""
POLICY = """format: fcp_ros general policy
version: 1
name: walks
domain: {name: walks, hash: ""}
goals: [lamp, here]
features:
  there: "any(and(here, goal.lamp))"
  left: "count(and(goal.lamp, not(lamp)))"
goal: [left = 0]
actions:
  go: {when: [not there], effects: [there], programs: ["while not there { walk() }"]}
  light: {when: [there, left > 0], effects: [left decreases], programs: ["light()"]}
  leave: {when: [there], effects: [not there], programs: ["walk()"]}
  stroll: {when: [], effects: [], programs: ["walk()"]}
policy:
  - {when: [there, left > 0], do: [light, leave]}
  - {when: [not there, left > 0], do: [go]}
"""


def make_task(roads: str, goal: str = "(lamp c)") -> PddlTask:
    facts = " ".join(f"(road {a} {b})" for a, b in (road.split("-") for road in roads.split()))
    return parse_pddl(
        WALKS,
        "(define (problem p) (:domain walks) (:objects a b c d)"
        f"(:init (here a) {facts}) (:goal {goal}))",
    )


def run(policy: GeneralPolicy, task: PddlTask, limits: ExecutionLimits | None = None) -> Execution:
    return PolicyRunner(policy, task.domain).run(task.instance, task.goal, limits)


def find_problems(task: PddlTask, execution: Execution) -> tuple[str, ...]:
    """Have the verifier check the steps of a run."""
    world = {name for name in ("world",) if task.instance.has(name)}
    actions = tuple(
        (task.forms[rule].action, tuple(e for e in elements if e not in world))
        for rule, elements in execution.steps
    )
    plan = plan_from_actions(task, actions)
    return verify(task.domain, task.instance, plan, task.goal, NoMemberships(), alpha=1.0).problems


def list_tasks(shared: Path, domain: str) -> Iterator[PddlTask]:
    folder = shared / "bench/genplan" / domain
    for file in sorted(folder.glob("*/p*.pddl")):
        yield read_pddl(folder / "domain.pddl", file)


@pytest.mark.parametrize("domain", DOMAINS)
def test_policies_by_hand_solve_all_instances(shared_dir: Path, domain: str) -> None:
    policy = read_policy(POLICIES / f"{domain}.yaml")
    tasks = list(list_tasks(shared_dir, domain))
    assert len(tasks) == 16
    for task in tasks:
        check_fit(policy, task.domain)
        execution = run(policy, task)
        assert execution.status is ExecutionStatus.REACHED, execution.reason
        assert find_problems(task, execution) == ()


def test_a_run_with_its_trace() -> None:
    policy = parse_policy(POLICY)
    execution = run(policy, make_task("a-b b-a b-c"))
    assert execution.reached
    names = [(rule, elements[:-1]) for rule, elements in execution.steps]
    assert names == [("walk", ("a", "b")), ("walk", ("b", "c")), ("light", ("c",))]
    assert [(m.action, m.steps) for m in execution.trace] == [("go", 2), ("light", 3)]
    assert [m.values for m in execution.trace] == [(0, 1), (1, 1)]
    assert execution.final == (1, 0)
    assert find_problems(make_task("a-b b-a b-c"), execution) == ()


def test_a_goal_that_holds_takes_no_step() -> None:
    task = make_task("a-b", "(here a)")
    assert run(parse_policy(POLICY), task) == Execution(
        ExecutionStatus.REACHED, seconds=pytest.approx(0.0, abs=1.0), final=(0, 0), objects=4
    )


@pytest.mark.parametrize(
    ("roads", "goal", "rows", "status", "words"),
    [
        ("a-b b-a", "(lamp c)", None, ExecutionStatus.NO_REFINEMENT, "go can't be done"),
        ("a-b", "(lamp c)", "  - {when: [there], do: [light]}", ExecutionStatus.NO_RULE, "nothing"),
        (
            "a-b b-a",
            "(lamp c)",
            "  - {do: [stroll]}",
            ExecutionStatus.CYCLE,
            "came to an earlier state again",
        ),
        (
            "a-b",
            "(and (here b) (here a))",
            None,
            ExecutionStatus.NO_RULE,
            "takes its goal for reached (not there, left=0), but here(world, b) is open",
        ),
        ("a-b", "(or (lamp a) (lamp b))", None, ExecutionStatus.UNSUPPORTED, "leaves a choice"),
        ("a-b", "(not (lamp a))", None, ExecutionStatus.UNSUPPORTED, "absence"),
        ("a-b", "(and (lamp a) (road b a))", None, ExecutionStatus.UNSUPPORTED, "never hold"),
    ],
)
def test_other_ends_have_their_reasons(
    roads: str, goal: str, rows: str | None, status: ExecutionStatus, words: str
) -> None:
    text = POLICY if rows is None else f"{POLICY.partition('policy:')[0]}policy:\n{rows}\n"
    execution = run(parse_policy(text), make_task(roads, goal))
    assert execution.status is status
    assert words in execution.reason


def test_limits_of_a_run() -> None:
    task = make_task("a-b b-a")
    text = f"{POLICY.partition('policy:')[0]}policy:\n  - {{do: [stroll]}}\n"
    policy = parse_policy(text)
    execution = run(policy, task, ExecutionLimits(steps=2))
    assert execution.status is ExecutionStatus.STEP_LIMIT
    assert len(execution.steps) == 2
    assert run(policy, task, ExecutionLimits(seconds=0.0)).status is ExecutionStatus.TIME_LIMIT
    stopped = run(policy, task, ExecutionLimits(seconds=2.0, clock=itertools.count().__next__))
    assert (stopped.status, len(stopped.steps)) == (ExecutionStatus.TIME_LIMIT, 2)
    tight = run(parse_policy(POLICY), make_task("a-b b-c c-a"), ExecutionLimits(tries=1))
    assert tight.status is ExecutionStatus.NO_REFINEMENT
    assert "none of the first 1 ways" in tight.reason


def test_a_run_can_be_stopped() -> None:
    task = make_task("a-b b-c")

    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        PolicyRunner(parse_policy(POLICY), task.domain).run(task.instance, task.goal, check=stop)


def test_a_runner_serves_one_instance_after_the_other() -> None:
    task, policy = make_task("a-b b-c"), parse_policy(POLICY)
    runner = PolicyRunner(policy, task.domain)
    first = runner.run(task.instance, task.goal)
    assert first.reached
    assert runner.run(task.instance, task.goal).steps == first.steps
