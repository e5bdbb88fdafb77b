# SPDX-License-Identifier: Apache-2.0
"""What follows when a plan has ended: is the goal achieved, planned for anew, or given up?"""

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
    }
)
"""After these a plan from the present state may well succeed. A step that its executor does not
know (INVALID_ACTION) would only be planned again."""


class Verdict(str, Enum):
    """What follows."""

    ACHIEVED = "achieved"
    REPLAN = "replan"
    EXHAUSTED = "exhausted"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Decision:
    """What follows, and why (one sentence)."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class ReplanPolicy:
    """Replans at once (no back-off), at most `max_replans` times for one goal."""

    max_replans: int = 3
    worth: frozenset[OutcomeCode] = field(default=WORTH_REPLANNING)

    def __post_init__(self) -> None:
        if self.max_replans < 0:
            raise ValueError(f"max_replans is {self.max_replans} and must be >= 0")

    def decide(self, result: DispatchResult, replans: int) -> Decision:
        """Decide after a plan has ended.

        Args:
            result: how it ended.
            replans: how often the goal was planned anew before.
        """
        if result.status is DispatchStatus.SUCCEEDED:
            return Decision(Verdict.ACHIEVED, result.message)
        if result.status is DispatchStatus.CANCELLED:
            return Decision(Verdict.CANCELLED, result.message)
        outcome = result.last_outcome
        if result.unanswered or result.status is DispatchStatus.NO_EXECUTOR or outcome is None:
            # While an executor may still act, the state that a new plan starts from is not known.
            return Decision(Verdict.FAILED, result.message)
        if outcome.code not in self.worth:
            return Decision(Verdict.FAILED, result.message)
        if replans >= self.max_replans:
            return Decision(Verdict.EXHAUSTED, self._limit(replans) + result.message)
        return Decision(Verdict.REPLAN, result.message)

    def decide_without_start(self, problem: str, replans: int) -> Decision:
        """Decide when the world changed so much between planning and start that the plan is void.

        Args:
            problem: why it can't be done, one sentence.
            replans: how often the goal was planned anew before.
        """
        if replans >= self.max_replans:
            return Decision(Verdict.EXHAUSTED, self._limit(replans) + problem)
        return Decision(Verdict.REPLAN, problem)

    def _limit(self, replans: int) -> str:
        return f"The goal was planned anew {replans} times, which is the limit. "
