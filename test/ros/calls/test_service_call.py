# SPDX-License-Identifier: Apache-2.0
"""A request whose answer is lost is sent again, until there is one."""

from __future__ import annotations

import threading

import pytest
from lifecycle_msgs.srv import GetState

from fcp_ros.nodes.runtime import action_call
from fcp_ros.nodes.runtime.action_call import ServiceCall
from fcp_ros.nodes.runtime.qos import request_qos
from fcp_ros.nodes.runtime.server_life import call_later


@pytest.fixture
def forgetful(probe, until):
    """A service whose first answer gets lost: (client, calls seen by the server)."""
    calls = []

    def answer(_request, response):
        calls.append(response)
        response.current_state.label = f"answer {len(calls)}"
        return response

    service = probe.node.create_service(GetState, "forgetful", answer, callback_group=probe.group)
    client = probe.node.create_client(GetState, "forgetful", callback_group=probe.group)
    until(client.service_is_ready, "the service")
    yield client, calls
    probe.node.destroy_client(client)
    probe.node.destroy_service(service)


def test_one_call_is_enough(forgetful):
    client, calls = forgetful
    call = ServiceCall(client, GetState.Request(), repeatable=True)
    assert call.answer.result(30.0).current_state.label == "answer 1"
    assert len(calls) == 1


def test_a_lost_answer_is_asked_for_again(forgetful, monkeypatch):
    monkeypatch.setattr(action_call, "REPEAT_AFTER", 0.05)
    client, calls = forgetful
    call = ServiceCall(client, GetState.Request(), repeatable=True)
    client.remove_pending_request(call._futures[0])  # the first answer finds nobody
    assert call.answer.result(30.0).current_state.label == "answer 2"
    assert len(calls) == 2
    call.forget()


def test_what_changes_things_is_sent_once(forgetful, monkeypatch, until):
    monkeypatch.setattr(action_call, "REPEAT_AFTER", 0.05)
    client, calls = forgetful
    call = ServiceCall(client, GetState.Request(), repeatable=False)
    client.remove_pending_request(call._futures[0])
    # The alarms ring in order: after this one, that of the call would have rung.
    rung = threading.Event()
    call_later(2 * action_call.REPEAT_AFTER, rung.set)
    assert rung.wait(30.0)
    assert ServiceCall(client, GetState.Request(), repeatable=False).answer.result(30.0)
    assert len(calls) == 2
    call.forget()


def test_one_that_is_lost_again_is_asked_for_again(forgetful, monkeypatch, until):
    monkeypatch.setattr(action_call, "REPEAT_AFTER", 0.05)
    client, calls = forgetful
    send, lost = client.call_async, []

    def lose_answers(request):
        future = send(request)
        if len(lost) < 3:
            client.remove_pending_request(future)  # the answer finds nobody
            lost.append(future)
        return future

    monkeypatch.setattr(client, "call_async", lose_answers)
    call = ServiceCall(client, GetState.Request(), repeatable=True)
    assert call.answer.result(30.0).current_state.label.startswith("answer ")
    assert len(lost) == 3
    call.forget()
    until(lambda: len(calls) == 4, "the end of the tries")


# --- answers among those of others


ASKED_AT_ONCE = 40


def test_single_requests_are_answered_whatever_others_ask(probe, ros_environment, until):
    """All clients of a service read one topic, each with a history of its own.

    They read only after all answers are there, as on a machine where all are started at once. Those
    with ROS's default history lose theirs among the others'; with ours none is lost.
    """
    import rclpy
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.qos import qos_profile_services_default

    answered = []

    def answer(_request, response):
        answered.append(response)
        return response

    service = probe.node.create_service(
        GetState, "crowded", answer, callback_group=probe.group, qos_profile=request_qos()
    )
    context = Context()
    rclpy.init(args=[], context=context)
    nodes = [rclpy.create_node(f"asker_{at}", context=context) for at in range(ASKED_AT_ONCE)]
    executor = SingleThreadedExecutor(context=context)
    clients = []
    for at, node in enumerate(nodes):
        qos = request_qos() if at % 2 else qos_profile_services_default
        clients.append(node.create_client(GetState, "crowded", qos_profile=qos))
        executor.add_node(node)
    try:
        until(lambda: all(one.service_is_ready() for one in clients), "the service")
        until(
            lambda: probe.node.count_clients("/crowded") >= ASKED_AT_ONCE, "each client to be known"
        )
        futures = [client.call_async(GetState.Request()) for client in clients]
        until(lambda: len(answered) == ASKED_AT_ONCE, "all requests to be served")

        def ours_are_there() -> bool:
            executor.spin_once(timeout_sec=0.01)
            return all(future.done() for future in futures[1::2])

        until(ours_are_there, "the answers of clients with our history")
        for _ in range(5 * ASKED_AT_ONCE):
            executor.spin_once(timeout_sec=0.0)
        assert sum(future.done() for future in futures[::2]) < ASKED_AT_ONCE // 2
    finally:
        for node in nodes:
            node.destroy_node()
        executor.shutdown()
        context.try_shutdown()
        probe.node.destroy_service(service)
