# SPDX-License-Identifier: Apache-2.0
"""A goal of ``achieve_goal`` from turn to turn: what it keeps is restored when it is undone."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.execution.kept_goals import KeepSettings, Restorations, find_unkeepable, is_kept
from fcp_ros.msg import PlanRequest
from fcp_ros.nodes.executive.parameters import GoalError
from fcp_ros.nodes.executive.standing_wish import StandingWish

WORTH_ANOTHER_TURN = frozenset(
    {
        GoalError.PLANNING_FAILED,
        GoalError.REPLANS_EXHAUSTED,
        GoalError.NO_EXECUTOR,
        GoalError.TIMED_OUT,
        GoalError.EXECUTOR_LOST,
        GoalError.SCENE_LOST,
        GoalError.NAME_CONFLICT,
        GoalError.TOO_LATE,
    }
)
"""Ends of an attempt to restore what is kept after which another one, later, may succeed."""


class GoalKeeping:
    """A goal between its turns. All methods belong to the threads of goals."""

    def __init__(
        self,
        request: PlanRequest,
        domain: Domain,
        find_present: Callable[[], Instance | None],  # returns the state as it is seen
        settings: KeepSettings,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.wish = StandingWish(request)
        self.is_in_force = False  # it was met, and may have been undone since
        self._domain = domain
        self._find_present = find_present
        self._attempts = Restorations(settings)
        self._now = now
        self._problem = ""  # of the last attempt
        self._seen: tuple[str, Instance, bool] | None = None  # what was looked at last

    def find_unkeepable(self) -> str:
        """Say why what the goal wants kept can't be watched; "" if it can, or there is none."""
        present = self._find_present()
        if not self.wish.kept or present is None:
            return ""
        return find_unkeepable(self.wish.kept, self._domain, present)

    @property
    def is_met(self) -> bool:
        """True while all that is kept holds, as far as anything is seen."""
        present, kept = self._find_present(), self.wish.kept
        if present is None:
            return True
        if self._seen is None or self._seen[0] != kept or self._seen[1] is not present:
            self._seen = kept, present, is_kept(kept, self._domain, present)
        return self._seen[2]

    def find_excess(self) -> str:
        """Say that it had to be restored too often; "" if it may be tried again."""
        excess = self._attempts.find_excess(self._now())
        return f"{excess} {self._problem}".rstrip() if excess else ""

    def is_to_rest(self, code: int, message: str) -> bool:
        """Take note of the end of a turn; return True if the goal stays in force after it."""
        if not self.wish.kept:
            return False
        has_succeeded = code == int(GoalError.NONE)
        if not self.is_in_force:  # as long as it was never met, it ends as other goals do
            self.is_in_force = has_succeeded
            return has_succeeded
        self._attempts.note_end(self._now())
        self._problem = "" if has_succeeded else message
        return has_succeeded or code in WORTH_ANOTHER_TURN

    def find_turn(self) -> float:
        """Return when the goal has to be worked on again (s); infinity while it is met."""
        return math.inf if self.is_met else self._attempts.find_start(self._now())

    def describe(self) -> str:
        total = self._attempts.total
        often = f" It was worked on again {total} time{'' if total == 1 else 's'}." if total else ""
        if not self._problem:
            return f"It holds, and is kept.{often}"
        wait = max(0.0, self._attempts.find_start(self._now()) - self._now())
        return f"It is tried again in {wait:.0f} s: {self._problem}{often}"
