# SPDX-License-Identifier: Apache-2.0
"""Order constraints beside what is given up or replaced: they speak of what is left."""

import pytest
from small_house import DOMAIN, PLACES, ask, kinds


def test_order_constraints_speak_of_what_is_left():
    goal = (
        "on(book_1, shelf_1) and on(mug_1, shelf_1) and on(cup_1, shelf_1) and "
        "(on(book_1, shelf_1) and on(cup_1, shelf_1)) before on(mug_1, shelf_1)"
    )
    places = ("table_1", "table_1", "table_1", "safe_1")
    result = ask(goal, places=places, alpha=0.2)
    (change,) = result.relaxations
    assert (change.kind, change.original) == ("drop", "on(book_1, shelf_1)")
    assert "on(cup_1, shelf_1) before on(mug_1, shelf_1)" in result.goal
    placed = [dict(s.arguments)["item"] for s in result.plan.steps if s.rule == "place"]
    assert placed == ["cup_1", "mug_1"]


def test_an_order_constraint_goes_with_one_of_its_sides():
    goal = (
        "on(book_1, shelf_1) and on(mug_1, shelf_1) and on(book_1, shelf_1) before "
        "on(mug_1, shelf_1)"
    )
    places = ("table_1", "table_1", "table_1", "safe_1")
    result = ask(goal, places=places, alpha=0.2)
    assert [one.original for one in result.relaxations] == ["on(book_1, shelf_1)"]
    assert "before" not in result.goal


@pytest.mark.parametrize("first", ["{} before {}", "(first {} then {})"])
def test_a_substitute_for_a_named_element_stands_in_the_constraint(first):
    order = first.format("on(book_1, table_1)", "on(cup_1, shelf_1)")
    result = ask(
        f"on(book_1, table_1) and on(cup_1, shelf_1) and {order}", {("plate_1", "book"): 0.9}
    )
    assert kinds(result) == [("substitution", "plate_1")]
    left = order.replace("book_1", "plate_1").strip("()")
    assert left in result.goal
    placed = [dict(s.arguments)["item"] for s in result.plan.steps if s.rule == "place"]
    assert placed == ["plate_1", "cup_1"] or "before" not in order


def test_giving_up_what_holds_to_be_rid_of_its_order_costs_what_giving_up_costs():
    goal = "on(cup_1, shelf_1) and on(mug_1, table_1) and on(cup_1, shelf_1) before "
    result = ask(f"{goal}on(mug_1, table_1)", places=PLACES, alpha=0.5)
    assert result.relaxations
    assert "before" not in result.goal
    assert result.best_membership == pytest.approx(1.0 - 0.75 / 2)


def test_an_element_that_a_constraint_alone_names_has_no_substitute():
    goal = "on(book_1, table_1) and on(cup_1, shelf_1) and holding(robot_1, book_1) before "
    result = ask(f"{goal}on(cup_1, shelf_1)", {("plate_1", "book"): 0.9}, alpha=0.1)
    assert "substitution" not in [one.kind for one in result.relaxations]


def test_a_sequence_of_its_own_has_substitutes():
    goal = "first holding(robot_1, cup_1) then on(book_1, table_1)"
    domain = DOMAIN.replace(", holding: 0.2}", "}").replace("drop: {on: 0.25", "drop: {at: 0.25")
    result = ask(goal, {("plate_1", "book"): 0.9}, domain=domain)
    assert kinds(result) == [("substitution", "plate_1")]
    assert "then on(plate_1, table_1)" in result.goal


def test_a_sequence_speaks_of_the_instances_that_are_left():
    goal = (
        "forall ?c: cup (on(?c, shelf_1)) and holding(robot_1, book_1) and "
        "(first forall ?c: cup (on(?c, shelf_1)) then holding(robot_1, book_1))"
    )
    places = ("safe_1", "table_1", "table_1", "table_1")
    result = ask(goal, places=places, alpha=0.2)
    assert [one.original for one in result.relaxations] == ["on(mug_1, shelf_1)"]
    rest = "forall ?c: cup (same(?c, mug_1) or on(?c, shelf_1))"
    assert f"first {rest} then holding(robot_1, book_1)" in result.goal
