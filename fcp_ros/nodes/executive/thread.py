# SPDX-License-Identifier: Apache-2.0
"""The executive's thread: works on goals one by one, and handles late answers in between."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from builtin_interfaces.msg import Time

from fcp_ros.execution.events import StepReleased
from fcp_ros.execution.goal_conflicts import Literals
from fcp_ros.execution.goal_queue import Admission, GoalQueue, Pace, Reception, Ticket
from fcp_ros.msg import ExecutiveGoal, Plan
from fcp_ros.nodes.runtime.worker import CancelToken, Worker, WorkerClosed

CAPACITY = 2
"""Jobs that may wait: the goal, and the late events before or after it."""

Post = Callable[[object, Hashable | None], None]
"""Posts an event, under a key or None: see `EventQueue.post`."""


@dataclass(frozen=True)
class GoalCancelled:
    """Event: wakes the thread. The goal's token says that, and which, goal was cancelled."""


@dataclass(frozen=True)
class GoalsChanged:
    """Event: a goal has come to wait or left, or a pause began; `ExecutiveThread` knows which."""


@dataclass(frozen=True)
class EarlyEnd:
    """The end of a goal by the executive itself."""

    code: str  # a name that the error codes of both actions have
    sentence: str


class GoalWithdrawn(Exception):
    """The goal has left the queue before its turn came; the text is a sentence for its client."""


class ThreadClosed(RuntimeError):
    """The thread is to end at once: whoever takes an event gets this instead."""


class EventQueue:
    """The bounded queue of events between rclpy's callbacks and the executive's thread.

    Events are taken in the order in which they were posted. An event that is posted under a key
    replaces the one that still waits under the same key (progress, "the scene changed"): however
    often such events arrive, each key takes one place. Events without a key are never dropped; they
    are answers, and as many as there were questions. `notice`: called after each post, in the
    thread that posts.
    """

    def __init__(self, notice: Callable[[], None] = lambda: None) -> None:
        self._notice = notice
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
        self._notice()

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
    literals: Literals = field(default_factory=dict)  # what it demands of ground atoms
    plan: Plan | None = None  # that is being executed
    done: frozenset[int] = frozenset()  # positions of its steps that have succeeded


class GoalContext:
    """One goal of an action on its way through the executive's thread."""

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
        """The goal's id."""
        return bytes(self.goal.goal_id.uuid)

    @property
    def is_cancelled(self) -> bool:
        """True once the goal is to end."""
        return self.token.cancelled

    def show(self, **changes: Any) -> None:
        """Change what others see of it: fields of `GoalView`."""
        with self._lock:
            self.view = replace(self.view, **changes)

    def interrupt(self, interruption: EarlyEnd) -> None:
        """Have the goal end because the executive can't go on with it."""
        self.interruption = interruption
        self.token.cancel()


