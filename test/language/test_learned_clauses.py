# SPDX-License-Identifier: Apache-2.0
"""Negation, conditions, order, times and wishes read off dependency trees, without the chart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fcp_ros.language.confidence import Confidence

CLOSE, OPEN = "closed(fridge_1)", "not closed(fridge_1)"
MUG = "on(mug_1, counter_1)"
READ = {
    # negation and what shall stay so
    "The mug should not be on the couch.": "not on(mug_1, couch_1)",
    "Put the mug on the couch, not on the counter.": f"on(mug_1, couch_1) and not {MUG}",
    "Keep the fridge closed.": f"always {CLOSE}",
    "Switch on the TV without opening the fridge.": f"switched_on(television_1) and always {CLOSE}",
    # conditions and what is waited for
    "If the fridge is open, close it.": f"not initially ({OPEN}) or {CLOSE}",
    "Close the fridge if it isn't closed already.": f"not initially ({OPEN}) or {CLOSE}",
    "Don't open the fridge until the mug is on the couch.": (f"on(mug_1, couch_1) before {OPEN}"),
    "Is the fridge open? Close it then.": f"not initially ({OPEN}) or {CLOSE}",
    "Wait until the mug is on the couch, then open the fridge.": (
        f"{OPEN} and on(mug_1, couch_1) before {OPEN}"
    ),
    # order
    "First put the bowl on the table, then the apple.": (
        "on(bowl_1, table_1) and on(apple_1, table_1) and on(bowl_1, table_1) "
        "before on(apple_1, table_1)"
    ),
    "Put the mug on the counter, but only after the fridge has been closed.": (
        f"{CLOSE} and {MUG} and {CLOSE} before {MUG}"
    ),
    "After closing the fridge, put the mug on the counter.": (
        f"{CLOSE} and {MUG} and {CLOSE} before {MUG}"
    ),
    # wishes and times
    "Put the mug on the counter, and the book too if possible.": (
        f"{MUG} and prefer 0.5: on(book_1, counter_1)"
    ),
    "Put the mug on the couch within 2 minutes.": "on(mug_1, couch_1) within 120 s",
    "Switch the laptop on, and if possible, put the book on the counter.": (
        "switched_on(laptop_1) and prefer 0.5: on(book_1, counter_1)"
    ),
    "Close the fridge, but not before the mug is on the couch.": (
        f"on(mug_1, couch_1) and {CLOSE} and (first on(mug_1, couch_1) then {CLOSE})"
    ),
    # what "them" means, two objects without "and"
    "The mug and the book are in my way. Put them on the couch.": (
        "on(mug_1, couch_1) and on(book_1, couch_1)"
    ),
    # statements that demand, without a verb, with one for several
    "I want the fridge closed.": CLOSE,
    "Make sure that the fridge is closed.": CLOSE,
    "The mug belongs on the couch.": "on(mug_1, couch_1)",
    "The book must be laid on the counter.": "on(book_1, counter_1)",
    "Mug on the couch, please.": "on(mug_1, couch_1)",
    "Put the mug on the counter and the book on the couch.": f"{MUG} and on(book_1, couch_1)",
    "Put the mug where the apple is now.": MUG,
    "The mug goes onto the counter, and so does the book.": f"{MUG} and on(book_1, counter_1)",
    "Switch the TV on and the laptop off.": (
        "switched_on(television_1) and not switched_on(laptop_1)"
    ),
    "Give the counter a wipe.": "not dirty(counter_1)",
}
ASKED = [
    "Put the apple and the bowl or the mug on the couch.",
    "counter looks messy i want just the sponge there nothing else",
    "I want the laptop in the kitchen. Put it anywhere except on the counter.",
    "I need the counter wiped. The living room is off limits, so at no point go in there.",
    "I don't want more than a single item standing on the counter.",
]
UNSAFE = {
    "Put a book on the counter, a second one is fine, but at most two of them.": None,
    "Put the mug on the counter, otherwise put it on the couch.": None,
    "First the mug goes on the counter, and then the book follows.": None,
    "Put the mug on the counter, then on the couch, but keep it off the counter.": None,
    "The fridge should be closed in the end, and the mug on the counter.": MUG,
    "Put the mug on the counter unless the fridge is gloopy.": None,
    "Put the mug on the counter, but never while the frobnicator hums.": None,
}


@pytest.mark.parametrize("sentence", READ)
def test_logic_is_read_off_trees(sentence, home, learned):
    found = learned.read(sentence, home)
    assert found.best is not None, found.message
    assert found.best.goal == READ[sentence]


@pytest.mark.parametrize("sentence", UNSAFE)
def test_nothing_is_dropped_silently(sentence, home, learned):
    """What is said beside a clear request is in the goal, or the reading is asked about."""
    best = learned.read(sentence, home).best
    wanted = UNSAFE[sentence]
    assert best is None or (wanted is not None and wanted in best.goal)


@pytest.mark.parametrize("sentence", ASKED)
def test_what_may_mean_something_else_is_asked_about(sentence, home, learned):
    best = learned.read(sentence, home).best
    assert best is None or best.level is not Confidence.PLAIN


@pytest.mark.parametrize(
    ("sentence", "goal"),
    [
        ("Take the mug and drive to where I am.", "holding(robot_1, mug_1)"),
        ("I need a thing to wipe with. Lay it on the table.", "on(?x1, table_1)"),
    ],
)
def test_who_speaks_has_a_place_and_wishes(sentence, goal, home, learned):
    """What somebody needs and then sends elsewhere is not brought to them."""
    found = learned.read(sentence, replace(home, speaker="person_1"))
    assert found.best is not None, found.message
    assert goal in found.best.goal
    assert ("person_1" in found.best.goal) == ("where I am" in sentence)


def test_a_kind_of_which_nothing_is_here_is_nothing_else(home, learned):
    """The label that is most like the word in meaning was taken: a laptop for an apple."""
    found = learned.read("Put the banana in the fridge.", home)
    assert found.readings, found.message
    assert "banana (" in found.readings[0].goal
    assert found.readings[0].level is not Confidence.PLAIN
