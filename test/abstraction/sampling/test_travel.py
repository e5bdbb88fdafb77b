# SPDX-License-Identifier: Apache-2.0
"""Rules that travel, how they do, and the journeys made of their steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.abstraction.features.expressions import InverseRole, NamedConcept, NamedRole
from fcp_ros.abstraction.proposers.exploration import DEAD_END, explore
from fcp_ros.abstraction.proposers.travel import TravelRule, confirm_travel, find_travel_rules
from fcp_ros.abstraction.states.building import GoalTest, build_state, list_goal_atoms
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import RelationalState, list_forms
from fcp_ros.domain.pddl import PddlTask, parse_pddl

PATROL = """(define (domain patrol) (:requirements :strips :negative-preconditions)
  (:predicates (here ?x) (road ?x ?y) (wet ?x) (lamp ?x) (broken ?x))
  (:action walk :parameters (?x ?y) :precondition (and (here ?x) (road ?x ?y){walk})
    :effect (and (here ?y) (not (here ?x)){effect}))
  (:action light :parameters (?x) :precondition (and (here ?x) (not (broken ?x)))
    :effect (and (lamp ?x) (broken ?x))))
"""


def make_patrol(roads: str, goal: str, walk: str = "", effect: str = "") -> PddlTask:
    facts = " ".join(f"(road {a} {b})" for a, b in (road.split("-") for road in roads.split()))
    return parse_pddl(
        PATROL.replace("{walk}", walk).replace("{effect}", effect),
        "(define (problem p) (:domain patrol) (:objects a b c d)"
        f"(:init (here a) {facts} (wet c)) (:goal (and {goal})))",
    )


def open_task(task: PddlTask) -> tuple[RuleEngine, RelationalState]:
    atoms = list_goal_atoms(task.goal, task.instance, task.domain)
    return RuleEngine(task.domain), build_state(task.domain, task.instance, atoms)


def test_a_rule_that_only_moves_one_thing_travels() -> None:
    task = make_patrol("a-b b-c", "(lamp c)")
    (rule,) = find_travel_rules(task.domain)
    assert rule == TravelRule("walk", NamedConcept("here"), NamedRole("road"), "y")


def test_a_way_back_is_the_inverse() -> None:
    text = PATROL.replace("(road ?x ?y){walk}", "(road ?y ?x)").replace("{effect}", "")
    task = parse_pddl(
        text,
        "(define (problem p) (:domain patrol) (:objects a b) (:init (here a) (road b a))"
        "(:goal (lamp b)))",
    )
    (rule,) = find_travel_rules(task.domain)
    assert rule.role == InverseRole(NamedRole("road"))


@pytest.mark.parametrize(
    ("walk", "effect", "roads", "expected"),
    [
        ("", "", "a-b b-a b-c c-b", "roles"),
        ("", "", "a-b a-c b-a b-c c-a c-b", "direct"),
        ("", " (wet ?x)", "a-b b-c", "no rule travels"),
        (" (not (wet ?y))", "", "a-b b-c", "a road can't be walked"),
        (" (not (wet ?y))", "", "a-b b-a", "roles or direct"),
    ],
)
def test_travel_is_confirmed_by_travelling(walk, effect, roads, expected) -> None:
    task = make_patrol(roads, "(lamp b)", walk, effect)
    engine, state = open_task(task)
    found = confirm_travel(engine, state, find_travel_rules(task.domain))
    if expected == "roles":
        assert [rule.role for rule in found] == [NamedRole("road")]
    elif expected in ("direct", "roles or direct"):
        assert [rule.role for rule in found] == [None]
    else:
        assert found == ()


def list_journeys_by_copies(
    engine: RuleEngine, state: RelationalState
) -> set[tuple[int, tuple[str, tuple[int, ...]]]]:
    """The obvious twin: all walks up to the number of places, then any other step."""
    found = set()
    level = [state.copy()]
    for _ in range(len(state.objects)):
        following = []
        for current in level:
            for rule, binding in list(engine.successors(current)):
                after = current.copy()
                engine.apply(rule, binding, after)
                if rule == "walk":
                    following.append(after)
                else:
                    found.add((after.key(), (rule, binding)))
        level = following
    return found


ROADS = st.sets(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), max_size=8).map(
    lambda roads: roads | {("d", "a"), ("a", "c")}
)


@given(ROADS)
def test_journeys_are_walks_with_a_last_step(roads) -> None:
    task = make_patrol(" ".join(f"{a}-{b}" for a, b in roads), "(lamp b) (lamp d)")
    engine, state = open_task(task)
    goal = list_goal_atoms(task.goal, task.instance, task.domain)
    is_goal = GoalTest(list_forms(task.domain.schema), goal, state).holds
    travel = find_travel_rules(task.domain)
    space = explore(engine, state, is_goal, travel, 1_000, lambda: None)
    assert space is not None
    edges: dict[int, set[tuple[int, tuple[str, tuple[int, ...]]]]] = {}
    for source, target, step in zip(space.sources, space.targets, space.steps, strict=True):
        edges.setdefault(source, set()).add((space.states[target].key(), step))
    for number, one in enumerate(space.states):
        expected = set() if space.goal[number] else list_journeys_by_copies(engine, one)
        assert edges.get(number, set()) == expected
    for place, (rule, (where, *_)) in zip(space.places, space.steps, strict=True):
        assert rule == "light"
        assert place == 1 << where


@given(ROADS)
def test_a_journey_may_end_with_a_walk_into_the_goal(roads) -> None:
    task = make_patrol(" ".join(f"{a}-{b}" for a, b in roads), "(here d)")
    engine, state = open_task(task)
    goal = list_goal_atoms(task.goal, task.instance, task.domain)
    is_goal = GoalTest(list_forms(task.domain.schema), goal, state).holds
    steps = explore(engine, state, is_goal, (), 1_000, lambda: None)
    journeys = explore(engine, state, is_goal, find_travel_rules(task.domain), 1_000, lambda: None)
    assert steps is not None
    assert journeys is not None
    assert (steps.distances[0] == DEAD_END) == (journeys.distances[0] == DEAD_END)
    assert journeys.distances[0] in (DEAD_END, 1)
    last = [
        place
        for place, (rule, _) in zip(journeys.places, journeys.steps, strict=True)
        if rule == "walk"
    ]
    assert set(last) <= {1 << state.positions["d"]}
