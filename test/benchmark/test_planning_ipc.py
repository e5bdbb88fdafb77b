# SPDX-License-Identifier: Apache-2.0
"""The classical tasks of the planning benchmark: the same for the same seed, read and solvable."""

import pytest

from benchmark.planning.classics import CLASSICS, Classic
from benchmark.planning.vague import CountingSource
from fcp_ros.domain.pddl import PddlTask, parse_pddl
from fcp_ros.planning import PlanningOptions, PlanningRequest, plan

SMALL = {
    "blocks": 4,
    "gripper": 3,
    "logistics": 2,
    "miconic": 2,
    "ferry": 3,
    "satellite": 2,
    "rovers": 2,
}


def task_of(classic: Classic, size: int, seed: int = 1) -> PddlTask:
    """The task as our reader sees it."""
    return parse_pddl(classic.domain.read_text(encoding="utf-8"), classic.problem(size, seed))


@pytest.mark.parametrize("classic", CLASSICS, ids=lambda c: c.name)
def test_same_seed_same_problem(classic):
    for size in classic.sizes[:2]:
        assert classic.problem(size) == classic.problem(size)
    if classic.name != "gripper":  # its only choice is the number of balls
        assert classic.problem(classic.sizes[1], 1) != classic.problem(classic.sizes[1], 2)


@pytest.mark.parametrize("classic", CLASSICS, ids=lambda c: c.name)
def test_sizes_grow(classic):
    assert len(classic.sizes) == len(set(classic.sizes)) == 10
    assert list(classic.sizes) == sorted(classic.sizes)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("classic", CLASSICS, ids=lambda c: c.name)
def test_small_ones_have_plans(classic, seed):
    task = task_of(classic, SMALL[classic.name], seed)
    options = PlanningOptions(alpha=0.0)
    found = plan(PlanningRequest(task.domain, task.instance, task.goal, options, CountingSource()))
    assert found.plan is not None, found.message
