# SPDX-License-Identifier: Apache-2.0
"""The executive as a client of the grounder: wait until it has learned from an outcome.

Outcomes reach the grounder by topic, the planner asks the grounder by service, and nothing orders
the two. Before it replans, the executive therefore asks the grounder's service ``calibration`` for
the time of the newest outcome in the failed step's context, until that is the time of the outcome
that it has published.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.conversions.common import ConversionError, time_from_ros
from fcp_ros.nodes.conversions.judgement import request_from_ros
from fcp_ros.nodes.executive.thread import ExecutiveThread, GoalContext
from fcp_ros.nodes.grounder.evidence import determine_quality
from fcp_ros.srv import GetCalibration

ASK_PERIOD = 0.05
"""Seconds between two questions to the grounder about the same outcome."""

STAMP_TOLERANCE = 0.001
"""Seconds by which a time may differ after its way through messages and the store."""


@dataclass(frozen=True)
class EvidenceAnswered:
    """Event: the time (s since the epoch) of the newest outcome that the grounder knows."""

    serial: int
    newest: float


class GrounderClient:
    """Asks one question at a time. Its callbacks only post events.

    Args:
        node: The node that the client belongs to.
        thread: Gets the events, and waits for them.
    """

    def __init__(self, node: Node, thread: ExecutiveThread) -> None:
        self._node = node
        self._thread = thread
        self._client = node.create_client(
            GetCalibration, "calibration", callback_group=MutuallyExclusiveCallbackGroup()
        )
        self._serial = 0

    def await_learning(
        self,
        context: GoalContext,
        outcome: ActionOutcome,
        graded: Mapping[str, GradedPredicate],
        seconds: float,
    ) -> None:
        """Wait until the grounder has learned from an outcome, if it learns anything from it.

        Args:
            context: The goal; the wait ends at once when it is cancelled.
            outcome: As it was published.
            graded: The domain's graded predicates by name.
            seconds: Longest wait.
        """
        question = make_question(outcome, graded)
        if question is None or not self._client.service_is_ready():
            return
        until = time.monotonic() + seconds
        wanted = time_from_ros(outcome.header.stamp) - STAMP_TOLERANCE
        while time.monotonic() < until and not context.is_cancelled:
            serial = self._ask(question)
            for event in self._thread.wait_events(until - time.monotonic()):
                if context.is_cancelled:
                    return
                if isinstance(event, EvidenceAnswered) and event.serial == serial:
                    if event.newest >= wanted:
                        return
                    break
            for _ in self._thread.wait_events(min(ASK_PERIOD, until - time.monotonic())):
                if context.is_cancelled:
                    return

    def close(self) -> None:
        """Destroy the client."""
        self._node.destroy_client(self._client)

    def _ask(self, question: GetCalibration.Request) -> int:
        """Ask; the answer is an `EvidenceAnswered` with the serial number that is returned."""
        self._serial += 1
        serial = self._serial

        def on_answer(future: Future) -> None:
            response = future.result()
            stamps = [time_from_ros(entry.last_outcome) for entry in response.entries]
            self._thread.events.post(EvidenceAnswered(serial, max(stamps, default=0.0)))

        self._client.call_async(question).add_done_callback(on_answer)
        return serial


def make_question(
    outcome: ActionOutcome, graded: Mapping[str, GradedPredicate]
) -> GetCalibration.Request | None:
    """Make the question to the grounder that shows if it has learned from an outcome.

    Returns:
        None if there is nothing to learn: the outcome teaches nothing, or the step's degree rests
        on no calibrated judgement.
    """
    if determine_quality(OutcomeCode(outcome.outcome.code), None) is None:
        return None
    for judgement in outcome.step.judgements:
        predicate = graded.get(judgement.query.predicate)
        if predicate is None or not predicate.calibrated:
            continue
        try:
            context = request_from_ros(judgement.query).context_key
        except ConversionError:
            continue
        return GetCalibration.Request(
            operation=GetCalibration.Request.SHOW, predicate=predicate.name, context=context
        )
    return None
