# SPDX-License-Identifier: Apache-2.0
"""A step that a person does: asked for, confirmed, refused, not answered, cancelled."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.main import app
from fcp_ros.client import FcpClient, GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import Question
from fcp_ros.nodes.executive.parameters import PlanError
from fcp_ros.nodes.grounder.learner import FAILURES

ROBOT = "helped"


@pytest.fixture(scope="module")
def helped(make_sites, spawn_for_many, tmp_path_factory):
    """Scene graph and executive, and a person in place of the robot's legs."""
    sites = make_sites()
    site = sites.start(
        tmp_path_factory.mktemp("helped"),
        nodes=("scene_graph", "executive"),
        robot=ROBOT,
        executive={"executor_wait": 60.0, "trust_executors": True, "min_step_timeout": 600.0},
    )
    spawn_for_many("executors.person_executor", ROBOT, executor="navigate")
    with FcpClient(namespace=ROBOT, server_timeout=60.0) as desk:
        assert desk.person_request() is None
        yield site, desk
    sites.stop()


@pytest.fixture
def here(helped):
    site, _ = helped
    site.reset()
    yield site
    site.set("executive", min_step_timeout=600.0)


@pytest.fixture
def asked(helped, until):
    """Waits for a request other than the last, and returns it."""
    _, desk = helped
    last = [Question().id]

    def wait():
        def fetch():
            found = desk.person_request()
            return found if found is not None and found.id != last[-1] else None

        last.append(until(fetch, "a request").id)
        return desk.person_request()

    return wait


def test_a_person_does_each_step_and_says_so(here, helped, asked, to_and_fro):
    _, desk = helped
    goal = here.send_execute(to_and_fro())
    for place in ("living_room_1", "kitchen_1"):
        question = asked()
        assert f"{place}" in question.text
        assert list(question.choices) == ["done", "not done"]
        assert question.timeout.sec > 0
        answer = desk.answer_person(question, is_done=True)
        assert answer.success, answer.message
    state, answer = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, answer.error_msg
    assert here.codes(2) == [OutcomeCode.SUCCEEDED] * 2
    late = desk.answer_person(question, is_done=True)
    assert not late.success
    assert "person_requests" in late.message


def test_a_person_who_refuses_ends_the_plan_and_is_no_evidence(here, helped, asked, to_and_fro):
    _, desk = helped
    goal = here.send_execute(to_and_fro())
    assert desk.answer_person(asked(), is_done=False).success
    state, answer = here.end_of(goal)
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.STEP_FAILED)
    assert "The person does not do it." in answer.error_msg
    (code,) = here.codes(1)
    assert code is OutcomeCode.INVALID_ACTION
    assert code not in FAILURES


def test_silence_ends_the_step_before_it_would_count_as_a_failure(here, to_and_fro):
    here.set("executive", min_step_timeout=1.0, timeout_factor=0.01)
    state, answer = here.execute(to_and_fro())
    here.set("executive", timeout_factor=3.0)
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.STEP_FAILED)
    assert "Nobody answered within 0.9 s" in answer.error_msg
    assert here.codes(1) == [OutcomeCode.INVALID_ACTION]


def test_a_goal_that_is_cancelled_asks_no_longer(here, helped, asked, to_and_fro, until):
    _, desk = helped
    goal = here.send_execute(to_and_fro())
    asked()
    goal.cancel()
    assert here.end_of(goal)[0] is GoalState.CANCELED
    until(lambda: desk.person_request() is None, "no request")
    assert here.codes(1) == [OutcomeCode.CANCELLED]


def test_the_command_shows_and_answers(here, asked, to_and_fro):
    run = CliRunner()
    options = ["person", "--namespace", ROBOT]
    nothing = run.invoke(app, [*options, "--done"])
    assert nothing.exit_code != 0
    assert "Nobody is asked" in nothing.output
    goal = here.send_execute(to_and_fro())
    asked()
    shown = run.invoke(app, options)
    assert "navigate" in shown.output
    refused = run.invoke(app, [*options, "--refuse"])
    assert refused.exit_code == 0, refused.output
    assert "does not do it" in " ".join(refused.output.split())
    assert here.end_of(goal)[0] is GoalState.ABORTED
