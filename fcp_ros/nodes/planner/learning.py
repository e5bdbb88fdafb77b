# SPDX-License-Identifier: Apache-2.0
"""The goals of the action ``generalize``: one is worked on at a time, beside all planning."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import Generalize
from fcp_ros.nodes.planner.service import PlanningService
from fcp_ros.nodes.runtime.goal_jobs import FeedbackPace, GoalEnd, GoalJobs, end_goal
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.request_checks import (
    CLEANED_UP,
    RefusalKind,
    RequestRefusal,
    RequestRefused,
    make_refusal,
)
from fcp_ros.nodes.runtime.worker import CancelToken, JobCancelled, WorkerBusy, WorkerClosed
from fcp_ros.nodes.scene_access.follower import SceneFollower

POLICIES = "policies"
"""The work of the thread that waits for the process that learns."""
QUEUED = 1
"""Goals that may wait while one is worked on."""
CLOSE_TIMEOUT = 5.0
"""Seconds for which a node that is cleaned up waits for the process that learns."""


class PolicyLearning:
    """Offers the action ``generalize`` of the planner."""

    def __init__(
        self,
        node: ManagedNode,
        scene: SceneFollower,
        # returns the present planning service; None before the node is configured
        find_service: Callable[[], PlanningService | None],
    ) -> None:
        self._node = node
        self._scene = scene
        self._find_service = find_service
        self._jobs = GoalJobs(node.await_answer)
        node.offer_action(Generalize, "generalize", self._execute, cancel=self._jobs.cancel)

    def open(self) -> None:
        self._node.workers.open(POLICIES, QUEUED, CLOSE_TIMEOUT)

    async def _execute(self, goal: ServerGoalHandle) -> Any:
        asked = time.monotonic()
        try:
            refusal = self._node.refusal(goal.request)
            result = _refuse(refusal) if refusal is not None else await self._run(goal, asked)
        except Exception as error:
            result = _refuse(self._node.internal_fault("generalize", error))
        self._node.get_logger().info(f"generalize: {result.message}")
        end_goal(goal, _choose_end(result))
        return result

    async def _run(self, goal: ServerGoalHandle, asked: float) -> Any:
        """Learn in the worker; no bound is needed: the job has a time limit."""
        service = self._find_service()
        if service is None:
            return _refuse(RequestRefusal(RefusalKind.NODE_INACTIVE, CLEANED_UP))
        period = self._node.parameters.number("feedback_period")

        def learn(token: CancelToken) -> Any:
            # Only for this action: a start is mostly imports.
            from fcp_ros.nodes.planner.generalization import LearningPlace, learn_policy

            place = LearningPlace(service, self._scene, self._node.parameters, self._find_service)
            pace = FeedbackPace(period)

            def report(feedback: Any) -> None:
                if pace.is_due(feedback.round):
                    goal.publish_feedback(feedback)

            return learn_policy(goal.request, asked, place, token, report)

        try:
            result = await self._jobs.run(goal, self._node.workers[POLICIES], learn)
        except JobCancelled as error:
            if goal.is_cancel_requested:
                return Generalize.Result(status=Generalize.Result.CANCELLED, message=str(error))
            return _refuse(make_refusal(error))
        except (WorkerBusy, WorkerClosed, RequestRefused) as error:
            return _refuse(make_refusal(error))
        if result.status == Generalize.Result.CANCELLED and not goal.is_cancel_requested:
            sentence = f"The node stopped looking for a policy. {CLEANED_UP}"
            return _refuse(RequestRefusal(RefusalKind.NODE_INACTIVE, sentence))
        return result


def _choose_end(result: Any) -> GoalEnd:
    if result.status == Generalize.Result.FOUND:
        return GoalEnd.SUCCEEDED
    if result.status == Generalize.Result.CANCELLED:
        return GoalEnd.CANCELLED
    return GoalEnd.ABORTED


def _refuse(refusal: RequestRefusal) -> Any:
    result = Generalize.Result(message=refusal.sentence)
    result.error.code = int(refusal.kind)
    return result
