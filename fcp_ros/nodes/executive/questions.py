# SPDX-License-Identifier: Apache-2.0
"""Questions to whoever sent a goal: asked by feedback, answered by a service."""

from __future__ import annotations

import threading
import uuid
from dataclasses import dataclass

from unique_identifier_msgs.msg import UUID

from fcp_ros.msg import Question
from fcp_ros.nodes.conversions.common import duration_to_ros, id_from_ros, id_to_ros
from fcp_ros.nodes.executive.reports import GoalReport
from fcp_ros.nodes.executive.thread import ExecutiveThread, GoalContext


@dataclass(frozen=True)
class QuestionAnswered:
    """Event: somebody answered the question with this id by the choice of this number."""

    id: str
    choice: int


class OpenQuestions:
    """The question that the current goal waits with, if there is one.

    `answer` is for rclpy's threads, `ask` for the executive's.

    Args:
        thread: waits for the answer.
    """

    def __init__(self, thread: ExecutiveThread) -> None:
        self._thread = thread
        self._lock = threading.Lock()
        self._open: Question | None = None  # under the lock

    def answer(self, id_message: UUID, choice: int) -> str:
        """Hand an answer to the goal that waits for it.

        Args:
            id_message: the id of the question.
            choice: number of the choice.

        Returns:
            A sentence why the answer can't be taken; "" if it was.
        """
        id_ = id_from_ros(id_message)
        with self._lock:
            question = self._open
            if question is None or id_from_ros(question.id) != id_:
                return "Nobody waits for an answer to this question: it was answered, or is over."
            if not 0 <= choice < len(question.choices):
                last = len(question.choices) - 1
                return f"There is no choice {choice}: give a number from 0 to {last}."
            self._open = None  # the first answer counts
        self._thread.events.post(QuestionAnswered(id_, choice))
        return ""

    def ask(
        self, context: GoalContext, question: Question, timeout: float, report: GoalReport
    ) -> int | None:
        """Ask a question, and wait for the answer.

        Args:
            context: the goal; the wait ends when it is cancelled.
            question: the question; its id and time-out are set here.
            timeout: s.
            report: tells everybody about the question.

        Returns:
            The number of the choice; None without an answer.
        """
        if context.is_cancelled:  # the event that told of it may have been taken already
            return None
        id_ = str(uuid.uuid4())
        question.id = id_to_ros(id_)
        question.timeout = duration_to_ros(timeout)
        with self._lock:
            self._open = question
        report.on_question(question)
        try:
            for event in self._thread.wait_events(timeout):
                if isinstance(event, QuestionAnswered) and event.id == id_:
                    return event.choice
                if context.is_cancelled:
                    return None
        finally:
            with self._lock:
                self._open = None
            report.on_question(Question())
        return None
