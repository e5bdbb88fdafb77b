# SPDX-License-Identifier: Apache-2.0
"""What follows on the end of a plan, for every status and outcome."""

from __future__ import annotations

import pytest

from fcp_ros.execution.dispatch_model import (
    DispatchResult,
    DispatchStatus,
    FollowUp,
    ReplanPolicy,
)
from fcp_ros.execution.outcome import Outcome, OutcomeCode, StepRecord
from fcp_ros.planning.model.plan import PlanStep

STEP = PlanStep("pick", (), 1.0, 1.0, 5.0, "execute_pick")


def failed(code: OutcomeCode, unanswered: str = "") -> DispatchResult:
    record = StepRecord(0, STEP, Outcome(code), 1.0)
    return DispatchResult(DispatchStatus.STEP_FAILED, "why", 0, (record,), unanswered)


def test_replanning_is_bounded_and_says_so():
    policy = ReplanPolicy(2)
    failure = failed(OutcomeCode.EXECUTION_FAILED)
    assert [policy.decide(failure, n).follow_up for n in range(3)] == [
        FollowUp.REPLAN,
        FollowUp.REPLAN,
        FollowUp.EXHAUSTED,
    ]
    assert "2 times" in policy.decide(failure, 2).reason
    assert ReplanPolicy(0).decide(failure, 0).follow_up is FollowUp.EXHAUSTED


def test_nothing_is_planned_while_an_executor_may_still_act():
    result = failed(OutcomeCode.TIMED_OUT, unanswered="execute_pick")
    assert ReplanPolicy(3).decide(result, 0).follow_up is FollowUp.FAILED


@pytest.mark.parametrize(
    ("status", "follow_up"),
    [
        (DispatchStatus.SUCCEEDED, FollowUp.ACHIEVED),
        (DispatchStatus.CANCELLED, FollowUp.CANCELLED),
        (DispatchStatus.NO_EXECUTOR, FollowUp.FAILED),
        (DispatchStatus.OUTDATED, FollowUp.REPLAN),
    ],
)
def test_the_other_ends(status, follow_up):
    assert ReplanPolicy(3).decide(DispatchResult(status, "why", 0, ()), 0).follow_up is follow_up


def test_a_negative_bound_is_refused():
    with pytest.raises(ValueError, match=">= 0"):
        ReplanPolicy(-1)
