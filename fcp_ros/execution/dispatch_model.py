# SPDX-License-Identifier: Apache-2.0
"""The dispatcher's phases, settings, results and sentences, and what follows from a result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from fcp_ros.execution.outcome import Outcome, OutcomeCode, StepRecord
from fcp_ros.foundation.wording import join_words
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.model.request import AbsentExecutor


class DispatchPhase(str, Enum):
    """The states of a step; each one waits for something (see dispatch.py)."""

    READY = "ready"
    FINDING = "finding"
    SENT = "sent"
    RUNNING = "running"
    CONFIRMING = "confirming"
    STOPPING = "stopping"
    AWAITING_SCENE = "awaiting_scene"
    PAUSED = "paused"
    FINISHED = "finished"


class DispatchStatus(str, Enum):
    """The ways in which a plan can end."""

    SUCCEEDED = "succeeded"
    STEP_FAILED = "step_failed"
    STEP_TIMED_OUT = "step_timed_out"
    NO_EXECUTOR = "no_executor"
    EXECUTOR_LOST = "executor_lost"
    CANCELLED = "cancelled"
    OUTDATED = "outdated"
    """All that was done succeeded, and the rest is not wanted any more."""
    SCENE_LOST = "scene_lost"
    """Nobody keeps the state of the world up to date, and nobody did for long."""
    NAME_CONFLICT = "name_conflict"
    """Two executors act under one name: a step would be done twice."""


class StopReason(str, Enum):
    """The reasons for stopping a step that was sent."""

    CANCELLED = "it was cancelled"
    TIMED_OUT = "it took longer than its timeout"
    NOT_ACCEPTED = "its executor neither accepted nor refused it in time"
    LOST = "its executor stopped answering"
    GIVEN_UP = "its plan was given up, and it did not end in time"


@dataclass(frozen=True, slots=True)
class DispatchSettings:
    """Bounds of every wait, in seconds."""

    timeout_factor: float = 3.0  # a step may take this times its expected duration
    min_timeout: float = 10.0  # every step may take this long
    accept_timeout: float = 5.0  # to accept or refuse a step
    grace_time: float = 5.0  # to answer a request to stop
    executor_wait: float = 5.0
    settle_time: float = 3.0  # for the effects of a succeeded step to show in the world
    scene_wait: float = 60.0  # for the world to be kept up to date again
    finish_wait: float = 30.0  # for other steps to end by themselves when one has failed
    # if True, effects that don't show when a step has succeeded are written into the world at once
    # (for robots whose perception doesn't report them). Otherwise a step whose effects don't show
    # in time has failed with POSTCONDITION_FAILED.
    trust_executors: bool = False

    def find_timeout(self, step: PlanStep) -> float:
        """Return the time that a step may take (s)."""
        return max(self.min_timeout, self.timeout_factor * step.duration)


@dataclass(frozen=True, slots=True)
class DispatchResult:
    """The end of a plan, in one sentence and in detail."""

    status: DispatchStatus
    message: str  # why, and what to do
    steps_done: int
    records: tuple[StepRecord, ...]
    unanswered: str = ""  # the executors that may still be acting, with commas; "" if none
    # the robots whose own executors are gone; () if one is gone that others need as well
    lost_robots: tuple[str, ...] = ()

    @property
    def failure(self) -> Outcome | None:
        """The outcome of the step that failed first; None if none did."""
        outcomes = (record.outcome for record in self.records)
        return next((outcome for outcome in outcomes if not outcome.succeeded), None)


@dataclass(frozen=True, slots=True)
class PlanFailure:
    """A reason why a plan can't go on."""

    status: DispatchStatus
    message: str
    unanswered: str = ""  # the executor that may still be acting; "" if none
    gone: tuple[str, ...] = ()  # the executors that are not there, or say nothing

    @classmethod
    def of_step(cls, record: StepRecord, total: int, gone: tuple[str, ...]) -> PlanFailure:
        status = STATUSES.get(record.outcome.code, DispatchStatus.STEP_FAILED)
        text = describe_failed_step(record.index + 1, total, record.step, record.outcome)
        return cls(status, text, gone=gone)


STATUSES = {
    OutcomeCode.TIMED_OUT: DispatchStatus.STEP_TIMED_OUT,
    OutcomeCode.EXECUTOR_LOST: DispatchStatus.EXECUTOR_LOST,
    OutcomeCode.SCENE_LOST: DispatchStatus.SCENE_LOST,
}
"""Outcome of the failed step -> end of its plan; otherwise STEP_FAILED."""


class WorldView(Protocol):
    """The questions of the dispatcher about the present state of the world."""

    def find_unmet(self, step: PlanStep) -> str:
        """Say why the step can't be done in the present state: one sentence, "" if it can."""

    def find_unseen(self, step: PlanStep) -> str:
        """Say which of the step's effects don't show: one sentence, "" if all do."""


# --- sentences for people


STOP_CODES = {
    StopReason.CANCELLED: OutcomeCode.CANCELLED,
    StopReason.TIMED_OUT: OutcomeCode.TIMED_OUT,
    StopReason.NOT_ACCEPTED: OutcomeCode.TIMED_OUT,
    StopReason.LOST: OutcomeCode.EXECUTOR_LOST,
    StopReason.GIVEN_UP: OutcomeCode.CANCELLED,
}
"""The outcome of a step that was stopped before its executor gave one."""


def describe_missing_executors(names: Iterable[str], waited: float) -> str:
    shown = ", ".join(map(repr, names))
    return (
        f"No executor answered under {shown} within {waited:g} s; start an ExecuteStep action "
        "server of that name, or correct the executor in the domain."
    )


