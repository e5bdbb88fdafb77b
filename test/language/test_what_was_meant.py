# SPDX-License-Identifier: Apache-2.0
"""Everyday sentences whose plans nobody would accept: what is meant, asked, or said instead."""

import pytest

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.reading import ReadingStatus

IN_PLACE = (
    "(forall ?where: support (not initially (on(?x1, ?where)) or on(?x1, ?where)) and forall "
    "?where: container (not initially (inside(?x1, ?where)) or inside(?x1, ?where)))"
)
BROUGHT_MUG = (
    "holding(robot_1, mug_1) and exists ?room: room (at(person_1, ?room) and at(robot_1, ?room))"
)


def in_room(thing: str, room: str, place: str = "place") -> str:
    return (
        f"exists ?{place}: fixture (in_room(?{place}, {room}) and usual_place({thing}, ?{place}) "
        f"and (on({thing}, ?{place}) or inside({thing}, ?{place})))"
    )


GOALS = {
    # some of those that are there: that another one is elsewhere doesn't do
    "Take a cup off the table.": (
        "exists ?x1: cup (initially (on(?x1, table_1)) and not on(?x1, table_1) and exists ?place: "
        "fixture (not same(?place, table_1) and usual_place(?x1, ?place) and (on(?x1, ?place) or "
        "inside(?x1, ?place))))"
    ),
    # things are what can be carried, not who lives here
    "Everything should be in the kitchen.": f"forall ?x1: item ({in_room('?x1', 'kitchen_1')})",
    "Put the cups in the kitchen and everything else in the living room.": (
        f"forall ?x1: cup ({in_room('?x1', 'kitchen_1')}) and forall ?x2: item "
        f'(is_a(?x2, "cup") or {in_room("?x2", "living_room_1", "place_2")})'
    ),
    # one that isn't there yet
    "Put one more cup on the table.": (
        "exists ?x1: cup (on(?x1, table_1) and not initially (on(?x1, table_1)))"
    ),
    "Put two more things on the couch.": (
        "at least 2 ?x1: item (on(?x1, couch_1) and not initially (on(?x1, couch_1)))"
    ),
    "Put the mug on another surface.": (
        "exists ?x1: surface (on(mug_1, ?x1) and not initially (on(mug_1, ?x1)))"
    ),
    # what something is compared with stays where it is, unless it was moved before
    "Put the vase on a different surface than the bowl.": (
        "exists ?x1: surface (not initially (on(bowl_1, ?x1)) and on(vase_1, ?x1))"
    ),
    "Put the mug on the couch and the book on the same surface as the mug.": (
        "on(mug_1, couch_1) and exists ?x1: surface (on(mug_1, ?x1) and on(book_1, ?x1))"
    ),
    # to a person, wherever they are by then
    "Come to me.": "exists ?room: room (at(person_1, ?room) and at(robot_1, ?room))",
    "Go to the couch.": "at(robot_1, living_room_1)",
    # "any" that is banned is all
    "Don't touch anything on the counter.": (
        f"always forall ?x1: item (not initially (on(?x1, counter_1)) or {IN_PLACE[1:-1]})"
    ),
    "Don't touch anything until the door is closed.": (
        f"closed(door_1) before not forall ?x1: item ({IN_PLACE[1:-1]})"
    ),
    # nothing else is asked for
    "If the door is closed, open it, otherwise leave it.": (
        "not initially (closed(door_1)) or not closed(door_1)"
    ),
    "If the mug is on the table, move it to the counter; otherwise do nothing.": (
        "not initially (on(mug_1, table_1)) or on(mug_1, counter_1)"
    ),
    # "the one" is what was just named
    "I'd like the mug, the one on the table.": BROUGHT_MUG,
    "Bring me the mug, the one on the table.": BROUGHT_MUG,
    "Put the cup, the one that is on the counter, on the couch.": "on(drinking_glass_1, couch_1)",
}


@pytest.mark.parametrize(("sentence", "goal"), GOALS.items())
def test_what_is_meant_is_read(reader, house, sentence, goal):
    answer = reader.read(sentence, house)
    assert answer.status is ReadingStatus.READ, answer.message
    assert answer.readings[0].goal == goal


def test_the_other_one_is_asked_about_where_none_was_named(reader, house):
    answer = reader.read("Put the other cup on the couch.", house)
    assert answer.status is ReadingStatus.AMBIGUOUS
    assert answer.question == "Which cup: the mug or the drinking glass?"


@pytest.mark.parametrize(
    ("sentence", "most", "left"),
    [
        ("Clear the counter, but leave one cup there.", 1, "exists ?x1: cup"),
        ("Clear the counter, but leave a cup on it.", 1, "exists ?x1: cup"),
        ("Take everything off the counter, but leave a cup on it.", 1, "exists ?x2: cup"),
        ("Clear the counter, but leave two items there.", 2, "at least 2 ?x1: item"),
    ],
)
def test_all_are_removed_but_some(reader, house, sentence, most, left):
    best = reader.read(sentence, house).best
    variable = left.split()[-2].strip("?:")
    assert best.goal.startswith(f"at most {most} ?")
    assert best.goal.endswith(f"always {left} (on(?{variable}, counter_1))")


