# SPDX-License-Identifier: Apache-2.0
"""The codes of refusals are those of the messages, and every one has a planning status."""

from __future__ import annotations

import pytest

from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.msg import OutcomeCode as OutcomeCodeMessage
from fcp_ros.msg import PlanStatus as PlanStatusMessage
from fcp_ros.msg import RequestError
from fcp_ros.nodes.conversions.judgement import refuse_judgement
from fcp_ros.nodes.planner.node import STATUSES
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefusal, make_refusal
from fcp_ros.nodes.runtime.worker import JobCancelled, WorkerBusy, WorkerClosed
from fcp_ros.planning.model.result import PlanStatus


def constants(message) -> dict[str, int]:
    names = [name for name in dir(type(type(message))) if name.isupper()]
    return {name: getattr(message, name) for name in names if not name.startswith("_")}


@pytest.mark.parametrize(
    ("codes", "message", "left"),
    [
        (RefusalKind, RequestError, {"NONE"}),
        (PlanStatus, PlanStatusMessage, {"UNKNOWN"}),
        (OutcomeCode, OutcomeCodeMessage, {"UNKNOWN"}),
    ],
)
def test_codes_are_those_of_the_messages(codes, message, left):
    told = {name: value for name, value in constants(message()).items() if name not in left}
    assert told == {code.name: code.value for code in codes}


def test_every_refusal_has_a_status():
    assert set(STATUSES) == set(RefusalKind)


def test_every_reason_for_having_no_result_has_its_code():
    kinds = [
        make_refusal(error).kind
        for error in (WorkerBusy(""), WorkerClosed(""), JobCancelled(""), TimeoutError(""))
    ]
    assert kinds == [
        RefusalKind.BUSY,
        RefusalKind.NODE_INACTIVE,
        RefusalKind.NODE_INACTIVE,
        RefusalKind.TIMED_OUT,
    ]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (GroundingCode.MODEL_NOT_FOUND, RefusalKind.NO_JUDGEMENT),
        (GroundingCode.UNKNOWN_PREDICATE, RefusalKind.INVALID_REQUEST),
    ],
)
def test_a_degree_that_nobody_can_judge_is_no_wrong_request(code, kind):
    assert refuse_judgement(GroundingError(code, "Why.")) == RequestRefusal(kind, "Why.")
