# SPDX-License-Identifier: Apache-2.0
"""What an executor's terminal answer means: goal status and result, as an outcome and back."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus

from fcp_ros.action import ExecuteStep
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.msg import OutcomeCode as OutcomeCodeMessage


def outcome_from_answer(status: int, result: ExecuteStep.Result) -> Outcome:
    """The outcome that an executor reports.

    Status and outcome should agree. Where they don't the worse one counts: nothing is taken for a
    success that either calls a failure. An outcome that was never filled in (UNKNOWN) leaves it to
    the status.

    Arguments:
        status: how the goal ended (`action_msgs/GoalStatus`).
        result: what the executor sent with it.
    """
    code = _code(result.outcome.code)
    message = str(result.outcome.message)
    if status == GoalStatus.STATUS_SUCCEEDED:
        code = code or OutcomeCode.SUCCEEDED
    elif code is None or code is OutcomeCode.SUCCEEDED:
        canceled = status == GoalStatus.STATUS_CANCELED
        code = OutcomeCode.CANCELLED if canceled else OutcomeCode.EXECUTION_FAILED
        message = (
            message or f"The executor ended the goal as {'canceled' if canceled else 'aborted'}."
        )
    return Outcome(code, message, _quality(result))


def outcome_to_ros(outcome: Outcome) -> OutcomeCodeMessage:
    """Code and sentence of an outcome as a message."""
    return OutcomeCodeMessage(code=outcome.code.value, message=outcome.message)


def outcome_to_result(outcome: Outcome) -> ExecuteStep.Result:
    """An outcome as an executor reports it."""
    result = ExecuteStep.Result(outcome=outcome_to_ros(outcome))
    set_quality(result, outcome)
    return result


def set_quality(message: Any, outcome: Outcome) -> None:
    """Write the quality of an outcome into a message that has one."""
    message.quality_measured = outcome.quality is not None
    message.quality = outcome.quality if outcome.quality is not None else 0.0


def _code(number: int) -> OutcomeCode | None:
    """The outcome's code; None for UNKNOWN and for numbers that mean nothing."""
    try:
        return OutcomeCode(number)
    except ValueError:
        return None


def _quality(result: ExecuteStep.Result) -> float | None:
    """The measured quality; a value outside [0, 1] is no measurement."""
    quality = float(result.quality)
    return quality if result.quality_measured and 0.0 <= quality <= 1.0 else None
