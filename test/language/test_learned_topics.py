# SPDX-License-Identifier: Apache-2.0
"""What is named first, what goes on without its verb, and phrases of the domain word for word."""

from __future__ import annotations

import pytest

from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.syntax.sentences import parse_instruction
from test.support.language_kitchen import build_kitchen

MUG, BOOK, BOWL, APPLE = (f"on({name}_1, counter_1)" for name in ("mug", "book", "bowl", "apple"))
READ = {
    # named before they are spoken of
    "The book, could you lay it on the counter?": BOOK,
    "The mug and the bowl, you put them on the counter.": f"{MUG} and {BOWL}",
    "I stumbled over the book again. Put it on the counter.": BOOK,
    "Somebody left the book on the couch. Put it on the counter.": BOOK,
    "We are eating at the table tonight. Put the book there.": "on(book_1, table_1)",
    "The mug and the book, please put on the counter.": f"{MUG} and {BOOK}",
    # what is left out, and what is not meant
    "Put the mug on the counter, but not the book.": f"{MUG} and not {BOOK}",
    "Put the mug on the counter, but no bowls.": (
        f"{MUG} and not exists ?x1: bowl (on(?x1, counter_1)) and forall ?x1: bowl (not initially "
        "(on(?x1, counter_1)) or exists ?place: fixture (not same(?place, counter_1) and "
        "usual_place(?x1, ?place) and (on(?x1, ?place) or inside(?x1, ?place))))"
    ),
    # what goes on without its verb
    "Put the mug on the counter and, if possible, the book.": f"{MUG} and prefer 0.5: {BOOK}",
    "Put the apple on the counter, then the bowl, and finally the book.": (
        f"{APPLE} and {BOWL} and {BOOK} and (first {APPLE} then {BOWL}) and {BOWL} before {BOOK}"
    ),
    "Wipe the table, and after that the counter.": (
        "not dirty(table_1) and not dirty(counter_1) and "
        "not dirty(table_1) before not dirty(counter_1)"
    ),
    # phrases of the domain, word for word, with numbers and with what is said beside them
    "Lay the dining table for two.": (
        "at least 2 ?plate: plate (on(?plate, table_1)) and at least 2 ?fork: fork "
        "(on(?fork, table_1)) and at least 2 ?knife: knife (on(?knife, table_1))"
    ),
    "We'll have soup, so lay the dining table for three people.": (
        "at least 3 ?plate: plate (on(?plate, table_1)) and at least 3 ?fork: fork "
        "(on(?fork, table_1)) and at least 3 ?knife: knife (on(?knife, table_1)) and at least 3 "
        "?bowl: bowl (on(?bowl, table_1)) and at least 3 ?spoon: spoon (on(?spoon, table_1))"
    ),
    "The counter needs a wipe.": "not dirty(counter_1)",
    "Take the mug to put it on the counter.": MUG,
}
UNSAFE = (
    "The book is mine. Put it on the counter, but not the frobnicator.",
    "I must have dropped the glimp. Put it on the counter.",
    "The mug, then go to the kitchen.",
)


@pytest.mark.parametrize("sentence", READ)
def test_what_is_named_is_spoken_of(sentence, home, learned):
    found = learned.read(sentence, home)
    assert found.best is not None, found.message
    assert found.best.goal == READ[sentence]


@pytest.mark.parametrize("sentence", UNSAFE)
def test_what_is_not_known_is_asked_about(sentence, home, learned):
    assert learned.read(sentence, home).best is None


@pytest.fixture(scope="module")
def kitchen():
    further = {
        "tray_1": ("tray", "tray"),
        "bottle_1": ("food", "full water bottle"),
        "bottle_2": ("food", "empty water bottle"),
    }
    domain, instance = build_kitchen(further)
    return ReadingContext(domain, instance, similarity=EmbeddingLabelSimilarity())


def test_words_of_a_label_tell_things_apart(kitchen, learned):
    found = learned.read("Put the full bottle on the table.", kitchen)
    assert found.best is not None, found.message
    assert found.best.goal == "on(bottle_1, table_1)"


def test_a_place_in_a_place_where_nothing_is_yet_is_asked_for(kitchen, learned):
    found = learned.read("Put the apple on the tray in the fridge.", kitchen)
    assert found.best is not None, found.message
    assert found.best.goal == "on(apple_1, tray_1) and inside(tray_1, fridge_1)"


def test_a_place_that_no_relation_says_stays_unread(kitchen, learned):
    found = learned.read("Put the apple on the table behind the person.", kitchen)
    assert found.best is None
    assert found.readings[0].goal == "on(apple_1, table_1)"


@pytest.mark.parametrize(
    ("sentence", "verb"), [("dirty plates to the table", False), ("wipe plates", True)]
)
def test_an_adjective_begins_no_imperative(sentence, verb):
    assert any(segment.piece.imperative for segment in parse_instruction(sentence)) is verb
