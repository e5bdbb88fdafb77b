# SPDX-License-Identifier: Apache-2.0
"""Conjunctive goals are worked out as facts; the rest is refused with a reason."""

from __future__ import annotations

import pytest

from fcp_ros.abstraction.states.building import UnsupportedGoal, list_goal_atoms
from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.model import Domain


def list_texts(goal: str, domain: Domain, instance: Instance) -> list[str]:
    checked = check_goal(parse_expression(goal), domain, instance, goal)
    return [str(fact) for fact in list_goal_atoms(checked, instance, domain)]


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("on(mug_1, table_1) and closed(fridge_1)", ["on(mug_1, table_1)", "closed(fridge_1)"]),
        ("forall ?c: cup (on(?c, table_1))", ["on(mug_1, table_1)", "on(mug_2, table_1)"]),
        (
            "forall ?i: item (not is_a(?i, drink) or inside(?i, fridge_1))",
            ["inside(milk_1, fridge_1)"],
        ),
        ("exists ?f: fridge (inside(milk_1, ?f))", ["inside(milk_1, fridge_1)"]),
        ("inside(milk_1, ?f)", ["inside(milk_1, fridge_1)"]),
        ("exists ?r: room (in_room(table_1, ?r) and at(robot_1, ?r))", ["at(robot_1, kitchen)"]),
        ("not in_room(table_1, hall) and closed(door_1)", ["closed(door_1)"]),
        ("in_room(table_1, kitchen)", []),
        ("forall ?d: openable (initially (closed(?d)) or closed(?d))", ["closed(door_1)"]),
        ("forall ?d: window (closed(?d))", []),
        ("forall ?c: cup (same(?c, mug_1) or on(?c, table_1))", ["on(mug_2, table_1)"]),
    ],
)
def test_facts_of_goals(goal: str, expected: list[str], household: Domain, flat: Instance) -> None:
    assert list_texts(goal, household, flat) == expected


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ("not closed(door_1)", "absence"),
        ("on(mug_1, table_1) or on(mug_2, table_1)", "leaves a choice"),
        ("exists ?c: cup (on(?c, table_1))", "leaves a choice"),
        ("forall ?c: cup (on(?c, table_1) or not on(?c, table_1))", "absence"),
        ("at least 1 ?c: cup (on(?c, table_1))", "end state"),
        ("never closed(door_1)", "end state"),
        ("prefer 0.5: closed(door_1)", "end state"),
        ("closed(door_1) and 0.5 * on(mug_1, table_1)", "end state"),
        ("in_room(table_1, hall)", "never hold"),
        ('on(?x, table_1) and serves_as(?x, "drinking")', "degrees"),
    ],
)
def test_refused_goals(goal: str, reason: str, household: Domain, flat: Instance) -> None:
    with pytest.raises(UnsupportedGoal, match=reason):
        list_texts(goal, household, flat)
