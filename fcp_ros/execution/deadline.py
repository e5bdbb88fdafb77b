# SPDX-License-Identifier: Apache-2.0
"""The deadline of a plan while it is executed: noticed as soon as it can't be kept any more."""

from __future__ import annotations

import math
from collections.abc import Sequence


class DeadlineWatch:
    """Compares the expected end of a plan with its deadline. Not thread-safe.

    Steps are done one after the other, so the plan ends when the present step and all after it have
    taken as long as expected; a step that takes longer is expected to end now.

    Args:
        durations: Expected durations of the steps (s), in order.
        deadline: Longest time for all of it (s); infinite for none.
        begun: The clock's time when the execution began, of an earlier plan for the same goal too.
    """

    def __init__(self, durations: Sequence[float], deadline: float, begun: float) -> None:
        self._durations = tuple(durations)
        self._deadline = deadline
        self._begun = begun
        self._index = 0
        self._started: float | None = None

    def begin_step(self, index: int, now: float) -> None:
        """Note that a step has been sent."""
        self._index, self._started = index, now

    def end_step(self, index: int) -> None:
        """Note that a step has ended."""
        self._index, self._started = index + 1, None

    def find_moment(self, now: float) -> float | None:
        """Return the clock's time from which the deadline can't be kept if nothing happens.

        None without a deadline; `now` or earlier if it can't be kept already.
        """
        if not math.isfinite(self._deadline):
            return None
        rest = sum(self._durations[self._index :])
        end = self._begun + self._deadline
        if self._started is None:
            return end - rest
        own = self._durations[self._index]
        after = end - (rest - own)
        return now if self._started + own > after else after

    def find_breach(self, now: float) -> str:
        """Say that the deadline can't be kept any more: one sentence; "" while it can."""
        moment = self.find_moment(now)
        if moment is None or now < moment:
            return ""
        rest = sum(self._durations[self._index :])
        if self._started is not None:
            own = self._durations[self._index]
            rest -= min(own, now - self._started)
        took = now - self._begun
        return (
            f"The deadline of {self._deadline:g} s can't be kept any more: {took:.1f} s have "
            f"passed, and the rest of the plan is expected to take {rest:.1f} s."
        )


def describe_delay(deadline: float, took: float) -> str:
    """Say that a deadline was missed: one sentence; "" if it was kept (both in s)."""
    if took <= deadline:
        return ""
    return f"The deadline was missed: {deadline:g} s were allowed, and it took {took:.1f} s."
