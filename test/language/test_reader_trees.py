# SPDX-License-Identifier: Apache-2.0
"""Sentences that only dependency trees tell apart: what the chart of clauses doesn't read."""

from __future__ import annotations

import pytest

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.domain_reader.reader import DomainReader, Parsers
from fcp_ros.language.reading import ReadingStatus

READ = {
    # what is checked is a condition
    "Check if the fridge is closed, and if not, close it.": (
        "not initially (not closed(fridge_1)) or closed(fridge_1)"
    ),
    "Go see whether the fridge is closed, and close it if it isn't.": (
        "not initially (not closed(fridge_1)) or closed(fridge_1)"
    ),
    # a thing apart from its place
    "Have the apple and the milk ready on the dining table.": (
        "on(apple_1, table_1) and on(milk_1, table_1)"
    ),
    "The mug, please, on the counter.": "on(mug_1, counter_1)",
    "Shift the bowl and the apple across to the table.": (
        "on(bowl_1, table_1) and on(apple_1, table_1)"
    ),
    # what is replaced
    "Let's have the vase on the tv stand instead of the dining table.": "on(vase_1, tv_stand_1)",
    "I'd like the vase on the tv stand rather than on the table.": "on(vase_1, tv_stand_1)",
    # in the hand
    "Pick the book up and keep it in your hand.": "holding(robot_1, book_1)",
    # before all else
    "Before you do anything else, close the fridge.": "closed(fridge_1)",
}
ASKED_ABOUT = {
    # what the parsers don't agree about
    "Please move the laptop to the couch, but only if the couch is free.": (
        "not initially (not exists ?thing: item (on(?thing, couch_1))) or on(laptop_1, couch_1)"
    ),
    "The vase would look nicer on the tv stand.": "on(vase_1, tv_stand_1)",
}
OFFERED = {
    "Set the mug down gently on the counter.": ("on(mug_1, counter_1)", ["gently"]),
    "Put the laptop on the shabby couch.": ("on(laptop_1, couch_1)", ["shabby"]),
}
FORMS = {
    "Put the mug on the counter and the book on the tv stand.": (
        "on(mug_1, counter_1) and on(book_1, tv_stand_1)"
    ),
    "If the fridge is open, close it.": "not initially (not closed(fridge_1)) or closed(fridge_1)",
    "Don't open the fridge until the mug is on the counter.": (
        "on(mug_1, counter_1) before not closed(fridge_1)"
    ),
    "The book should end up on the tv stand.": "on(book_1, tv_stand_1)",
    "Close the door while holding the mug.": "closed(door_1) and holding(robot_1, mug_1)",
    "Ideally, put the mug on the counter.": "prefer 0.5: on(mug_1, counter_1)",
    "Make sure the door is closed.": "closed(door_1)",
    "Without ever opening the fridge, put the apple on the table.": (
        "on(apple_1, table_1) and always closed(fridge_1)"
    ),
}
NO_REQUEST = [
    "You don't have to close the door.",
    "I want to put the mug on the couch.",
    "The kids were drawing on the table, so open the fridge.",
    "Go to the kitchen to whistle.",
    "Nobody should be able to see the mug on the table.",
]


@pytest.fixture(scope="module")
def trees():
    return DomainReader(Parsers.TREES)


@pytest.mark.parametrize("sentence", READ)
def test_what_the_chart_lacks_is_read(sentence, house, reader):
    found = reader.read(sentence, house)
    assert found.status is ReadingStatus.READ, found.message
    assert found.best.goal == READ[sentence]
    assert found.best.level is Confidence.PLAIN


@pytest.mark.parametrize("sentence", OFFERED)
def test_words_that_say_nothing_here_are_named(sentence, house, trees):
    goal, words = OFFERED[sentence]
    found = trees.read(sentence, house)
    assert found.status is ReadingStatus.NOT_UNDERSTOOD
    reading = found.readings[0]
    assert reading.goal == goal
    assert [sentence[use.start : use.end] for use in reading.unread] == words


@pytest.mark.parametrize("sentence", ASKED_ABOUT)
def test_what_is_no_plain_request_is_asked_about(sentence, house, reader):
    found = reader.read(sentence, house)
    assert found.status is ReadingStatus.READ, found.message
    assert found.best.goal == ASKED_ABOUT[sentence]
    assert found.best.level in (Confidence.LIKELY, Confidence.DOUBTFUL)


@pytest.mark.parametrize("sentence", FORMS)
def test_trees_alone_read_the_forms(sentence, house, trees):
    found = trees.read(sentence, house)
    assert found.status is ReadingStatus.READ, found.message
    assert found.best.goal == FORMS[sentence]


@pytest.mark.parametrize("sentence", NO_REQUEST)
def test_no_clear_request_is_plain(sentence, house, reader, trees):
    for one in (reader, trees):
        best = one.read(sentence, house).best
        assert best is None or best.level is not Confidence.PLAIN, best.goal


def test_every_character_of_a_word_has_one_use(house, trees):
    for sentence in FORMS:
        for reading in trees.read(sentence, house).readings:
            ends = [0, *(use.end for use in reading.words)]
            assert all(
                before <= use.start for before, use in zip(ends, reading.words, strict=False)
            )
