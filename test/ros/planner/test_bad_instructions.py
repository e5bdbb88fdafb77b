# SPDX-License-Identifier: Apache-2.0
"""Bad input at the live planner node: each instruction ends with a code and a sentence.

Words that the reader refuses are in language/test_bad_input.py.
"""

from __future__ import annotations

from fcp_ros.msg import Interpretation, PlanStatus, RequestError


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
