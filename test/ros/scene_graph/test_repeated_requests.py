# SPDX-License-Identifier: Apache-2.0
"""A load_scene that comes again changes nothing: deltas of the time between stay (issue 28)."""

from __future__ import annotations

import threading

import pytest
from scene_updates import move_mug
from std_msgs.msg import Header
from unique_identifier_msgs.msg import UUID

from fcp_ros.client import FcpClient
from fcp_ros.nodes.conversions.scene import delta_to_ros, graph_from_ros
from fcp_ros.nodes.runtime import action_call
from fcp_ros.nodes.runtime.managed_node import MOST_REMEMBERED, AnsweredRequests
from fcp_ros.nodes.scene_graph import node as scene_graph_node
from fcp_ros.srv import LoadScene


@pytest.fixture
def loads(monkeypatch):
    """The files that were read."""
    read, files = scene_graph_node.read_scene, []

    def note(address, **options):
        files.append(address)
        return read(address, **options)

    monkeypatch.setattr(scene_graph_node, "read_scene", note)
    return files


def test_a_repeated_request_gets_the_first_answer(scene, probe, updates, client, loads, until):
    request = LoadScene.Request(path="twin_house_furnished", request_id=UUID(uuid=[7] * 16))
    first = probe.ask(LoadScene, "load_scene", request)
    assert first.success
    updates.publish(delta_to_ros(move_mug(client.scene()), "map", Header().stamp))
    until(lambda: client.scene().sequence_number == first.sequence_number + 1, "the delta")
    assert probe.ask(LoadScene, "load_scene", request) == first
    assert len(loads) == 1
    assert graph_from_ros(client.scene()).relation("on", "mug_1", "counter_1")
    request.request_id.uuid[0] += 1
    assert probe.ask(LoadScene, "load_scene", request).sequence_number > first.sequence_number + 1
    assert len(loads) == 2


def test_requests_without_an_id_are_served_each(scene, probe, loads):
    request = LoadScene.Request(path="twin_house_furnished")
    numbers = [
        probe.ask(LoadScene, "load_scene", request, repeatable=False).sequence_number
        for _ in range(2)
    ]
    assert numbers[0] < numbers[1]
    assert len(loads) == 2


def test_a_client_whose_answer_is_late_loads_once(scene, loads, monkeypatch, until):
    """It asks again while the first request is still served."""
    monkeypatch.setattr(action_call, "REPEAT_AFTER", 0.05)
    held = threading.Event()
    read = scene_graph_node.read_scene

    def wait(address, **options):
        assert held.wait(60.0)
        return read(address, **options)

    monkeypatch.setattr(scene_graph_node, "read_scene", wait)
    with FcpClient() as client:
        client.wait_for("load_scene")
        pending = client.send_load_scene("twin_house_furnished")
        until(lambda: len(pending._call._futures) == 2, "the second request")
        held.set()
        assert pending.result(60.0).success
    assert len(loads) == 1


def test_answers_are_remembered_within_a_bound():
    requests = AnsweredRequests()
    answer, is_new = requests.find(b"\1" * 16)
    assert is_new
    assert requests.find(b"\1" * 16) == (answer, False)
    assert requests.find(bytes(16))[1]
    assert requests.find(bytes(16))[1], "no id: nobody's"
    for number in range(MOST_REMEMBERED):
        requests.find(bytes([2, number] * 8))
    assert requests.find(b"\1" * 16)[1], "forgotten"
