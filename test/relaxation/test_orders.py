# SPDX-License-Identifier: Apache-2.0
"""Order constraints beside what is given up or replaced: they speak of what is left."""

from small_house import DOMAIN, ask, kinds


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
