# SPDX-License-Identifier: Apache-2.0
"""The grounder's service ``judge`` as the planner's source of memberships."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.client import Client

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.nodes.conversions.common import ConversionError, duration_to_ros
from fcp_ros.nodes.conversions.judgement import membership_from_ros, request_to_ros
from fcp_ros.nodes.runtime.rclpy_repairs import RepeatedCall
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.srv import JudgePredicates

LOOK_EVERY = 0.005
"""Seconds between two checks for the answer, or for a cancellation."""

ANSWER_MARGIN = 1.0
"""Seconds that the grounder's own refusal ("no answer within ...") may need to arrive."""


class RemoteMemberships:
    """Asks the grounder; for a worker thread, never for an executor callback.

    Args:
        client: Client of the service ``judge``; its node is spun elsewhere.
        server_wait: Seconds to wait for a grounder to appear.
        answer_wait: Seconds to wait for one answer.
        deadline: Time (s, of `time.monotonic`) after which no more questions are asked.
        cancelled: Returns True once nobody wants the answer any more.
    """

    def __init__(
        self,
        client: Client,
        *,
        server_wait: float,
        answer_wait: float,
        deadline: float,
        cancelled: Callable[[], bool],
    ) -> None:
        self._client = client
        self._server_wait = server_wait
        self._answer_wait = answer_wait
        self._deadline = deadline
        self._cancelled = cancelled

    def judge(self, requests: Sequence[JudgementRequest]) -> list[Membership]:
        """Return one membership for each request, in their order.

        Raises:
            GroundingError: no grounder answers in time, or it can't answer; says what to do.
            Interrupted: cancelled, or the deadline has passed.
        """
        if not requests:
            return []
        if not self._wait(self._client.service_is_ready, self._server_wait):
            raise GroundingError(
                GroundingCode.NO_ANSWER,
                f"No grounder offers the service {self._client.srv_name}: start the node grounder "
                "in the planner's namespace.",
            )
        request = JudgePredicates.Request(
            queries=[request_to_ros(item) for item in requests],
            time_limit=duration_to_ros(self._answer_wait),
        )
        call = RepeatedCall(self._client, request)
        try:
            answered = self._wait(call.poll, self._answer_wait + ANSWER_MARGIN)
        finally:
            call.forget()
        if not answered:
            raise GroundingError(
                GroundingCode.NO_ANSWER,
                f"The grounder did not answer on {self._client.srv_name} within "
                f"{self._answer_wait:g} s: is it busy with other requests, or loading its model? "
                "Raise the planner's parameter judge_timeout.",
            )
        return _read_response(call.response(), len(requests))

    def _wait(self, ready: Callable[[], bool], seconds: float) -> bool:
        """Return True if `ready` came true in time. Polls: cancelling must work at any moment."""
        end = time.monotonic() + seconds
        while not ready():
            now = time.monotonic()
            if self._cancelled():
                raise Interrupted(PlanStatus.CANCELLED, "The request was cancelled.")
            if now >= self._deadline:
                raise Interrupted(
                    PlanStatus.TIMEOUT,
                    "The time limit passed while the planner waited for the grounder: give more.",
                )
            if now >= end:
                return False
            time.sleep(LOOK_EVERY)
        return True


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
