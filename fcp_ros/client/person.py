# SPDX-License-Identifier: Apache-2.0
"""Fetching what a robot asks a person to do, and answering it (node ``person_executor``)."""

from __future__ import annotations

import time
import uuid
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from unique_identifier_msgs.msg import UUID

from fcp_ros.client.pending import FcpUnavailable, PendingReply
from fcp_ros.client.queries import fetch_latched
from fcp_ros.client.spinner import SpinningNode
from fcp_ros.msg import Question
from fcp_ros.nodes.runtime.qos import request_qos
from fcp_ros.srv import AnswerQuestion

LOOK_EVERY = 0.05
"""Seconds between two looks for the service."""


class PersonDesk:
    """Fetches and answers requests, until it is closed. Waits `timeout` s at most for each."""

    def __init__(self, namespace: str = "", *, timeout: float = 10.0) -> None:
        self._timeout = timeout
        self._spinning = SpinningNode(f"fcp_person_{uuid.uuid4().hex[:8]}", namespace)
        self._node: Any = self._spinning.node
        self._group = ReentrantCallbackGroup()
        self._client = self._node.create_client(
            AnswerQuestion, "answer_person", qos_profile=request_qos(), callback_group=self._group
        )

    def fetch(self) -> Question | None:
        """Fetch what a person is asked now; None if nothing.

        Raises FcpUnavailable if no person_executor is there.
        """
        topic = self._node.resolve_topic_name("person_requests")
        try:
            found: Question = fetch_latched(self._node, Question, topic, self._group, self._timeout)
        except TimeoutError:
            raise self._unavailable() from None
        return None if found.kind == Question.NONE else found

    def answer(self, question: Question, *, is_done: bool) -> AnswerQuestion.Response:
        until = time.monotonic() + self._timeout
        while not self._client.service_is_ready():
            if time.monotonic() > until:
                raise self._unavailable()
            time.sleep(LOOK_EVERY)
        request = AnswerQuestion.Request(
            id=question.id,
            choice=Question.YES if is_done else Question.NO,
            request_id=UUID(uuid=list(uuid.uuid4().bytes)),
        )
        what = f"The service {self._client.srv_name}"
        return PendingReply(self._client, request, what, repeatable=True).result(self._timeout)

    def _unavailable(self) -> FcpUnavailable:
        return FcpUnavailable(
            f"Nobody in {self._node.get_namespace()} has steps for a person: start the node "
            "(ros2 run fcp_ros person_executor), and check namespace and ROS_DOMAIN_ID."
        )

    def close(self) -> None:
        self._spinning.close()
