# SPDX-License-Identifier: Apache-2.0
"""Which executors may still be acting: the memory that outlives a single plan.

A step is never given to an executor while it may still act on an earlier one (DESIGN section 5). An
attempt is entered when it is sent and struck out only when its executor answers for it: with a
terminal outcome, by refusing the step, or by saying that it knows no such goal. Time never strikes
it out.
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
    """Attempts that were sent and not yet answered. Not thread-safe: one thread owns it."""

    def __init__(self) -> None:
        self._next_attempt = 1
        self._open: dict[int, PlanStep] = {}

    def open(self, step: PlanStep) -> int:
        """Enter a step that is about to be sent.

        Returns:
            The number of the attempt, never used before.

        Raises:
            RuntimeError: its executor may still be acting. A dispatcher that asks is wrong.
        """
        if self.attempt_of(step.executor) is not None:
            raise RuntimeError(
                f"{step} must not be sent: executor {step.executor!r} "
                "has not answered for its last step"
            )
        attempt = self._next_attempt
        self._next_attempt += 1
        self._open[attempt] = step
        return attempt

    def close(self, attempt: int) -> None:
        """Strike out an attempt whose executor has answered; unknown numbers are ignored."""
        self._open.pop(attempt, None)

    def attempt_of(self, executor: str) -> int | None:
        """The unanswered attempt of this executor, if there is one."""
        for attempt, step in self._open.items():
            if step.executor == executor:
                return attempt
        return None

    def attempts(self) -> tuple[int, ...]:
        """All unanswered attempts."""
        return tuple(self._open)

    def step_of(self, attempt: int) -> PlanStep | None:
        """The step of an unanswered attempt."""
        return self._open.get(attempt)

    def late(self, event: Event) -> tuple[Command, ...]:
        """Take in an event of an attempt whose plan has already ended.

        A late acceptance is answered with a cancel, terminal answers free the executor.
        """
        if isinstance(event, (Rejected, Finished, Forgotten)):
            self.close(event.attempt)
        elif isinstance(event, Accepted):
            step = self.step_of(event.attempt)
            if step is not None:
                return (CancelStep(event.attempt, step.executor),)
        return ()
