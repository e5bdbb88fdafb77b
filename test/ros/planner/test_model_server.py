# SPDX-License-Identifier: Apache-2.0
"""A model server behind the reader of the planner node: it reads its examples ahead."""

from __future__ import annotations

import threading

import pytest
from chat_server import ChatServer, ScriptedModel

from fcp_ros.nodes.stack import NodeStack


class HangingServer(ChatServer):
    """Never answers a chat; tells when it was asked."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        super().__init__(ScriptedModel({"?": 1.0}))

    def serve(self, handler, body):
        if "messages" in body:
            self.asked.set()
            self.hangs = True
        super().serve(handler, body)


@pytest.fixture
def server():
    server = HangingServer()
    yield server
    server.close()


def test_a_server_is_asked_before_the_first_instruction(stack_options, tmp_path, server):
    options = stack_options(
        tmp_path,
        {"task_planner": {"reader_endpoint": server.url}},
        nodes=("scene_graph", "grounder", "task_planner"),
        namespace="ahead",
    )
    with NodeStack(options) as stack:
        stack.wait_active()  # it isn't waited for
        assert server.asked.wait(60.0)
    working = [t.name for t in threading.enumerate() if t.name == "warming up the model server"]
    assert working == [], "the end of the node ends it"
