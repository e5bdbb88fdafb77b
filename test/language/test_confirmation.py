# SPDX-License-Identifier: Apache-2.0
"""The gate between reading and planning: levels, questions, and what is offered in part."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.cli.session import open_session
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.confirmation import confirm_doubtful
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole


@pytest.fixture(scope="module")
def read():
    session = open_session("household", "twin_house_furnished")
    context = ReadingContext(session.domain, session.state.instance, speaker="person_1")
    reader = make_reader(ReaderOptions())
    return lambda instruction: reader.read(instruction, context)


@given(st.floats(0.0, 1.0))
def test_a_degree_falls_in_one_level(degree):
    level = Confidence.of(degree)
    assert level.least <= degree
    assert level is Confidence.PLAIN or degree < Confidence(level + 1).least


@pytest.mark.parametrize("level", Confidence)
def test_the_degree_of_a_level_falls_in_it(level):
    assert Confidence.of(level.degree) is Confidence.of(level.least) is level


@given(st.floats(0.0, 1.0), st.sampled_from(ReadingStatus))
def test_only_a_plain_reading_passes(degree, status):
    reading = Reading("closed(door_1)", degree, "door_1 is closed.")
    given_ = Interpretation("close it", status, "m", (reading,), "q", ("a",), "r")
    asked = confirm_doubtful(given_)
    if status is not ReadingStatus.READ or degree >= Confidence.PLAIN.least:
        assert asked is given_
    else:
        assert asked.status is ReadingStatus.AMBIGUOUS
        assert asked.question == "Shall I see to this: door_1 is closed?"
        assert asked.choices == ("yes", "no")
        assert asked.readings == (reading,)


OFFERED = [
    ("put the purple mug on the table", '"purple"'),
    ("put the mug on the shiny table", '"shiny"'),
    ("put the mug on the counter and whistle a tune", '"whistle a tune"'),
    ("put the mug on the counter and close the grungy door", '"grungy"'),
]
NOT_OFFERED = [
    "put the mug on the counter unless it is wet",
    "put the mug on the counter, only not the dented one",
    "put the non-purple mug on the table and not the book",
    "put the frumpet on the table",
    "put the mug and the frumpet on the table",
    "put 30 ml of soap on the counter",
    "put the hot mug on the counter",
    "put the mug on the fragile table",
    "put the mug on the counter and don't whistle a tune",
    "put the mug on the counter, but whistle first",
    "put the mug on the counter except on Mondays",
    "put the mug on the counter if the sun shines",
    "put the mug on the counter at 30 degrees",
    "blorp the frim",
]


@pytest.mark.parametrize(("instruction", "missing"), OFFERED)
def test_what_was_understood_is_offered(read, instruction, missing):
    answer = read(instruction)
    vague = answer.best is not None and answer.best.level is Confidence.DOUBTFUL
    assert vague or answer.status is ReadingStatus.NOT_UNDERSTOOD
    asked = confirm_doubtful(answer)
    assert asked.status is ReadingStatus.AMBIGUOUS
    assert asked.question.endswith(f"? I did not understand {missing}.")
    assert asked.readings == answer.readings[:1]


@pytest.mark.parametrize("instruction", NOT_OFFERED)
def test_nothing_is_offered_if_what_is_missing_may_turn_the_meaning_round(read, instruction):
    answer = confirm_doubtful(read(instruction))
    assert answer.status is ReadingStatus.NOT_UNDERSTOOD, answer.question
    assert answer.best is None


TURNING = (
    *("not", "never", "no", "without", "except", "but", "unless", "if", "when", "until"),
    *("only", "most", "least", "three hundred ml", "7", "hot", "carefully", "don't"),
)


@given(st.sampled_from(TURNING), st.integers(0, 9))
def test_a_word_that_turns_is_never_among_those_left_out(read, word, place):
    words = ["put", "the", "purple", "mug", "on", "the", "table", "gently", "please"]
    instruction = " ".join([*words[:place], word, *words[place:]])
    answer = confirm_doubtful(read(instruction))
    if answer.status is ReadingStatus.AMBIGUOUS and answer.choices == ("yes", "no"):
        (reading,) = answer.readings
        left_out = " ".join(
            instruction[use.start : use.end]
            for use in reading.words
            if use.role in (WordRole.UNREAD, WordRole.FILLER)
        )
        said = [part for part in word.split() if not part.isalpha() or part != "three"]
        assert not set(left_out.split()) & set(said)
