# SPDX-License-Identifier: Apache-2.0
"""The turns of goals: which one is at work, which ones wait, and which one comes next.

A state machine without threads, clocks or ROS. One goal is at work at a time. The others wait by
priority, and within one priority in the order of their arrival, except that a goal that preempts
goes before those. A goal that is met and stays in force (`kept_goals`) rests, and waits again from
the moment in which it has to be restored, behind those of its priority. Invariants:

- while goals wait, one is at work: nobody waits for nothing;
- a goal at work keeps its place until `end`, also while it is being stopped. So whatever comes
  meanwhile waits for it, and never acts beside it;
- at most as many goals wait or rest as the caller allows, and none of them is dropped for another:
  so one that rests finds room in the queue.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from enum import Enum, IntEnum

LOWEST_PRIORITY, HIGHEST_PRIORITY = -100, 100


class WhenBusy(IntEnum):
    """The wishes of a goal if another one is at work; a test compares them with the actions."""

    QUEUE = 1
    PREEMPT = 2
    REJECT = 3


@dataclass(frozen=True, slots=True)
class Ticket:
    """A goal on its way through the queue."""

    key: bytes
    priority: int = 0  # the higher, the sooner
    when_busy: WhenBusy = WhenBusy.QUEUE


class Admission(str, Enum):
    """The fates of a goal that arrives."""

    BEGINS = "begins"
    WAITS = "waits"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Reception:
    """The answer to a goal that arrives."""

    admission: Admission
    message: str = ""  # one sentence: behind how many it waits, or why it is refused
    stops: Ticket | None = None  # the goal at work, which it preempts and which has to be stopped


class GoalQueue:
    """See the module's docstring. Not thread-safe."""

    def __init__(self) -> None:
        self._current: Ticket | None = None
        self._is_stopping = False
        # by rank: (-priority, number); a goal that preempts has a negative number, the newest first
        self._waiting: list[tuple[tuple[int, int], Ticket]] = []
        self._resting: dict[bytes, Ticket] = {}
        self._arrivals = 0

    @property
    def current(self) -> Ticket | None:
        """The goal at work; None if there is none."""
        return self._current

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """The goals that wait, in the order of their turns."""
        return tuple(ticket for _, ticket in self._waiting)

    @property
    def resting(self) -> tuple[Ticket, ...]:
        """The goals that are met and stay in force, in the order in which they were met."""
        return tuple(self._resting.values())

    def __len__(self) -> int:
        """Number of goals that wait."""
        return len(self._waiting)

    def arrive(self, ticket: Ticket, most_waiting: int) -> Reception:
        """Take in a goal, whose key no other goal has; `most_waiting` may wait or rest."""
        current = self._current
        if current is None:
            self._current = ticket
            return Reception(Admission.BEGINS)
        is_next = self._is_stopping and not self._waiting
        if ticket.when_busy is WhenBusy.REJECT and not is_next:
            text = "Another goal is at work, and this one was not to wait: wait for its end, or "
            return Reception(Admission.REFUSED, text + "send it with when_busy QUEUE or PREEMPT.")
        if len(self._waiting) + len(self._resting) >= most_waiting:
            kept = f" or are kept ({len(self._resting)})" if self._resting else ""
            count = len(self._waiting) + len(self._resting)
            text = f"{count} goals wait{kept} already, which is the limit: send it later."
            return Reception(Admission.REFUSED, text)
        preempts = ticket.when_busy is WhenBusy.PREEMPT and ticket.priority >= current.priority
        self._arrivals += 1
        rank = (-ticket.priority, -self._arrivals if preempts else self._arrivals)
        insort(self._waiting, (rank, ticket))
        stops = current if preempts and not self._is_stopping else None
        self._is_stopping = self._is_stopping or stops is not None
        ahead = sum(1 for other, _ in self._waiting if other < rank)
        return Reception(Admission.WAITS, _describe_place(ahead, self._is_stopping), stops)

    def cancel(self, key: bytes) -> bool:
        """Take note that nobody wants a goal any more.

        Returns True if it waited or rested, and is gone. One at work is being stopped from now on;
        an unknown one changes nothing.
        """
        if self._current is not None and self._current.key == key:
            self._is_stopping = True
            return False
        rest = [entry for entry in self._waiting if entry[1].key != key]
        was_there = len(rest) < len(self._waiting)
        self._waiting = rest
        return self._resting.pop(key, None) is not None or was_there

    def end(self, *, rests: bool = False) -> Ticket | None:
        """Take note that the goal at work has ended, or rests; return the next, at work now."""
        if rests and self._current is not None:
            self._resting[self._current.key] = self._current
        self._is_stopping = False
        self._current = self._waiting.pop(0)[1] if self._waiting else None
        return self._current

    def wake(self, key: bytes) -> Admission:
        """Have a goal that rests wait for its turn, which may come at once."""
        ticket = self._resting.pop(key)
        if self._current is None:
            self._current = ticket
            return Admission.BEGINS
        self._arrivals += 1
        insort(self._waiting, ((-ticket.priority, self._arrivals), ticket))
        return Admission.WAITS

    def clear(self) -> tuple[Ticket, ...]:
        """Send all goals away that wait or rest; the one at work is being stopped."""
        gone, self._waiting, self._resting = (*self.waiting, *self.resting), [], {}
        self._is_stopping = self._current is not None
        return gone


def _describe_place(ahead: int, is_stopping: bool) -> str:
    present = "the goal at work, which is being stopped" if is_stopping else "the goal at work"
    if not ahead:
        return f"Waits for {present}."
    return f"Waits for {present}, and for {ahead} more."


class Pace:
    """The number of steps that may begin: all, or after a pause those that were let through."""

    # Not thread-safe.

    def __init__(self) -> None:
        self._left: int | None = None  # None: as many as there are

    @property
    def is_paused(self) -> bool:
        """True from `pause` or `step` to `resume`."""
        return self._left is not None

    def pause(self) -> None:
        """Let no further step begin."""
        self._left = 0

    def resume(self) -> None:
        """Let all steps begin."""
        self._left = None

    def step(self) -> None:
        """Let one more step begin, and pause then."""
        self._left = 1 + (self._left or 0)

    def take(self) -> bool:
        """Return True if a step may begin, which uses up one that was let through."""
        if self._left is None:
            return True
        if not self._left:
            return False
        self._left -= 1
        return True
