# SPDX-License-Identifier: Apache-2.0
"""Processes that are killed in the middle of an action: noticed at once, no evidence.

One that is only busy is not taken for dead.
"""

from __future__ import annotations

import signal
import time

import pytest

from fcp_ros.action import ExecuteStep
from fcp_ros.client import FcpError, FcpUnavailable, GoalState, plan_request
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.nodes.executive.parameters import GoalError, PlanError
from fcp_ros.nodes.grounder.learner import determine_quality
from fcp_ros.nodes.runtime.server_life import SEARCH_PERIOD

BUSY = 3.0
"""Seconds for which a process holds Python's lock, so that no thread of it says anything."""
BUSY_AFTER = 5.0
"""Seconds from its start until then."""


def is_listed(probe, action: str) -> bool:
    """True while discovery still lists a server: for 20 s after it was killed.

    What is noticed before that is noticed by its sign of life (a second, on a quiet machine).
    """
    return probe.node.count_services(f"{action}/_action/send_goal") > 0


def test_a_killed_executor_is_noticed_and_is_no_evidence(brain, spawn, to_and_fro, until, probe):
    namespace = brain.stack.options.namespace
    brain.set("executive", grace_time=20.0)
    executor = spawn("executors.simulated_executor", namespace, time_scale=100.0)
    goal = brain.send_execute(to_and_fro(1000.0))
    until(lambda: goal.feedback and goal.feedback.progress > 0.0, "a step at work", 60.0)
    until(lambda: is_listed(probe, f"/{namespace}/navigate"), "the executor at the probe")
    executor.send_signal(signal.SIGKILL)
    state, answer = brain.end_of(goal)
    assert is_listed(probe, f"/{namespace}/navigate"), "discovery was not waited for"
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.EXECUTOR_LOST)
    assert "died" in answer.error_msg
    assert brain.codes(1) == [OutcomeCode.EXECUTOR_LOST]
    assert determine_quality(OutcomeCode.EXECUTOR_LOST, None) is None
    # The dead one is not given another step, though discovery still lists it for 20 s; its
    # successor is.
    brain.set("executive", executor_wait=0.5)
    state, answer = brain.execute(to_and_fro())
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.NO_EXECUTOR)
    brain.set("executive", executor_wait=60.0)
    spawn("executors.simulated_executor", namespace, time_scale=1000.0)
    state, answer = brain.execute(to_and_fro())
    assert state is GoalState.SUCCEEDED, answer.error_msg


HOLD_THE_LOCK = f"""
import ctypes, threading
def hold():  # PyDLL keeps Python's lock during the call
    ctypes.PyDLL(None).usleep({int(BUSY * 1e6)})
threading.Timer({BUSY_AFTER}, hold).start()
"""


def test_a_busy_executor_is_not_lost(brain, spawn, to_and_fro, until):
    namespace = brain.stack.options.namespace
    spawn("executors.simulated_executor", namespace, HOLD_THE_LOCK, time_scale=1.0)
    goal = brain.send_execute(to_and_fro(BUSY_AFTER))  # two steps: it is busy in one of them
    state, answer = brain.end_of(goal)
    assert state is GoalState.SUCCEEDED, answer.error_msg


@pytest.fixture
def brain(site):
    """Scene graph and executive, without any executor."""
    return site(nodes=("scene_graph", "executive"), executive={"executor_wait": 60.0})


TILES_HOME = plan_request(
    " and ".join(f"on(tile_{i}, cell_{i})" for i in range(15)), alpha=0.0, time_limit=120.0
)
"""A request that keeps a planner searching: the goal can't be reached."""


@pytest.fixture
def puzzle(live, tmp_path, tiles):
    """Scene graph and executive on the sliding tiles, a client, and the planner's parameters."""
    with live(
        tmp_path,
        {"executive": {"executor_wait": 60.0}},
        nodes=("scene_graph", "executive"),
        namespace="alone",
        offers=("achieve_goal",),
        **tiles,
    ) as (_, client):
        yield client, {"domain": tiles["domain"], "grounder_wait": 0.0}


def searches(goal) -> bool:
    """True while the executive hears of the planner's search."""
    words = "" if goal.feedback is None else goal.feedback.message
    return "expansions" in words and " 0 expansions" not in words


def test_a_planner_killed_in_its_search_is_noticed(puzzle, spawn, until, probe):
    client, parameters = puzzle
    planner = spawn("planner.node", "alone", **parameters)
    goal = client.send_achieve(TILES_HOME)
    until(lambda: searches(goal), "the search", 60.0)
    client.wait_for("make_plan", timeout=60.0)  # the executive may have found it before
    own = client.send_plan(TILES_HOME)
    until(lambda: own.poll() is GoalState.ACCEPTED, "a second request")
    known = time.monotonic() + SEARCH_PERIOD  # one that dies sooner is noticed after FIRST_SIGN
    until(lambda: time.monotonic() > known, "the planner's sign at the client")
    until(lambda: is_listed(probe, "/alone/make_plan"), "the planner at the probe")
    planner.send_signal(signal.SIGKILL)
    answer = goal.result(30.0)
    assert is_listed(probe, "/alone/make_plan"), "discovery was not waited for"
    assert goal.poll() is GoalState.ABORTED
    assert answer.error_code == GoalError.PLANNING_FAILED
    assert "disappeared" in answer.error_msg
    # A client of the planner notices it, too.
    with pytest.raises(FcpError, match="was lost"):
        own.result(30.0)
    assert own.poll() is GoalState.LOST
    with pytest.raises(FcpUnavailable):
        client.send_plan(TILES_HOME)


def test_the_successor_of_a_dead_executor_needs_no_sign_of_life(brain, spawn, to_and_fro, until):
    """Discovery lists both for 20 s: only one of them is dead."""
    from rclpy.action import ActionServer

    namespace = brain.stack.options.namespace
    brain.set("executive", trust_executors=True, executor_wait=60.0)
    executor = spawn("executors.simulated_executor", namespace, time_scale=100.0)
    goal = brain.send_execute(to_and_fro(1000.0))
    until(lambda: goal.feedback and goal.feedback.progress > 0.0, "a step at work", 60.0)
    executor.send_signal(signal.SIGKILL)
    assert brain.end_of(goal)[1].error_code == PlanError.EXECUTOR_LOST

    def succeed(goal):
        goal.succeed()
        return ExecuteStep.Result()

    server = ActionServer(
        brain.probe.node,
        ExecuteStep,
        brain.name("navigate"),
        succeed,
        callback_group=brain.probe.group,
    )
    state, answer = brain.execute(to_and_fro())
    server.destroy()
    assert state is GoalState.SUCCEEDED, answer.error_msg
