# SPDX-License-Identifier: Apache-2.0
"""Processes that are killed in the middle of an action: noticed within a second, no evidence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from fcp_ros.action import AchieveGoal, ExecuteStep
from fcp_ros.client import FcpClient, FcpError, FcpUnavailable, GoalState, plan_request
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.nodes.executive.parameters import GoalError, PlanError
from fcp_ros.nodes.grounder.evidence import determine_quality
from fcp_ros.nodes.stack import NodeStack

NOTICED = 1.0
"""Seconds within which a death is noticed."""

LOADED = 1.0
"""Seconds for which a test machine may be busy with something else."""


@pytest.fixture
def spawn():
    """Starts a node with a lease in a process of its own: (module, namespace, parameters)."""
    children = []

    def start(module: str, namespace: str, **parameters):
        code = f"import sys; from fcp_ros.nodes.{module} import main; sys.exit(main(sys.argv))"
        parameters = {"liveliness_lease": 0.45, **parameters}
        given = [f"{name}:={value}" for name, value in parameters.items()]
        options = [word for pair in given for word in ("-p", pair)]
        child = subprocess.Popen(
            [sys.executable, "-c", code, "--ros-args", "-r", f"__ns:=/{namespace}", *options],
            env=os.environ,
        )
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.wait(10.0)


def kill(child) -> float:
    """Kill a process; the time of it."""
    child.send_signal(signal.SIGKILL)
    return time.monotonic()


def test_a_killed_executor_is_noticed_and_is_no_evidence(brain, spawn, to_and_fro, until):
    namespace = brain.stack.options.namespace
    brain.set("executive", grace_time=20.0)
    executor = spawn("simulated_executor", namespace, time_scale=100.0)
    goal = brain.send_execute(to_and_fro(1000.0))
    until(lambda: goal.feedback and goal.feedback.progress > 0.0, "a step at work", 60.0)
    killed = kill(executor)
    state, answer = brain.end_of(goal)
    took = time.monotonic() - killed
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.EXECUTOR_LOST)
    assert took < NOTICED + LOADED, f"noticed after {took:.2f} s"
    assert "died" in answer.error_msg
    assert brain.codes(1) == [OutcomeCode.EXECUTOR_LOST]
    assert determine_quality(OutcomeCode.EXECUTOR_LOST, None) is None
    # The dead one is not given another step, though discovery still lists it for 20 s; its
    # successor is.
    brain.set("executive", executor_wait=0.5)
    state, answer = brain.execute(to_and_fro())
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.NO_EXECUTOR)
    brain.set("executive", executor_wait=60.0)
    spawn("simulated_executor", namespace, time_scale=1000.0)
    state, answer = brain.execute(to_and_fro())
    assert state is GoalState.SUCCEEDED, answer.error_msg


@pytest.fixture
def brain(site):
    """Scene graph and executive, without any executor."""
    return site(nodes=("scene_graph", "executive"), executive={"executor_wait": 60.0})


@pytest.fixture
def alone(stack_options, tmp_path):
    """An executive alone, without a scene, and a client of its namespace."""
    options = stack_options(
        tmp_path,
        {"executive": {"executor_wait": 60.0}},
        nodes=("executive",),
        namespace="alone",
    )
    with NodeStack(options) as stack, FcpClient(namespace="alone") as client:
        stack.wait_active()
        client.wait_for("achieve_goal", timeout=60.0)
        yield client


REQUEST = plan_request("at(robot_1, kitchen_1)")


def test_a_killed_planner_is_noticed(alone, spawn, until):
    planner = spawn("planner.node", "alone", scene_wait=60.0)  # there is no scene to plan on
    goal = alone.send_achieve(REQUEST)
    own = alone.wait_for("make_plan", timeout=60.0) or alone.send_plan(REQUEST)
    until(lambda: own.poll() is GoalState.ACCEPTED, "the planner at work")
    until(lambda: planner_is_at_work(goal), "the goal's request", 60.0)
    killed = kill(planner)
    answer = goal.result(30.0)
    took = time.monotonic() - killed
    assert goal.poll() is GoalState.ABORTED
    assert answer.error_code == GoalError.PLANNING_FAILED
    assert "disappeared" in answer.error_msg
    assert took < NOTICED + LOADED, f"noticed after {took:.2f} s"
    # A client of the planner notices it, too.
    with pytest.raises(FcpError, match="was lost"):
        own.result(30.0)
    assert own.poll() is GoalState.LOST
    assert time.monotonic() - killed < NOTICED + LOADED
    with pytest.raises(FcpUnavailable):
        alone.send_plan(REQUEST)


def planner_is_at_work(goal) -> bool:
    """True once the executive has sent a request: it says so when the planner reports."""
    return goal.feedback is not None and goal.feedback.phase == AchieveGoal.Feedback.PLANNING


def test_the_successor_of_a_dead_executor_needs_no_lease(brain, spawn, to_and_fro, until):
    """Discovery lists both for 20 s: only one of them is dead."""
    from rclpy.action import ActionServer

    namespace = brain.stack.options.namespace
    brain.set("executive", trust_executors=True, executor_wait=60.0)
    executor = spawn("simulated_executor", namespace, time_scale=100.0)
    goal = brain.send_execute(to_and_fro(1000.0))
    until(lambda: goal.feedback and goal.feedback.progress > 0.0, "a step at work", 60.0)
    kill(executor)
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
