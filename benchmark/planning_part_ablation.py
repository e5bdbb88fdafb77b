# SPDX-License-Identifier: Apache-2.0
"""Part of the planning benchmark: what each hand-set constant of relevance is good for.

Each constant is halved, doubled and set to the value that takes its effect away, one at a time,
and all tasks are planned with it. Numbers of operators and of steps do not depend on the machine;
seconds are CPU seconds of whole requests, the shorter of two.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

from planning_blockers import BLOCKERS, blocked_household
from planning_household import Household, household
from planning_household_scene import write_scene
from planning_ipc import CLASSICS
from planning_ours import HOUSEHOLD_DOMAIN
from planning_part_pddl import TASKOGRAPHY
from planning_settings import Settings
from planning_tables import Line, Part
from planning_vague import CountingSource, vague_domain, vague_goal, vague_household

from fcp_ros.binding import scene_to_instance
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain, load_domain, parse_expression
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.pddl import read_pddl
from fcp_ros.planning import PlanningOptions, PlanningSession, plan
from fcp_ros.planning.relevance import binding_plans
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.scene import load_scene

RELEVANCE = "fcp_ros.planning.relevance"
ENDLESS = 1_000_000
REPETITIONS = 2
LOWEST = 0.4
"""Degrees of the vague tasks lie between this and 1."""

CONSTANTS: Mapping[str, Sequence[int]] = {
    "closure.RINGS": (1, 4, 0),
    "closure.FARTHEST": (3, 8, 2),
    "closure.GROWTH": (2, 8, 1),
    "achievers.CHOSEN": (1, 6, ENDLESS),
    "achievers.CANDIDATES": (32, 128, ENDLESS),
    "binding.ELEMENTS": (4, 16, ENDLESS),
    "binding.NEIGHBOURS": (32, 128, 0),
    "binding.MET": (1, 4, 0),
    "binding.NEARBY": (2, 8, 0),
    "binding.FEW": (1, 6, 0),
    "binding.LINKS": (32, 128, ENDLESS),
    "binding.LISTED": (8, 32, ENDLESS),
    "open_literals.NOTED": (1, 4, 0),
    "reach.CROWD": (1, 6, ENDLESS),
    "reach.FARTHEST": (500, 2_000, 0),
}
"""Halved, doubled, without effect."""
COSTS = ("_FEW", "_MOVING")


@dataclass(frozen=True)
class Variant:
    """A constant with another value: what is replaced by what."""

    name: str
    patches: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """What is planned."""

    name: str
    domain: Domain
    instance: Instance
    goal: Expression
    lowest: float = 1.0


@dataclass(frozen=True)
class Run:
    """What came of a task under a variant."""

    status: str
    steps: int | None
    membership: float | None
    operators: int
    compiled: float
    seconds: float


def ablation_part(settings: Settings) -> Part:
    """Plan all tasks with all variants."""
    runs: dict[str, list[tuple[Run, Run]]] = {}
    for task in _tasks(settings):
        usual = _run(task, Variant("as it is"), settings)
        for variant in variants():
            runs.setdefault(variant.name, []).append((usual, _run(task, variant, settings)))
    lines = [Line(name, "ours", _figures(pairs)) for name, pairs in runs.items()]
    notes = [
        "changed: tasks with another number of operators. operators, compile, plan: geometric",
        "means of the ratios to the constant as it is, of tasks that both solve; worst: the",
        "largest ratio of the CPU seconds of a plan. steps: of these tasks, all together.",
    ]
    return Part("ablation", lines, notes=notes)


def variants() -> Iterator[Variant]:
    """Every constant halved, doubled and without effect."""
    for name, (half, double, without) in CONSTANTS.items():
        for value in (half, double, without):
            shown = "off" if value in (0, ENDLESS) else str(value)
            yield Variant(f"{name.split('.')[1]} {shown}", {f"{RELEVANCE}.{name}": value})
    for name in COSTS:
        for factor in (0.5, 2.0, 0.0):
            value = getattr(binding_plans, name) * factor
            yield Variant(f"{name} x {factor:g}", {f"{RELEVANCE}.binding_plans.{name}": value})
    for style, costs in binding_plans._COSTS.items():
        for figure in costs.__dataclass_fields__:
            for factor in (0.5, 2.0):
                changed = replace(costs, **{figure: getattr(costs, figure) * factor})
                table = {**binding_plans._COSTS, style: changed}
                name = f"{style.name} {figure} x {factor:g}"
                yield Variant(name, {f"{RELEVANCE}.binding_plans._COSTS": table})


def _run(task: Task, variant: Variant, settings: Settings) -> Run:
    """The faster of some runs."""
    runs = [_once(task, variant, settings) for _ in range(REPETITIONS)]
    return min(runs, key=lambda run: run.seconds)


def _once(task: Task, variant: Variant, settings: Settings) -> Run:
    operators, compiled = 0, 0.0
    compile_task: Callable[..., Any] = RelevanceCompiler.task

    def counted(*arguments: Any) -> Any:
        nonlocal operators, compiled
        start = time.process_time()
        made = compile_task(*arguments)
        compiled += time.process_time() - start
        operators += len(made.operators)
        return made

    options = PlanningOptions(alpha=0.0, time_limit=settings.limits.seconds, keep=False)
    with ExitStack() as stack:
        for target, value in variant.patches.items():
            stack.enter_context(mock.patch(target, value))
        stack.enter_context(mock.patch.object(RelevanceCompiler, "task", counted))
        session = PlanningSession(task.domain)
        session.prepare()
        start = time.process_time()
        source = CountingSource(task.lowest)
        result = plan(task.domain, task.instance, task.goal, options, source, session=session)
        seconds = time.process_time() - start
    found = result.plan
    return Run(
        result.status.name,
        None if found is None else len(found.steps),
        None if found is None else found.membership,
        operators,
        compiled,
        seconds,
    )


def _figures(pairs: Sequence[tuple[Run, Run]]) -> dict[str, float | int | str | None]:
    """What a variant changes, over all tasks."""
    both = [pair for pair in pairs if None not in (pair[0].steps, pair[1].steps)]
    seconds = [run.seconds / usual.seconds for usual, run in both]
    usual_steps = sum(usual.steps or 0 for usual, _ in both)
    return {
        "changed": sum(usual.operators != run.operators for usual, run in pairs),
        "solved": sum(run.steps is not None for _, run in pairs)
        - sum(usual.steps is not None for usual, _ in pairs),
        "other status": sum(usual.status != run.status for usual, run in pairs),
        "steps %": 100.0 * (sum(run.steps or 0 for _, run in both) / usual_steps - 1.0),
        "longer": sum((run.steps or 0) > (usual.steps or 0) for usual, run in both),
        "shorter": sum((run.steps or 0) < (usual.steps or 0) for usual, run in both),
        "membership": sum((new.membership or 0.0) - (old.membership or 0.0) for old, new in both),
        "operators": _mean([_share(run.operators, usual.operators) for usual, run in pairs]),
        "compile": _mean([_share(run.compiled, usual.compiled) for usual, run in pairs]),
        "plan": _mean(seconds),
        "worst": max(seconds),
    }


def _share(one: float, other: float) -> float:
    return max(one, 1e-3) / max(other, 1e-3)


def _mean(ratios: Sequence[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, ratios)))


# --- tasks


def _tasks(settings: Settings) -> Iterator[Task]:
    """Houses, also with blockers and vague goals, problems of Taskography, classical tasks."""
    domain = load_domain(HOUSEHOLD_DOMAIN)
    sizes = ((100, 40), (1_000, 200), (5_000, 800))[: 1 if settings.quick else 3]
    for objects, receptacles in sizes:
        for moves in (3, 10):
            house = household(objects, receptacles, moves)
            goal = house.goal_text()
            yield _house(f"house {objects} k={moves}", house, goal, domain, settings)
    for objects, receptacles in sizes[:2]:
        for name in BLOCKERS:
            house = blocked_household(name, objects, receptacles)
            yield _house(f"{name} {objects}", house, house.goal_text(), domain, settings)
    for shared in (True, False):
        house = vague_household(30)
        file = settings.folder / "vague.yaml"
        text = HOUSEHOLD_DOMAIN.read_text(encoding="utf-8")
        file.write_text(vague_domain(text, shared), encoding="utf-8")
        goal = vague_goal(house, shared)
        task = _house(f"vague {shared}", house, goal, load_domain(file), settings)
        yield replace(task, lowest=LOWEST)
    for name in () if settings.quick else PROBLEMS:
        file = TASKOGRAPHY / "problems" / f"taskography{name}.pddl"
        yield _pddl(name, file.with_name("domain.pddl"), file)
    for classic in CLASSICS:
        file = settings.folder / "classic.pddl"
        size = classic.sizes[1]
        file.write_text(classic.problem(size), encoding="utf-8")
        yield _pddl(f"{classic.name} {size}", classic.domain, file)


PROBLEMS = (
    "v2tiny1_test/problem69",
    "v2tiny1scrub_test/problem63",
    "v2tiny2_test/problem80",
    "v2tiny10_test/problem80",
    "v2tiny10scrub_test/problem90",
    "v2medium1_test/problem199",
    "v3tiny10bagslots5_test/problem80",
    "v4tiny5_test/problem50",
    "v4medium5_test/problem40",
    "v5tiny5bagslots5_test/problem50",
)
"""Of Taskography, one or two of each kind; those that take seconds each are left out."""


def _house(name: str, house: Household, goal: str, domain: Domain, settings: Settings) -> Task:
    scene = settings.folder / "scene.json"
    write_scene(house, scene)
    instance = scene_to_instance(load_scene(scene), domain.schema, domain.mapping).instance
    return Task(name, domain, instance, parse_expression(goal))


def _pddl(name: str, domain: Path, problem: Path) -> Task:
    task = read_pddl(domain, problem)
    return Task(name, task.domain, task.instance, task.goal)
