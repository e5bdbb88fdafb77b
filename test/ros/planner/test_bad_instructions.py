# SPDX-License-Identifier: Apache-2.0
"""Bad input at the live planner node: each instruction ends with a code and a sentence."""

from __future__ import annotations

from fcp_ros.msg import Interpretation, PlanStatus, RequestError

BAD_WORDS = (
    (" \n\t ", Interpretation.REFUSED, "empty"),
    ("mets la tasse sur la table", Interpretation.REFUSED, "French"),
    ("put the unicorn on the table", Interpretation.NOT_UNDERSTOOD, '"unicorn"'),
)
"""Others are in language/test_bad_input.py; on their way to the node all are words."""


def test_bad_words_are_answered_and_never_planned(client, scene):
    for instruction, status, words in BAD_WORDS:
        answer = client.interpret(instruction)
        assert answer.success
        assert answer.interpretation.status == status
        assert words in answer.message
        result = client.ask(instruction)
        assert result.status.code == PlanStatus.INVALID_REQUEST
        assert words in result.status.message
        assert not result.plan.steps


def test_ten_thousand_words_are_refused_before_they_are_read(client, scene):
    answer = client.interpret("put the mug on the table and " * 1_500)
    assert not answer.success
    assert answer.error.code == RequestError.INVALID_REQUEST
    result = client.ask("put the mug on the table and " * 1_500)
    assert result.status.code == PlanStatus.INVALID_REQUEST
    assert "are allowed" in result.status.message


def test_words_with_control_characters_are_refused(client, scene):
    answer = client.interpret("open the fridge\x1b[2J")
    assert not answer.success
    assert answer.error.code == RequestError.INVALID_REQUEST
    assert "control character" in answer.message
    assert answer.message.isprintable()


def test_bytes_that_are_no_text_are_not_understood(client, scene):
    """Python reads them as lone surrogates, which no message can carry."""
    words = "put the \udc80\udcff mug on the counter"
    answer = client.interpret(words)
    assert answer.success
    assert answer.interpretation.status == Interpretation.NOT_UNDERSTOOD
    result = client.ask(words, speaker="person_1")
    assert result.status.code == PlanStatus.INVALID_REQUEST
    assert client.plan("on(\udc80, counter_1)").status.code == PlanStatus.INVALID_REQUEST
