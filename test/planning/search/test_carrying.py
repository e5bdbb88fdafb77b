# SPDX-License-Identifier: Apache-2.0
"""How many things can be carried at most: never less than what a search of all states finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator, FlatResource
from fcp_ros.planning.flat.semantics import (
    amounts_after,
    find_applicable,
    initial_amounts,
    initial_state,
    successor,
)
from fcp_ros.planning.search.carrying import find_carries

ROBOT, HAND = 0, 1
PLACES = 4


def make_house(things, edges, closed, battery, hands_on=()):
    """Build a robot with one hand, in a graph of places, and things to be carried.

    Args:
        things: (place, wanted place) each.
        edges: (from, to, use).
        closed: places where nothing can be put before they are opened, with an empty hand.
        battery: what there is.
        hands_on: things that can be handed on to others without a free hand.
    """
    doors = sorted(closed)
    item = [2 + n for n in range(len(things))]
    door = {place: 2 + len(things) + n for n, place in enumerate(doors)}
    goal = 2 + len(things) + len(doors)
    gone = PLACES
    found = []

    def add(pre, effects, use):
        changes = tuple(FlatEffect(v, x) for v, x in effects)
        found.append(FlatOperator(tuple(pre), (), changes, use=(use,)))

    for source, target, use in edges:
        add([(ROBOT, source)], [(ROBOT, target)], use)
    for place in doors:
        add([(ROBOT, place), (HAND, 0), (door[place], 0)], [(door[place], 1)], 1.0)
    for number in range(len(things)):
        for place in range(PLACES):
            at = [(ROBOT, place)]
            add(
                [*at, (HAND, 0), (item[number], place)],
                [(HAND, number + 1), (item[number], gone)],
                1.0,
            )
            there = [(door[place], 1)] if place in door else []
            add([*at, (HAND, number + 1), *there], [(HAND, 0), (item[number], place)], 1.0)
    for number in hands_on:
        other = (number + 1) % len(things)
        add([(HAND, number + 1)], [(HAND, other + 1), (item[number], 0), (item[other], gone)], 0.0)
    collectors = []
    for number, (_, wanted) in enumerate(things):
        collectors.append((len(found),))
        add([(item[number], wanted), (goal, number)], [(goal, number + 1)], 0.0)
    task = FlatBuilder(
        [PLACES, len(things) + 1, *[PLACES + 1] * len(things), *[2] * len(doors), len(things) + 1],
        [0, 0, *(start for start, _ in things), *[0] * len(doors), 0],
        [(goal, len(things))],
        found,
        [FlatResource(battery, 0.0, 100.0)],
    ).build()
    return task, collectors, goal


def find_most(task, things):
    """The most things where they are wanted, in any state that can be reached."""
    first = (initial_state(task), initial_amounts(task))
    open_, seen, most = [first], {first}, 0
    while open_:
        state, amounts = open_.pop()
        most = max(most, sum(state[2 + n] == wanted for n, (_, wanted) in enumerate(things)))
        for operator in find_applicable(task, state):
            left = amounts_after(task, amounts, operator)
            after = (successor(task, state, operator), left)
            if left is not None and after[0][-1] == 0 and after not in seen:
                seen.add(after)
                open_.append(after)
    return most


PLACE = st.integers(0, PLACES - 1)
THINGS = st.lists(st.tuples(PLACE, PLACE), min_size=2, max_size=3)
EDGES = st.lists(st.tuples(PLACE, PLACE, st.sampled_from((0.0, 1.0, 2.0))), min_size=3, max_size=8)


@settings(max_examples=60)
@given(THINGS, EDGES, st.frozensets(PLACE, max_size=2), st.integers(0, 12))
def test_no_plan_reaches_more(things, edges, closed, battery):
    task, collectors, goal = make_house(things, edges, closed, float(battery))
    carries = find_carries(task, collectors, goal, 0)
    there = sum(start == wanted for start, wanted in things)
    if carries is None:
        assert there == len(things)
        return
    assert len(carries.parts) == len(things) - there
    others = len(things) - len(carries.parts)
    assert find_most(task, things) <= others + carries.count_most()


@pytest.mark.parametrize(("battery", "most"), [(2.0, 0), (3.0, 1), (6.0, 1), (7.0, 2), (30.0, 3)])
def test_ways_back_count(battery, most):
    edges = [(0, 1, 1.0), (1, 0, 1.0)]
    task, collectors, goal = make_house([(0, 1)] * 3, edges, (), battery)
    carries = find_carries(task, collectors, goal, 0)
    assert carries.count_most() == most
    assert len(carries.find_tour(np.random.default_rng(0), lambda: None)) == most


def test_openings_count_once():
    edges = [(0, 1, 1.0), (1, 0, 1.0)]
    task, collectors, goal = make_house([(0, 1)] * 2, edges, {1}, 8.0)
    carries = find_carries(task, collectors, goal, 0)
    assert carries.openings == ((5 - 1, 1),)
    assert carries.count_most() == 2  # the way to open it is not counted
    assert len(carries.find_tour(np.random.default_rng(0), lambda: None)) == 1


def test_what_is_handed_on_is_not_carried_one_at_a_time():
    edges = [(0, 1, 1.0)]
    task, collectors, goal = make_house([(0, 1)] * 2, edges, (), 9.0, hands_on=(0,))
    assert find_carries(task, collectors, goal, 0) is None


def test_a_resource_that_is_given_has_no_bound():
    task, collectors, goal = make_house([(0, 1)] * 2, [(0, 1, 1.0), (1, 0, -1.0)], (), 9.0)
    assert find_carries(task, collectors, goal, 0) is None
