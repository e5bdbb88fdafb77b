# SPDX-License-Identifier: Apache-2.0
"""The dispatcher's sentences for people: why a plan or a step ended, and what to do."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.execution.dispatch_model import StopReason
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.planning.model.plan import PlanStep

STOP_CODES = {
    StopReason.CANCELLED: OutcomeCode.CANCELLED,
    StopReason.TIMED_OUT: OutcomeCode.TIMED_OUT,
    StopReason.NOT_ACCEPTED: OutcomeCode.TIMED_OUT,
    StopReason.LOST: OutcomeCode.EXECUTION_FAILED,
}
"""The outcome of a step that was stopped before its executor gave one."""


def describe_missing_executors(names: Iterable[str], waited: float) -> str:
    """Say that no executor answers under these names."""
    shown = ", ".join(map(repr, names))
    return (
        f"No executor answered under {shown} within {waited:g} s; start an ExecuteStep action "
        "server of that name, or correct the executor in the domain."
    )


def describe_held_executor(name: str, step: PlanStep, waited: float) -> str:
    """Say that the executor has not answered for an earlier step."""
    return (
        f"Executor {name!r} may still be acting on {step}: it has not answered within "
        f"{waited:g} s, so nothing more is sent to it."
    )


def describe_refusal(step: PlanStep, said: str) -> str:
    """Say that the executor refused the step; `said` is its reason, "" if it gave none."""
    reason = f": {said}" if said else "; is it active, and does it know this action?"
    return f"Executor {step.executor!r} refused {step}{reason}"


def describe_unconfirmed(step: PlanStep, waited: float, unseen: str) -> str:
    """Say that the executor reported a success that the scene does not show."""
    return (
        f"Executor {step.executor!r} reported success for {step}, but after {waited:g} s the scene "
        f"does not show it: {unseen} Let perception publish the change on scene_graph_update, or "
        "set trust_executors."
    )


def make_stop_outcome(
    step: PlanStep, reason: StopReason, timeout: float, note: str = ""
) -> Outcome:
    """Make the outcome of a step that was stopped before its executor gave one."""
    limit = f" of {timeout:.1f} s" if reason is StopReason.TIMED_OUT else ""
    message = f"{step} was stopped: {reason.value}{limit}{note}."
    return Outcome(STOP_CODES[reason], message)


def describe_silence(step: PlanStep, waited: float) -> str:
    """Make a note for `make_stop_outcome`: the executor has not answered the request to stop."""
    return (
        f"; executor {step.executor!r} has not answered the request to stop within {waited:g} s "
        "and may still be acting"
    )


FORGOTTEN = "; its executor no longer knows of it"
"""A note for `make_stop_outcome`: the executor was restarted."""


def describe_cancellation(done: int, total: int, unanswered: str) -> str:
    """Say that the plan was cancelled; `unanswered` is the executor that may still be acting."""
    text = f"Cancelled after {done} of {total} steps."
    if unanswered:
        text += f" Executor {unanswered!r} has not answered and may still be acting."
    return text


def describe_failed_step(number: int, total: int, step: PlanStep, outcome: Outcome) -> str:
    """Say with which step the plan failed."""
    what = f"Step {number} of {total}, {step}, ended with {outcome.code.name}"
    return f"{what}: {outcome.message}" if outcome.message else f"{what}."
