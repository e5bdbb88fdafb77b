# SPDX-License-Identifier: Apache-2.0
"""A language model behind the reader of the domain: over a real HTTP server, scripted."""

from __future__ import annotations

import threading
from dataclasses import replace
from time import monotonic
from typing import Any

import pytest
from chat_server import END, ChatServer, ScriptedModel

from fcp_ros.language.cascade import (
    CascadeReader,
    ReaderOptions,
    choose_answer,
    make_reader,
    needs_help,
)
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.confirmation import confirm_doubtful
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus

PLAIN = "put the apple on the table"
ODD = "an apple for the table"
ON_TABLE = "on(apple_1, table_1)"
SAID_PLAINLY = "Put the apple on the table."


@pytest.fixture
def cascade(server: ChatServer) -> Any:
    """Makes the configured reader whose model gives these answers."""

    def make(answers: Any) -> Any:
        server.model = ScriptedModel(answers, lambda text: [text, END], shows_end=True)
        return make_reader(ReaderOptions(endpoint=server.url))

    return make


def count_requests(server: ChatServer) -> int:
    return sum("messages" in body for body in server.bodies)


def test_the_model_is_not_asked_about_what_is_plain(
    cascade: Any, server: ChatServer, context: ReadingContext
) -> None:
    answer = cascade({"Put the apple on the counter.": 1.0}).read(PLAIN, context)
    assert answer.best is not None
    assert answer.best.goal == ON_TABLE
    assert count_requests(server) == 0


def test_what_only_the_model_reads_is_confirmed_always(
    cascade: Any, server: ChatServer, context: ReadingContext
) -> None:
    alone = make_reader(ReaderOptions()).read(ODD, context)
    assert alone.status is ReadingStatus.NOT_UNDERSTOOD
    answer = cascade({SAID_PLAINLY: 1.0}).read(ODD, context)
    assert count_requests(server) > 0
    assert answer.best is not None
    assert answer.best.goal == ON_TABLE
    assert answer.reader == "endpoint"
    asked = confirm_doubtful(answer)
    assert asked.status is ReadingStatus.AMBIGUOUS
    assert asked.question == "Shall I see to this: apple_1 is on table_1?"
    assert asked.choices == ("yes", "no")


def test_a_model_that_cannot_be_asked_leaves_the_first_answer(
    server: ChatServer, context: ReadingContext
) -> None:
    first = make_reader(ReaderOptions()).read(ODD, context)
    url = server.url
    server.close()
    for options in (
        ReaderOptions(endpoint=url),
        ReaderOptions(endpoint="no url at all"),
        ReaderOptions(model="/no/such/file"),
    ):
        answer = make_reader(options).read(ODD, context)
        assert (answer.status, answer.readings) == (first.status, first.readings)
        assert answer.message.startswith(first.message)
        assert "The language model could not help: " in answer.message


class Held:
    """A reader that answers only when its time is over."""

    name = "held"

    def __init__(self) -> None:
        self.until: list[float] = []

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        self.until.append(context.until)
        threading.Event().wait(max(0.0, context.until - monotonic()))
        return Interpretation(instruction, ReadingStatus.FAILED, "Too slow.", reader=self.name)


def test_the_model_has_a_share_of_the_time_only(context: ReadingContext) -> None:
    held = Held()
    domain = make_reader(ReaderOptions())
    reader = CascadeReader(domain, lambda: held, seconds=0.05)
    answer = reader.read(ODD, context)
    assert "Too slow" in answer.message
    end = monotonic() + 30.0
    CascadeReader(domain, lambda: held, seconds=0.05).read(ODD, replace(context, until=end))
    assert held.until[1] < end - 15.0 + 1.0
    late = replace(context, until=monotonic() - 1.0)
    assert reader.read(ODD, late).status is ReadingStatus.NOT_UNDERSTOOD
    assert len(held.until) == 2, "without time it is not asked"


def read_as(goal: str, degree: float, reader: str = "one") -> Interpretation:
    reading = Reading(goal, degree, f"{goal} holds.")
    return Interpretation(ODD, ReadingStatus.READ, "m", (reading,), reader=reader)


def test_a_reading_in_doubt_is_left_to_the_person(context: ReadingContext) -> None:
    assert not needs_help(read_as(ON_TABLE, 0.6))
    assert needs_help(Interpretation(ODD, ReadingStatus.NOT_UNDERSTOOD, "what?"))


def test_the_question_of_the_second_reader_counts() -> None:
    unread = Interpretation(ODD, ReadingStatus.NOT_UNDERSTOOD, "what?")
    question = replace(
        read_as(ON_TABLE, 0.5), status=ReadingStatus.AMBIGUOUS, question="q", choices=("a",)
    )
    assert choose_answer(unread, question) is question
    assert choose_answer(unread, unread) is unread


def test_a_sure_model_is_in_doubt_all_the_same() -> None:
    unread = Interpretation(ODD, ReadingStatus.NOT_UNDERSTOOD, "what?")
    answer = choose_answer(unread, read_as(ON_TABLE, 1.0))
    assert answer.best is not None
    assert answer.best.level is Confidence.LIKELY
