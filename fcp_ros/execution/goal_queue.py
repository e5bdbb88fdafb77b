# SPDX-License-Identifier: Apache-2.0
"""The turns of goals: which one is at work, which ones wait, and which one comes next.

A state machine without threads, clocks or ROS. As many goals are at work as there are places: one,
or more that go on side by side (`side_by_side`). The others wait by priority, and within one
priority in the order of their arrival, except that a goal that preempts goes before those. A goal
that is met and stays in force (`kept_goals`) rests, and waits again from the moment in which it has
to be restored, behind those of its priority. Invariants:

- while goals wait, every place is taken: nobody waits for nothing;
- a goal at work keeps its place until `end`, also while it is being stopped. So with one place
  whatever comes meanwhile waits for it, and never acts beside it;
- goals are stopped for others only as far as those find no place otherwise;
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
    """See the module's docstring. Not thread-safe.

    `places`: as many goals are at work at a time.
    """

    def __init__(self, places: int = 1) -> None:
        self._places = places
        self._at_work: dict[bytes, Ticket] = {}  # the oldest first
        self._stopping: set[bytes] = set()  # those of them that are being stopped
        # by rank: (-priority, number); a goal that preempts has a negative number, the newest first
        self._waiting: list[tuple[tuple[int, int], Ticket]] = []
        self._resting: dict[bytes, Ticket] = {}
        self._arrivals = 0

    @property
    def at_work(self) -> tuple[Ticket, ...]:
        """The goals at work, in the order in which they began."""
        return tuple(self._at_work.values())

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """The goals that wait, in the order of their turns."""
        return tuple(ticket for _, ticket in self._waiting)

    @property
    def resting(self) -> tuple[Ticket, ...]:
        """The goals that are met and stay in force, in the order in which they were met."""
        return tuple(self._resting.values())

    def __len__(self) -> int:
        return len(self._waiting)

    def arrive(self, ticket: Ticket, most_waiting: int) -> Reception:
        """Take in a goal, whose key no other goal has; `most_waiting` may wait or rest."""
        if self._is_free:
            self._at_work[ticket.key] = ticket
            return Reception(Admission.BEGINS)
        is_next = len(self._stopping) > len(self._waiting)
        if ticket.when_busy is WhenBusy.REJECT and not is_next:
            text = "Another goal is at work, and this one was not to wait: wait for its end, or "
            return Reception(Admission.REFUSED, text + "send it with when_busy QUEUE or PREEMPT.")
        if len(self._waiting) + len(self._resting) >= most_waiting:
            kept = f" or are kept ({len(self._resting)})" if self._resting else ""
            count = len(self._waiting) + len(self._resting)
            text = f"{count} goals wait{kept} already, which is the limit: send it later."
            return Reception(Admission.REFUSED, text)
        preempts = any(may_preempt(ticket, one) for one in self._at_work.values())
        self._arrivals += 1
        rank = (-ticket.priority, -self._arrivals if preempts else self._arrivals)
        insort(self._waiting, (rank, ticket))
        ahead = sum(1 for other, _ in self._waiting if other < rank)
        stops = self._choose_stopped(ticket, ahead) if preempts else None
        if stops is not None:
            self._stopping.add(stops.key)
        text = _describe_place(len(self._at_work), ahead, bool(self._stopping))
        return Reception(Admission.WAITS, text, stops)

    @property
    def _is_free(self) -> bool:
        return len(self._at_work) < self._places

    def _choose_stopped(self, ticket: Ticket, ahead: int) -> Ticket | None:
        """Choose the goal that makes room: of the lowest priority, and of those the newest."""
        if len(self._stopping) > ahead:
            return None  # a place becomes free for it anyway
        found = [
            one
            for one in self._at_work.values()
            if one.key not in self._stopping and may_preempt(ticket, one)
        ]
        return min(reversed(found), key=lambda one: one.priority, default=None)

    def cancel(self, key: bytes) -> bool:
        """Take note that nobody wants a goal any more.

        Returns True if it waited or rested, and is gone. One at work is being stopped from now on;
        an unknown one changes nothing.
        """
        if key in self._at_work:
            self._stopping.add(key)
            return False
        rest = [entry for entry in self._waiting if entry[1].key != key]
        was_there = len(rest) < len(self._waiting)
        self._waiting = rest
        return self._resting.pop(key, None) is not None or was_there

    def end(self, key: bytes, *, rests: bool = False) -> Ticket | None:
        """Take note that a goal at work has ended, or rests; return the next, at work now."""
        ended = self._at_work.pop(key)
        self._stopping.discard(key)
        if rests:
            self._resting[key] = ended
        if not self._waiting:
            return None
        ticket = self._waiting.pop(0)[1]
        self._at_work[ticket.key] = ticket
        return ticket

    def wake(self, key: bytes) -> Admission:
        """Have a goal that rests wait for its turn, which may come at once."""
        ticket = self._resting.pop(key)
        if self._is_free:
            self._at_work[key] = ticket
            return Admission.BEGINS
        self._arrivals += 1
        insort(self._waiting, ((-ticket.priority, self._arrivals), ticket))
        return Admission.WAITS

    def clear(self) -> tuple[Ticket, ...]:
        """Send all goals away that wait or rest; those at work are being stopped."""
        gone, self._waiting, self._resting = (*self.waiting, *self.resting), [], {}
        self._stopping = set(self._at_work)
        return gone


def may_preempt(ticket: Ticket, other: Ticket) -> bool:
    """Return True if a goal takes the place of another one that is at work."""
    return ticket.when_busy is WhenBusy.PREEMPT and ticket.priority >= other.priority


def _describe_place(at_work: int, ahead: int, is_stopping: bool) -> str:
    present = "the goal at work" if at_work == 1 else f"one of the {at_work} goals at work"
    if is_stopping:
        present += ", which is being stopped" if at_work == 1 else ", some of which are stopping"
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
        self._left = 0

    def resume(self) -> None:
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
