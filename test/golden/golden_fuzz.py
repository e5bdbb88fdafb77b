# SPDX-License-Identifier: Apache-2.0
"""Plans for random PDDL tasks, by seed: of all ADL, with axioms, with preferences of PDDL3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from golden_cases import PATIENT, Answer, Case, describe_result
from random_adl import make_task
from random_pddl3 import RequirementDrawer, write_requirements
from torn_names import parse

from fcp_ros.domain.pddl.task_reader import PddlTexts, work_out
from fcp_ros.planning import Optimise, PlanningRequest, plan

SEEDS, QUICK_SEEDS = 300, 40
PROOF = replace(PATIENT, optimise=Optimise.COST, improve_time=600.0)
"""The tasks are small: the search ends with a proof, and not because time is up."""


def list_cases() -> Iterator[Case]:
    """Yield the seeds of each kind."""
    for seed in range(SEEDS):
        quick = seed < QUICK_SEEDS
        yield Case(f"adl {seed}", lambda seed=seed: _plan(parse(*make_task(seed))), quick)
        yield Case(f"axioms {seed}", lambda seed=seed: _plan(parse(*make_task(seed, True))), quick)
        yield Case(f"pddl3 {seed}", lambda seed=seed: _plan(_add_requirements(seed)), quick)


def _add_requirements(seed: int) -> PddlTexts:
    texts = parse(*make_task(seed))
    wanted = RequirementDrawer(Random(seed), texts).requirements(texts.problem.goal)
    return write_requirements(texts, wanted)


def _plan(texts: PddlTexts) -> Answer:
    task = work_out(texts)
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, PROOF))
    return describe_result(result, task.domain, task)
