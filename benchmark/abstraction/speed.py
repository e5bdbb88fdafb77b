# SPDX-License-Identifier: Apache-2.0
"""The part ``speed``: executing policies beside lama-first of Fast Downward.

Problems have about 100 objects. What is compared decides, so there are three comparisons, in
seconds of the processor, without the start of any process:

- *alone*: our run of the policy on the state of bitsets, beside LAMA's search; neither with
  reading PDDL, ours without building the state, LAMA's without translation and preprocessing.
- *beside the whole planner*: our run, beside LAMA with translation, preprocessing and search: a
  node has its state, while a planner begins with its files. The goal is judged by this one.
- *with reading*: from the two PDDL files to the plan in both.

Every plan of a policy is verified; the time of that is a number of its own. The policies are those
of the folder `policies`, written by hand.
"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.abstraction.large import DRAWERS, write_problem
from benchmark.rivals.environment import RivalEnvironment, rival_environment
from benchmark.rivals.fast_downward import NAME as FAST_DOWNWARD
from benchmark.rivals.fast_downward import RivalStatus, run_lama_first
from benchmark.rivals.programs import Limits
from benchmark.tables import Verdict
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.policy_file import read_policy
from fcp_ros.abstraction.policy.runner import Execution, ExecutionLimits, PolicyRunner
from fcp_ros.abstraction.states.building import build_state, list_goal_atoms
from fcp_ros.domain.pddl import PddlTask, read_pddl
from fcp_ros.planning import verify
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.verification.ipc_plan import plan_from_actions

FOLDER = Path(__file__).resolve().parent
DOMAINS = FOLDER.parents[2] / "shared" / "bench" / "genplan"
POLICIES = FOLDER / "policies"
FACTOR = 100.0
"""The execution shall be faster than lama-first by this factor."""
SEEDS, SEEDS_QUICK = (1, 2, 3), (1,)
REPEATS = 5
"""The least time of several runs counts: other jobs may run on the machine."""
LIMITS, LIMITS_QUICK = Limits(seconds=300.0, memory=8_000), Limits(seconds=30.0, memory=8_000)


@dataclass(frozen=True)
class PolicyTimes:
    """Seconds of our parts: all but `verifying` are the least of several runs."""

    steps: int
    running: float
    reading: float
    verifying: float


@dataclass(frozen=True)
class LamaTimes:
    """Seconds of LAMA: infinite where it found no plan in time, NaN where it did not run."""

    steps: int
    searching: float
    whole: float
    note: str = ""


Run = tuple[PolicyTimes, LamaTimes]


def measure(quick: bool) -> Iterator[Verdict]:
    """Measure all domains."""
    if not DOMAINS.is_dir():
        yield Verdict("speed", f"needs the domains in {DOMAINS}")
        return
    rivals = rival_environment(planners=[FAST_DOWNWARD])
    for domain in DRAWERS:
        policy = read_policy(POLICIES / f"{domain}.yaml")
        seeds, limits = (SEEDS_QUICK, LIMITS_QUICK) if quick else (SEEDS, LIMITS)
        runs = [_measure_one(domain, seed, policy, (rivals, limits)) for seed in seeds]
        yield from judge_runs(domain, runs)


def _measure_one(
    domain: str, seed: int, policy: GeneralPolicy, rival: tuple[RivalEnvironment, Limits]
) -> Run:
    """Measure one problem.

    Raises:
        ValueError: the policy fails, or the verifier refuses its plan.
    """
    with tempfile.TemporaryDirectory(prefix="speed-") as name:
        files = (DOMAINS / domain / "domain.pddl", Path(name) / "problem.pddl")
        files[1].write_text(write_problem(domain, seed), encoding="utf-8")
        return measure_policy(files, policy), _measure_lama(files, *rival)


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


def _measure_lama(files: tuple[Path, Path], rivals: RivalEnvironment, limits: Limits) -> LamaTimes:
    run = run_lama_first(files, limits, rivals)
    if run.status is not RivalStatus.SOLVED or run.steps is None:
        nothing = math.inf if run.status is RivalStatus.TIMEOUT else math.nan
        return LamaTimes(0, nothing, nothing, f"{run.status.value} {run.note}".strip())
    whole = run.seconds if run.own_seconds is None else run.own_seconds
    return LamaTimes(run.steps, run.search_seconds or 0.0, whole)


def judge_runs(domain: str, runs: Sequence[Run]) -> Iterator[Verdict]:
    """Judge the runs of one domain."""
    ours, theirs = [one for one, _ in runs], [other for _, other in runs]
    steps = sum(one.steps for one in ours)
    running = sum(one.running for one in ours)
    yield Verdict(
        f"{domain}: policy",
        f"{1e6 * running / steps:.0f} us a step, {_write(running / len(ours))} for "
        f"{steps / len(ours):.0f} steps; with reading {_mean(o.reading for o in ours)}; "
        f"verifying {_mean(o.verifying for o in ours)}",
    )
    yield Verdict(f"{domain}: lama-first", _describe_lama(theirs))
    yield _compare(f"{domain}: alone", [t.searching / o.running for o, t in runs])
    whole = [t.whole / o.running for o, t in runs]
    yield _compare(f"{domain}: beside the whole planner", whole, FACTOR)
    yield _compare(f"{domain}: with reading", [t.whole / o.reading for o, t in runs])


def _describe_lama(runs: Sequence[LamaTimes]) -> str:
    notes = sorted({run.note for run in runs if run.note})
    found = [run for run in runs if run.steps]
    if not found:
        return "; ".join(notes)
    times = f"search {_mean(r.searching for r in found)}, whole {_mean(r.whole for r in found)}"
    steps = f"{statistics.fmean(run.steps for run in found):.0f} steps"
    return "; ".join((f"{times}, {steps}", *notes))


def _compare(what: str, factors: Sequence[float], goal: float | None = None) -> Verdict:
    factor = statistics.median(factors)
    wanted = "" if goal is None else f"{goal:g} times faster"
    if math.isnan(factor):
        return Verdict(what, "no comparison", wanted)
    met = None if goal is None else factor >= goal
    measured = "lama-first found no plan" if math.isinf(factor) else f"{factor:.0f} times faster"
    return Verdict(what, measured, wanted, met)


def _mean(numbers: Iterable[float]) -> str:
    return _write(statistics.fmean(numbers))


def _write(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms" if seconds < 1.0 else f"{seconds:.1f} s"


def _time(run: Callable[[], object]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun
