# SPDX-License-Identifier: Apache-2.0
"""Instructions at the planner node: the service interpret, plans for words, refusals in words."""

from __future__ import annotations

import threading

import pytest
from scripted_reader import (
    BROKEN,
    CUP,
    CUP_GOAL,
    DOUBTED,
    MUG,
    NONSENSE,
    PARTLY,
    STRANGE,
    ScriptedReader,
)

from fcp_ros.client import FcpClient, is_solved, plan_request
from fcp_ros.language import cascade
from fcp_ros.msg import Interpretation, PlanStatus, Question, RequestError
from fcp_ros.nodes.stack import NodeStack


class HeldReader(ScriptedReader):
    """Holds each reading until it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()
        self.released.set()

    def read(self, instruction, context):
        while not self.released.wait(0.01):
            context.check()
        return super().read(instruction, context)


@pytest.fixture(scope="module")
def reader():
    return HeldReader()


@pytest.fixture(scope="module")
def client(stack_options, tmp_path_factory, reader):
    patch = pytest.MonkeyPatch()
    patch.setattr(cascade, "make_rules", lambda: reader)
    options = stack_options(
        tmp_path_factory.mktemp("reading"),
        {"task_planner": {"reader_model": "", "speaker": "person_1"}},
        nodes=("scene_graph", "grounder", "task_planner"),
        namespace="reading",
    )
    with NodeStack(options) as stack:
        stack.wait_active()
        with FcpClient(namespace="reading") as client:
            client.wait_for("make_plan", "interpret", timeout=30.0)
            yield client
    patch.undo()


def test_an_instruction_is_read_without_a_plan(client):
    answer = client.interpret(CUP)
    assert answer.success, answer.message
    assert answer.error.code == RequestError.NONE
    reading = answer.interpretation
    assert (reading.instruction, reading.status) == (CUP, Interpretation.READ)
    assert (reading.readings[0].goal, reading.reader) == (CUP_GOAL, "")
    assert [CUP[use.start : use.end] for use in reading.readings[0].words] == [
        "bring",
        "me",
        "a",
        "cup",
    ]


def test_the_speaker_is_that_of_the_request_or_of_the_parameter(client, reader):
    client.interpret(CUP)
    client.interpret(CUP, speaker="robot_1")
    assert [context.speaker for context in reader.contexts[-2:]] == ["person_1", "robot_1"]
    unknown = client.interpret(CUP, speaker="persn_1")
    assert unknown.success, "it was read"
    assert unknown.interpretation.status == Interpretation.REFUSED
    assert "did you mean 'person_1'" in unknown.message


@pytest.mark.parametrize(
    ("instruction", "status", "words"),
    [
        (MUG, Interpretation.AMBIGUOUS, "Where does the mug go?"),
        (DOUBTED, Interpretation.AMBIGUOUS, "Shall I see to this: mug_1 is on counter_1?"),
        (PARTLY, Interpretation.AMBIGUOUS, 'I did not understand "purple".'),
        (NONSENSE, Interpretation.NOT_UNDERSTOOD, '"blorp"'),
        (STRANGE, Interpretation.REFUSED, "English"),
        (BROKEN, Interpretation.FAILED, "did not answer"),
        ("", Interpretation.NOT_UNDERSTOOD, "Not in the script."),
    ],
)
def test_what_is_not_clear_is_an_answer_too(client, instruction, status, words):
    answer = client.interpret(instruction)
    assert answer.success
    assert answer.interpretation.status == status
    assert words in answer.message


def test_a_reading_ends_at_its_limit_and_a_plan_for_words_at_its_own(client, reader):
    reader.released.clear()
    try:
        late = client.interpret(CUP, time_limit=0.2)
        assert not late.success
        assert late.error.code == RequestError.TIMED_OUT
        planned = client.ask(CUP, time_limit=0.2)
        assert planned.status.code == PlanStatus.TIMEOUT
        # A second reading waits for the first one, and ends at its limit as well.
        first = client.send_interpret(CUP, time_limit=20.0)
        assert client.ask(CUP, time_limit=0.3).status.code == PlanStatus.TIMEOUT
    finally:
        reader.released.set()
    assert first.result(20.0).success


def test_many_readings_at_once_are_all_answered(client, reader):
    reader.released.clear()
    pending = [client.send_interpret(CUP, time_limit=20.0) for _ in range(60)]
    reader.released.set()
    answers = [one.result(30.0) for one in pending]
    codes = {answer.error.code for answer in answers}
    assert codes <= {RequestError.NONE, RequestError.BUSY}
    assert sum(answer.success for answer in answers) >= 6


def test_a_plan_for_words_says_how_they_were_understood(client):
    result = client.ask(CUP)
    assert is_solved(result), result.status.message
    assert (result.plan.goal, result.plan.planned_goal) == (CUP, CUP_GOAL)
    assert result.interpretation.status == Interpretation.READ
    assert result.question.kind == Question.NONE
    same = client.plan(CUP_GOAL)
    assert [step.rule for step in same.plan.steps] == [step.rule for step in result.plan.steps]
    assert same.interpretation.status == Interpretation.NONE


def test_a_question_is_answered_by_planning_for_its_reading(client):
    result = client.ask(MUG)
    assert result.status.code == PlanStatus.NEEDS_CLARIFICATION
    assert result.status.message == result.question.text == "Where does the mug go?"
    assert (result.question.kind, len(result.question.choices)) == (Question.READING, 2)
    assert not any(result.question.id.uuid), "nobody waits for an answer"
    assert is_solved(client.plan(result.interpretation.readings[1].goal))


def test_a_relaxation_to_be_confirmed_comes_with_its_plan(client):
    goal = 'is_a(?x, "wine_glass") and on(?x, table_1)'
    result = client.send_plan(plan_request(goal, confirm_below=0.95)).result(60.0).result
    assert result.status.code == PlanStatus.NEEDS_CLARIFICATION, result.status.message
    assert result.question.kind == Question.CONFIRMATION
    assert list(result.question.choices) == ["yes", "no"]
    assert result.plan.steps
    (change,) = result.relaxations
    assert (change.kind, change.replacement) == ("substitution", "drinking_glass_1")
    assert change.reason
    assert result.refused_relaxations
    assert result.explored[0].parent == -1
    assert client.validate(result.plan).valid
    assert is_solved(client.send_plan(plan_request(goal, confirm_below=0.5)).result(60.0).result)
    relaxed = client.send_plan(plan_request(goal)).result(60.0).result
    assert is_solved(relaxed)
    assert relaxed.plan.goal == goal
    assert "suitable_substitute" in relaxed.plan.planned_goal
    strict = client.send_plan(plan_request(goal, relax=False)).result(60.0).result
    assert strict.status.code == PlanStatus.UNSOLVABLE_PROVEN, strict.status.message
