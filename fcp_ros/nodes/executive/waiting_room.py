# SPDX-License-Identifier: Apache-2.0
"""The waits of the executive's thread that are not about steps: planner, scene graph, grounder.

Each has a bound, ends at once when the goal is cancelled, and passes on late answers of executors.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fcp_ros.msg import ActionOutcome, PlanRequest
from fcp_ros.msg import PlanResult as PlanResultMessage
from fcp_ros.nodes.conversions.common import duration_from_ros, time_from_ros
from fcp_ros.nodes.executive.events import (
    CancelTicket,
    EvidenceAnswered,
    PlannerAnswered,
    PlannerFound,
    PlannerLost,
    PlannerProgress,
    Ticket,
)
from fcp_ros.nodes.executive.grounder_link import GrounderLink, question_about
from fcp_ros.nodes.executive.inbox import Inbox
from fcp_ros.nodes.executive.planner_link import ACTION, PlannerLink
from fcp_ros.nodes.scene_access.follower import SceneFollower

EVIDENCE_LOOK = 0.05
"""Seconds between two questions to the grounder whether it has learnt from an outcome."""

STAMP_TOLERANCE = 0.001
"""Seconds by which a time may differ after its way through messages and the store."""


@dataclass(frozen=True)
class WaitSettings:
    """Longest waits, in seconds.

    Attributes:
        server_wait: until the planner answers at all.
        planner_timeout: until it has a plan, where the request names no time limit.
        planner_margin: beyond the request's time limit.
        grace_time: until a cancelled planner answers.
        settle_time: until the scene graph that a plan was made on has come here.
        learn_wait: until the grounder has learnt from an outcome.
    """

    server_wait: float
    planner_timeout: float
    planner_margin: float
    grace_time: float
    settle_time: float
    learn_wait: float


@dataclass(frozen=True)
class Planned:
    """The planner's answer; without one, a sentence why, and whether time was up."""

    result: PlanResultMessage | None
    problem: str = ""
    timed_out: bool = False


class WaitingRoom:
    """Arguments: where events arrive, whom to ask, and what to do with events about executors."""

    def __init__(
        self,
        inbox: Inbox[Any],
        planner: PlannerLink,
        grounder: GrounderLink,
        scene: SceneFollower,
        late: Callable[[object], None],
    ) -> None:
        self._inbox = inbox
        self._planner = planner
        self._grounder = grounder
        self._scene = scene
        self._late = late

    # --- planner --------------------------------------------------------------------------------

    def plan(
        self,
        ticket: Ticket,
        request: PlanRequest,
        settings: WaitSettings,
        progress: Callable[[str], None],
    ) -> Planned:
        """Ask the planner for a plan. A cancelled ticket cancels the planning too."""
        try:
            problem = self._find_planner(ticket, settings)
            if problem or ticket.cancelled.is_set():
                return Planned(None, problem)
            return self._ask_planner(ticket, request, settings, progress)
        finally:
            self._planner.stop_seeking()

    def _find_planner(self, ticket: Ticket, settings: WaitSettings) -> str:
        self._planner.find()
        for event in self._events(settings.server_wait):
            if isinstance(event, PlannerFound) or ticket.cancelled.is_set():
                return ""
        return (
            f"No planner answered under {ACTION} within {settings.server_wait:g} s; "
            "start the node planner."
        )

    def _ask_planner(
        self,
        ticket: Ticket,
        request: PlanRequest,
        settings: WaitSettings,
        progress: Callable[[str], None],
    ) -> Planned:
        serial = self._planner.request(request)
        asked = duration_from_ros(request.time_limit)
        limit = settings.planner_timeout if asked <= 0.0 else asked + settings.planner_margin
        for event in self._events(limit):
            if isinstance(event, PlannerAnswered) and event.serial == serial:
                return _planned(event)
            if isinstance(event, PlannerProgress) and event.serial == serial:
                progress(_words(event.feedback))
            elif isinstance(event, PlannerLost):
                return Planned(None, "The planner disappeared while it was planning.")
            if ticket.cancelled.is_set():
                return self._cancel_planner(serial, settings)
        self._planner.cancel()
        return Planned(None, f"The planner has not answered within {limit:g} s.", timed_out=True)

    def _cancel_planner(self, serial: int, settings: WaitSettings) -> Planned:
        self._planner.cancel()
        for event in self._events(settings.grace_time):
            if isinstance(event, PlannerAnswered) and event.serial == serial:
                return _planned(event)
        return Planned(None, "The planner has not answered the request to stop.")

    # --- scene graph and grounder ---------------------------------------------------------------

    def await_scene(self, ticket: Ticket, sequence: int, settings: WaitSettings) -> None:
        """Wait until the scene graph with this number, or a later one, has come here."""

        def there() -> bool:
            present = self._scene.sequence
            return ticket.cancelled.is_set() or (present is not None and present >= sequence)

        if there():
            return
        for _ in self._events(settings.settle_time):
            if there():
                return

    def await_learning(
        self, ticket: Ticket, outcome: ActionOutcome, graded: Any, settings: WaitSettings
    ) -> None:
        """Wait until the grounder has learnt from an outcome; see `grounder_link`."""
        question = question_about(outcome, graded)
        if question is None or not self._grounder.is_ready:
            return
        until = time.monotonic() + settings.learn_wait
        wanted = time_from_ros(outcome.header.stamp) - STAMP_TOLERANCE
        while time.monotonic() < until and not ticket.cancelled.is_set():
            serial = self._grounder.ask(question)
            for event in self._events(until - time.monotonic()):
                if ticket.cancelled.is_set():
                    return
                if isinstance(event, EvidenceAnswered) and event.serial == serial:
                    if event.newest >= wanted:
                        return
                    break
            for _ in self._events(min(EVIDENCE_LOOK, until - time.monotonic())):
                if ticket.cancelled.is_set():
                    return

    def _events(self, seconds: float) -> Iterator[object]:
        """The events of the coming seconds; those about executors are taken care of."""
        until = time.monotonic() + seconds
        while True:
            event = self._inbox.take(until)
            if event is None:
                return
            if not isinstance(event, CancelTicket):  # the ticket itself says so too
                self._late(event)
            yield event


def _planned(event: PlannerAnswered) -> Planned:
    if event.result is None:
        return Planned(None, "The planner refused the request, or was restarted meanwhile.")
    return Planned(event.result)


def _words(feedback: Any) -> str:
    return (
        f"Planning: {feedback.phase}, {feedback.expansions} expansions, "
        f"best membership so far {feedback.best_membership:.2f}."
    )
