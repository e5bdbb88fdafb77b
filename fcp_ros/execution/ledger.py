# SPDX-License-Identifier: Apache-2.0
"""The executors that may still be acting: the memory that outlives a single plan.

A step is never given to an executor while it may still be acting on an earlier one
(docs/design.md). Invariants:

- at most one attempt of each executor is open (`open` refuses a second one);
- an attempt is closed only by an answer of its executor: a terminal outcome, the refusal of the
  step, or the statement that it knows no such goal. Time never closes it, nor does the end of a
  plan;
- a number is never used twice, so that a late answer can't be taken for that of a newer attempt.
"""

from __future__ import annotations

from fcp_ros.execution.events import (
    Accepted,
    CancelStep,
    Command,
    Event,
    Finished,
    Forgotten,
    Rejected,
)
from fcp_ros.planning.model.plan import PlanStep


class ExecutorLedger:
    """The attempts that were sent and not answered yet. Not thread-safe: one thread owns it."""

    def __init__(self) -> None:
        self._next_attempt = 1
        self._open: dict[int, PlanStep] = {}

    def open(self, step: PlanStep) -> int:
        """Open an attempt for a step that is about to be sent.

        Returns the number of the attempt, never used before. Raises RuntimeError if its executor
        may still be acting. The dispatcher must not ask then.
        """
        if self.find_attempt(step.executor) is not None:
            raise RuntimeError(
                f"{step} must not be sent: executor {step.executor!r} "
                "has not answered for its last step"
            )
        attempt = self._next_attempt
        self._next_attempt += 1
        self._open[attempt] = step
        return attempt

    def close(self, attempt: int) -> None:
        """Close an attempt whose executor has answered; unknown numbers are ignored."""
        self._open.pop(attempt, None)

    def find_attempt(self, executor: str) -> int | None:
        """Return the open attempt of an executor, or None."""
        for attempt, step in self._open.items():
            if step.executor == executor:
                return attempt
        return None

    def list_attempts(self) -> tuple[int, ...]:
        """Return all open attempts."""
        return tuple(self._open)

    def find_step(self, attempt: int) -> PlanStep | None:
        """Return the step of an open attempt, or None."""
        return self._open.get(attempt)

    def take_late(self, event: Event) -> tuple[Command, ...]:
        """Take in an event of an attempt whose plan has already ended."""
        # A late acceptance is answered with a cancel; a terminal answer frees the executor.
        if isinstance(event, (Rejected, Finished, Forgotten)):
            self.close(event.attempt)
        elif isinstance(event, Accepted):
            step = self.find_step(event.attempt)
            if step is not None:
                return (CancelStep(event.attempt, step.executor),)
        return ()
