# SPDX-License-Identifier: Apache-2.0
"""The houses of the planning benchmark: the same task as scene, domain and PDDL, and solvable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.planning.blockers import BLOCKERS, blocked_household
from benchmark.planning.classics import CLASSICS, Classic
from benchmark.planning.household import Household, household, restricted
from benchmark.planning.household_pddl import DOMAIN, problem_text
from benchmark.planning.household_scene import write_scene
from benchmark.planning.settings import HOUSEHOLD_DOMAIN
from benchmark.planning.vague import (
    CountingSource,
    vague_goal,
    vague_household,
)
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain, load_domain, parse_expression
from fcp_ros.domain.pddl import PddlTask, parse_pddl
from fcp_ros.planning import PlanningOptions, PlanningRequest, plan
from fcp_ros.planning.model.request import Algorithm, Optimise, SearchOptions
from fcp_ros.scene import load_scene

TINY = [household(4, 5, moves, seed) for moves in (1, 2) for seed in range(4)]
SINGLE = [blocked_household(name, 2, 3) for name, parts in BLOCKERS.items() if len(parts) == 1]


@pytest.fixture(scope="module")
def domain() -> Domain:
    """The domain of the benchmark."""
    return load_domain(HOUSEHOLD_DOMAIN)


def state_of(house: Household, domain: Domain, folder: Path) -> Instance:
    """The state that the written scene stands for; nothing in it is guessed or left out."""
    write_scene(house, folder / "scene.json")
    graph = load_scene(folder / "scene.json")
    state = scene_to_instance(graph, domain.schema, domain.mapping)
    assert not graph.notes
    assert not state.notes
    return state.instance


BEST = PlanningOptions(
    alpha=0.0,
    time_limit=300.0,
    optimise=Optimise.COST,
    search=SearchOptions(Algorithm.ASTAR),
)


def planned(house: Household, domain: Domain, folder: Path) -> int:
    """The length of a shortest plan for the written scene."""
    state = state_of(house, domain, folder)
    return count_steps(PlanningRequest(domain, state, parse_expression(house.goal_text()), BEST))


def planned_in_pddl(house: Household) -> int:
    """The length of a shortest plan for the PDDL problem."""
    task = parse_pddl(DOMAIN.read_text(encoding="utf-8"), problem_text(house))
    return count_steps(PlanningRequest(task.domain, task.instance, task.goal, BEST))


def count_steps(request: PlanningRequest) -> int:
    found = plan(replace(request, memberships=CountingSource()))
    assert found.plan is not None, found.message
    return len(found.plan.steps)


def test_scene_holds_the_house(domain, tmp_path):
    house = household(40, 15, 3)
    state = state_of(house, domain, tmp_path)
    on_and_in = len(state.tuples("on")) + len(state.tuples("inside"))
    assert on_and_in == len(state.elements("item")) == 40
    assert len(state.elements("place")) == len(state.tuples("in_room")) - len(house.rooms) == 15
    closed = sum(place.closed for place in house.receptacles)
    assert len(state.tuples("closed")) == closed


@pytest.mark.parametrize("house", TINY + SINGLE)
def test_house_and_what_a_person_leaves_of_it_have_plans_of_one_length(house, domain, tmp_path):
    """The scene, the PDDL problem and the PDDL problem of the rest are the same task."""
    small = restricted(house)
    assert set(small.items) <= set(house.items)
    lengths = {planned(house, domain, tmp_path), *map(planned_in_pddl, (house, small))}
    assert len(lengths) == 1


@pytest.mark.parametrize("shared", [True, False])
def test_vague_goal_is_reached_by_the_best_candidate(shared, domain, tmp_path):
    house = vague_household(6)
    state = state_of(house, domain, tmp_path)
    source = CountingSource(0.4)
    goal = parse_expression(vague_goal(house, shared))
    found = plan(PlanningRequest(domain, state, goal, PlanningOptions(alpha=0.0), source))
    assert found.plan is not None
    assert found.plan.steps
    assert found.plan.membership < 1.0
    assert 0 < source.batches <= source.questions


@pytest.mark.parametrize("house", SINGLE)
def test_blockers_are_in_the_way(house):
    (moved,) = house.goal
    without = replace(house, goal=((moved[0], house.item[moved[0]].place),))
    assert planned_in_pddl(without) == 0
    assert planned_in_pddl(house) > 8


# --- The classical tasks of the planning benchmark: the same for the same seed, read and solvable


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


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("classic", CLASSICS, ids=lambda c: c.name)
def test_small_ones_have_plans(classic, seed):
    task = task_of(classic, SMALL[classic.name], seed)
    options = PlanningOptions(alpha=0.0)
    found = plan(PlanningRequest(task.domain, task.instance, task.goal, options, CountingSource()))
    assert found.plan is not None, found.message
