# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C during a command, and limits that hold in any Python code.

The planner asks again and again if it was cancelled, and then returns the best plan so far. Code
that does not ask, such as readers of files and models that load, is guarded: a timer signal calls
the check of the request between two of its instructions, and whatever that raises ends it there.
That is safe only where nothing of it is used afterwards.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from types import FrameType

from fcp_ros.foundation.stopping import Check
from fcp_ros.grounding.judgement import JudgementRequest, Membership
from fcp_ros.planning.model.memberships import ConfirmingSource, MembershipSource
from fcp_ros.planning.model.watch import Interrupted

TICK = 0.05
"""Seconds between two checks of guarded code."""

SHORTEST = 1e-6
"""Seconds that a timer can be set to; 0 switches it off."""


@contextmanager
def open_interruption() -> Iterator[Interruption]:
    """Take Ctrl-C within the context: the first one cancels, the second one leaves at once.

    Only for the main thread: Python handles signals nowhere else.
    """
    interruption = Interruption()
    handlers = {
        signal.SIGINT: lambda *_: interruption.cancel(),
        signal.SIGALRM: interruption.take_alarm,
    }
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class OuterAlarm:
    """The alarm of a program that runs a command within it, such as the time limit of a test.

    There is one timer in a process: without this, the first guarded code would switch it off.
    """

    def __init__(self) -> None:
        now = monotonic()
        left, _ = signal.getitimer(signal.ITIMER_REAL)
        self._due = now + left if left else math.inf
        self._handler = signal.getsignal(signal.SIGALRM)

    def ring_if_due(self, number: int, frame: FrameType | None) -> None:
        """Call the program's handler, once, if its time is up."""
        if monotonic() >= self._due:
            self._due = math.inf
            if callable(self._handler):
                self._handler(number, frame)

    def restore(self) -> None:
        """Set the timer as the program had it, with the time that is left."""
        is_set = self._due < math.inf
        left = max(self._due - monotonic(), SHORTEST) if is_set else 0.0
        signal.setitimer(signal.ITIMER_REAL, left)


class Interruption:
    """Cancels a request, or ends guarded code."""

    def __init__(self) -> None:
        self.cancelled = False  # True once Ctrl-C was pressed
        self._check: Check | None = None
        self._outer = OuterAlarm()

    def cancel(self) -> None:
        """Cancel the request; the second time leave at once."""
        if self.cancelled:
            raise KeyboardInterrupt
        self.cancelled = True
        self.check()

    def check(self) -> None:
        """End guarded code if its request has ended."""
        if self._check is not None:
            self._check()

    def take_alarm(self, number: int, frame: FrameType | None) -> None:
        """Handle the timer signal: a tick of guarded code, or an alarm of another's."""
        self._outer.ring_if_due(number, frame)
        self.check()

    def is_cancelled(self) -> bool:
        """Return True once Ctrl-C was pressed: the cancel callback of a request."""
        return self.cancelled

    @contextmanager
    def guard(self, check: Check) -> Iterator[None]:
        """A context whose code ends as soon as `check` raises `Interrupted`.

        Nested contexts keep the outer check.
        """
        if self._check is not None:
            yield
            return
        check()
        self._check = check
        signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
        try:
            yield
        except Exception as error:
            self._disarm()
            if not isinstance(error, Interrupted):
                check()  # readers turn any error into one of their own
            raise
        finally:
            self._disarm()

    def _disarm(self) -> None:
        self._check = None
        self._outer.restore()


class GuardedMemberships:
    """A source of memberships whose answers end with the request."""

    def __init__(self, source: MembershipSource, interruption: Interruption, check: Check) -> None:
        self._source = source
        self._interruption = interruption
        self._check = check

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
        with self._interruption.guard(self._check):
            return self._source.judge(requests)

    def confirm(self, requests: Sequence[JudgementRequest]) -> bool:
        """Judge again, more closely, where the source can."""
        if not isinstance(self._source, ConfirmingSource):
            return False
        with self._interruption.guard(self._check):
            return self._source.confirm(requests)
