# SPDX-License-Identifier: Apache-2.0
"""The watch over one request: time limit, cancellation, counters, progress."""

from __future__ import annotations

import math
import time

from fcp_ros.planning.model.request import (
    CancelCallback,
    Phase,
    PlanningOptions,
    Progress,
    ProgressCallback,
    ignore_progress,
    never_cancel,
)
from fcp_ros.planning.model.result import PlanStatus

ASK_EVERY = 0.005
"""Seconds between two calls of the cancel callback, which may take a lock."""
REPORT_EVERY = 0.05
"""Seconds between two progress reports within one phase."""


class Interrupted(Exception):
    """A request must stop now.

    Attributes:
        status: TIMEOUT, MEMOUT, CANCELLED, or UNSOLVABLE_INCOMPLETELY for the expansion limit.
        sentence: the limit that was reached, and what to do.
    """

    def __init__(self, status: PlanStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class Watch:
    """Counts what a request spends and interrupts it when a limit is reached.

    Args:
        options: the limits.
        cancelled: asked every few milliseconds; True stops the request.
        progress: told of phases, expansions and the best membership.
    """

    def __init__(
        self,
        options: PlanningOptions,
        cancelled: CancelCallback = never_cancel,
        progress: ProgressCallback = ignore_progress,
    ) -> None:
        self._options = options
        self._cancelled = cancelled
        self._progress = progress
        self._started = time.perf_counter()
        self._asked = 0.0
        self._reported = 0.0
        self.phase = Phase.COMPILE
        self.expansions = 0
        self.best_membership: float | None = None
        self._acceptable_since = math.inf

    @property
    def satisfied(self) -> bool:
        """True if an acceptable plan was found and no better one is wanted."""
        return math.isfinite(self._acceptable_since) and self._options.improve_time == 0.0

    def report_plan(self, membership: float, acceptable: bool) -> None:
        """Report a plan that was found; the time for improving it begins.

        Args:
            membership: of the best plan so far, in [0, 1].
            acceptable: True if it may be handed out.
        """
        self.best_membership = membership
        now = time.perf_counter()
        if acceptable:
            self._acceptable_since = min(self._acceptable_since, now)
        self._report(now)

    @property
    def elapsed(self) -> float:
        """Seconds since the request began."""
        return time.perf_counter() - self._started

    def enter(self, phase: Phase) -> None:
        """Enter a new phase; all phases before verification must be within the limits.

        Verification need not: a plan that was found in time is still verified and returned.
        """
        self.phase = phase
        self._report(time.perf_counter())
        self._asked = 0.0
        if phase is not Phase.VERIFY:
            self.check()

    def resume(self, phase: Phase) -> None:
        """Return to a phase from one inside it; nothing is checked."""
        self.phase = phase

    def check(self) -> None:
        """Raise `Interrupted` if a limit is reached. Cheap: call it in every loop."""
        now = time.perf_counter()
        if now - self._asked >= ASK_EVERY:
            self._asked = now
            if self._cancelled():
                raise Interrupted(
                    PlanStatus.CANCELLED, f"Cancelled by the caller during {self.phase.value}."
                )
            if now - self._reported >= REPORT_EVERY:
                self._report(now)
        if now - self._acceptable_since > self._options.improve_time > 0.0:
            raise Interrupted(
                PlanStatus.TIMEOUT,
                f"It was improved for {self._options.improve_time:g} s and not further.",
            )
        if now - self._started > self._options.time_limit:
            raise Interrupted(
                PlanStatus.TIMEOUT,
                f"The time limit of {self._options.time_limit:g} s passed during "
                f"{self.phase.value}.",
            )

    def check_cancelled(self) -> None:
        """Like `check`, for the stages that the time limit does not cover."""
        if self._cancelled():
            raise Interrupted(
                PlanStatus.CANCELLED, f"Cancelled by the caller during {self.phase.value}."
            )

    @property
    def expansions_left(self) -> int:
        """States that may still be expanded."""
        return max(0, self._options.max_expansions - self.expansions)

    def count_expansions(self, expanded: int, _stored: int) -> None:
        """Count states expanded since the last call; raise `Interrupted` if a limit is reached."""
        self.expansions += expanded
        self.check()

    def out_of_expansions(self) -> Interrupted:
        """Make the interruption for an exhausted expansion limit."""
        return Interrupted(
            PlanStatus.UNSOLVABLE_INCOMPLETELY,
            f"The limit of {self._options.max_expansions} expansions was reached.",
        )

    def _report(self, now: float) -> None:
        self._reported = now
        self._progress(Progress(self.phase, self.expansions, self.best_membership))
