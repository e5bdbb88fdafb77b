# SPDX-License-Identifier: Apache-2.0
"""A request whose answer is lost is sent again, once."""

from __future__ import annotations

import threading

import pytest
from lifecycle_msgs.srv import GetState

from fcp_ros.nodes.calls import service_call
from fcp_ros.nodes.calls.service_call import ServiceCall
from fcp_ros.nodes.runtime.alarms import call_later


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
    monkeypatch.setattr(service_call, "REPEAT_AFTER", 0.05)
    client, calls = forgetful
    call = ServiceCall(client, GetState.Request(), repeatable=True)
    client.remove_pending_request(call._futures[0])  # the first answer finds nobody
    assert call.answer.result(30.0).current_state.label == "answer 2"
    assert len(calls) == 2
    call.forget()


def test_what_changes_things_is_sent_once(forgetful, monkeypatch, until):
    monkeypatch.setattr(service_call, "REPEAT_AFTER", 0.05)
    client, calls = forgetful
    call = ServiceCall(client, GetState.Request(), repeatable=False)
    client.remove_pending_request(call._futures[0])
    # The alarms ring in order: after this one, that of the call would have rung.
    rung = threading.Event()
    call_later(2 * service_call.REPEAT_AFTER, rung.set)
    assert rung.wait(30.0)
    assert ServiceCall(client, GetState.Request(), repeatable=False).answer.result(30.0)
    assert len(calls) == 2
    call.forget()
