# SPDX-License-Identifier: Apache-2.0
"""Decide what follows when a plan has ended: the goal is achieved, replanned, or given up."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from fcp_ros.execution.dispatch_model import DispatchResult, DispatchStatus
from fcp_ros.execution.outcome import OutcomeCode

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
        outcome = result.last_outcome
        hopeless = (DispatchStatus.NO_EXECUTOR, DispatchStatus.NAME_CONFLICT)
        if result.unanswered or result.status in hopeless or outcome is None:
            # While an executor may still be acting, the initial state of a new plan is unknown.
            return Decision(FollowUp.FAILED, result.message)
        if outcome.code not in self.worth:
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
