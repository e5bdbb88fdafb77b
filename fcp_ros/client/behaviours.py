# SPDX-License-Identifier: Apache-2.0
"""Behaviours of py_trees that send goals to the nodes; they fit trees of py_trees_ros as well.

They need py_trees (the extra ``trees``). All of them keep one contract:

- the first tick sends the goal. RUNNING until it has ended; nothing waits;
- SUCCESS if the goal succeeded. FAILURE if it did not: aborted, refused, lost with its server, or
  no server there. `feedback_message` has the sentence, `answer` the result message;
- a behaviour that is stopped while RUNNING (interrupted by a higher priority) cancels its goal. If
  it is ticked again, it waits until that goal has ended, and then sends another.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.blackboard import Blackboard
from py_trees.common import Status

from fcp_ros.client.fcp_client import FcpClient
from fcp_ros.client.pending import FcpError, GoalState, PendingGoal
from fcp_ros.client.queries import is_solved
from fcp_ros.msg import PlanRequest


class _GoalBehaviour(Behaviour):
    """A leaf that sends a goal each time it starts.

    `client`: of the nodes; several behaviours may share one. It must not be spun by the thread that
    calls `setup`.
    """

    action: str  # the action that it sends to

    def __init__(self, name: str, client: FcpClient) -> None:
        super().__init__(name)
        self._client = client
        self._pending: PendingGoal | None = None
        self._is_sent = False
        self.answer: Any = None
        """The result message of the last goal that ended; None before, and without a result."""

    def setup(self, **kwargs: Any) -> None:
        """Wait for the server; raises FcpUnavailable if there is none in the client's time."""
        self._client.wait_for(self.action)

    def initialise(self) -> None:
        """Begin; the goal is sent by the first `update`."""
        self._is_sent = False

    def update(self) -> Status:
        """Send the goal, look how it does, or take its result."""
        if not self._is_sent:
            if self._pending is not None and not self._pending.poll().done:
                self.feedback_message = "waits for the end of the goal that was cancelled"
                return Status.RUNNING
            self.answer = None
            try:
                self._pending = self._send(self._client)
            except (FcpError, KeyError) as error:
                self.feedback_message = str(error)
                return Status.FAILURE
            self._is_sent = True
        assert self._pending is not None
        state = self._pending.poll()
        if not state.done:
            feedback = self._pending.feedback
            self.feedback_message = "sent" if feedback is None else self._describe(feedback)
            return Status.RUNNING
        return self._finish(self._pending, state)

    def terminate(self, new_status: Status) -> None:
        """Cancel the goal if the behaviour is stopped before it has ended."""
        if new_status is Status.INVALID and self._is_sent and self._pending is not None:
            self._pending.cancel()

    def _finish(self, pending: PendingGoal, state: GoalState) -> Status:
        try:
            self.answer = pending.result(0.0)
        except FcpError as error:
            self.feedback_message = str(error)
            return Status.FAILURE
        self.feedback_message = self._conclude(self.answer) or state.value
        return Status.SUCCESS if state is GoalState.SUCCEEDED else Status.FAILURE

    @abstractmethod
    def _send(self, client: FcpClient) -> PendingGoal:
        """Send the goal; raises FcpUnavailable, or KeyError for an entry that isn't there."""

    def _describe(self, feedback: Any) -> str:
        """Say how far the goal is."""
        return str(feedback.message)

    def _conclude(self, answer: Any) -> str:
        """Say how the goal ended, and take from its result what others need."""
        return str(answer.error_msg)


class AchieveGoal(_GoalBehaviour):
    """Has a goal achieved: planned for, executed, replanned.

    `request`: as of `plan_request`. `max_replans`: -1 takes the executive's parameter.
    """

    action = "achieve_goal"

    def __init__(
        self, name: str, client: FcpClient, request: PlanRequest, *, max_replans: int = -1
    ) -> None:
        super().__init__(name, client)
        self._request = request
        self._max_replans = max_replans

    def _send(self, client: FcpClient) -> PendingGoal:
        return client.send_achieve(self._request, max_replans=self._max_replans)


class MakePlan(_GoalBehaviour):
    """Has a plan made, and writes it to the blackboard under `key`."""

    action = "make_plan"

    def __init__(self, name: str, client: FcpClient, request: PlanRequest, key: str) -> None:
        super().__init__(name, client)
        self._request = request
        self._key = key

    def _send(self, client: FcpClient) -> PendingGoal:
        Blackboard.unset(self._key)
        return client.send_plan(self._request)

    def _describe(self, feedback: Any) -> str:
        return str(feedback.phase)

    def _conclude(self, answer: Any) -> str:
        if is_solved(answer.result):
            Blackboard.set(self._key, answer.result.plan)
        return str(answer.result.status.message)


class ExecutePlan(_GoalBehaviour):
    """Has the plan executed that stands on the blackboard under `key`."""

    action = "execute_task_plan"

    def __init__(self, name: str, client: FcpClient, key: str) -> None:
        super().__init__(name, client)
        self._key = key

    def _send(self, client: FcpClient) -> PendingGoal:
        return client.send_execute(Blackboard.get(self._key))
