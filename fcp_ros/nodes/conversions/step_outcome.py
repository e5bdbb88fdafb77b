# SPDX-License-Identifier: Apache-2.0
"""Outcomes of steps, from and to the terminal answers (status and result) of executors."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus

from fcp_ros.action import ExecuteStep
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.foundation.wording import hide_controls
from fcp_ros.msg import OutcomeCode as OutcomeCodeMessage


def outcome_from_answer(status: int, result: ExecuteStep.Result) -> Outcome:
    """Read the outcome that an executor reports.

    Status and outcome should agree. If they don't, the worse one counts: a step that either of them
    calls a failure has not succeeded. If the outcome was never filled in (UNKNOWN), the status
    decides. A code without a meaning is no success whatever the status: the executor speaks another
    version of the interface, and nothing is learned from such a step. `status`: terminal status of
    the goal (`action_msgs/GoalStatus`).
    """
    message = hide_controls(str(result.outcome.message))
    number = result.outcome.code
    code = _read_code(number)
    if status == GoalStatus.STATUS_SUCCEEDED:
        if code is None and number != OutcomeCodeMessage.UNKNOWN:
            text = f"The executor reports the outcome code {number}, which has no meaning."
            return Outcome(OutcomeCode.INVALID_ACTION, f"{text} {message}".strip())
        code = code or OutcomeCode.SUCCEEDED
    elif code is None or code is OutcomeCode.SUCCEEDED:
        canceled = status == GoalStatus.STATUS_CANCELED
        code = OutcomeCode.CANCELLED if canceled else OutcomeCode.EXECUTION_FAILED
        message = (
            message or f"The executor ended the goal as {'canceled' if canceled else 'aborted'}."
        )
    return Outcome(code, message, _read_quality(result))


def outcome_to_ros(outcome: Outcome) -> OutcomeCodeMessage:
    return OutcomeCodeMessage(code=outcome.code.value, message=outcome.message)


def outcome_to_result(outcome: Outcome, *, simulated: bool = False) -> ExecuteStep.Result:
    """Write an outcome as an executor reports it; `simulated` if it only simulates the robot."""
    result = ExecuteStep.Result(outcome=outcome_to_ros(outcome), simulated=simulated)
    set_quality(result, outcome)
    return result


def set_quality(message: Any, outcome: Outcome) -> None:
    message.quality_measured = outcome.quality is not None
    message.quality = outcome.quality if outcome.quality is not None else 0.0


def _read_code(number: int) -> OutcomeCode | None:
    """Read an outcome code; return None for UNKNOWN and for numbers without a meaning."""
    try:
        return OutcomeCode(number)
    except ValueError:
        return None


def _read_quality(result: ExecuteStep.Result) -> float | None:
    """Read the measured quality; a value outside [0, 1] is no measurement."""
    quality = float(result.quality)
    return quality if result.quality_measured and 0.0 <= quality <= 1.0 else None
