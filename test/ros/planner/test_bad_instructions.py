# SPDX-License-Identifier: Apache-2.0
"""Bad input at the live planner node: each instruction ends with a code and a sentence."""

from __future__ import annotations

import pytest

from fcp_ros.client import FcpClient, is_solved
from fcp_ros.msg import Interpretation, PlanStatus, RequestError
from fcp_ros.nodes.stack import NodeStack


@pytest.fixture(scope="module")
def client(stack_options, tmp_path_factory):
    options = stack_options(
        tmp_path_factory.mktemp("bad"),
        {"task_planner": {"speaker": "person_1"}},
        nodes=("scene_graph", "grounder", "task_planner"),
        namespace="bad_instructions",
    )
    with NodeStack(options) as stack:
        stack.wait_active()
        with FcpClient(namespace="bad_instructions") as client:
            client.wait_for("make_plan", "interpret", timeout=30.0)
            yield client


@pytest.mark.parametrize(
    ("instruction", "status", "words"),
    [
        (" \n\t ", Interpretation.REFUSED, "empty"),
        ("mug " * 2_000, Interpretation.REFUSED, "characters"),
        ("mets la tasse sur la table", Interpretation.REFUSED, "French"),
        ("\u628a\u676f\u5b50\u653e\u5728\u684c\u5b50\u4e0a", Interpretation.REFUSED, "English"),
        ("put the unicorn on the table", Interpretation.NOT_UNDERSTOOD, '"unicorn"'),
        ("put 99999999999999999999 mugs on the table", Interpretation.REFUSED, "9999999"),
        (
            "put the mug on the table and leave it in the fridge",
            Interpretation.REFUSED,
            "contradict",
        ),
        ("kill the cat", Interpretation.NOT_UNDERSTOOD, '"kill"'),
    ],
)
def test_bad_words_are_answered_and_never_planned(client, instruction, status, words):
    answer = client.interpret(instruction)
    assert answer.success
    assert answer.interpretation.status == status
    assert words in answer.message
    result = client.ask(instruction)
    assert result.status.code == PlanStatus.INVALID_REQUEST
    assert words in result.status.message
    assert not result.plan.steps


def test_ten_thousand_words_are_refused_before_they_are_read(client):
    answer = client.interpret("put the mug on the table and " * 1_500)
    assert not answer.success
    assert answer.error.code == RequestError.INVALID_REQUEST
    result = client.ask("put the mug on the table and " * 1_500)
    assert result.status.code == PlanStatus.INVALID_REQUEST
    assert "are allowed" in result.status.message


def test_numbers_out_of_range_are_named(client):
    """A negative limit is no limit that has passed."""
    result = client.ask("put the mug on the counter", time_limit=-1.0)
    assert result.status.code == PlanStatus.INVALID_REQUEST
    assert "time_limit" in result.status.message
    answer = client.interpret("put the mug on the counter", time_limit=-1.0)
    assert not answer.success
    assert answer.error.code == RequestError.INVALID_REQUEST
    assert "time_limit" in answer.message
    result = client.ask("put the mug on the counter", confirm_below=7.0)
    assert "confirm_below is 7.0" in result.status.message


def test_words_with_control_characters_are_refused(client):
    answer = client.interpret("open the fridge\x1b[2J")
    assert not answer.success
    assert answer.error.code == RequestError.INVALID_REQUEST
    assert "control character" in answer.message
    assert answer.message.isprintable()


def test_a_request_for_nothing_says_what_to_give(client):
    result = client.ask("")
    assert result.status.code == PlanStatus.INVALID_REQUEST
    assert "neither a goal nor an instruction" in result.status.message


def test_bytes_that_are_no_text_are_not_understood(client):
    """Python reads them as lone surrogates, which no message can carry."""
    words = "put the \udc80\udcff mug on the counter"
    answer = client.interpret(words)
    assert answer.success
    assert answer.interpretation.status == Interpretation.NOT_UNDERSTOOD
    result = client.ask(words, speaker="person_1")
    assert result.status.code == PlanStatus.INVALID_REQUEST
    assert client.plan("on(\udc80, counter_1)").status.code == PlanStatus.INVALID_REQUEST


def test_after_all_that_it_still_plans(client):
    assert is_solved(client.ask("put the mug on the counter"))