class ExecutiveThread:
    """Owns the thread (a `Worker`), the queue of events, the goal at hand and those that wait.

    Invariants:

    - At most one goal is current: from its turn, which `GoalQueue` decides, until its job is about
      to end. Only while it is current does its job take events (`take`, `wait_events`).
    - The turn passes within the job that ends, so a goal that waits never misses it.
    - While no goal is current, events are handled by a job of their own (the late job), which is
      submitted with the first event. An answer of an executor therefore never waits for the next
      goal: the executor may have to be stopped.
    - No event is lost between the two. An event is first put into the queue and then noticed under
      `_lock`; a goal ceases to be current, and a late job ends, under the same lock and only then
      looks (or has just looked) into the queue. Whoever comes second sees the other.
    - A goal is free for the next one before its client learns of its end.

    `handle_late`: handles an event that concerns no wait of the current goal; called in the thread.
    """

    def __init__(self, handle_late: Callable[[object], None]) -> None:
        self.events = EventQueue(self._notice)
        self._handle_late = handle_late
        self._lock = threading.Lock()  # guards all that follows
        self._queue = GoalQueue()
        self._pace = Pace()
        self._works: dict[bytes, tuple[GoalContext, Callable[[], Any]]] = {}  # of goals that wait
        self._current: GoalContext | None = None
        self._is_late_job_open = False
        self._is_closed = False
        self._worker = Worker("executive", CAPACITY)

    # --- for rclpy's threads --------------------------------------------------------------------

    def submit(
        self, context: GoalContext, ticket: Ticket, work: Callable[[], Any], most_waiting: int
    ) -> Reception:
        """Work on a goal when its turn comes; its `answer` has the end, unless it is refused.

        `work`: called in the thread. `most_waiting`: as many goals may wait. Raises WorkerClosed if
        the thread was closed.
        """
        with self._lock:
            if self._is_closed:
                raise WorkerClosed("The node is shutting down and takes no more goals.")
            arrival = self._queue.arrive(ticket, most_waiting)
            if arrival.admission is Admission.REFUSED:
                return arrival
            self._works[ticket.key] = context, work
            preempted = self._current if arrival.stops is not None else None
            if arrival.admission is Admission.BEGINS:
                self._begin(ticket)
        if preempted is not None and not preempted.is_cancelled:
            text = f"Preempted by a goal of priority {ticket.priority} that came later."
            preempted.interrupt(EarlyEnd("PREEMPTED", text))
            self.wake()
        if arrival.admission is Admission.WAITS:
            self.events.post(GoalsChanged(), "goals changed")
        return arrival

    def _begin(self, ticket: Ticket) -> None:
        """Have the goal worked on whose turn it is; to be called under the lock."""
        context, work = self._works.pop(ticket.key)

        def run(_token: CancelToken) -> Any:
            try:
                context.begin()
                return work()
            finally:
                self._pass_turn()

        self._current = context
        job = self._worker.submit(run)
        # It can't have ended yet: it passes its turn on under the lock.
        job.answer.add_done_callback(lambda answer: _hand_on(answer, context.answer))

    def _pass_turn(self) -> None:
        """Begin with the next goal; without one, handle events that came too late for this one."""
        with self._lock:
            self._current = None
            ticket = self._queue.end()
            if ticket is not None:
                self._begin(ticket)
            else:
                self._open_late_job()

    def cancel(self, context: GoalContext) -> None:
        """Ask a goal to end that nobody wants any more; one that waits ends at once."""
        context.token.cancel()  # counts even if the goal has not been submitted yet
        with self._lock:
            was_waiting = self._queue.cancel(context.key)
            if was_waiting:
                del self._works[context.key]
        if was_waiting:
            context.answer.set_exception(GoalWithdrawn("Cancelled before its turn came."))
            self.events.post(GoalsChanged(), "goals changed")
        else:
            self.wake()

    def wake(self) -> None:
        """Let the thread see that the token of a goal was cancelled."""
        self.events.post(GoalCancelled(), "goal cancelled")

    def interrupt(self, reason: str) -> None:
        """Ask all goals to end because the node can't go on; returns at once."""
        with self._lock:
            current = self._current
            waiting = [self._works.pop(ticket.key)[0] for ticket in self._queue.clear()]
        interruption = EarlyEnd("NODE_INACTIVE", reason)
        for context in waiting:
            context.interrupt(interruption)
            context.answer.set_exception(GoalWithdrawn("Its turn had not come."))
        if current is not None:
            current.interrupt(interruption)
            self.wake()

    # --- pausing ---

    def pause(self) -> None:
        """Let no further step begin, of this goal and of others, until it is resumed."""
        with self._lock:
            self._pace.pause()
        self.events.post(GoalsChanged(), "goals changed")

    def release(self, *, one_step: bool) -> None:
        """Let one more step begin, or all of them."""
        with self._lock:
            (self._pace.step if one_step else self._pace.resume)()
        self.events.post(StepReleased(), "step released")
        self.events.post(GoalsChanged(), "goals changed")

    def may_begin(self) -> bool:
        """Return True if one more step may begin; it counts as begun then."""
        with self._lock:
            return self._pace.take()

    @property
    def is_paused(self) -> bool:
        """True if steps begin one by one, or not at all."""
        with self._lock:
            return self._pace.is_paused

    # --- what there is to do ---

    def list_goals(self) -> tuple[tuple[GoalContext, ...], tuple[Ticket, ...]]:
        """Return the goals, and their tickets: the one at work, then others by their turns."""
        with self._lock:
            current = self._queue.current
            if current is None or self._current is None:
                return (), ()
            waiting = self._queue.waiting
            contexts = (self._current, *(self._works[ticket.key][0] for ticket in waiting))
            return contexts, (current, *waiting)

    @property
    def count_waiting(self) -> int:
        """Number of goals that wait for their turn."""
        with self._lock:
            return len(self._queue)

    @property
    def is_busy(self) -> bool:
        """True while there is a goal."""
        with self._lock:
            return self._current is not None

    def close(self, timeout: float) -> bool:
        """End the thread, and the current goal at once, whatever its step still does.

        Returns True if the thread ended within `timeout` seconds.
        """
        with self._lock:
            self._is_closed = True  # so that no goal comes to wait after the others were ended
        self.interrupt("The node is shutting down.")
        self.events.close()
        return self._worker.close(timeout)

    def _notice(self) -> None:
        with self._lock:
            if self._current is None:
                self._open_late_job()

    def _open_late_job(self) -> None:
        """Have late events handled, if there are any; to be called under the lock."""
        if self._is_late_job_open or not len(self.events):
            return
        try:
            self._worker.submit(self._handle_late_events)
        except WorkerClosed:
            return
        self._is_late_job_open = True

    # --- in the thread --------------------------------------------------------------------------

    def take(self, until: float | None) -> object | None:
        """Take the oldest event for the current goal: see `EventQueue.take`."""
        return self.events.take(until)

    def wait_events(self, seconds: float) -> Iterator[object]:
        """Yield the events of the coming seconds; those about executors are handled on the way."""
        # The caller looks after each event whether its goal was cancelled: that is one.
        until = time.monotonic() + seconds
        while (event := self.events.take(until)) is not None:
            self._handle_late(event)
            yield event

    def _handle_late_events(self, _token: CancelToken) -> None:
        while True:
            with self._lock:  # a goal that was submitted meanwhile takes the events itself
                try:
                    event = None if self._current is not None else self.events.take(0.0)
                except ThreadClosed:
                    event = None
                if event is None:
                    self._is_late_job_open = False
                    return
            self._handle_late(event)


def _hand_on(answer: Future[Any], to: Future[Any]) -> None:
    """Give one future the end of another."""
    error = answer.exception()
    if error is None:
        to.set_result(answer.result())
    else:
        to.set_exception(error)
