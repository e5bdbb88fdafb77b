# SPDX-License-Identifier: Apache-2.0
"""Two executors, or two executives, of one name: noticed, said, and nothing is sent meanwhile."""

from __future__ import annotations

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.action import ActionServer

from fcp_ros.action import AchieveGoal, ExecuteStep
from fcp_ros.client import GoalState
from fcp_ros.nodes.executive.parameters import PlanError


@pytest.fixture
def double(probe):
    """Offers an action in the test's own node, beside whoever offers it already: (type, name)."""
    servers, called = [], []

    def offer(kind, name):
        def execute(goal):
            called.append(goal)
            goal.succeed()
            return kind.Result()

        servers.append(ActionServer(probe.node, kind, name, execute, callback_group=probe.group))
        return called

    yield offer
    for server in servers:
        server.destroy()


def wait_for_error(here, words):
    """Wait for the diagnostics to say something, which are seldom looked for at rest."""

    def is_said():
        found = here.executive.diagnose()
        return found.level == DiagnosticStatus.ERROR and words in found.message

    here.until(is_said, f"{words!r} in the diagnostics")


def test_nothing_is_sent_to_two_executors_of_one_name(here, double, to_and_fro, until):
    here.set("executive", executor_wait=0.5)
    called = double(ExecuteStep, here.name("navigate"))
    clients = here.executive._step_clients  # discovery may list an endpoint before its node
    until(lambda: "/probe_" in clients.find_double("navigate"), "the second executor")
    state, answer = here.execute(to_and_fro())
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.NAME_CONFLICT), answer
    assert "navigate" in answer.error_msg
    assert "/probe_" in answer.error_msg
    assert not called
    assert not here.outcomes.messages
    wait_for_error(here, "nodes offer the action navigate")


def test_the_plan_goes_on_when_the_second_executor_has_gone(here, probe, to_and_fro, until):
    here.set("executive", executor_wait=60.0)
    server = ActionServer(
        probe.node,
        ExecuteStep,
        here.name("navigate"),
        lambda _goal: ExecuteStep.Result(),
        callback_group=probe.group,
    )
    until(lambda: here.executive._step_clients.find_double("navigate"), "the second executor")
    goal = here.send_execute(to_and_fro())
    until(lambda: goal.poll() is GoalState.ACCEPTED, "the goal")
    server.destroy()
    state, answer = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, answer.error_msg


def test_one_of_two_executives_sends_nothing_and_says_so(here, double, to_and_fro, until):
    double(AchieveGoal, here.name("achieve_goal"))
    until(lambda: here.executive._step_clients.find_executives(), "the second executive")
    wait_for_error(here, "nodes offer the action achieve_goal")
    state, answer = here.execute(to_and_fro())
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.NAME_CONFLICT)
    assert not here.outcomes.messages
