# SPDX-License-Identifier: Apache-2.0
"""The grounder's services ``judge`` and ``confirm`` as the planner's source of memberships."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from fcp_ros.nodes.runtime.action_call import ServerMonitor, ServerWatch, ServiceCall
from fcp_ros.nodes.runtime.server_life import ServerLife
from fcp_ros.nodes.runtime.worker import CancelToken
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.srv import JudgePredicates

ANSWER_MARGIN = 1.0
"""Seconds that the grounder's own refusal ("no answer within ...") may need to arrive."""


@dataclass(frozen=True)
class JudgeService:
    """The grounder's services, whose clients' node is spun elsewhere."""

    node: Any  # that has the clients
    client: Client  # of ``judge``
    confirming: Client  # of ``confirm``
    monitor: ServerMonitor
    life: ServerLife  # Watches the process of its server

    @property
    def is_there(self) -> bool:
        return bool(self.client.service_is_ready()) and not self.life.is_dead

    def close(self) -> None:
        self.monitor.close()
        self.life.close()
        for client in (self.client, self.confirming):
            self.node.destroy_client(client)

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
        self._client = service.client
        self._monitor = service.monitor
        self._is_lost = False  # the grounder was lost in this request: it is not asked again
        self._server_wait = server_wait
        self._answer_wait = answer_wait
        self._deadline = deadline
        self._token = token
        self._given: dict[str, Membership] = {}  # what was answered in this request, by context
        self._confirmed: set[str] = set()
        self._news = threading.Event()
        token.call_when_cancelled(self._news.set)

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
                f"No grounder offers the service {self._client.srv_name}"
                f"{self._service.describe_death()}: start the node grounder in the planner's "
                "namespace.",
            )
        answers = self._call(self._client, requests)
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
        call.answer.add_done_callback(lambda _answer: self._news.set())
        gone = ServerWatch(lambda: self._service.is_there, False, self._note_loss)
        self._monitor.watch(f"life {id(self)}", gone)
        try:
            over = self._wait(
                lambda: call.answer.done() or self._is_lost, self._answer_wait + ANSWER_MARGIN
            )
            answered = call.answer.done()
            response = call.answer.result(0.0) if answered else None
        finally:
            self._monitor.unwatch(f"life {id(self)}")
            call.forget()
        if over and not answered:
            raise GroundingError(
                GroundingCode.NO_ANSWER,
                f"The grounder was lost while it judged{self._service.describe_death()}: start it "
                "again.",
            )
        if not answered:
            raise GroundingError(
                GroundingCode.NO_ANSWER,
                f"The grounder did not answer on {client.srv_name} within "
                f"{self._answer_wait:g} s: is it busy with other requests, or loading its model? "
                "Raise the planner's parameter judge_timeout.",
            )
        return _read_response(response, len(requests))

    def _note_loss(self) -> None:
        self._is_lost = True
        self._news.set()

    def _await_server(self) -> bool:
        def is_ready() -> bool:
            return self._service.is_there

        if is_ready():
            return True
        if self._service.life.is_dead:
            return False  # nobody knows if it comes back
        self._monitor.watch("judge", ServerWatch(is_ready, True, self._news.set))
        try:
            return self._wait(is_ready, self._server_wait)
        finally:
            self._monitor.unwatch("judge")

    def _wait(self, ready: Callable[[], bool], seconds: float) -> bool:
        """Return True if `ready` came true in time, which `_news` has to tell."""
        end = time.monotonic() + seconds
        while not ready():
            now = time.monotonic()
            if self._token.cancelled:
                raise Interrupted(PlanStatus.CANCELLED, "The request was cancelled.")
            if now >= self._deadline:
                raise Interrupted(
                    PlanStatus.TIMEOUT,
                    "The time limit passed while the planner waited for the grounder: give more.",
                )
            if now >= end:
                return False
            self._news.wait(min(end, self._deadline) - now)
            self._news.clear()
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
