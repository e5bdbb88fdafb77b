# SPDX-License-Identifier: Apache-2.0
"""Part of the preferences benchmark: what is lost without each of the planner's means.

The ablations of the FCP paper (without chunks, by the t-norm Goedel, with a single judgement and
not the median of five), and each optimisation switched off, on houses with wishes and graded
steps, and on small tasks of IPC-5.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from ipc_tasks import find_tasks
from planning_household import household
from planning_ours import HOUSEHOLD_DOMAIN
from planning_tables import Figure, Line, Part
from preferences_household import make_wishes, write_goal
from preferences_judges import NoisySource
from preferences_part_household import Improved, improve, load_kernels, state_of

from fcp_ros.cset import Instance
from fcp_ros.domain import Domain, parse_domain, parse_expression
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.pddl import read_pddl
from fcp_ros.planning import Optimise, PlanningOptions, Switches

SECONDS, QUICK_SECONDS = 5.0, 1.0
SEEDS, QUICK_SEEDS = 5, 2
WISHES, WEIGHT = 4, 0.3
"""Number of wishes, and their weight together."""
LOWEST = 0.95
"""True degrees lie between this and 1."""
JUDGEMENTS = 5
SMALL = (1, 2)
"""Numbers of the instances of IPC-5."""
CHUNKS = """
chunks:
  fetch:
    parameters: {robot: robot, item: item, support: surface, room: room}
    steps:
      - approach(robot, room, support)
      - pick(robot, item, support)
      - step_back(robot, support, room)
  bring:
    parameters: {robot: robot, item: item, support: surface, room: room}
    steps:
      - approach(robot, room, support)
      - put_on(robot, item, support)
      - step_back(robot, support, room)
"""


@dataclass(frozen=True)
class Variant:
    """A way to plan: the options, and the number of judgements for each answer."""

    name: str
    options: PlanningOptions
    judgements: int = JUDGEMENTS


@dataclass(frozen=True)
class Task:
    """A task, and whether its cost is what counts."""

    domain: Domain
    state: Instance
    goal: Expression
    by_cost: bool


def ablation_part(tasks: Path, quick: bool) -> Part:
    """Plan all tasks with all variants."""
    load_kernels()
    suites: Mapping[str, Sequence[Task]] = {
        "houses with wishes": list(_houses(QUICK_SEEDS if quick else SEEDS)),
        "IPC-5, small": list(_small_tasks(tasks, quick)),
    }
    lines = [
        Line(f"{name} ({len(suite)})", variant.name, _figures(suite, variant))
        for name, suite in suites.items()
        if suite
        for variant in variants(QUICK_SECONDS if quick else SECONDS)
        if name != "IPC-5, small" or variant.judgements == JUDGEMENTS
    ]
    notes = [
        "found: plans that reach alpha = 0.5 by the planner; membership: mean of them, by the",
        "planner; true: by the true degrees and Lukasiewicz; holds: plans that truly reach alpha;",
        "cost: mean metric of the plans; CPU s: mean over all tasks.",
    ]
    if not suites["IPC-5, small"]:
        notes.append(f"{tasks} is not there: houses only.")
    return Part("ablation", lines, notes=notes)


def variants(seconds: float) -> Iterator[Variant]:
    """The planner as it is, the ablations of the paper, and each optimisation switched off."""
    usual = PlanningOptions(alpha=0.5, time_limit=seconds, improve_time=seconds, keep=False)
    yield Variant("as it is", usual)
    yield Variant("t-norm Goedel", replace(usual, tnorm="goedel"))
    yield Variant("k = 1", usual, judgements=1)
    for switch in fields(Switches):
        off = replace(Switches(), **{switch.name: False})
        yield Variant(f"without {switch.name}", replace(usual, switches=off))


def _houses(seeds: int) -> Iterator[Task]:
    text = HOUSEHOLD_DOMAIN.read_text(encoding="utf-8")
    domain = parse_domain(text + CHUNKS, HOUSEHOLD_DOMAIN.name)
    for seed in range(1, seeds + 1):
        house = household(100, 40, 1, seed)
        goal = parse_expression(write_goal(house, make_wishes(house, WISHES, seed, WEIGHT)))
        yield Task(domain, state_of(house, domain), goal, by_cost=False)


def _small_tasks(folder: Path, quick: bool) -> Iterator[Task]:
    names = tuple(f" {number}" for number in (SMALL[:1] if quick else SMALL))
    for found in find_tasks(folder) if folder.is_dir() else ():
        if found.name.endswith(names):
            read = read_pddl(found.domain, found.problem)
            yield Task(read.domain, read.instance, read.goal, by_cost=True)


def _figures(suite: Sequence[Task], variant: Variant) -> dict[str, Figure]:
    """What a variant does with a suite of tasks."""
    source = NoisySource(LOWEST, variant.judgements)
    began = time.process_time()
    runs = [_run(task, variant, source) for task in suite]
    seconds = (time.process_time() - began) / len(suite)
    solved = [run for run in runs if run.result.plan is not None]
    true = [source.find_true_membership(run.result) or 0.0 for run in solved]
    figures: dict[str, Figure] = {"found": len(solved)}
    if not suite[0].by_cost:
        figures["membership"] = _mean([run.result.best_membership for run in solved])
        figures["true"] = _mean(true)
        figures["holds"] = sum(value >= variant.options.alpha for value in true)
    else:
        figures["cost"] = _mean([_cost(run) for run in solved])
    figures["proven"] = sum(bool(run.result.optimal_in) for run in solved)
    figures["steps"] = _mean([float(len(run.result.plan.steps)) for run in solved])
    figures["expansions"] = sum(run.result.expansions for run in runs)
    figures["CPU s"] = seconds
    return figures


def _run(task: Task, variant: Variant, source: NoisySource) -> Improved:
    objective = Optimise.COST if task.by_cost else Optimise.MEMBERSHIP
    options = replace(variant.options, optimise=objective)
    return improve(task.domain, task.state, task.goal, options, source)


def _cost(run: Improved) -> float:
    best = None if run.last is None else run.last.best
    return 0.0 if best is None else best.cost


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None
