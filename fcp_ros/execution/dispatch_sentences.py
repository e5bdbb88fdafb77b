# SPDX-License-Identifier: Apache-2.0
"""What the dispatcher says to people: why a plan or a step ended as it did, and what to do."""

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


def missing_executors(names: Iterable[str], waited: float) -> str:
    """No executor answers under these names."""
    shown = ", ".join(map(repr, names))
    return (
        f"No executor answered under {shown} within {waited:g} s; start an ExecuteStep action "
        "server of that name, or correct the executor in the domain."
    )


def held_executor(name: str, step: PlanStep, waited: float) -> str:
    """The executor has not answered for an earlier step."""
    return (
        f"Executor {name!r} may still be acting on {step}: it has not answered within "
        f"{waited:g} s, so nothing more is sent to it."
    )


def refused(step: PlanStep, said: str) -> str:
    """The executor refused the step; `said` is what it gave as reason, if it did."""
    reason = f": {said}" if said else "; is it active, and does it know this action?"
    return f"Executor {step.executor!r} refused {step}{reason}"


def unconfirmed(step: PlanStep, waited: float, unseen: str) -> str:
    """The executor reported a success that the scene does not show."""
    return (
        f"Executor {step.executor!r} reported success for {step}, but after {waited:g} s the scene "
        f"does not show it: {unseen} Let perception publish the change on scene_graph_update, or "
        "set trust_executors."
    )


def stopped(step: PlanStep, reason: StopReason, timeout: float, note: str = "") -> Outcome:
    """What stands for the answer of a step that was stopped before it could give one."""
    limit = f" of {timeout:.1f} s" if reason is StopReason.TIMED_OUT else ""
    message = f"{step} was stopped: {reason.value}{limit}{note}."
    return Outcome(STOP_CODES[reason], message)


def silent(step: PlanStep, waited: float) -> str:
    """A note for `stopped`: the executor has not answered the request to stop."""
    return (
        f"; executor {step.executor!r} has not answered the request to stop within {waited:g} s "
        "and may still be acting"
    )


FORGOTTEN = "; its executor no longer knows of it"
"""A note for `stopped`: the executor was restarted."""


def cancelled(done: int, total: int, unanswered: str) -> str:
    """The plan was cancelled; `unanswered` is the executor that may still be acting, if any."""
    text = f"Cancelled after {done} of {total} steps."
    if unanswered:
        text += f" Executor {unanswered!r} has not answered and may still be acting."
    return text


def step_failed(number: int, total: int, step: PlanStep, outcome: Outcome) -> str:
    """The plan failed with a step."""
    what = f"Step {number} of {total}, {step}, ended with {outcome.code.name}"
    return f"{what}: {outcome.message}" if outcome.message else f"{what}."
