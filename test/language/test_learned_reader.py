# SPDX-License-Identifier: Apache-2.0
"""Sentences read by what was learned from people, and what two readers make of each other."""

from __future__ import annotations

import pytest

from fcp_ros.language.agreement import NONE_OF_THEM, PairedReader, weigh_answers
from fcp_ros.language.confidence import LEARNED, Confidence
from fcp_ros.language.domain_reader import DomainReader
from fcp_ros.language.learned_reader import LearnedSyntax
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse
from fcp_ros.language.registry import ReaderOptions, make_reader

MUG, BOOK = "on(mug_1, counter_1)", "on(book_1, counter_1)"
READ = {
    "Put the mug on the counter.": MUG,
    # verbs that no phrase of the domain has
    "Shift the mug over to the counter.": MUG,
    "Grab the mug and drop it onto the counter.": MUG,
    # what is in a thing goes with it, and a place may be told by another one
    "Put the mug on the counter, then close the fridge.": (
        f"{MUG} and closed(fridge_1) and (first {MUG} then closed(fridge_1))"
    ),
}
LOGICAL = [
    "Put only the mug on the counter.",
    "Put everything except the mug on the counter.",
    "Put the mug on the counter if the fridge is closed.",
    "Put the mug on the counter unless the fridge is closed.",
    "Don't put the mug on the counter.",
    "Put the mug on the counter before the fridge is closed.",
    "Keep the mug off the counter until the fridge is closed.",
    "Put the rest of the mugs on the counter.",
    "Put the mug on the counter while the fridge is closed.",
    "Is the mug on the counter?",
    "Swap the mug and the bowl.",
]


@pytest.mark.parametrize("sentence", READ)
def test_clauses_are_read_in_a_domain_that_nothing_was_learned_about(sentence, home, learned):
    found = learned.read(sentence, home)
    assert found.readings, found.message
    assert found.readings[0].goal == READ[sentence]


@pytest.mark.parametrize("sentence", LOGICAL)
def test_logic_is_left_to_the_chart_beside_it(sentence, home):
    """A word that turns a sentence round is never skipped, even where the rest is clear."""
    found = DomainReader(LearnedSyntax()).read(sentence, home)
    assert found.best is None or "rest" in sentence
    assert MUG not in [one.goal for one in found.readings]


def test_what_is_not_understood_is_named(home, learned):
    found = learned.read("Put the shabby mug on the counter.", home)
    assert found.status is ReadingStatus.NOT_UNDERSTOOD
    (unread,) = found.readings[0].unread
    assert found.instruction[unread.start : unread.end] == "shabby"
    assert found.readings[0].goal == MUG


BROUGHT = (
    "holding(robot_1, mug_1) and exists ?room: room (at(person_1, ?room) and at(robot_1, ?room))"
)
COMING = "exists ?room: room (at(person_1, ?room) and at(robot_1, ?room))"


@pytest.mark.parametrize(
    ("sentence", "goal"),
    [
        ("Fetch me the mug from the living room.", BROUGHT),  # and not: it leaves that
        ("Could I have the mug?", BROUGHT),
        ("I want the mug over here.", BROUGHT),
        ("Get over here.", COMING),
        # a time in a remark is none of what is asked for
        ("Our guests arrive in ten minutes, so put the mug on the counter.", MUG),
    ],
)
def test_bringing_and_coming_are_what_the_domain_calls_so(sentence, goal, home, learned):
    found = learned.read(sentence, home)
    assert [one.goal for one in found.readings] == [goal], found.message
    assert found.best.level is Confidence.PLAIN


def test_what_is_so_already_is_no_demand(home, learned):
    found = learned.read("The fridge is closed. Put the mug on the counter.", home)
    assert [one.goal for one in found.readings] in ([MUG], [])


# --- two readers


def answer(*goals, degree=1.0, unread=0):
    words = tuple(WordUse(i, i + 1, WordRole.UNREAD) for i in range(unread))
    readings = tuple(Reading(goal, degree, f"{goal}.", words) for goal in goals)
    whole = bool(goals) and not unread
    status = ReadingStatus.READ if whole else ReadingStatus.NOT_UNDERSTOOD
    return Interpretation("put it there", status, "", readings)


def test_readers_that_agree_are_plain(home):
    plain = answer(MUG)
    assert weigh_answers(plain, answer(MUG, degree=LEARNED.agreeing), home) == plain
    doubtful = answer(MUG, degree=Confidence.LIKELY.degree)
    found = weigh_answers(doubtful, answer(MUG, degree=LEARNED.agreeing), home)
    assert found.best.level is Confidence.PLAIN


def test_readers_that_differ_are_a_question(home):
    found = weigh_answers(answer(MUG), answer(BOOK, degree=LEARNED.doubting), home)
    assert found.status is ReadingStatus.AMBIGUOUS
    assert {one.goal for one in found.readings} == {MUG, BOOK}
    assert found.choices[-1] == NONE_OF_THEM


def test_a_kind_of_the_domain_that_is_not_here_is_nothing_else(home, learned):
    """Relaxing asks about that: "shall it be the drinking glass?"."""
    found = learned.read("Bring me a wine glass.", home)
    assert found.best is None or found.best.degree < LEARNED.doubting


def test_a_reading_without_confidence_or_words_has_no_say(home):
    plain = answer(MUG)
    for weak in (answer(BOOK, degree=0.1), answer(BOOK, unread=1), answer()):
        assert weigh_answers(plain, weak, home) == plain


def test_what_one_alone_understands_is_asked_about_unless_it_is_sure(home):
    nothing = answer()
    found = weigh_answers(nothing, answer(MUG, degree=LEARNED.alone - 0.01), home)
    assert found.best.goal == MUG
    assert found.best.level is Confidence.LIKELY
    found = weigh_answers(nothing, answer(MUG, degree=LEARNED.alone), home)
    assert found.best.level is Confidence.PLAIN


def test_of_two_that_lack_words_the_fuller_one_is_offered(home):
    partial = answer(MUG, unread=2)
    assert weigh_answers(partial, answer(BOOK, unread=1), home).readings[0].goal == BOOK
    assert weigh_answers(partial, answer(BOOK, unread=3), home).readings[0].goal == MUG


class _Answers:
    name = "fixed"

    def __init__(self, found):
        self._found = found

    def read(self, _instruction, _context):
        return self._found


def test_a_third_reader_doubts_where_the_second_one_understands_nothing(home):
    nothing, plain = _Answers(answer(MUG, unread=1)), _Answers(answer(MUG))
    asked = PairedReader(plain, nothing, _Answers(answer(BOOK))).read("", home)
    assert asked.status is ReadingStatus.AMBIGUOUS
    assert {one.goal for one in asked.readings} == {MUG, BOOK}
    for agreeing in (_Answers(answer(MUG)), nothing):
        assert PairedReader(plain, nothing, agreeing).read("", home) == answer(MUG)
    # the second one's word is enough
    assert PairedReader(plain, plain, _Answers(answer(BOOK))).read("", home) == answer(MUG)


def test_what_neither_understands_is_read_off_the_tree_and_asked_about(home):
    """The reader of logic over trees is asked last, and never plans without a question."""
    sentence, last = "Put the mug on the counter.", make_reader(ReaderOptions(reader="learned"))
    nothing = DomainReader(lambda _: [])
    found = PairedReader(nothing, nothing, last).read(sentence, home)
    assert found.best is not None
    assert (found.best.goal, found.best.level) == (MUG, Confidence.LIKELY)
    assert PairedReader(nothing, nothing).read(sentence, home).best is None
