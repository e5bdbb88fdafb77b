# SPDX-License-Identifier: Apache-2.0
"""Goals of an action server: their ends, and jobs of workers that are cancelled with them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import Future as Answer
from enum import Enum
from typing import Any

from rclpy.action.server import RCLError, ServerGoalHandle

from fcp_ros.nodes.runtime.worker import CancelToken, Job, Worker


class GoalEnd(str, Enum):
    """The terminal states of a goal."""

    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"
    ABORTED = "aborted"


def end_goal(goal: ServerGoalHandle, end: GoalEnd) -> None:
    """Bring a goal into its terminal state; one that nobody asked to cancel can only be aborted."""
    if end is GoalEnd.SUCCEEDED:
        goal.succeed()
    elif end is GoalEnd.CANCELLED and goal.is_cancel_requested:
        goal.canceled()
    else:
        goal.abort()


def execute_goal(goal: ServerGoalHandle) -> None:
    """Have the action server execute an accepted goal, also one that was cancelled meanwhile."""
    try:
        goal.execute()
    except RCLError:  # A request to cancel it came in another thread, this very moment
        goal.execute()


class GoalJobs:
    """Jobs for goals, each of which is cancelled with its goal.

    `await_answer`: of the node (`ManagedNode.await_answer`).
    """

    def __init__(self, await_answer: Callable[[Answer[Any]], Awaitable[Any]]) -> None:
        self._await_answer = await_answer
        self._running: dict[bytes, tuple[Worker, Job[Any]]] = {}

    def cancel(self, goal: ServerGoalHandle) -> None:
        """Cancel the job of a goal: the action's callback for cancel requests."""
        running = self._running.get(bytes(goal.goal_id.uuid))
        if running is not None:
            worker, job = running
            worker.cancel(job)

    async def run(
        self, goal: ServerGoalHandle, worker: Worker, function: Callable[[CancelToken], Any]
    ) -> Any:
        """Call a function in a worker; return its result, or raise what it raised.

        Raises JobCancelled if it was cancelled before it began, WorkerBusy, WorkerClosed.
        """
        key = bytes(goal.goal_id.uuid)
        job = worker.submit(function)
        try:
            self._running[key] = worker, job
            if goal.is_cancel_requested:  # before the job was there to be cancelled
                worker.cancel(job)
            return await self._await_answer(job.answer)
        finally:
            self._running.pop(key, None)