def describe_absent(absent: Iterable[AbsentExecutor]) -> str:
    """Say what was planned without; "" for nothing."""
    by_agent: dict[str, list[str]] = {}
    for one in sorted(absent):
        by_agent.setdefault(one.agent, []).append(one.executor)
    shown = [f"{agent} ({', '.join(names)})" for agent, names in by_agent.items()]
    return f"Executors that do not answer are left out: {join_words(shown)}." if shown else ""


def describe_lost_scene(reason: str, waited: float) -> str:
    return f"{reason} Nothing was sent for {waited:g} s, and the rest of the plan is given up."


def describe_held_executor(name: str, step: PlanStep, waited: float) -> str:
    return (
        f"Executor {name!r} may still be acting on {step}: it has not answered within "
        f"{waited:g} s, so nothing more is sent to it, or to another executor of that robot. Make "
        "it answer, or restart it."
    )


def describe_refusal(step: PlanStep, said: str) -> str:
    """Say that the executor refused the step; `said` is its reason, "" if it gave none."""
    reason = f": {said}" if said else "; is it active, and does it know this action?"
    return f"Executor {step.executor!r} refused {step}{reason}"


def describe_unconfirmed(step: PlanStep, waited: float, unseen: str) -> str:
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


def describe_loss(step: PlanStep) -> str:
    """Make a note for `make_stop_outcome`: the executor has disappeared."""
    return (
        f"; executor {step.executor!r} has died or lost its connection, and may still be acting "
        "until it answers again"
    )


FORGOTTEN = "; its executor no longer knows of it"
"""A note for `make_stop_outcome`: the executor was restarted."""


def describe_cancellation(done: int, total: int, unanswered: Sequence[str]) -> str:
    """Say that the plan was cancelled; `unanswered` are executors that may still be acting."""
    text = f"Cancelled after {done} of {total} steps."
    for name in unanswered:
        text += f" Executor {name!r} has not answered and may still be acting."
    return text


def describe_failed_step(number: int, total: int, step: PlanStep, outcome: Outcome) -> str:
    what = f"Step {number} of {total}, {step}, ended with {outcome.code.name}"
    return f"{what}: {outcome.message}" if outcome.message else f"{what}."


# --- what follows when a plan has ended: the goal is achieved, replanned, or given up


WORTH_REPLANNING = frozenset(
    {
        OutcomeCode.PRECONDITION_FAILED,
        OutcomeCode.PLANNING_FAILED,
        OutcomeCode.EXECUTION_FAILED,
        OutcomeCode.POSTCONDITION_FAILED,
        OutcomeCode.TIMED_OUT,
        OutcomeCode.EXECUTOR_LOST,
        OutcomeCode.SCENE_LOST,
    }
)
"""Outcomes after which a plan from the present state may well succeed.

INVALID_ACTION, BUSY and NODE_INACTIVE are none of them: the same step would be planned again. An
executor that was lost is one if it has come back (else its plan is `unanswered`), and after a lost
scene the next plan waits until somebody keeps it again."""


class FollowUp(str, Enum):
    """The possible follow-ups of a plan that has ended."""

    ACHIEVED = "achieved"
    REPLAN = "replan"
    EXHAUSTED = "exhausted"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Decision:
    """A follow-up, and its reason in one sentence."""

    follow_up: FollowUp
    reason: str
    is_counted: bool = True  # among the replans of the goal, which are limited


@dataclass(frozen=True, slots=True)
class ReplanPolicy:
    """Replans immediately, at most `max_replans` times for one goal."""

    max_replans: int = 3
    worth: frozenset[OutcomeCode] = field(default=WORTH_REPLANNING)

    def __post_init__(self) -> None:
        if self.max_replans < 0:
            raise ValueError(f"max_replans is {self.max_replans} and must be >= 0")

    def decide(self, result: DispatchResult, replans: int) -> Decision:
        """Decide what follows after a plan has ended.

        `replans`: how often the goal was replanned so far.
        """
        if result.status is DispatchStatus.SUCCEEDED:
            return Decision(FollowUp.ACHIEVED, result.message)
        if result.status is DispatchStatus.CANCELLED:
            return Decision(FollowUp.CANCELLED, result.message)
        if result.status is DispatchStatus.OUTDATED:
            return self._decide_again(result.message, replans)
        outcome = result.failure
        if result.status is DispatchStatus.NAME_CONFLICT:
            return Decision(FollowUp.FAILED, result.message)
        is_missing = result.status is DispatchStatus.NO_EXECUTOR or outcome is None
        if not result.lost_robots and (result.unanswered or is_missing):
            # Nobody else has that executor. And while it may still be acting, the initial state of
            # a new plan is unknown. Of a lost robot it is, too: the other robots' plan may do
            # without it, and their steps' conditions are looked at when they are sent.
            return Decision(FollowUp.FAILED, result.message)
        if outcome is not None and outcome.code not in self.worth:
            return Decision(FollowUp.FAILED, result.message)
        return self._decide_again(result.message, replans)

    def decide_without_start(self, problem: str, replans: int) -> Decision:
        """Decide what follows if a change of the world has voided a plan before its start.

        `problem`: why the plan can't be done, one sentence. `replans`: how often the goal was
        replanned so far.
        """
        return self._decide_again(problem, replans)

    def _decide_again(self, problem: str, replans: int) -> Decision:
        if replans >= self.max_replans:
            return Decision(FollowUp.EXHAUSTED, self._describe_limit(replans) + problem)
        return Decision(FollowUp.REPLAN, problem)

    def _describe_limit(self, replans: int) -> str:
        return f"The goal was replanned {replans} times, which is the limit. "
