# SPDX-License-Identifier: Apache-2.0
"""Goals that can't hold at once, as far as their words and the domain's rules prove it."""

from __future__ import annotations

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.execution.goal_conflicts import LONGEST_GOAL, ConflictFinder, list_literals

OPEN = "closed(door)"


@pytest.fixture(scope="module")
def finder(household, flat):
    return ConflictFinder(household, lambda: flat)


def find(finder, one, other):
    """The facts of a contradiction, or nothing."""
    found = finder.find(list_literals(one), list_literals(other))
    return () if found is None else (str(found.fact), str(found.other))


@pytest.mark.parametrize(
    ("one", "other", "fact"),
    [
        (OPEN, f"not {OPEN}", OPEN),
        (f"{OPEN} and at(robot_1, hall)", f"on(mug_1, table_1) and not {OPEN}", OPEN),
        (f"always {OPEN}", f"not {OPEN}", OPEN),
        (f"never {OPEN}", f"always {OPEN}", OPEN),
        (OPEN, OPEN, ""),
        # One of the parts will do, and another element may.
        (OPEN, f"not {OPEN} or at(robot_1, hall)", ""),
        (OPEN, "not closed(?door)", ""),
        (OPEN, f"sometime not {OPEN}", ""),
        # Both may be so to a degree.
        ('serves_as(mug_1, "tea")', 'not serves_as(mug_1, "tea")', ""),
        ('serves_as(mug_1, "tea") >= 0.3', 'not serves_as(mug_1, "tea") >= 0.9', ""),
        # What can't be read demands nothing that is known.
        (OPEN, "not closed(", ""),
    ],
)
def test_what_one_wants_and_the_other_rules_out(finder, one, other, fact):
    assert find(finder, one, other) == ((fact, fact) if fact else ())
    assert find(finder, other, one) == ((fact, fact) if fact else ())


@pytest.mark.parametrize(
    ("one", "other", "contradict"),
    [
        ("on(mug_1, table_1)", "on(mug_1, counter_1)", True),
        ("on(mug_1, table_1)", "inside(mug_1, fridge_1)", True),
        ("on(mug_1, table_1)", "holding(robot_1, mug_1)", True),
        ("at(robot_1, hall)", "at(robot_1, kitchen)", True),
        ("holding(robot_1, mug_1)", "holding(robot_1, cup_1)", True),
        ("holding(robot_1, mug_1)", "holding(robot_2, mug_1)", True),
        ("on(mug_1, table_1)", "on(cup_1, table_1)", False),
        ("on(mug_1, table_1)", "not on(mug_1, counter_1)", False),
        ("at(robot_1, hall)", "at(robot_2, kitchen)", False),
        ("closed(fridge_1)", "inside(mug_1, fridge_1)", False),
    ],
)
def test_one_thing_is_not_at_two_places(finder, one, other, contradict):
    assert bool(find(finder, one, other)) is contradict
    assert bool(find(finder, other, one)) is contradict


def test_the_sentence_names_both_facts(finder):
    found = finder.find(
        list_literals("on(mug_1, table_1)"), list_literals("inside(mug_1, fridge_1)")
    )
    assert found.describe("put the mug into the fridge") == (
        "It wants on(mug_1, table_1), against inside(mug_1, fridge_1) of the goal 'put the mug "
        "into the fridge': they can't hold at once, and the later one undoes the other."
    )


def test_what_the_present_state_breaks_is_no_proof(household, flat):
    """A mug that is on a table and in a cupboard shows that this can be."""
    builder = InstanceBuilder.of(flat)
    mug = builder.id_of("mug_1")
    builder.relate("on", mug, builder.id_of("table_1"))
    builder.relate("inside", mug, builder.id_of("fridge_1"))
    strange = ConflictFinder(household, builder.build)
    assert not find(strange, "on(mug_1, table_1)", "inside(mug_1, fridge_1)")
    assert find(strange, "on(mug_1, table_1)", "on(mug_1, counter_1)")
    nothing_seen = ConflictFinder(household, lambda: None)
    assert not find(nothing_seen, "on(mug_1, table_1)", "on(mug_1, counter_1)")


def test_a_goal_of_any_length_costs_little():
    assert not list_literals(" and ".join([OPEN] * LONGEST_GOAL))
