# SPDX-License-Identifier: Apache-2.0
"""What stands behind a clause without a verb, conditions in other forms, and what "there" means."""

from __future__ import annotations

import pytest

OPEN, CLOSE = "not closed(fridge_1)", "closed(fridge_1)"
MUG, BOWL = "on(mug_1, counter_1)", "on(bowl_1, counter_1)"
BOTH = f"{MUG} and {BOWL} and (first {MUG} then {BOWL})"
NO_BOWL = "not on(bowl_1, couch_1)"
READ = {
    # again, about something else: later, too, not, ideally
    "Mug to the counter, bowl later.": BOTH,
    "Bring the mug to the counter, and after that the bowl.": BOTH,
    "Put the mug on the counter and the bowl too.": f"{MUG} and {BOWL}",
    "Mug on the couch, not the bowl.": f"on(mug_1, couch_1) and {NO_BOWL}",
    "Mug on the couch, but no bowls.": (
        "on(mug_1, couch_1) and not exists ?x1: bowl (on(?x1, couch_1))"
    ),
    "Put the mug on the couch instead of the table.": "on(mug_1, couch_1)",
    "The vase, not on the table but on the couch.": (
        "on(vase_1, couch_1) and not on(vase_1, table_1)"
    ),
    "Get the laptop off the table, just not onto the couch.": (
        "not on(laptop_1, table_1) and exists ?place: fixture (not same(?place, table_1) and "
        "usual_place(laptop_1, ?place) and (on(laptop_1, ?place) or inside(laptop_1, ?place))) "
        "and not on(laptop_1, couch_1)"
    ),
    # lists, and things in pairs with their places
    "Mug, bowl and apple on the couch.": (
        "on(mug_1, couch_1) and on(bowl_1, couch_1) and on(apple_1, couch_1)"
    ),
    "Mug and bowl on the counter, book on the table.": f"{MUG} and {BOWL} and on(book_1, table_1)",
    "Put the bowl on the counter and the mug on the couch.": f"{BOWL} and on(mug_1, couch_1)",
    "Put the bowl on the counter, the mug on the table and the book on the couch.": (
        f"{BOWL} and on(mug_1, table_1) and on(book_1, couch_1)"
    ),
    # the rest
    "Put the mug and the bowl on the counter, the rest on the couch.": (
        f"{MUG} and {BOWL} and forall ?x1: item "
        "(same(?x1, bowl_1) or same(?x1, mug_1) or on(?x1, couch_1))"
    ),
    # left out
    "Everything on the counter goes on the table, bar the apple.": (
        'forall ?x1: item (not initially (on(?x1, counter_1)) or is_a(?x1, "apple") '
        "or on(?x1, table_1))"
    ),
    "All the cups go on the table, with the exception of the mug.": (
        'forall ?x1: cup (is_a(?x1, "mug") or on(?x1, table_1))'
    ),
    # conditions
    "Should the fridge be open, close it.": f"not initially ({OPEN}) or {CLOSE}",
    "In case the fridge is open, close it.": f"not initially ({OPEN}) or {CLOSE}",
    "If the fridge is open, close.": f"not initially ({OPEN}) or {CLOSE}",
    "If and only if the mug is on the table, put it on the counter.": (
        f"not initially (on(mug_1, table_1)) or {MUG}"
    ),
    # times, order, and where somebody goes
    "Open the fridge within 20 seconds.": f"{OPEN} within 20 s",
    "First put the mug on the counter, after that put the bowl there.": BOTH,
    "Put the mug on the counter without going into the living room.": (
        f"{MUG} and never at(robot_1, living_room_1)"
    ),
    # what is told, and what is asked besides
    "Put the mug on the counter. Understood?": MUG,
    "The baby sleeps in the living room, so don't go in there. Put the mug on the counter.": (
        f"{MUG} and never at(robot_1, living_room_1)"
    ),
    "Stay out of the living room and put the mug on the counter.": (
        f"{MUG} and never at(robot_1, living_room_1)"
    ),
}


@pytest.fixture
def read(home, learned):
    return lambda sentence: learned.read(sentence, home)


@pytest.mark.parametrize("sentence", READ)
def test_fragments_and_conditions_are_read(sentence, read):
    found = read(sentence)
    assert found.readings, found.message
    assert found.best is not None, found.message
    assert found.best.goal == READ[sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "Put the mug on the counter. Don't touch anything else.",
        "Put the mug on the counter, and leave the rest.",
    ],
)
def test_everything_else_is_all_that_is_not_spoken_of_before_or_after(sentence, home, reader):
    found = reader.read(sentence, home)
    assert found.best is not None, found.message
    start = f"{MUG} and always forall ?x1: item (same(?x1, mug_1) or forall ?where: "
    assert found.best.goal.startswith(start)


@pytest.mark.parametrize(
    "sentence",
    [
        "Put the mug on the table, ideally in the fridge.",
        "Put the mug on the counter except the bowl.",
    ],
)
def test_what_cannot_go_on_from_the_clause_before_is_not_dropped(sentence, read):
    found = read(sentence)
    assert found.best is None, found.best


def test_what_is_better_is_allowed(read):
    found = read("Put the mug on the counter, ideally on the couch.")
    assert found.best is not None, found.message
    assert found.best.goal == (
        "(on(mug_1, counter_1) or on(mug_1, couch_1)) and prefer 0.5: on(mug_1, couch_1)"
    )
