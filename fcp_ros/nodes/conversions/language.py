# SPDX-License-Identifier: Apache-2.0
"""Interpretations of instructions, and questions about them."""

from __future__ import annotations

from builtin_interfaces.msg import Duration
from unique_identifier_msgs.msg import UUID

from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse
from fcp_ros.msg import Interpretation as InterpretationMessage
from fcp_ros.msg import Question
from fcp_ros.msg import Reading as ReadingMessage
from fcp_ros.msg import WordUse as WordUseMessage
from fcp_ros.nodes.conversions.common import (
    LIST,
    ConversionError,
    FieldConversion,
    FieldTable,
    by_value,
)
from fcp_ros.relaxation.question import QuestionKind, UserQuestion

_WORDS = FieldTable(WordUse, WordUseMessage, role=by_value(WordRole, "the role of words"))
_READINGS = FieldTable(Reading, ReadingMessage, words=_WORDS.many)


def _read_status(code: int) -> ReadingStatus:
    for status in ReadingStatus:
        if getattr(InterpretationMessage, status.name) == code:
            return status
    raise ConversionError(f"an interpretation has the unknown status {code}")


_INTERPRETATIONS = FieldTable(
    Interpretation,
    InterpretationMessage,
    status=FieldConversion(lambda one: getattr(InterpretationMessage, one.name), _read_status),
    readings=_READINGS.many,
    choices=LIST,
)


def interpretation_to_ros(interpretation: Interpretation | None) -> InterpretationMessage:
    """Write an interpretation; None is the message of a request without an instruction."""
    if interpretation is None:
        return InterpretationMessage()
    return _INTERPRETATIONS.write(interpretation)


def interpretation_from_ros(message: InterpretationMessage) -> Interpretation | None:
    """Read an interpretation; None if there was no instruction.

    Raises ConversionError if a status or role is unknown, or words lie outside of the instruction.
    """
    if message.status == InterpretationMessage.NONE:
        return None
    length = len(message.instruction)
    for reading in message.readings:
        for use in reading.words:
            if not use.start <= use.end <= length:
                raise ConversionError(
                    f"words from {use.start} to {use.end} in an instruction of {length} characters"
                )
    return _INTERPRETATIONS.read(message)


_QUESTIONS = FieldTable(
    UserQuestion, Question, kind=by_value(QuestionKind, "the kind of a question"), choices=LIST
)


def question_to_ros(
    question: UserQuestion | None, id_: UUID | None = None, timeout: Duration | None = None
) -> Question:
    """Write a question; None is the message of "there is none".

    `id_`: of the question, where somebody waits for its answer.
    """
    if question is None:
        return Question()
    message = _QUESTIONS.write(question)
    message.id, message.timeout = id_ or UUID(), timeout or Duration()
    return message


def question_from_ros(message: Question) -> UserQuestion | None:
    """Read a question; None if there is none. Raises ConversionError if its kind is unknown."""
    return None if message.kind == Question.NONE else _QUESTIONS.read(message)
