# SPDX-License-Identifier: Apache-2.0
"""The words of the dispatcher: its phases, bounds, results, and the world that it asks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from fcp_ros.execution.outcome import Outcome, StepRecord
from fcp_ros.planning.model.plan import PlanStep


class Phase(str, Enum):
    """What the dispatcher is waiting for."""

    READY = "ready"
    FINDING = "finding"
    SENT = "sent"
    RUNNING = "running"
    CONFIRMING = "confirming"
    STOPPING = "stopping"
    FINISHED = "finished"


class DispatchStatus(str, Enum):
    """How a plan ended."""

    SUCCEEDED = "succeeded"
    STEP_FAILED = "step_failed"
    STEP_TIMED_OUT = "step_timed_out"
    NO_EXECUTOR = "no_executor"
    CANCELLED = "cancelled"


class StopReason(str, Enum):
    """Why a step that was sent is being stopped."""

    CANCELLED = "it was cancelled"
    TIMED_OUT = "it took longer than its timeout"
    NOT_ACCEPTED = "its executor neither accepted nor refused it in time"
    LOST = "its executor stopped answering"


@dataclass(frozen=True, slots=True)
class DispatchSettings:
    """Bounds of every wait, in seconds.

    A step may take `max(min_timeout, timeout_factor * expected duration)`. With `trust_executors`
    the effects of a succeeded step that don't show within `settle_time` are written into the world
    (for robots whose perception doesn't report them); otherwise the step counts as
    POSTCONDITION_FAILED.
    """

    timeout_factor: float = 3.0
    min_timeout: float = 10.0
    accept_timeout: float = 5.0
    grace_time: float = 5.0
    executor_wait: float = 5.0
    settle_time: float = 3.0
    trust_executors: bool = False

    def timeout_of(self, step: PlanStep) -> float:
        """How long this step may take (s)."""
        return max(self.min_timeout, self.timeout_factor * step.duration)


@dataclass(frozen=True, slots=True)
class DispatchResult:
    """How a plan ended, in one sentence and in detail.

    `unanswered` names the executor that may still be acting, "" where there is none.
    """

    status: DispatchStatus
    message: str
    steps_done: int
    records: tuple[StepRecord, ...]
    unanswered: str = ""

    @property
    def last_outcome(self) -> Outcome | None:
        """The outcome of the step that was tried last."""
        return self.records[-1].outcome if self.records else None


class WorldView(Protocol):
    """What the dispatcher may ask about the present state of the world."""

    def find_unmet(self, step: PlanStep) -> str:
        """Say why the step can't be done in the present state: one sentence, "" if it can."""

    def find_unseen(self, step: PlanStep) -> str:
        """Say which of the step's effects don't show: one sentence, "" if all do."""
