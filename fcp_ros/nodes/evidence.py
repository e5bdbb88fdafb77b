# SPDX-License-Identifier: Apache-2.0
"""What an outcome says about the degrees that its step relied on."""

from __future__ import annotations

from fcp_ros.execution.outcome import OutcomeCode

FAILURES = frozenset(
    {
        OutcomeCode.PLANNING_FAILED,
        OutcomeCode.EXECUTION_FAILED,
        OutcomeCode.POSTCONDITION_FAILED,
        OutcomeCode.TIMED_OUT,
    }
)
"""Outcomes of steps that were tried and did not do what they are for."""


def observed_quality(code: OutcomeCode, measured: float | None) -> float | None:
    """The quality in [0, 1] to learn from an outcome; None where it teaches nothing.

    A success counts as it was measured, or 1; a failure as it was measured, or 0. A step that was
    never tried (its precondition failed, its executor did not know it) or that somebody cancelled
    says nothing about how well such a step goes.
    """
    if code is OutcomeCode.SUCCEEDED:
        return 1.0 if measured is None else measured
    if code in FAILURES:
        return 0.0 if measured is None else measured
    return None
