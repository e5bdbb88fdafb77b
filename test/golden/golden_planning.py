# SPDX-License-Identifier: Apache-2.0
"""Plans for 29 tasks: houses, what is in the way, vague goals, Taskography, classical domains."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from golden_cases import BENCH, PATIENT, Answer, Case, describe_result

from benchmark.planning.blockers import BLOCKERS, blocked_household
from benchmark.planning.classics import CLASSICS, Classic
from benchmark.planning.household import Household, household
from benchmark.planning.household_scene import write_scene
from benchmark.planning.settings import HOUSEHOLD_DOMAIN
from benchmark.planning.vague import CountingSource, vague_domain, vague_goal, vague_household
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import Domain, load_domain, parse_domain, parse_expression
from fcp_ros.domain.pddl import read_pddl
from fcp_ros.planning import PlanningRequest, plan
from fcp_ros.scene import load_scene

TASKOGRAPHY = (
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
"""One or two of each kind."""
LOWEST = 0.4
"""Degrees of vague goals lie between this and 1."""


def list_cases() -> Iterator[Case]:
    """Yield the 29 tasks."""
    domain = load_domain(HOUSEHOLD_DOMAIN)
    for things, receptacles in ((100, 40), (1_000, 200), (5_000, 800)):
        for moves in (3, 10):
            house = household(things, receptacles, moves)
            yield _house(f"house {things} k={moves}", house, house.goal_text(), domain)
    for name in BLOCKERS:
        house = blocked_household(name, 1_000, 200)
        yield _house(name, house, house.goal_text(), domain)
    text = HOUSEHOLD_DOMAIN.read_text(encoding="utf-8")
    for shared in (True, False):
        house = vague_household(30)
        vague = parse_domain(vague_domain(text, shared))
        name = f"vague, {'one degree a kind' if shared else 'one degree a thing'}"
        yield _house(name, house, vague_goal(house, shared), vague, LOWEST)
    for problem in TASKOGRAPHY:
        file = BENCH / "taskography" / "problems" / f"taskography{problem}.pddl"
        if file.is_file():
            yield Case(problem, lambda file=file: _plan_pddl(file.with_name("domain.pddl"), file))
    for classic in CLASSICS:
        size = classic.sizes[1]
        yield Case(f"{classic.name} {size}", lambda it=classic, n=size: _plan_classic(it, n))


def _house(name: str, house: Household, goal: str, domain: Domain, lowest: float = 1.0) -> Case:
    return Case(name, lambda: _plan_house(house, goal, domain, lowest))


def _plan_house(house: Household, goal: str, domain: Domain, lowest: float) -> Answer:
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        scene = Path(folder) / "scene.json"
        write_scene(house, scene)
        state = scene_to_instance(load_scene(scene), domain.schema, domain.mapping).instance
    source = CountingSource(lowest)
    result = plan(
        PlanningRequest(domain, state, parse_expression(goal), PATIENT.with_alpha(0.0), source)
    )
    return {**describe_result(result, domain), "questions": source.questions}


def _plan_pddl(domain: Path, problem: Path) -> Answer:
    task = read_pddl(domain, problem)
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, PATIENT, CountingSource()))
    return describe_result(result, task.domain, task)


def _plan_classic(classic: Classic, size: int) -> Answer:
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        problem = Path(folder) / "problem.pddl"
        problem.write_text(classic.problem(size), encoding="utf-8")
        return _plan_pddl(classic.domain, problem)
