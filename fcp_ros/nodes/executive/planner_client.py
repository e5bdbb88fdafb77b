# SPDX-License-Identifier: Apache-2.0
"""The executive as a client of the planner: one plan at a time, by the action ``make_plan``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from fcp_ros.action import MakePlan
from fcp_ros.msg import PlanRequest, PlanResult
from fcp_ros.nodes.calls.action_call import ActionCall, CallListener, make_action_client
from fcp_ros.nodes.calls.server_life import ServerLife
from fcp_ros.nodes.calls.service_call import ServerMonitor, ServerWatch
from fcp_ros.nodes.conversions.common import duration_from_ros
from fcp_ros.nodes.executive.parameters import WaitSettings
from fcp_ros.nodes.executive.thread import ExecutiveThread, GoalContext

ACTION = "make_plan"


# Events; all carry the number of the request that they belong to, so that late ones mean nothing.


@dataclass(frozen=True)
class PlannerFound:
    """Event: the planner's action server is there."""

    serial: int


@dataclass(frozen=True)
class PlannerLost:
    """Event: the planner's action server is no longer there."""

    serial: int


@dataclass(frozen=True)
class PlannerProgress:
    """Event: a feedback message of the planner."""

    serial: int
    feedback: Any


@dataclass(frozen=True)
class PlannerAnswered:
    """Event: the planner's answer; None when it refused the request or does not know it."""

    serial: int
    result: PlanResult | None


@dataclass(frozen=True)
class PlannerReply:
    """The planner's answer; without one, a sentence why, and whether time was up."""

    result: PlanResult | None
    problem: str = ""
    timed_out: bool = False


class PlannerClient:
    """Asks for plans. Its callbacks only post events; everything else is the executive's thread's.

    Each wait has a bound, and ends at once when the goal is cancelled. `node`: the node that the
    action client belongs to. `thread`: gets the events, and waits for them.
    """

    def __init__(self, node: Node, thread: ExecutiveThread) -> None:
        self._thread = thread
        self._monitor = ServerMonitor(node)
        self._client = make_action_client(node, MakePlan, ACTION)
        self._life = ServerLife(node, ACTION)
        self._serial = 0

    def request_plan(
        self,
        context: GoalContext,
        request: PlanRequest,
        waits: WaitSettings,
        report: Callable[[str], None],  # Gets the planner's progress in words
    ) -> PlannerReply:
        """Ask the planner for a plan. If the goal is cancelled, so is the planning."""
        self._serial += 1
        try:
            problem = self._await_planner(context, waits)
            if problem or context.is_cancelled:
                return PlannerReply(None, problem)
            return self._await_answer(context, request, waits, report)
        finally:
            self._monitor.unwatch()

    def close(self) -> None:
        """Destroy the client."""
        self._monitor.close()
        self._life.close()
        self._client.destroy()

    def _await_planner(self, context: GoalContext, waits: WaitSettings) -> str:
        """Wait for the planner's action server; return a sentence if it does not appear."""
        found = PlannerFound(self._serial)
        self._watch(True, found)
        for event in self._thread.wait_events(waits.server_wait):
            if event == found or context.is_cancelled:
                return ""
        return (
            f"No planner answered under {ACTION} within {waits.server_wait:g} s; "
            "start the node task_planner."
        )

    def _await_answer(
        self,
        context: GoalContext,
        request: PlanRequest,
        waits: WaitSettings,
        report: Callable[[str], None],
    ) -> PlannerReply:
        serial, call = self._serial, self._send(request)
        lost = PlannerLost(serial)
        self._watch(False, lost)
        asked = duration_from_ros(request.time_limit)
        limit = waits.planner_timeout if asked <= 0.0 else asked + waits.planner_margin
        for event in self._thread.wait_events(limit):
            if isinstance(event, PlannerAnswered) and event.serial == serial:
                return _make_answer(event)
            if isinstance(event, PlannerProgress) and event.serial == serial:
                report(_describe_progress(event.feedback))
            elif event == lost:
                return PlannerReply(None, "The planner disappeared while it was planning.")
            if context.is_cancelled:
                return self._cancel(serial, call, waits)
        call.cancel()
        problem = f"The planner has not answered within {limit:g} s."
        return PlannerReply(None, problem, timed_out=True)

    def _cancel(self, serial: int, call: ActionCall, waits: WaitSettings) -> PlannerReply:
        call.cancel()
        for event in self._thread.wait_events(waits.grace_time):
            if isinstance(event, PlannerAnswered) and event.serial == serial:
                return _make_answer(event)
        return PlannerReply(None, "The planner has not answered the request to stop.")

    def _send(self, request: PlanRequest) -> ActionCall:
        serial, post = self._serial, self._thread.events.post

        def on_end(_status: int, result: Any) -> None:
            post(PlannerAnswered(serial, result.result))

        def on_refusal() -> None:
            post(PlannerAnswered(serial, None))

        def on_feedback(message: Any) -> None:
            post(PlannerProgress(serial, message), "planner progress")

        listener = CallListener(
            ended=on_end, forgotten=on_refusal, rejected=on_refusal, feedback=on_feedback
        )
        return ActionCall(self._client, MakePlan.Goal(request=request), listener)

    @property
    def is_there(self) -> bool:
        """True while a planner answers."""
        return bool(self._client.server_is_ready()) and not self._life.is_dead

    def _watch(self, wanted: bool, event: object) -> None:
        """Post an event as soon as the planner answers, or no longer answers."""
        watch = ServerWatch(lambda: self.is_there, wanted, lambda: self._thread.events.post(event))
        self._monitor.watch(ACTION, watch)


def _make_answer(event: PlannerAnswered) -> PlannerReply:
    if event.result is None:
        return PlannerReply(None, "The planner refused the request, or was restarted meanwhile.")
    return PlannerReply(event.result)


def _describe_progress(feedback: Any) -> str:
    return (
        f"Planning: {feedback.phase}, {feedback.expansions} expansions, "
        f"best membership so far {feedback.best_membership:.2f}."
    )
