# SPDX-License-Identifier: Apache-2.0
"""The houses of the planning benchmark: the same task as scene, domain and PDDL, and solvable.

What the rules mean is written a third time here, as a breadth-first search over positions; the
YAML domain (through our planner) and the PDDL domain (through our reader) are held against it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from benchmark.planning.blockers import BLOCKERS, blocked_household
from benchmark.planning.classics import CLASSICS, Classic
from benchmark.planning.household import ROBOT, Household, Kind, household, restricted
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
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningResult, plan
from fcp_ros.scene import load_scene

TINY = [household(4, 5, moves, seed) for moves in (1, 2) for seed in range(4)]
SINGLE = [blocked_household(name, 2, 3) for name, parts in BLOCKERS.items() if len(parts) == 1]
BLOCKED = [*SINGLE, blocked_household("all three", 2, 3)]


@dataclass(frozen=True)
class Where:
    """A state of a house: where everything is, and what is closed, locked and sealed."""

    robot: str
    held: str
    places: tuple[tuple[str, str], ...]
    shut: frozenset[tuple[str, str]]


def start_of(house: Household) -> Where:
    """The state at first."""
    shut = {("closed", p.name) for p in (*house.receptacles, *house.items) if _closed(p)}
    shut |= {("locked", p.name) for p in house.receptacles if p.locked}
    shut |= {("sealed", p.name) for p in house.receptacles if p.sealed}
    places = tuple((item.name, item.place) for item in house.items)
    return Where(house.start, "", places, frozenset(shut))


def _closed(thing: object) -> bool:
    return bool(getattr(thing, "closed", False))


def successors(house: Household, state: Where) -> Iterator[tuple[str, Where]]:
    """Every step that can be taken: as "rule(arguments)", robot left out, and where it leads."""
    here = state.robot
    if here in house.rooms:
        for a, b, doorway in house.doorways:
            for one, other in ((a, b), (b, a)):
                if one == here:
                    yield f"go({here}, {other}, {doorway})", replace(state, robot=other)
        for place in house.receptacles:
            if place.room == here:
                yield f"approach({here}, {place.name})", replace(state, robot=place.name)
        return
    place = house.receptacle[here]
    yield f"step_back({here}, {place.room})", replace(state, robot=place.room)
    if state.held:
        yield from _with_full_hand(house, state)
    else:
        yield from _with_empty_hand(house, state)


def _with_full_hand(house: Household, state: Where) -> Iterator[tuple[str, Where]]:
    here, held = state.robot, state.held
    kind = house.receptacle[here].kind
    for what, name, needs in (
        ("locked", "unlock", (held, here) in house.fits),
        ("sealed", "pry_open", house.item[held].kind is Kind.CROWBAR),
    ):
        if (what, here) in state.shut and needs:
            yield f"{name}({here}, {held})", replace(state, shut=state.shut - {(what, here)})
    rule = {Kind.SURFACE: "put_on", Kind.PEDESTAL: "set_on", Kind.CONTAINER: "put_in"}[kind]
    taken = kind is Kind.PEDESTAL and here in dict(state.places).values()
    if not taken and ("closed", here) not in state.shut:
        yield f"{rule}({held}, {here})", replace(_moved(state, held, here), held="")


def _with_empty_hand(house: Household, state: Where) -> Iterator[tuple[str, Where]]:
    here, is_container = state.robot, house.receptacle[state.robot].kind is Kind.CONTAINER
    is_open = ("closed", here) not in state.shut
    if not is_open and not {("locked", here), ("sealed", here)} & state.shut:
        yield f"open({here})", replace(state, shut=state.shut - {("closed", here)})
    if not is_open:
        return
    for item, place in state.places:
        box_open = ("closed", place) not in state.shut
        if place == here:
            rule = "take_out" if is_container else "pick"
            yield f"{rule}({item}, {here})", replace(_moved(state, item, ""), held=item)
            if is_container and ("closed", item) in state.shut:
                opened = replace(state, shut=state.shut - {("closed", item)})
                yield f"open_box({item}, {here})", opened
        elif dict(state.places).get(place) == here and is_container and box_open:
            taken = replace(_moved(state, item, ""), held=item)
            yield f"take_from_box({item}, {place}, {here})", taken


def _moved(state: Where, item: str, place: str) -> Where:
    return replace(state, places=tuple((i, place if i == item else p) for i, p in state.places))


def fewest_steps(house: Household) -> int:
    """Length of the shortest plan."""
    first = start_of(house)
    seen, waiting = {first}, deque([(first, 0)])
    while waiting:
        state, steps = waiting.popleft()
        if set(house.goal) <= set(state.places):
            return steps
        for _, after in successors(house, state):
            if after not in seen:
                seen.add(after)
                waiting.append((after, steps + 1))
    raise AssertionError("the task has no plan")


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


def planned(house: Household, domain: Domain, folder: Path) -> PlanningResult:
    """What our planner says to the written scene."""
    state = state_of(house, domain, folder)
    goal = parse_expression(house.goal_text())
    return plan(PlanningRequest(domain, state, goal, PlanningOptions(alpha=0.0), CountingSource()))


def steps_of(result: PlanningResult) -> list[str]:
    """The steps of a plan, robot left out."""
    assert result.plan is not None, result.message
    return [
        f"{step.rule}({', '.join(name for _, name in step.arguments if name != ROBOT)})"
        for step in result.plan.steps
    ]


def test_scene_holds_the_house(domain, tmp_path):
    house = household(40, 15, 3)
    state = state_of(house, domain, tmp_path)
    on_and_in = len(state.tuples("on")) + len(state.tuples("inside"))
    assert on_and_in == len(state.elements("item")) == 40
    assert len(state.elements("place")) == len(state.tuples("in_room")) - len(house.rooms) == 15
    closed = sum(place.closed for place in house.receptacles)
    assert len(state.tuples("closed")) == closed


@pytest.mark.parametrize("house", TINY + BLOCKED)
def test_plans_of_the_yaml_domain_are_plans_of_the_house(house, domain, tmp_path):
    state = start_of(house)
    for step in steps_of(planned(house, domain, tmp_path)):
        state = dict(successors(house, state))[step]
    assert set(house.goal) <= set(state.places)


@pytest.mark.parametrize("house", TINY[:2] + BLOCKED)
def test_pddl_domain_means_the_same(house):
    task = parse_pddl(DOMAIN.read_text(encoding="utf-8"), problem_text(house))
    options = PlanningOptions(alpha=0.0)
    found = plan(PlanningRequest(task.domain, task.instance, task.goal, options, CountingSource()))
    assert found.plan is not None, found.message
    state = start_of(house)
    for step in found.plan.steps:
        form, bound = task.forms[step.rule], dict(step.arguments)
        names = [bound[parameter] for parameter in form.parameters]
        state = _after(house, state, form.action.replace("-", "_"), names)
    assert set(house.goal) <= set(state.places)


def _after(house: Household, state: Where, rule: str, names: list[str]) -> Where:
    """The state after a step of the PDDL domain, which has no doorways."""
    assert names.pop(0) == ROBOT
    rule = "pick" if rule == "pick_from_pedestal" else rule
    for step, after in successors(house, state):
        head, _, rest = step.partition("(")
        arguments = rest.rstrip(")").split(", ")
        if head == rule and names == arguments[: len(names)]:
            return after
    raise AssertionError(f"{rule}({', '.join(names)}) can't be done")


@pytest.mark.parametrize("house", TINY + SINGLE)
def test_restricted_task_keeps_a_plan_that_is_as_short(house):
    small = restricted(house)
    assert set(small.items) <= set(house.items)
    assert fewest_steps(small) == fewest_steps(house)


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
    assert fewest_steps(without) == 0
    assert fewest_steps(house) > 8


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
