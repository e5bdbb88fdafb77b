# SPDX-License-Identifier: Apache-2.0
"""The part ``speed`` of abstraction.py: executing policies beside lama-first of Fast Downward.

Problems have about 100 objects. Two comparisons, because what is counted decides:

- *alone*: our run of the policy on the state of bitsets, without reading PDDL and building the
  state, beside LAMA's search, without its translation and preprocessing.
- *with reading*: from the two PDDL files to the plan in both, without the start of a Python
  process: ours runs in a program that goes on (a node), and Fast Downward's own account leaves its
  start out, too.

Every plan of a policy is verified; the time of that is a row of its own. The policies are those of
the folder `abstraction_policies`, written by hand.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from abstraction_large import DRAWERS, write_problem
from nodes_figures import Judged
from planning_rival_environment import RivalEnvironment, rival_environment
from planning_rivals import LAMA_FIRST, Limits, RivalStatus, run_rival

from fcp_ros.abstraction.policy.execution import Execution
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.policy_file import read_policy
from fcp_ros.abstraction.policy.runner import PolicyRunner
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.goal_atoms import list_goal_atoms
from fcp_ros.domain.pddl import PddlTask, read_pddl
from fcp_ros.planning import verify
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.verification.ipc_plan import plan_from_actions

FOLDER = Path(__file__).resolve().parent
DOMAINS = FOLDER.parents[1] / "shared" / "bench" / "genplan"
POLICIES = FOLDER / "abstraction_policies"
FACTOR = 100.0
"""So many times faster than lama-first the execution shall be."""
SEEDS, SEEDS_QUICK = (1, 2, 3), (1,)
REPEATS = 5
"""The least time of several runs counts: other jobs may run on the machine."""
LIMITS = Limits(seconds=300.0, memory=8_000)


@dataclass(frozen=True)
class _Ours:
    """Seconds of our parts, all but `verifying` the least of several runs."""

    steps: int
    running: float
    reading: float
    verifying: float


@dataclass(frozen=True)
class _Theirs:
    """Seconds of LAMA; infinite where it found no plan in time."""

    steps: int
    searching: float
    whole: float
    note: str = ""


def measure(quick: bool) -> Iterator[Judged]:
    """Measure all domains."""
    if not DOMAINS.is_dir():
        yield Judged("speed", f"needs the domains in {DOMAINS}")
        return
    rivals = rival_environment(planners=["Fast Downward"])
    for domain in DRAWERS:
        policy = read_policy(POLICIES / f"{domain}.yaml")
        runs = [_measure_one(domain, seed, policy, rivals) for seed in _choose(quick)]
        yield from _judge(domain, runs)


def _choose(quick: bool) -> tuple[int, ...]:
    return SEEDS_QUICK if quick else SEEDS


def _measure_one(
    domain: str, seed: int, policy: GeneralPolicy, rivals: RivalEnvironment
) -> tuple[_Ours, _Theirs]:
    """Measure one problem.

    Raises:
        ValueError: the policy fails, or the verifier refuses its plan.
    """
    with tempfile.TemporaryDirectory(prefix="speed-") as name:
        files = (DOMAINS / domain / "domain.pddl", Path(name) / "problem.pddl")
        files[1].write_text(write_problem(domain, seed), encoding="utf-8")
        return _run_ours(files, policy), _run_theirs(files, rivals)


def _run_ours(files: tuple[Path, Path], policy: GeneralPolicy) -> _Ours:
    task = read_pddl(*files)
    runner = PolicyRunner(policy, task.domain)
    goal = list_goal_atoms(task.goal, task.instance, task.domain)
    state = build_state(task.domain, task.instance, goal)
    execution = runner.run_state(state.copy(), goal)
    if not execution.reached:
        raise ValueError(f"{files[1]}: {execution.reason}")
    copies = [state.copy() for _ in range(REPEATS)]
    running = min(_time(lambda one=copy: runner.run_state(one, goal)) for copy in copies)

    def read_and_run() -> Execution:
        again = read_pddl(*files)
        return PolicyRunner(policy, again.domain).run(again.instance, again.goal)

    reading = min(_time(read_and_run) for _ in range(REPEATS))
    return _Ours(len(execution.steps), running, reading, _verify(task, execution))


def _verify(task: PddlTask, execution: Execution) -> float:
    """Verify a plan; return the time.

    Raises:
        ValueError: the verifier refuses it.
    """
    objects = set(task.objects)
    actions = tuple(
        (task.forms[rule].action, tuple(e for e in elements if e in objects))
        for rule, elements in execution.steps
    )
    begun = time.process_time()
    plan = plan_from_actions(task, actions)
    verdict = verify(task.domain, task.instance, plan, task.goal, NoMemberships(), alpha=1.0)
    seconds = time.process_time() - begun
    if not verdict.ok:
        raise ValueError(" ".join(verdict.problems))
    return seconds


def _run_theirs(files: tuple[Path, Path], rivals: RivalEnvironment) -> _Theirs:
    run = run_rival(LAMA_FIRST, files, LIMITS, rivals)
    if run.status is not RivalStatus.SOLVED or run.steps is None:
        nothing = float("inf") if run.status is RivalStatus.TIMEOUT else float("nan")
        return _Theirs(0, nothing, nothing, f"{run.status.value} {run.note}".strip())
    whole = run.seconds if run.own_seconds is None else run.own_seconds
    return _Theirs(run.steps, run.search_seconds or 0.0, whole)


def _judge(domain: str, runs: list[tuple[_Ours, _Theirs]]) -> Iterator[Judged]:
    ours, theirs = [one for one, _ in runs], [other for _, other in runs]
    steps = sum(one.steps for one in ours)
    running = sum(one.running for one in ours)
    notes = sorted({other.note for other in theirs if other.note})
    lama = (
        f"lama-first {_write(statistics.median(t.searching for t in theirs))} search, "
        f"{_write(statistics.median(t.whole for t in theirs))} with reading, "
        f"{statistics.median(t.steps for t in theirs):.0f} steps"
    )
    yield Judged(
        f"{domain}: policy",
        f"{1e6 * running / steps:.0f} us a step, {_write(running / len(ours))} for "
        f"{steps / len(ours):.0f} steps; with reading {_write(_mean(o.reading for o in ours))}; "
        f"verifying {_write(_mean(o.verifying for o in ours))}",
    )
    yield Judged(f"{domain}: planner", "; ".join((lama, *notes)))
    yield _compare(f"{domain}: alone", [t.searching / o.running for o, t in runs], FACTOR)
    yield _compare(f"{domain}: with reading", [t.whole / o.reading for o, t in runs], None)


def _compare(what: str, factors: list[float], goal: float | None) -> Judged:
    factor = statistics.median(factors)
    if factor != factor:
        return Judged(what, "no comparison", f"{goal:g} times faster" if goal else "")
    measured = f"{factor:.0f} times faster"
    if goal is None:
        return Judged(what, measured)
    return Judged(what, measured, f"{goal:g} times faster", factor >= goal)


def _mean(numbers: Iterator[float]) -> float:
    return statistics.fmean(numbers)


def _write(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms" if seconds < 1.0 else f"{seconds:.1f} s"


def _time(run: Callable[[], object]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun
