# SPDX-License-Identifier: Apache-2.0
"""One run of a policy on a PDDL problem, with its plan verified: steps and processor seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.runner import Execution, ExecutionLimits, PolicyRunner
from fcp_ros.abstraction.states.building import build_state, list_goal_atoms
from fcp_ros.domain.pddl import PddlTask, read_pddl
from fcp_ros.planning import verify
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.verification.ipc_plan import plan_from_actions

POLICIES = Path(__file__).resolve().parent / "policies"
"""Written by hand, one for each of the seven published domains."""
REPEATS = 5
"""The least time of several runs counts: other jobs may run on the machine."""


@dataclass(frozen=True)
class PolicyTimes:
    """Seconds of our parts: all but `verifying` are the least of several runs."""

    steps: int
    running: float
    reading: float
    verifying: float


def measure_policy(
    files: tuple[Path, Path],
    policy: GeneralPolicy,
    limits: ExecutionLimits | None = None,
    repeats: int = REPEATS,
) -> PolicyTimes:
    """Measure a policy on a domain and a problem.

    Args:
        files: domain and problem.
        policy: to be run.
        limits: of the first run, which has to reach the goal.
        repeats: further runs whose times are taken.

    Raises:
        ValueError: the policy fails, or the verifier refuses its plan.
    """
    task = read_pddl(*files)
    runner = PolicyRunner(policy, task.domain)
    goal = list_goal_atoms(task.goal, task.instance, task.domain)
    state = build_state(task.domain, task.instance, goal)
    execution = runner.run_state(state.copy(), goal, limits)
    if not execution.reached:
        raise ValueError(f"{files[1]}: {execution.reason}")
    if repeats < 2:
        return PolicyTimes(len(execution.steps), execution.seconds, 0.0, _verify(task, execution))
    copies = [state.copy() for _ in range(repeats)]
    running = min(_time(lambda one=copy: runner.run_state(one, goal)) for copy in copies)

    def read_and_run() -> Execution:
        again = read_pddl(*files)
        return PolicyRunner(policy, again.domain).run(again.instance, again.goal)

    reading = min(_time(read_and_run) for _ in range(repeats))
    return PolicyTimes(len(execution.steps), running, reading, _verify(task, execution))


def _verify(task: PddlTask, execution: Execution) -> float:
    """Verify a plan; return the time.

    Raises:
        ValueError: the verifier refuses it.
    """
    # Rules have parameters of their own besides: the world, and constants that actions name.
    actions = tuple(
        (form.action, tuple(bound[parameter] for parameter in form.parameters))
        for rule, elements in execution.steps
        for form in (task.forms[rule],)
        for bound in (dict(zip(task.domain.rules[rule].parameter_names, elements, strict=True)),)
    )
    begun = time.process_time()
    plan = plan_from_actions(task, actions)
    verdict = verify(task.domain, task.instance, plan, task.goal, NoMemberships(), alpha=1.0)
    seconds = time.process_time() - begun
    if not verdict.ok:
        raise ValueError(" ".join(verdict.problems))
    return seconds


def _time(run: Callable[[], object]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun
