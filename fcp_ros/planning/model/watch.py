# SPDX-License-Identifier: Apache-2.0
"""The watch over one request: time and memory limits, cancellation, counters, progress.

One deadline holds from the first byte to the last: `RequestStart` is taken before files are read,
and handed to every stage. The stages up to the search call `check`, those after it
`check_conclusion`: a plan that was found in time is still verified, and returned a moment later.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from fcp_ros.foundation.stopping import WorkStopped
from fcp_ros.planning.model.request import (
    BestPlan,
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
MEASURE_EVERY = 0.02
"""Seconds between two looks at the memory of the process (20 us each)."""
REPORT_EVERY = 0.05
"""Seconds between two progress reports within one phase."""
CONCLUSION = 0.3
"""Seconds of processor time after a limit or a cancellation within which a plan found before is
still verified."""
LONGEST_CONCLUSION = 1.2
"""Seconds of it by the clock: on a busy machine, a plan that is there should not be lost for a
moment of waiting."""
SHARE_OF_VERIFICATION = 0.125
"""Share of the time limit that the stages up to the search leave to the verifier."""
LONGEST_SHARE = 5.0
"""Seconds of it, at most."""
MEBIBYTE = 1 << 20


class Interrupted(WorkStopped):
    """A request must stop now."""

    def __init__(self, status: PlanStatus, sentence: str) -> None:
        super().__init__(sentence)
        # TIMEOUT, MEMOUT, CANCELLED, or UNSOLVABLE_INCOMPLETELY for the expansion limit
        self.status = status
        self.sentence = sentence  # the limit that was reached, and what to do


def measure_memory() -> int:
    """Measure the resident memory of this process (bytes)."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    except OSError:  # not Linux: the peak so far, which macOS states in bytes
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return pages * resource.getpagesize()


@dataclass(frozen=True, slots=True)
class RequestStart:
    """The moment at which a request began: from here on its limits count."""

    time: float  # s, of `time.monotonic`
    memory: int  # of the process at that time (bytes)

    @classmethod
    def now(cls) -> RequestStart:
        """Begin a request."""
        return cls(time.monotonic(), measure_memory())


class Watch:
    """Counts what a request spends and interrupts it when a limit is reached.

    Attributes:
        best, membership_bound, cost_bound, left_out_bound: as in `Progress`.
    """

    def __init__(
        self,
        options: PlanningOptions,
        cancelled: CancelCallback = never_cancel,
        progress: ProgressCallback = ignore_progress,
        start: RequestStart | None = None,
        phase: Phase = Phase.COMPILE,
    ) -> None:
        self._options = options
        self._cancelled = cancelled
        self._progress = progress
        self.start = start or RequestStart.now()
        self._asked = 0.0
        self._measured = 0.0
        self._reported = 0.0
        self.phase = phase
        self.expansions = 0
        self.best: BestPlan | None = None
        self.membership_bound = 1.0
        self.cost_bound = 0.0
        self.left_out_bound = 0
        self._acceptable_since = math.inf
        self._cancelled_at = math.inf
        self._used_before: float | None = None
        self._kept = min(SHARE_OF_VERIFICATION * options.time_limit, LONGEST_SHARE)
        self._told: tuple[BestPlan | None, float, float, int] | None = None
        # the interruption by the caller, once it was noticed; None before
        self.cancellation: Interrupted | None = None

    @property
    def satisfied(self) -> bool:
        """True if an acceptable plan was found and no better one is wanted."""
        return math.isfinite(self._acceptable_since) and self._options.improve_time == 0.0

    def report_plan(self, best: BestPlan, acceptable: bool) -> None:
        """Report a plan that was found; the time for improving it begins."""
        self.best = best
        now = time.monotonic()
        if acceptable:
            self._acceptable_since = min(self._acceptable_since, now)
        self._report(now)

    @contextmanager
    def look_aside(self, seconds: float, *, enough: bool = False) -> Iterator[None]:
        """A context for another search within the request, once its answer is there.

        It has its own time, and what it finds is not told as progress of the request.

        Args:
            enough: take the first plan.
        """
        options, since = self._options, self._acceptable_since
        kept = self._kept
        told = self.best, self.membership_bound, self.cost_bound, self.left_out_bound
        limit = min(options.time_limit, self.elapsed + seconds)
        improve_time = 0.0 if enough else math.inf
        self._options = replace(options, time_limit=limit, improve_time=improve_time)
        self._acceptable_since, self._told = math.inf, told
        self._kept = 0.0
        try:
            yield
        finally:
            self._options, self._acceptable_since = options, since
            self._kept = kept
            self.best, self.membership_bound, self.cost_bound, self.left_out_bound = told
            self._told = None

    @property
    def elapsed(self) -> float:
        """Seconds since the request began."""
        return time.monotonic() - self.start.time

    @property
    def time_left(self) -> float:
        """Seconds until the time limit; 0 if it has passed."""
        return max(0.0, self._options.time_limit - self.elapsed)

    @property
    def time_free(self) -> float:
        """Seconds until the time limit beside those kept for the stages after the search."""
        return max(0.0, self.time_left - self._kept)

    def enter(self, phase: Phase) -> None:
        """Enter a new phase; all phases before there is an answer must be within the limits."""
        self.resume(phase)
        self._report(time.monotonic())
        self._asked = self._measured = 0.0
        if phase not in (Phase.VERIFY, Phase.EXPLAIN):
            self.check()

    def resume(self, phase: Phase) -> None:
        """Return to a phase from one inside it; nothing is checked."""
        if self._told is None:  # a search beside the request is part of one phase
            self.phase = phase

    def check(self, ahead: float = 0.0) -> None:
        """Raise `Interrupted` if a limit is reached. Cheap: call it in every loop.

        Args:
            ahead: seconds that the next step takes: the time limit must leave room for them.
        """
        now = time.monotonic()
        if now - self._asked >= ASK_EVERY:
            self._asked = now
            self._check_cancelled(now, False)
            if now - self._measured >= MEASURE_EVERY:
                self._measured = now
                self._check_memory()
            if now - self._reported >= REPORT_EVERY:
                self._report(now)
        if now - self._acceptable_since > self._options.improve_time > 0.0:
            raise Interrupted(
                PlanStatus.TIMEOUT,
                f"It was improved for {self._options.improve_time:g} s and not further.",
            )
        self._check_time(now, -max(ahead, self._kept))

    def check_conclusion(self) -> None:
        """Like `check`, for the stages after the search: limits are reached a moment later."""
        now = time.monotonic()
        self._check_cancelled(now, True)
        over_for = now - self.start.time - self._options.time_limit
        if over_for > 0.0 and self._is_concluded(over_for):
            self._check_time(now, 0.0)

    def _check_cancelled(self, now: float, concluding: bool) -> None:
        if self.cancellation is None and self._cancelled():
            sentence = f"Cancelled by the caller during {self.phase.value}."
            self.cancellation = Interrupted(PlanStatus.CANCELLED, sentence)
            self._cancelled_at, self._used_before = now, None
        if self.cancellation is None:
            return
        if not concluding or self._is_concluded(now - self._cancelled_at):
            raise self.cancellation

    def _is_concluded(self, seconds: float) -> bool:
        """Return True if the time for a conclusion is over; CPU time counts from the first call."""
        used = time.thread_time()
        if self._used_before is None:
            self._used_before = used
        return used - self._used_before >= CONCLUSION or seconds >= LONGEST_CONCLUSION

    def _check_time(self, now: float, grace: float) -> None:
        limit = self._options.time_limit
        if now - self.start.time > limit + grace:
            raise Interrupted(
                PlanStatus.TIMEOUT,
                f"The time limit of {limit:g} s passed during {self.phase.value}.",
            )

    def _check_memory(self) -> None:
        if self.memory_left < 0:
            raise self.out_of_memory()

    @property
    def memory_left(self) -> int:
        """Bytes by which the process may still grow."""
        grown = measure_memory() - self.start.memory
        return int(self._options.memory_limit * MEBIBYTE) - grown

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

    def out_of_memory(self) -> Interrupted:
        """Make the interruption for an exhausted memory limit."""
        return Interrupted(
            PlanStatus.MEMOUT,
            f"The memory limit of {self._options.memory_limit:g} MiB was reached during "
            f"{self.phase.value}.",
        )

    def _report(self, now: float) -> None:
        self._reported = now
        told = self._told or (
            self.best,
            self.membership_bound,
            self.cost_bound,
            self.left_out_bound,
        )
        self._progress(Progress(self.phase, self.expansions, now - self.start.time, *told))
