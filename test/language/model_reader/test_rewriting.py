# SPDX-License-Identifier: Apache-2.0
"""Instructions that a language model says plainly: over a real HTTP server, scripted."""

from __future__ import annotations

from typing import Any

import pytest
from chat_server import END, ChatServer, ScriptedModel

from fcp_ros.language.confirmation import list_unread
from fcp_ros.language.model_reader import RewritingReader, open_server
from fcp_ros.language.model_reader.rewriting import load_plain_english
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Interpretation, ReadingStatus
from fcp_ros.language.registry import ReaderOptions, make_reader

SAID = "the apple, oh you know, table would be lovely"


@pytest.fixture(scope="module")
def domain_reader() -> Any:
    return make_reader(ReaderOptions())


@pytest.fixture
def read(server: ChatServer, context: ReadingContext, domain_reader: Any) -> Any:
    """Reads an instruction whose plain text is given."""

    def read(instruction: str, plain: str) -> Interpretation:
        server.model = ScriptedModel({plain: 1.0}, lambda text: [text, END], shows_end=True)
        reader = RewritingReader("endpoint", open_server(server.url), domain_reader)
        return reader.read(instruction, context)

    return read


def test_the_plain_text_is_read(read: Any) -> None:
    answer = read(SAID, "Put the apple on the table.")
    assert answer.best is not None
    assert answer.best.goal == "on(apple_1, table_1)"
    assert answer.instruction == SAID
    assert all(use.end <= len(SAID) for use in answer.best.words)
    assert list_unread(SAID, answer.best) == []


def test_all_instructions_begin_alike(read: Any, server: ChatServer) -> None:
    for said in (SAID, "fruit? fridge!"):
        read(said, "Nothing.")
    one, other = (body["messages"] for body in server.bodies if "messages" in body)
    assert one[:-1] == other[:-1], "so a server computes them once"
    assert one[0] == {"role": "system", "content": load_plain_english().task}
    assert [turn["role"] for turn in one[1:3]] == ["user", "assistant"]
    assert one[-1] == {"role": "user", "content": SAID}


def test_a_lost_condition_is_named(read: Any) -> None:
    said = "apple table, unless it is rotten"
    lost = read(said, "Put the apple on the table.")
    assert lost.best is not None
    assert list_unread(said, lost.best) == ['"unless"']
    kept = read(said, "Put the apple on the table without ever opening the fridge.")
    assert kept.best is not None
    assert list_unread(said, kept.best) == []


@pytest.mark.parametrize("plain", ["Nothing.", "Understood.", "Put the xylophone on the moon."])
def test_what_cannot_be_read_has_no_reading(read: Any, plain: str) -> None:
    answer = read(SAID, plain)
    assert answer.status is ReadingStatus.NOT_UNDERSTOOD
    assert answer.best is None
    assert answer.message


def test_a_question_about_the_plain_text_is_asked(read: Any) -> None:
    answer = read(SAID, "Put it on the table.")
    assert answer.status is ReadingStatus.AMBIGUOUS
    assert answer.instruction == SAID
    assert answer.question


def test_some_examples_ask_for_nothing() -> None:
    told = load_plain_english()
    assert len({heard for heard, _ in told.examples}) == len(told.examples)
    assert sum(plain == told.nothing for _, plain in told.examples) >= 3
