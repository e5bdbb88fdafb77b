# SPDX-License-Identifier: Apache-2.0
"""Goals that can't hold at once, as far as their words tell."""

from __future__ import annotations

import pytest

from fcp_ros.execution.goal_conflicts import LONGEST_GOAL, find_contradiction, list_literals

OPEN = "open(door_1)"


@pytest.mark.parametrize(
    ("one", "other", "atom"),
    [
        (OPEN, f"not {OPEN}", OPEN),
        (f"{OPEN} and at(robot_1, hall_1)", f"on(mug_1, table_1) and not {OPEN}", OPEN),
        (f"not not {OPEN}", f"not {OPEN}", OPEN),
        ("at( robot_1,hall_1 )", "not at(robot_1, hall_1)", "at(robot_1, hall_1)"),
        (OPEN, OPEN, ""),
        (f"not {OPEN}", f"not {OPEN}", ""),
        # One of the parts will do, and another element may.
        (OPEN, f"not {OPEN} or at(robot_1, hall_1)", ""),
        (OPEN, f"not ({OPEN} and at(robot_1, hall_1))", ""),
        (OPEN, "not open(?door)", ""),
        # What can't be read demands nothing that is known.
        (OPEN, "not open(", ""),
        (OPEN, "", ""),
    ],
)
def test_what_one_wants_and_the_other_rules_out(one, other, atom):
    assert find_contradiction(list_literals(one), list_literals(other)) == atom
    assert find_contradiction(list_literals(other), list_literals(one)) == atom


def test_a_goal_of_any_length_costs_little():
    assert not list_literals(" and ".join([OPEN] * LONGEST_GOAL))
