# SPDX-License-Identifier: Apache-2.0
"""The question that a goal waits with: its answer, wrong answers, time-out, and cancellation."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from fcp_ros.execution.goal_queue import Ticket
from fcp_ros.msg import Question
from fcp_ros.nodes.conversions.common import id_to_ros
from fcp_ros.nodes.executive.goal_context import GoalContext
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.executive.standing_wish import OpenQuestions

LONG = 30.0
"""Seconds that a wait takes only in a failing test."""


class Told:
    """What a goal reports: the questions, the empty one that withdraws them included."""

    def __init__(self):
        self.questions = []
        self.is_asked = threading.Event()

    def on_question(self, question):
        self.questions.append(question)
        self.is_asked.set()


@pytest.fixture
def waiting():
    """Asks a question in a goal's thread: (goal, questions, what is told, its answer)."""
    thread = GoalThreads(lambda _event: None)
    asked = SimpleNamespace(
        thread=thread,
        context=GoalContext(SimpleNamespace(goal_id=SimpleNamespace(uuid=bytes(16)))),
        questions=OpenQuestions(thread),
        told=Told(),
    )

    def begin(timeout):
        question = Question(kind=Question.CONFIRMATION, text="?", choices=["yes", "no"])
        thread.submit(
            asked.context,
            Ticket(asked.context.key),
            lambda: asked.questions.ask(asked.context, question, timeout, asked.told),
            1,
        )
        return asked.context.answer

    asked.begin = begin
    yield asked
    thread.close(5.0)


def test_the_first_answer_counts(waiting):
    answer = waiting.begin(LONG)
    assert waiting.told.is_asked.wait(LONG)
    id_ = waiting.told.questions[0].id
    assert "from 0 to 1" in waiting.questions.answer(id_, 2)
    other = id_to_ros("00000000-0000-0000-0000-000000000001")
    assert "Nobody waits" in waiting.questions.answer(other, 0)
    assert waiting.questions.answer(id_, 1) == ""
    assert "Nobody waits" in waiting.questions.answer(id_, 0)
    assert answer.result(LONG) == 1
    assert waiting.told.questions[-1] == Question(), "it is withdrawn"


def test_no_answer_in_time_is_none(waiting):
    answer = waiting.begin(0.05)
    assert answer.result(LONG) is None
    assert "Nobody waits" in waiting.questions.answer(waiting.told.questions[0].id, 0)


def test_a_goal_that_is_cancelled_meanwhile_waits_no_longer(waiting):
    answer = waiting.begin(2 * LONG)
    assert waiting.told.is_asked.wait(LONG)
    waiting.context.token.cancel()
    waiting.thread.wake(waiting.context)
    assert answer.result(LONG) is None


def test_a_goal_that_was_cancelled_just_before_asks_nothing(waiting):
    """The wait before, for the planner, may have taken the event that tells of it."""
    waiting.context.token.cancel()
    answer = waiting.begin(2 * LONG)
    assert answer.result(LONG) is None
    assert not waiting.told.questions
