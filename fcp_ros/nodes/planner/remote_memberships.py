# SPDX-License-Identifier: Apache-2.0
"""The grounder's services ``judge`` and ``confirm`` as the planner's source of memberships."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import wait
from typing import Any

from rclpy.client import Client

from fcp_ros.grounding.judgement import (
    CONFIRMED,
    NOTICEABLE,
    GroundingCode,
    GroundingError,
    JudgementRequest,
    Membership,
)
from fcp_ros.nodes.conversions.common import ConversionError, duration_to_ros
from fcp_ros.nodes.conversions.judgement import membership_from_ros, request_to_ros
from fcp_ros.nodes.runtime.action_call import ServiceCall
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.qos import request_qos
from fcp_ros.nodes.runtime.server_life import GROUNDER_TOPIC, ServerLife
from fcp_ros.nodes.runtime.worker import CancelToken
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.srv import JudgePredicates

ANSWER_MARGIN = 1.0
"""Seconds that the grounder's own refusal ("no answer within ...") may need to arrive."""

LOOK_EVERY = 0.1
"""Seconds between two looks if the grounder is there, and if the request goes on."""


class JudgeService:
    """The services of the grounder, as a node sees them that is spun elsewhere."""

    def __init__(self, node: ManagedNode) -> None:
        self._node = node
        self.judging, self.confirming = (
            node.create_client(
                JudgePredicates, name, qos_profile=request_qos(), callback_group=node.requests
            )
            for name in ("judge", "confirm")
        )
        self.life = ServerLife(node, GROUNDER_TOPIC, is_topic=True)  # of its process

    @property
    def is_there(self) -> bool:
        return bool(self.judging.service_is_ready()) and not self.life.is_dead

    def close(self) -> None:
        self.life.close()
        for client in (self.judging, self.confirming):
            self._node.destroy_client(client)

    def describe_death(self) -> str:
        """Say, in parentheses, which grounder has died; "" if none has."""
        dead = self.life.look().dead
        return f" ({dead[0]} has died, or is stopped)" if dead else ""


class RemoteMemberships:
    """Asks the grounder; for a worker thread, never for an executor callback."""

    def __init__(
        self,
        service: JudgeService,
        *,
        server_wait: float,  # Seconds to wait for a grounder to appear
        answer_wait: float,
        deadline: float,  # Time (s, of `time.monotonic`) after which no more questions are asked
        token: CancelToken,  # Cancelled once nobody wants the answer any more
    ) -> None:
        self._service = service
        self._is_lost = False  # the grounder was lost in this request: it is not asked again
        self._server_wait = server_wait
        self._answer_wait = answer_wait
        self._deadline = deadline
        self._token = token
        self._given: dict[str, Membership] = {}  # what was answered in this request, by context
        self._confirmed: set[str] = set()

    def judge(self, requests: Sequence[JudgementRequest]) -> list[Membership]:
        """Return one membership for each request, in their order.

        Raises GroundingError if no grounder answers in time, or it can't answer; says what to do.
        Raises Interrupted if cancelled, or the deadline has passed.
        """
        if not requests:
            return []
        if self._is_lost or not self._await_server():
            raise GroundingError(
                GroundingCode.NO_ANSWER,
                f"No grounder offers the service {self._service.judging.srv_name}"
                f"{self._service.describe_death()}: start the node grounder in the planner's "
                "namespace.",
            )
        answers = self._call(self._service.judging, requests)
        self._given.update(zip((one.context_key for one in requests), answers, strict=True))
        return answers

    def confirm(self, requests: Sequence[JudgementRequest]) -> bool:
        """Have the grounder judge again, once, what its model judged; True if a degree moved.

        Raises what `judge` does; asks nobody where nothing can be confirmed.
        """
        unsure = {
            request.context_key: request
            for request in requests
            if request.context_key in self._given
            and request.context_key not in self._confirmed
            and self._given[request.context_key].source in CONFIRMED
        }
        service = self._service.confirming
        if not unsure or self._is_lost or not service.service_is_ready():
            return False
        answers = self._call(service, list(unsure.values()))
        self._confirmed.update(unsure)
        return any(
            abs(answer.prior - self._given[key].prior) > NOTICEABLE
            for key, answer in zip(unsure, answers, strict=True)
        )

    def _call(self, client: Client, requests: Sequence[JudgementRequest]) -> list[Membership]:
        request = JudgePredicates.Request(
            queries=[request_to_ros(item) for item in requests],
            time_limit=duration_to_ros(self._answer_wait),
        )
        call = ServiceCall(client, request, repeatable=True)
        end = time.monotonic() + self._answer_wait + ANSWER_MARGIN
        try:
            while not wait([call.answer], LOOK_EVERY).done:
                self._check_wait(client, end)
            return _read_response(call.answer.result(), len(requests))
        finally:
            call.forget()

    def _check_wait(self, client: Client, end: float) -> None:
        """Look if an answer may still come, until `end` (s, of `time.monotonic`)."""
        self._check_request()
        if not self._service.is_there:
            self._is_lost = True
            raise GroundingError(
                GroundingCode.NO_ANSWER,
                f"The grounder was lost while it judged{self._service.describe_death()}: start it "
                "again.",
            )
        if time.monotonic() >= end:
            raise GroundingError(
                GroundingCode.NO_ANSWER,
                f"The grounder did not answer on {client.srv_name} within "
                f"{self._answer_wait:g} s: is it busy with other requests, or loading its model? "
                "Raise the planner's parameter judge_timeout.",
            )

    def _await_server(self) -> bool:
        """Wait for a grounder to appear; of one that has died nobody knows if it comes back."""
        end = time.monotonic() + self._server_wait
        while not self._service.is_there:
            self._check_request()
            if self._service.life.is_dead or time.monotonic() >= end:
                return False
            self._token.wait(LOOK_EVERY)
        return True

    def _check_request(self) -> None:
        if self._token.cancelled:
            raise Interrupted(PlanStatus.CANCELLED, "The request was cancelled.")
        if time.monotonic() >= self._deadline:
            raise Interrupted(
                PlanStatus.TIMEOUT,
                "The time limit passed while the planner waited for the grounder: give more.",
            )


def _read_response(response: Any, count: int) -> list[Membership]:
    if not response.success:
        raise GroundingError(
            GroundingCode.NO_ANSWER, f"The grounder can't answer: {response.message}"
        )
    if len(response.memberships) != count:
        raise GroundingError(
            GroundingCode.NO_ANSWER,
            f"The grounder answered {len(response.memberships)} of {count} questions: planner and "
            "grounder must be of the same version.",
        )
    try:
        return [membership_from_ros(item) for item in response.memberships]
    except ConversionError as error:
        raise GroundingError(
            GroundingCode.NO_ANSWER, f"The grounder's answer is no membership: {error}."
        ) from error
