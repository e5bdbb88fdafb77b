# SPDX-License-Identifier: Apache-2.0
"""The executive's line to the grounder: has it learnt from an outcome yet?

Outcomes go to the grounder by topic, the planner asks it by service, and nothing orders the two.
Before it plans anew the executive therefore asks the grounder's ``calibration`` service when the
newest outcome in the failed step's context was, until that is the one that it has published.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.conversions.common import ConversionError, time_from_ros
from fcp_ros.nodes.conversions.judgement import request_from_ros
from fcp_ros.nodes.executive.events import EvidenceAnswered
from fcp_ros.nodes.grounder.evidence import observed_quality
from fcp_ros.srv import GetCalibration


class GrounderLink:
    """Asks one question at a time; nothing here waits.

    Arguments:
        node: that the client belongs to.
        post: takes the events (see `inbox.Inbox.post`).
    """

    def __init__(self, node: Node, post: Callable[[Any, Hashable | None], None]) -> None:
        self._node = node
        self._post = post
        self._client = node.create_client(
            GetCalibration, "calibration", callback_group=MutuallyExclusiveCallbackGroup()
        )
        self._serial = 0

    @property
    def is_ready(self) -> bool:
        """Whether there is a grounder to ask."""
        return bool(self._client.service_is_ready())

    def ask(self, question: GetCalibration.Request) -> int:
        """Ask; the answer is an `EvidenceAnswered` with the serial number that is returned."""
        self._serial += 1
        serial = self._serial

        def answered(future: Future) -> None:
            response = future.result()
            stamps = [time_from_ros(entry.last_outcome) for entry in response.entries]
            self._post(EvidenceAnswered(serial, max(stamps, default=0.0)), None)

        self._client.call_async(question).add_done_callback(answered)
        return serial

    def close(self) -> None:
        """Destroy the client."""
        self._node.destroy_client(self._client)


def question_about(
    outcome: ActionOutcome, graded: Mapping[str, GradedPredicate]
) -> GetCalibration.Request | None:
    """What to ask the grounder to see whether it has learnt from an outcome.

    Returns:
        None where there is nothing to learn: the outcome teaches nothing, or the step's degree
        rests on no judgement that is calibrated.
    """
    if observed_quality(OutcomeCode(outcome.outcome.code), None) is None:
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