def test_clean_chairs_may_be_brought_and_not_cleaned(reader, house):
    best = reader.read("Bring me a tray and clean chairs.", house).best
    assert "exists ?x2: chair (not dirty(?x2) and exists ?room: room (at(person_1" in best.goal
    assert best.level is Confidence.LIKELY


def test_what_can_not_be_left_there_is_a_contradiction(reader, house):
    answer = reader.read("Clear the counter, but leave the mug there.", house)
    assert answer.status is ReadingStatus.REFUSED
    assert "they contradict one another" in answer.message


def test_what_is_put_down_may_be_held_before(reader, home):
    goals = {"Put the mug down.": "not holding", "Don't put the mug down.": "holding"}
    for sentence, relation in goals.items():
        answer = reader.read(sentence, home)
        assert answer.readings[0].goal == f"{relation}(robot_1, mug_1)"


@pytest.mark.parametrize(
    "question",
    ["Is everything switched off?", "Are all devices off?", "Is anything left on the counter?"],
)
def test_questions_about_everything_are_not_executed(reader, home, question):
    assert reader.read(question, home).status is ReadingStatus.REFUSED


def test_two_things_and_two_places_are_a_place_for_each_also_where_one_is_there(reader, house):
    answer = reader.read("Put the bowl on the counter and the mug on the couch.", house)
    assert answer.best is not None
    assert answer.best.goal == "on(bowl_1, counter_1) and on(mug_1, couch_1)"


def test_a_door_that_is_not_there_is_not_closed_already(reader, house):
    answer = reader.read("Close all doors between the kitchen and the bathroom.", house)
    assert answer.status is ReadingStatus.NOT_UNDERSTOOD
    assert 'nothing that is called "doors" fits' in answer.message


def test_it_is_doubted_where_something_else_may_be_meant(reader, house):
    """Nothing can be in a bowl here: that the apple is on the table as well isn't what was said."""
    answer = reader.read("Put the bowl on the table and the apple in it.", house)
    assert answer.best is None or answer.best.degree < 0.5


@pytest.mark.parametrize(
    ("sentence", "unknown", "goal"),
    [
        ("Put the vase on the black table.", '"black"', "on(vase_1, table_1)"),
        ("Wipe the wooden table.", '"wooden"', "not dirty(table_1)"),
        ("Wipe the table behind the couch.", '"behind the couch"', "not dirty(table_1)"),
    ],
)
def test_a_description_that_nobody_can_check_is_asked_about(reader, house, sentence, unknown, goal):
    answer = reader.read(sentence, house)
    assert (answer.best.goal, answer.best.level) == (goal, Confidence.DOUBTFUL)
    assert answer.message.startswith(f"Understood without {unknown}: ")


def test_devices_in_a_room_are_also_those_on_something(reader, house):
    """The television is a fixture of the room; the laptop stands on a table there."""
    goal = reader.read("Turn on every device in the living room.", house).readings[0].goal
    assert "in_room(?x1, living_room_1) or" in goal
    assert "on(?x1, " in goal


def test_a_rest_that_lacks_a_comparison_is_not_offered(reader, house):
    """The rest would be about all things, where some were meant."""
    for sentence in (
        "Close all doors between bathroom 1 and bathroom 2.",
        "Put more things on the table than on the counter.",
    ):
        answer = reader.read(sentence, house)
        assert answer.status is ReadingStatus.NOT_UNDERSTOOD
        assert "The rest would be" not in answer.message


def test_not_it_behind_a_place_is_doubted(reader, house):
    """The mug stands there already, and may be where the glass shall not be put."""
    answer = reader.read("Put the glass on the table, not the mug.", house)
    assert answer.status is not ReadingStatus.READ


@pytest.mark.parametrize("sentence", ["I want the apple washed.", "Get the mug cleaned."])
def test_what_it_shall_be_is_not_what_it_is(reader, house, sentence):
    """An apple can't get dirty here, and was brought as it is."""
    assert reader.read(sentence, house).status is ReadingStatus.NOT_UNDERSTOOD
    washed = reader.read("Bring me the washed apple.", house).best
    assert washed.goal.startswith("holding(robot_1, apple_1)")


@pytest.mark.parametrize("act", ["clean", "book"])
def test_what_can_not_be_done_with_a_thing_is_said(reader, house, act):
    """Also by a verb that is a noun as well: "water the plants"."""
    answer = reader.read(f"{act} the mug", house)
    assert answer.status is ReadingStatus.NOT_UNDERSTOOD
    assert f'can "{act}" what was named' in answer.message
