# SPDX-License-Identifier: Apache-2.0
"""Sliding tiles: `free` is replaced by an absence, and what is near the goal does not suffice."""

import pytest
from sliding_tiles import DOMAIN, write_square_puzzle

from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.planning import Optimise, PlanningOptions, PlanningRequest, PlanStatus, plan


def solve(size, seed, moves, **options):
    task = parse_pddl(DOMAIN, write_square_puzzle(size, seed, moves))
    assert "free" in task.replaced
    settings = PlanningOptions(**{"time_limit": 300.0, "improve_time": 0.0, **options})
    return plan(PlanningRequest(task.domain, task.instance, task.goal, settings, None))


@pytest.mark.parametrize("seed", range(4))
def test_a_scrambled_15_puzzle_is_solved(seed):
    # The narrow task has no plan; that alone takes 10,000 expansions. Relaxed plans that took facts
    # of equal value by their numbers led the search astray: up to 270,000 expansions.
    result = solve(4, seed, 500)
    assert result.plan is not None
    assert result.expansions < 40_000


def test_a_task_that_does_not_grow_is_searched_once():
    result = solve(3, 5, 400, optimise=Optimise.COST, improve_time=300.0)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.expansions < 15_000  # the beam search takes its turns, too
