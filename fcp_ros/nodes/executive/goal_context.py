# SPDX-License-Identifier: Apache-2.0
"""One goal on its way through the executive: its events, what others see of it, its end or rest."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from builtin_interfaces.msg import Time

from fcp_ros.execution.goal_conflicts import Literals
from fcp_ros.msg import ExecutiveGoal, Plan
from fcp_ros.nodes.runtime.worker import CancelToken


@dataclass(frozen=True)
class GoalCancelled:
    """Event: wakes the thread of a goal whose token was cancelled."""


@dataclass(frozen=True)
class GoalsChanged:
    """Event: a goal has come to wait or left, or a pause began; `GoalThreads` knows which."""


@dataclass(frozen=True)
class RestingDue:
    """Event: look at the goals that rest."""


@dataclass(frozen=True)
class Rest:
    """The work on a goal is over for now: it is met, and stays in force.

    `find_turn`: called in a goal's thread; returns from when on (s, of `time.monotonic`) the goal
    is to be worked on again, infinity while it is met.
    """

    find_turn: Callable[[], float]


@dataclass(frozen=True)
class EarlyEnd:
    """The end of a goal by the executive itself."""

    code: str  # a name that the error codes of both actions have
    sentence: str


class GoalWithdrawn(Exception):
    """A goal has ended while it waited or rested; the text is a sentence for its client."""


class ThreadClosed(RuntimeError):
    """The thread is to end at once: whoever takes an event gets this instead."""


class EventQueue:
    """The bounded queue of events between rclpy's callbacks and the thread of a goal.

    Events are taken in the order in which they were posted. An event that is posted under a key
    replaces the one that still waits under the same key (progress, "the scene changed"): however
    often such events arrive, each key takes one place. Events without a key are never dropped; they
    are answers, and as many as there were questions.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[Hashable, object] = OrderedDict()
        self._number = 0
        self._closed = False
        self._changed = threading.Condition()

    def post(self, event: object, key: Hashable | None = None) -> None:
        """Add an event; from any thread, returns at once."""
        with self._changed:
            if key is None:
                self._number += 1
                key = ("event", self._number)
            self._waiting[key] = event
            self._changed.notify()

    def drain(self) -> list[object]:
        with self._changed:
            events = list(self._waiting.values())
            self._waiting.clear()
            return events

    def take(self, until: float | None) -> object | None:
        """Take out the oldest event; wait for one.

        `until`: time (s, of `time.monotonic`) to wait until; None waits as long as it takes.
        Returns the event, or None when the time has come and there is no event. Raises ThreadClosed
        if the queue was closed.
        """
        with self._changed:
            while not self._waiting or self._closed:
                if self._closed:
                    raise ThreadClosed
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0.0:
                    return None
                self._changed.wait(left)
            return self._waiting.popitem(last=False)[1]

    def close(self) -> None:
        """End all waits for events, now and later."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def __len__(self) -> int:
        with self._changed:
            return len(self._waiting)


@dataclass(frozen=True)
class GoalView:
    """A goal as others see it."""

    status: int = ExecutiveGoal.WAITING
    since: Any = field(default_factory=Time)  # it has this status
    note: str = ""  # one sentence about its turn
    acting: str = ""  # who is doing which steps of the plan: one sentence
    literals: Literals = field(default_factory=dict)  # what it demands of ground atoms
    plan: Plan | None = None  # that is being executed
    done: frozenset[int] = frozenset()  # positions of its steps that have succeeded


class RunningPlan(Protocol):
    """A plan whose steps are being done while its goal waits for something else."""

    def look(self) -> float | None:
        """Look at the time; return by when the plan wants to be told (s, of `time.monotonic`)."""

    def take(self, event: object | None) -> None:
        """Take an event of the goal; None: the time has come."""


class GoalContext:
    """One goal of an action on its way through the executive."""

    def __init__(
        self,
        goal: Any,
        # Has the action server execute the goal. Until then it has a status and no coroutine: rclpy
        # resumes all coroutines whenever one of them can go on
        execute: Callable[[], None] = lambda: None,
    ) -> None:
        self.goal = goal
        self._execute: Callable[[], None] | None = execute
        self.token = CancelToken()  # Cancelled when somebody wants the goal to end
        self.events = EventQueue()  # Only while it is at work: see `GoalThreads.post_to`
        self.running: RunningPlan | None = None  # hears of the goal's events in any wait
        self.rest: Rest | None = None  # from its first rest on; guarded by the threads' lock
        self.interruption: EarlyEnd | None = None  # None while the executive goes on with it
        # Of the work on it; GoalWithdrawn if that never begins
        self.answer: Future[Any] = Future()
        self.view = GoalView()  # replaced as a whole, so that any thread may read it
        self._lock = threading.Lock()
        self.answer.add_done_callback(lambda _answer: self.begin())

    def begin(self) -> None:
        """Have the goal executed: its turn has come, or it has ended before."""
        with self._lock:
            execute, self._execute = self._execute, None
        if execute is not None:
            execute()

    @property
    def key(self) -> bytes:
        return bytes(self.goal.goal_id.uuid)

    @property
    def is_cancelled(self) -> bool:
        return self.token.cancelled

    def show(self, **changes: Any) -> None:
        with self._lock:
            self.view = replace(self.view, **changes)

    def interrupt(self, interruption: EarlyEnd) -> None:
        self.interruption = interruption
        self.token.cancel()


def find_earlier(one: float | None, other: float | None) -> float | None:
    """Return the earlier of two times; None stands for never."""
    return min((moment for moment in (one, other) if moment is not None), default=None)
