# SPDX-License-Identifier: Apache-2.0
"""Every dirty cup into the dishwasher, in any house: a part of ``python -m benchmark.abstraction``.

A policy is learned on four houses of 10 to 150 things, and used in houses of up to 5,000. There
it makes the plan, which is verified as any plan; nothing falls back to a search unless the table
says so. The same is measured with a policy by hand. Seconds are CPU time: other jobs may run on the
machine.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.abstraction.houses import House, draw_house, read_house_domain
from benchmark.tables import Verdict
from fcp_ros.abstraction.debugging.loop import generalize
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.policy_file import read_policy
from fcp_ros.abstraction.policy.runner import (
    Execution,
    ExecutionLimits,
    PolicyRunner,
    plan_with_policies,
)
from fcp_ros.abstraction.proposers.learning import SymbolicProposer
from fcp_ros.abstraction.proposers.proposer import TrainingTask
from fcp_ros.abstraction.states.building import build_state, list_goal_atoms
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.domain.model import Domain
from fcp_ros.planning import PlanningOptions, PlanningRequest

POLICY_FILE = Path(__file__).parent / "household_policy.yaml"
TRAINING_SIZES = (10, 20, 60, 150)
"""Things in the houses for learning.

In the small ones a policy is learned; the larger ones show what it must not confuse: cups in closed
cupboards, clean cups beside dirty ones, closed cupboards without any.
"""
TRAINING_SEEDS = (5, 9, 13, 1)
"""Of the first house of a set. The policy of the first set is used."""
MOST_LEARNING = 60.0
"""Seconds for learning."""
SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000)
"""Things in the houses for testing."""
SEEDS, SEEDS_QUICK = range(101, 126), range(101, 103)
"""So many houses of each size."""
LARGEST = SIZES[-1]
MOST_BUILDING, MOST_GOAL = 0.05, 0.05
"""Seconds for the state, and for the facts of the goal, of the largest house."""
MOST_STEP = 1e-3
"""Seconds for a step, in the median of the houses of any size."""


@dataclass(frozen=True)
class _Run:
    """A house with the policy: its run, the CPU time (s) of that, and the plan."""

    house: House
    execution: Execution
    running: float
    planning: float
    is_verified: bool
    made_by: str


def measure(quick: bool) -> Iterator[Verdict]:
    """Measure houses as states, learning, and the use of what was learned."""
    domain = read_house_domain()
    yield from _measure_states(domain, draw_house(domain, LARGEST, 1))
    seeds = SEEDS_QUICK if quick else SEEDS
    learned = yield from _measure_learning(domain, quick)
    if learned is not None:
        yield from _measure_use(domain, learned, "learned", seeds)
    yield from _measure_use(domain, read_policy(POLICY_FILE), "by hand", seeds)


def _measure_states(domain: Domain, house: House) -> Iterator[Verdict]:
    instance = house.instance
    goal = list_goal_atoms(house.goal, instance, domain)
    for what, limit, run in (
        ("facts of the goal", MOST_GOAL, lambda: list_goal_atoms(house.goal, instance, domain)),
        ("state", MOST_BUILDING, lambda: build_state(domain, instance, goal)),
    ):
        seconds = _time_best(run)
        yield Verdict(
            f"{what} of a house of {LARGEST:,} things",
            f"{1000 * seconds:.1f} ms",
            f"{1000 * limit:.0f} ms",
            seconds <= limit,
        )
    engine, state = RuleEngine(domain), build_state(domain, instance, goal)
    count = sum(1 for _ in engine.successors(state))
    seconds = _time_best(lambda: list(engine.successors(state))) / count
    yield Verdict(f"a successor in it ({count})", f"{1e6 * seconds:.1f} us")


def _measure_learning(
    domain: Domain, quick: bool
) -> Generator[Verdict, None, GeneralPolicy | None]:
    """Learn on one set of houses, or on several; return the first one's policy, or None."""
    policies = []
    for seed in TRAINING_SEEDS[: 1 if quick else None]:
        policy = yield from _learn(domain, seed)
        policies.append(policy)
    return policies[0]


def _learn(domain: Domain, seed: int) -> Generator[Verdict, None, GeneralPolicy | None]:
    sizes = TRAINING_SIZES
    houses = [draw_house(domain, things, seed + place) for place, things in enumerate(sizes)]
    tasks = tuple(
        TrainingTask(h.name, domain, h.instance, list_goal_atoms(h.goal, h.instance, domain))
        for h in houses
    )
    begun = time.process_time()
    result = generalize(tasks, SymbolicProposer())
    seconds = time.process_time() - begun
    size = ""
    if result.policy is not None:
        qnp = result.policy.qnp
        size = f"; {len(qnp.variables)} features, {len(qnp.actions)} abstract actions"
    yield Verdict(
        f"learning on {len(sizes)} houses of {sizes[0]} to {sizes[-1]} things, seeds from {seed}",
        f"{result.status.value} in {seconds:.1f} s{size}",
        f"FOUND in {MOST_LEARNING:.0f} s",
        result.policy is not None and seconds <= MOST_LEARNING,
    )
    return result.policy


def _measure_use(
    domain: Domain, policy: GeneralPolicy, made: str, seeds: Sequence[int]
) -> Iterator[Verdict]:
    runner = PolicyRunner(policy, domain)
    every: list[_Run] = []
    for things in SIZES:
        runs = [_use(policy, runner, draw_house(domain, things, seed)) for seed in seeds]
        every += runs
        step = statistics.median(run.running / max(1, len(run.execution.steps)) for run in runs)
        steps = statistics.median(len(run.execution.steps) for run in runs)
        planning = statistics.median(run.planning for run in runs)
        yield Verdict(
            f"policy {made}, {len(runs)} houses of {things:,} things",
            f"{sum(run.execution.reached for run in runs)} reached, {steps:.0f} steps of "
            f"{1e6 * step:.0f} us; planned, scheduled and verified in {planning:.2f} s (medians)",
            f"all, {1e6 * MOST_STEP:.0f} us",
            all(run.execution.reached for run in runs) and step <= MOST_STEP,
        )
    verified = sum(run.is_verified for run in every)
    by_policy = sum(run.is_verified and run.made_by == policy.name for run in every)
    yield Verdict(
        f"policy {made}, plans of {len(every)} houses",
        f"{verified} verified, {by_policy} of them by the policy, without a search",
        "all",
        verified == by_policy == len(every),
    )


def _use(policy: GeneralPolicy, runner: PolicyRunner, house: House) -> _Run:
    begun = time.process_time()
    execution = runner.run(house.instance, house.goal, ExecutionLimits(seconds=600.0))
    ran = time.process_time()
    options = PlanningOptions(time_limit=600.0)
    result = plan_with_policies(
        [policy],
        PlanningRequest(runner.domain, house.instance, house.goal, options),
    )
    planned = time.process_time()
    is_verified = result.plan is not None and result.status.solved
    return _Run(house, execution, ran - begun, planned - ran, is_verified, result.policy)


def _time_best(run: Callable[[], object], times: int = 5) -> float:
    """Return the least CPU time (s) of several runs."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        run()
        found.append(time.process_time() - begun)
    return min(found)
