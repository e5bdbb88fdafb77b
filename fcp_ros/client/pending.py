# SPDX-License-Identifier: Apache-2.0
"""Requests without an answer yet: poll them, wait for them with a bound, cancel them.

A refusal by a node is a result, not an error.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import wait
from enum import Enum
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.client import Client
from rclpy.node import Node

from fcp_ros.nodes.runtime.action_call import (
    ActionCall,
    CallListener,
    ServerMonitor,
    ServerWatch,
    ServiceCall,
)
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionClient
from fcp_ros.nodes.runtime.server_life import ServerLife

_ADVICE = (
    "Is the node still running? Do not wait inside a callback: send, return, and poll later; a "
    "node of your own that you gave to FcpClient must be spun by an executor in another thread."
)


class FcpError(RuntimeError):
    """A request got no answer; the message names the request, and what to do."""


class FcpUnavailable(FcpError):
    """No node offers the action or service."""


class FcpTimeout(FcpError):
    """The answer did not come in time. A goal that was sent is cancelled before this is raised."""


class GoalState(str, Enum):
    """The state of a goal at its server."""

    SENT = "sent"
    ACCEPTED = "accepted"
    SUCCEEDED = "succeeded"
    ABORTED = "aborted"
    CANCELED = "canceled"
    REJECTED = "rejected"
    FORGOTTEN = "forgotten"
    """The server was restarted and knows nothing of the goal."""
    LOST = "lost"
    """The server died or lost its connection."""

    @property
    def done(self) -> bool:
        return self not in (GoalState.SENT, GoalState.ACCEPTED)


_ENDS = {
    GoalStatus.STATUS_SUCCEEDED: GoalState.SUCCEEDED,
    GoalStatus.STATUS_ABORTED: GoalState.ABORTED,
    GoalStatus.STATUS_CANCELED: GoalState.CANCELED,
}


class ServerGuard:
    """Tells pending goals that the server of their action has died.

    The server is looked at once for all of them: looks for each kept a client of 600 goals busy.
    """

    def __init__(self, node: Node, action: str) -> None:
        self._monitor = ServerMonitor(node)
        self._life = ServerLife(node, action)
        self._lock = threading.Lock()
        self._goals: dict[str, Callable[[], None]] = {}  # under the lock

    @property
    def is_dead(self) -> bool:
        """True if the server was there and has died."""
        return self._life.is_dead

    def add(self, goal: str, on_death: Callable[[], None]) -> None:
        """Call a function, which must return at once, when the server dies.

        `goal`: names the goal, for `remove`.
        """
        with self._lock:
            self._goals[goal] = on_death
        self._monitor.watch("server", ServerWatch(lambda: self.is_dead, True, self._tell))

    def remove(self, goal: str) -> None:
        """End `add`; does nothing if it has ended."""
        with self._lock:
            self._goals.pop(goal, None)
            if not self._goals:  # under the lock, so that it ends no watch that `add` begins
                self._monitor.unwatch()

    def close(self) -> None:
        self._monitor.close()
        self._life.close()

    def _tell(self) -> None:
        with self._lock:
            goals, self._goals = self._goals, {}
        for on_death in goals.values():
            on_death()


class PendingGoal:
    """A goal at an action server. Everything but `result` returns at once.

    `what`: the request in words, for messages. `server`: watches the server; None to do without.
    """

    def __init__(
        self, client: SafeActionClient, goal: Any, what: str, server: ServerGuard | None = None
    ) -> None:
        self._what = what
        self._server = server
        self._key = f"goal {id(self)}"
        self._changed = threading.Condition()
        self._state = GoalState.SENT
        self._feedback: Any = None
        self._result: Any = None
        listener = CallListener(
            ended=self._on_end,
            forgotten=lambda: self._set(GoalState.FORGOTTEN),
            accepted=lambda: self._set(GoalState.ACCEPTED),
            rejected=lambda: self._set(GoalState.REJECTED),
            feedback=self._on_feedback,
        )
        if server is not None:
            server.add(self._key, self._on_loss)
        self._call = ActionCall(client, goal, listener)

    def poll(self) -> GoalState:
        with self._changed:
            return self._state

    @property
    def feedback(self) -> Any:
        """The newest feedback message; None before the first."""
        with self._changed:
            return self._feedback

    def cancel(self) -> None:
        """Ask the server to cancel the goal; `poll` and `result` tell the end."""
        if not self.poll().done:
            self._call.cancel()

    def result(self, timeout: float) -> Any:
        """Wait at most `timeout` s for the result message, of a success or a failure.

        Raises FcpTimeout if the result did not come in time. The goal is cancelled. Raises
        FcpError if the server refused or forgot the goal, so that there is no result.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._state.done, timeout)
            state, result = self._state, self._result
        if not state.done:
            self.cancel()
            raise FcpTimeout(f"{self._what}: no result within {timeout:g} s. {_ADVICE}")
        if result is None:
            end = "was lost" if state is GoalState.LOST else f"has {state.value} the goal"
            raise FcpError(f"{self._what}: the server {end}. Send the goal again.")
        return result

    def _on_end(self, status: int, result: Any) -> None:
        with self._changed:
            self._result = result
        self._set(_ENDS.get(status, GoalState.ABORTED))

    def _on_feedback(self, feedback: Any) -> None:
        with self._changed:
            self._feedback = feedback

    def _on_loss(self) -> None:
        self._set(GoalState.LOST)

    def _set(self, state: GoalState) -> None:
        with self._changed:
            if not self._state.done:
                self._state = state
            self._changed.notify_all()
        if state.done and self._server is not None:
            self._server.remove(self._key)


class PendingReply:
    """A request at a service. Everything but `result` returns at once.

    Args:
        client: the client of the service, whose server must exist.
        what: the request in words, for messages.
        repeatable: True if the request may be sent twice (see `ServiceCall`).
    """

    def __init__(
        self, client: Client, request: Any, what: str, *, repeatable: bool = False
    ) -> None:
        self._what = what
        self._call = ServiceCall(client, request, repeatable=repeatable)

    def poll(self) -> bool:
        """Return True once the answer has arrived."""
        return self._call.answer.done()

    def cancel(self) -> None:
        """Forget the request; its answer is ignored."""
        self._call.forget()

    def result(self, timeout: float) -> Any:
        """Wait at most `timeout` s for the response message.

        Raises FcpTimeout if the response did not come in time.
        """
        if not wait([self._call.answer], timeout).done:
            self.cancel()
            raise FcpTimeout(f"{self._what}: no answer within {timeout:g} s. {_ADVICE}")
        return self._call.answer.result()
