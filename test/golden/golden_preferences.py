# SPDX-License-Identifier: Apache-2.0
"""First plans for the 55 tasks of IPC-5 with preferences (PDDL3), and their metric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from golden_cases import BENCH, PATIENT, Answer, Case, describe_result, need

from benchmark.ipc.tasks import IpcTask, find_tasks
from fcp_ros.domain.pddl import read_pddl
from fcp_ros.planning import Optimise, PlanningRequest, plan

QUICK_NUMBERS = ("1", "2")
"""The least problems of each domain are asked in the quick form."""


def list_cases() -> Iterator[Case]:
    """Yield the tasks."""
    for task in find_tasks(need(BENCH / "pddl3")):
        number = task.problem.stem.rpartition("-")[2]
        yield Case(task.name, lambda task=task: _plan(task), number in QUICK_NUMBERS)


def _plan(files: IpcTask) -> Answer:
    task = read_pddl(files.domain, files.problem)
    options = replace(PATIENT, optimise=Optimise.COST)
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, options))
    return describe_result(result, task.domain, task)
