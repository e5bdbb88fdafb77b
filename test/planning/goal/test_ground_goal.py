# SPDX-License-Identifier: Apache-2.0
"""Goals with counts, preferences and constraints, without their variables."""

import pytest

from fcp_ros.domain import check_goal, infer_types, parse_expression
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.goal import ground_goal as module
from fcp_ros.planning.goal.formula import FALSE, TRUE
from fcp_ros.planning.goal.ground_goal import ground_goal
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch


@pytest.fixture
def ground(house, home):
    """Grounds a goal in the house."""

    def run(text):
        goal = check_goal(parse_expression(text), house, home, text)
        watch = Watch(PlanningOptions())
        return ground_goal(goal, infer_types(goal, house), house, home, watch)

    return run


def test_a_condition_is_plain(ground):
    assert ground("on(mug_1, shelf)").is_plain
    assert not ground("prefer 0.5: on(mug_1, shelf)").is_plain
    assert not ground("never on(mug_1, shelf)").is_plain


def test_what_is_static_is_settled(ground):
    found = ground("forall ?x: cup (prefer 0.1: is_a(?x, cup) and always is_a(?x, cup))")
    assert found.is_plain
    assert found.formula == TRUE
    assert ground("at least 99 ?x: cup (on(?x, shelf))").formula == FALSE
    assert ground("at least 0 ?x: cup (on(?x, shelf))").is_plain
    assert ground("at most 99 ?x: cup (on(?x, shelf))").is_plain


def test_a_constraint_that_is_stated_twice_is_followed_once(ground):
    found = ground("never on(mug_1, shelf) and prefer 0.5: never on(mug_1, shelf)")
    (constraint,) = found.constraints
    assert constraint.hard
    assert len(found.preferences) == 1


def test_preferences_are_one_for_each_element(ground):
    found = ground("forall ?x: cup (prefer 0.25 as shelved: on(?x, shelf))")
    cups = len(found.preferences)
    assert cups > 1
    assert {p.name for p in found.preferences} == {"shelved"}
    shared = ground("as many as possible ?x: cup (on(?x, shelf))")
    assert [p.weight for p in shared.preferences] == [1 / cups] * cups


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("as many as possible ?x: support (in_room(?x, hall) and dirty(?x))", [1 / 2] * 2),
        ("as many as possible ?x: item (not is_a(?x, cup) and on(?x, shelf))", [1 / 2] * 2),
        ("as many as possible ?x: item (initially (on(?x, table)) and on(?x, shelf))", [1 / 2] * 2),
        ("as many as possible ?x: support (in_room(?x, hall))", []),
        ("as many as possible ?x: electronics (dirty(?x) and is_a(?x, cup))", []),
        # One in the kitchen, two in the hall.
        (
            "forall ?r: room (as many as possible ?x: support (in_room(?x, ?r) and dirty(?x)))",
            [1, 1 / 2, 1 / 2],
        ),
        # Labels of the outer elements choose as well: two mugs, and no other cup or item.
        ("forall ?y: mug (as many as possible ?x: support (on(?y, ?x)))", [1 / 3] * 6),
    ],
)
def test_elements_are_chosen_by_what_never_changes(ground, text, weights):
    assert [preference.weight for preference in ground(text).preferences] == weights


def test_very_many_preferences_are_refused_in_a_sentence(ground, monkeypatch):
    monkeypatch.setattr(module, "MAX_PREFERENCES", 1)
    with pytest.raises(Interrupted, match="more than 1 preferences: narrow") as error:
        ground("forall ?x: cup (prefer 0.25: on(?x, shelf))")
    assert error.value.status is PlanStatus.UNSUPPORTED
