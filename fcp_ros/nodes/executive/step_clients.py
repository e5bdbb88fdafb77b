# SPDX-License-Identifier: Apache-2.0
"""Carries the dispatcher's commands to ExecuteStep action servers, and their answers back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from fcp_ros.action import ExecuteStep
from fcp_ros.execution.events import (
    Accepted,
    Event,
    ExecutorLost,
    ExecutorReady,
    Feedback,
    Finished,
    Forgotten,
    Rejected,
    SendStep,
)
from fcp_ros.msg import PlanStep as PlanStepMessage
from fcp_ros.nodes.conversions.common import duration_to_ros
from fcp_ros.nodes.conversions.outcome import outcome_from_answer
from fcp_ros.nodes.runtime.action_call import ActionCall, CallListener
from fcp_ros.nodes.runtime.safe_action_client import SafeActionClient
from fcp_ros.nodes.runtime.server_monitor import Seeker, Watch


class StepClients:
    """One action client an executor, made when it is first needed.

    Arguments:
        node: that the clients belong to.
        post: takes the events that come of it (see `inbox.Inbox.post`).
    """

    def __init__(self, node: Node, post: Callable[[Event, Hashable | None], None]) -> None:
        self._node = node
        self._post = post
        self._seeker = Seeker(node)
        self._clients: dict[str, SafeActionClient] = {}
        self._calls: dict[int, ActionCall] = {}
        self._lock = threading.Lock()

    def prepare(self, executor: str) -> SafeActionClient:
        """The client of an executor; making it early lets discovery begin early."""
        with self._lock:
            client = self._clients.get(executor)
            if client is None:
                client = SafeActionClient(
                    self._node,
                    ExecuteStep,
                    executor,
                    callback_group=MutuallyExclusiveCallbackGroup(),
                )
                self._clients[executor] = client
            return client

    def find(self, executor: str) -> None:
        """Post `ExecutorReady` as soon as the executor's server is there."""
        client = self.prepare(executor)
        ready = ExecutorReady(executor)
        watch = Watch(client.server_is_ready, True, lambda: self._post(ready, None))
        self._seeker.seek(f"find {executor}", watch)

    def send(self, command: SendStep, plan_id: UUID, step: PlanStepMessage) -> None:
        """Give a step to its executor; its answers are posted under the command's attempt."""
        executor = command.step.executor
        client = self.prepare(executor)
        goal = ExecuteStep.Goal(
            plan_id=plan_id,
            step_index=command.index,
            step=step,
            timeout=duration_to_ros(command.timeout),
        )
        call = ActionCall(client, goal, self._listener(command.attempt, executor))
        with self._lock:
            self._calls[command.attempt] = call
        lost = ExecutorLost(executor)
        watch = Watch(client.server_is_ready, False, lambda: self._post(lost, None))
        self._seeker.seek(f"keep {executor}", watch)

    def cancel(self, attempt: int) -> None:
        """Ask the executor to stop; whether it still knows of the attempt is posted too."""
        with self._lock:
            call = self._calls.get(attempt)
        if call is not None:
            call.cancel()

    def stop_seeking(self) -> None:
        """The plan has ended: nobody waits for executors any more."""
        self._seeker.forget()

    def close(self) -> None:
        """Destroy the clients; answers that are still to come are lost."""
        self._seeker.close()
        with self._lock:
            clients = list(self._clients.values())
            self._clients.clear()
            self._calls.clear()
        for client in clients:
            client.destroy()

    def _listener(self, attempt: int, executor: str) -> CallListener:
        def ended(status: int, result: ExecuteStep.Result) -> None:
            self._close_call(attempt, executor)
            self._post(Finished(attempt, outcome_from_answer(status, result)), None)

        def forgotten() -> None:
            self._close_call(attempt, executor)
            self._post(Forgotten(attempt), None)

        def rejected() -> None:
            self._close_call(attempt, executor)
            self._post(Rejected(attempt), None)

        def feedback(message: Any) -> None:
            event = Feedback(attempt, message.progress, message.message)
            self._post(event, ("feedback", attempt))

        return CallListener(
            ended=ended,
            forgotten=forgotten,
            accepted=lambda: self._post(Accepted(attempt), None),
            rejected=rejected,
            feedback=feedback,
        )

    def _close_call(self, attempt: int, executor: str) -> None:
        self._seeker.forget(f"keep {executor}")
        with self._lock:
            self._calls.pop(attempt, None)
