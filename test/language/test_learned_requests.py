# SPDX-License-Identifier: Apache-2.0
"""Clauses that ask for something, as people say them: without verbs, framed, run together."""

from __future__ import annotations

import pytest

MUG, OFF = "on(mug_1, counter_1)", "not switched_on(television_1)"
READ = {
    # clauses without a verb, whose nouns a parser of news takes for verbs
    "Mug to the counter, book to the couch and TV off.": f"{MUG} and on(book_1, couch_1) and {OFF}",
    "Door closed, TV on, please.": "closed(door_1) and switched_on(television_1)",
    "Counter wiped, fridge shut.": "not dirty(counter_1) and closed(fridge_1)",
    "Mug back to the kitchen counter.": MUG,
    "Mug and apple, to the counter please.": f"{MUG} and on(apple_1, counter_1)",
    "Mug, bowl and apple on the couch.": (
        "on(mug_1, couch_1) and on(bowl_1, couch_1) and on(apple_1, couch_1)"
    ),
    "Open the fridge, then milk out on the counter.": (
        "not closed(fridge_1) and on(milk_1, counter_1) "
        "and not closed(fridge_1) before on(milk_1, counter_1)"
    ),
    "Three jobs: mug to the counter, book to the couch.": f"{MUG} and on(book_1, couch_1)",
    "Next job, mug to the counter.": MUG,
    "I want two things moved: the mug to the counter and the book to the couch.": (
        f"{MUG} and on(book_1, couch_1)"
    ),
    "Close the fridge, then the door.": (
        "closed(fridge_1) and closed(door_1) and closed(fridge_1) before closed(door_1)"
    ),
    "Mug to the counter, subsequently book to the couch.": (
        f"{MUG} and on(book_1, couch_1) and (first {MUG} then on(book_1, couch_1))"
    ),
    "Mug on the counter and the door needs to be closed.": f"{MUG} and closed(door_1)",
    "The mug must again on the counter.": MUG,
    "The counter needs wiping.": "not dirty(counter_1)",
    "Bring the mug over.": (
        "holding(robot_1, mug_1) and exists ?room: room (at(person_1, ?room) "
        "and at(robot_1, ?room))"
    ),
    # dictated speech
    "the mug is dirty take it to the counter": MUG,
    "that mug is so dirty take it to the counter": MUG,
    "im gonna lie down put my laptop on the couch": "on(laptop_1, couch_1)",
    "take the book put it on the counter and close the door": (
        "on(book_1, counter_1) and closed(door_1)"
    ),
    # things named before the clause that is about them
    "The mug, you put it on the counter.": MUG,
    "The mug, could you put it on the counter?": MUG,
    "The mug, yes, put it on the counter.": MUG,
    "The laptop. Could you put it on the couch?": "on(laptop_1, couch_1)",
    "The book on the couch, I want it on the counter.": "on(book_1, counter_1)",
    "The mug and the book, bring to the counter.": f"{MUG} and on(book_1, counter_1)",
    "The mug you put on the counter.": MUG,
    # frames around what is wanted
    "I'd be glad if the counter got wiped.": "not dirty(counter_1)",
    "It would be lovely if the mug were on the counter.": MUG,
    "I would appreciate it if the fridge were closed.": "closed(fridge_1)",
    "I was wondering whether the TV could be switched off.": OFF,
    "May I request that the mug be placed on the counter?": MUG,
    "It would be nice to have the mug on the counter.": f"prefer 0.5: {MUG}",
    "Time to switch the TV off.": OFF,
    "Mind putting the mug on the counter?": MUG,
    # what is wanted is brought, or where it shall be
    "I need the bowl and the mug on the table.": "on(bowl_1, table_1) and on(mug_1, table_1)",
    "Wipe the counter, is dirty.": "not dirty(counter_1)",
    # what the first clause speaks of, understood in the second
    "If the door is open, close.": "not initially (not closed(door_1)) or closed(door_1)",
}
OTHERS = {
    "Switch on the TV.": "switched_on(television_1)",
    "If the fridge is open, close it.": "not initially (not closed(fridge_1)) or closed(fridge_1)",
    "The mug you need is on the table.": None,
    "The mug on the table should go to the counter.": MUG,
    "I am afraid the counter is dirty.": None,
    "Not that again: mug to the counter.": None,
    "Help me put the mug on the counter.": MUG,
}
"""Sentences of the same words that are something else."""


@pytest.mark.parametrize("sentence", READ)
def test_requests_are_found(sentence, home, learned):
    answer = learned.read(sentence, home)
    assert answer.status.value == "read", answer.message
    assert answer.readings[0].goal == READ[sentence]


@pytest.mark.parametrize("sentence", OTHERS)
def test_what_looks_alike_is_read_as_before(sentence, home, learned):
    answer = learned.read(sentence, home)
    read = [r.goal for r in answer.readings[:1]] if answer.status.value == "read" else [None]
    assert read == [OTHERS[sentence]]


@pytest.mark.parametrize(
    ("sentence", "plain"),
    [
        ("I need the mug.", "Bring me the mug."),
        ("Can I have the mug?", "Bring me the mug."),
        ("Let me have the mug.", "Bring me the mug."),
        ("I want the mug here.", "Bring me the mug."),
        ("Bring the mug over here.", "Bring me the mug."),
        ("Get over here.", "Come here."),
        ("Stay out of the living room.", "Avoid the living room."),
    ],
)
def test_what_is_put_otherwise_is_the_same(sentence, plain, home, learned):
    answer, known = (learned.read(s, home) for s in (sentence, plain))
    assert answer.status == known.status, answer.message
    assert [r.goal for r in answer.readings[:1]] == [r.goal for r in known.readings[:1]]
    assert known.readings
