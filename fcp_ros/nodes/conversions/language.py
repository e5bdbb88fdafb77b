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
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.relaxation.question import QuestionKind, UserQuestion

_STATUSES = {
    ReadingStatus.READ: InterpretationMessage.READ,
    ReadingStatus.AMBIGUOUS: InterpretationMessage.AMBIGUOUS,
    ReadingStatus.NOT_UNDERSTOOD: InterpretationMessage.NOT_UNDERSTOOD,
    ReadingStatus.REFUSED: InterpretationMessage.REFUSED,
    ReadingStatus.FAILED: InterpretationMessage.FAILED,
}
_BY_CODE = {code: status for status, code in _STATUSES.items()}


def interpretation_to_ros(interpretation: Interpretation | None) -> InterpretationMessage:
    """Write an interpretation; None is the message of a request without an instruction."""
    if interpretation is None:
        return InterpretationMessage()
    return InterpretationMessage(
        instruction=interpretation.instruction,
        status=_STATUSES[interpretation.status],
        message=interpretation.message,
        readings=[_reading_to_ros(reading) for reading in interpretation.readings],
        question=interpretation.question,
        choices=list(interpretation.choices),
        reader=interpretation.reader,
    )


def interpretation_from_ros(message: InterpretationMessage) -> Interpretation | None:
    """Read an interpretation; None if there was no instruction.

    Raises:
        ConversionError: a status or role is unknown, or words lie outside of the instruction.
    """
    if message.status == InterpretationMessage.NONE:
        return None
    status = _BY_CODE.get(message.status)
    if status is None:
        raise ConversionError(f"an interpretation has the unknown status {message.status}")
    length = len(message.instruction)
    return Interpretation(
        message.instruction,
        status,
        message.message,
        tuple(_reading_from_ros(reading, length) for reading in message.readings),
        message.question,
        tuple(message.choices),
        message.reader,
    )


def _reading_to_ros(reading: Reading) -> ReadingMessage:
    return ReadingMessage(
        goal=reading.goal,
        degree=reading.degree,
        paraphrase=reading.paraphrase,
        words=[
            WordUseMessage(
                start=use.start,
                end=use.end,
                role=use.role.value,
                meaning=use.meaning,
                degree=use.degree,
            )
            for use in reading.words
        ],
    )


def _reading_from_ros(message: ReadingMessage, length: int) -> Reading:
    words = tuple(_use_from_ros(use, length) for use in message.words)
    return Reading(message.goal, message.degree, message.paraphrase, words)


def _use_from_ros(message: WordUseMessage, length: int) -> WordUse:
    if not message.start <= message.end <= length:
        raise ConversionError(
            f"words from {message.start} to {message.end} in an instruction of {length} characters"
        )
    try:
        role = WordRole(message.role)
    except ValueError as error:
        raise ConversionError(f"the role of words: {error}") from None
    return WordUse(message.start, message.end, role, message.meaning, message.degree)


def question_to_ros(
    question: UserQuestion | None, id_: UUID | None = None, timeout: Duration | None = None
) -> Question:
    """Write a question; None is the message of "there is none".

    Args:
        question: the question.
        id_: of the question, where somebody waits for its answer.
        timeout: of the answer.
    """
    if question is None:
        return Question()
    return Question(
        id=id_ or UUID(),
        kind=question.kind.value,
        text=question.text,
        choices=list(question.choices),
        timeout=timeout or Duration(),
    )


def question_from_ros(message: Question) -> UserQuestion | None:
    """Read a question; None if there is none.

    Raises:
        ConversionError: its kind is unknown.
    """
    if message.kind == Question.NONE:
        return None
    try:
        kind = QuestionKind(message.kind)
    except ValueError as error:
        raise ConversionError(f"the kind of a question: {error}") from None
    return UserQuestion(kind, message.text, tuple(message.choices))
