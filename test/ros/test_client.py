# SPDX-License-Identifier: Apache-2.0
"""The client: safe inside callbacks, usable on a caller's node, and bounded in every wait."""

from __future__ import annotations

import threading
import time

import pytest
import rclpy
from lone_nodes import own_context
from rclpy.executors import SingleThreadedExecutor

from fcp_ros.action import MakePlan
from fcp_ros.client import (
    Element,
    FcpClient,
    FcpError,
    FcpTimeout,
    FcpUnavailable,
    GoalState,
    is_solved,
    plan_request,
    predicate_query,
)
from fcp_ros.msg import PlanResult, PlanStatus

GOAL = "on(mug_1, counter_1)"


@pytest.fixture
def caller():
    """A node of a caller's with a single-threaded executor that nobody spins yet."""
    with own_context() as context:
        node = rclpy.create_node("caller", context=context)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        yield node, executor
        executor.shutdown(timeout_sec=5.0)
        node.destroy_node()


def test_send_and_poll_inside_a_callback(scene, caller):
    """A task manager that ticks in a timer, on one thread: nothing it calls may wait."""
    node, executor = caller
    client = FcpClient(node, server_timeout=1000.0, answer_timeout=1000.0)
    pending, states = [], []

    def tick() -> None:
        if not pending:
            try:
                pending.append(client.send_plan(plan_request(GOAL, alpha=0.3)))
            except FcpUnavailable:
                return  # not discovered yet; try again with the next tick
        states.append(pending[0].poll())

    timer = node.create_timer(0.01, tick)
    end = time.monotonic() + 30.0
    while not (states and states[-1].done) and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    assert states[-1] is GoalState.SUCCEEDED
    assert is_solved(pending[0].result(0.0).result), "a result that is there needs no waiting"
    node.destroy_timer(timer)
    client.close()


def test_waiting_inside_a_callback_ends(scene, caller):
    """What must not be done ends all the same, with a sentence that says so."""
    node, executor = caller
    client = FcpClient(node, server_timeout=30.0, answer_timeout=0.2)
    errors = []

    def tick() -> None:
        if not errors and client._is_offered("make_plan"):
            try:
                client.plan(GOAL, timeout=0.2)
            except FcpError as error:
                errors.append(error)

    timer = node.create_timer(0.01, tick)
    end = time.monotonic() + 30.0
    while not errors and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    assert isinstance(errors[0], FcpTimeout)
    assert "callback" in str(errors[0])
    node.destroy_timer(timer)
    client.close()


def test_on_a_node_that_another_thread_spins(scene, caller):
    node, executor = caller
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            executor.spin_once(timeout_sec=0.05)

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    try:
        with FcpClient(node) as client:
            assert is_solved(client.plan(GOAL, alpha=0.3))
            assert client.scene() is not None
    finally:
        stop.set()
        thread.join(10.0)
    assert not list(node.clients), "closing destroys what the client made"


def test_no_nodes_there():
    with FcpClient(namespace="nowhere", server_timeout=0.05) as client:
        with pytest.raises(FcpUnavailable, match="/nowhere/make_plan"):
            client.send_plan(plan_request(GOAL))
        with pytest.raises(FcpUnavailable, match="/nowhere/judge"):
            client.send_judge([])
        for ask in (client.scene, client.calibration, lambda: client.plan(GOAL)):
            with pytest.raises(FcpUnavailable, match="fcp up"):
                ask()


def test_an_answer_that_does_not_come(probe):
    """A server that never finishes: the wait is bounded, and the goal is cancelled."""
    from rclpy.action import ActionServer, CancelResponse

    cancelled, release = threading.Event(), threading.Event()

    def execute(goal):
        release.wait(20.0)
        goal.canceled() if goal.is_cancel_requested else goal.abort()
        return MakePlan.Result(result=PlanResult(status=PlanStatus(code=8)))

    def on_cancel(_goal):
        cancelled.set()
        return CancelResponse.ACCEPT

    server = ActionServer(
        probe.node,
        MakePlan,
        "/stuck/make_plan",
        execute,
        cancel_callback=on_cancel,
        callback_group=probe.group,
    )
    with FcpClient(namespace="stuck") as client:
        client.wait_for("make_plan", timeout=30.0)
        pending = client.send_plan(plan_request(GOAL))
        with pytest.raises(FcpTimeout, match=r"within 0\.1 s"):
            pending.result(0.1)
        assert cancelled.wait(10.0)
        release.set()
        assert pending.result(10.0).result.status.code == PlanStatus.CANCELLED
        assert pending.poll() is GoalState.CANCELED
    server.destroy()


def test_a_refused_goal(probe):
    from rclpy.action import ActionServer, GoalResponse

    server = ActionServer(
        probe.node,
        MakePlan,
        "/refusing/make_plan",
        lambda _goal: MakePlan.Result(),
        goal_callback=lambda _goal: GoalResponse.REJECT,
        callback_group=probe.group,
    )
    with FcpClient(namespace="refusing") as client:
        client.wait_for("make_plan", timeout=30.0)
        pending = client.send_plan(plan_request(GOAL))
        with pytest.raises(FcpError, match="rejected"):
            pending.result(10.0)
        assert pending.poll() is GoalState.REJECTED
    server.destroy()


def test_replies_are_polled(client, scene, until):
    glass = predicate_query("serves_as", item=Element("g", "glass"), purpose="drinking")
    reply = client.send_judge([glass])
    until(reply.poll, "the reply")
    assert reply.result(0.0).memberships[0].degree > 0.5
    plan = client.plan(GOAL, alpha=0.3).plan
    assert client.send_validate(plan).result(30.0).valid
    assert client.send_load_scene("twin_house_furnished").result(30.0).success


def test_its_thread_outlives_what_raises_there(client, scene, until):
    """rclpy itself raises when entities come and go; later answers must arrive all the same."""
    calls = []

    def fail() -> None:
        calls.append(1)
        raise RuntimeError("on purpose")

    timer = client._node.create_timer(0.01, fail)
    until(lambda: len(calls) > 1, "callbacks after a failure")
    client._node.destroy_timer(timer)
    assert client.calibration().success


def test_requests_say_what_is_left_open():
    request = plan_request(GOAL)
    assert request.alpha != request.alpha
    assert (request.time_limit.sec, request.tnorm, request.forbid_relaxation) == (0, "", False)
    full = plan_request(GOAL, alpha=0, time_limit=2.5, tnorm="product", relax=False)
    assert (full.alpha, full.time_limit.sec, full.time_limit.nanosec) == (0.0, 2, 500_000_000)
    assert (full.tnorm, full.forbid_relaxation) == ("product", True)
