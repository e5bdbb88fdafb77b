# SPDX-License-Identifier: Apache-2.0
"""A goal whose answers are lost is neither lost nor sent twice."""

from __future__ import annotations

import pytest
from action_msgs.msg import GoalStatus
from rclpy.task import Future

from fcp_ros.action import MakePlan
from fcp_ros.nodes.runtime import action_call
from fcp_ros.nodes.runtime.action_call import ActionCall, CallListener
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer


@pytest.fixture
def events():
    return []


@pytest.fixture
def client(probe, events):
    """Of an action that succeeds at once; the executions are noted among the events."""

    def execute(goal):
        events.append("executed")
        goal.succeed()
        return MakePlan.Result()

    server = SafeActionServer(
        probe.node, MakePlan, "act", execute, callback_group=probe.group, result_timeout=300
    )
    yield probe.action(MakePlan, "act")
    server.destroy()


@pytest.fixture
def listener(events):
    return CallListener(
        ended=lambda status, _result: events.append(status),
        forgotten=lambda: events.append("forgotten"),
        accepted=lambda: events.append("accepted"),
    )


def check(events, until) -> None:
    until(lambda: GoalStatus.STATUS_SUCCEEDED in events, "the end of the goal")
    assert sorted(events, key=str) == [GoalStatus.STATUS_SUCCEEDED, "accepted", "executed"]


def test_nothing_is_lost(client, listener, events, until):
    ActionCall(client, MakePlan.Goal(), listener)
    check(events, until)


def test_a_lost_answer_to_the_goal(client, listener, events, until):
    with client._exchange:
        ActionCall(client, MakePlan.Goal(), listener)
        client._goal_sequence_number_to_goal_id.clear()  # the answer finds nobody
    check(events, until)


def test_a_lost_answer_with_the_result(client, listener, events, until, monkeypatch):
    monkeypatch.setattr(action_call, "REPEAT_AFTER", 0.05)
    ask = client._get_result_async

    def lose_the_first(handle):
        monkeypatch.setattr(client, "_get_result_async", ask)
        return Future()

    monkeypatch.setattr(client, "_get_result_async", lose_the_first)
    ActionCall(client, MakePlan.Goal(), listener)
    check(events, until)
