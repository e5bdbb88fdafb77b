# SPDX-License-Identifier: Apache-2.0
"""The executive's thread: works on goals one by one, and handles late answers in between."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from builtin_interfaces.msg import Time

from fcp_ros.execution.events import StepReleased, WorldChanged
from fcp_ros.execution.goal_conflicts import Literals
from fcp_ros.execution.goal_queue import Admission, GoalQueue, Pace, Reception, Ticket
from fcp_ros.msg import ExecutiveGoal, Plan
from fcp_ros.nodes.runtime.worker import CancelToken, Worker, WorkerClosed

REMINDER = 0.25
"""Seconds between two looks at goals that rest and are due a little later."""

CAPACITY = 2
"""Jobs that may wait: the goal, and the late events before or after it."""

KEPT_TILL_THEN = "It was kept until then."

Post = Callable[[object, Hashable | None], None]
"""Posts an event, under a key or None: see `EventQueue.post`."""


@dataclass(frozen=True)
class GoalCancelled:
    """Event: wakes the thread. The goal's token says that, and which, goal was cancelled."""


@dataclass(frozen=True)
class GoalsChanged:
    """Event: a goal has come to wait or left, or a pause began; `ExecutiveThread` knows which."""


@dataclass(frozen=True)
class RestingDue:
    """Event: look at the goals that rest."""


@dataclass(frozen=True)
class Rest:
    """The work on a goal is over for now: it is met, and stays in force.

    `find_turn`: called in the thread; returns from when on (s, of `time.monotonic`) the goal is to
    be worked on again, infinity while it is met.
    """

    find_turn: Callable[[], float]


@dataclass(frozen=True)
class EarlyEnd:
    """The end of a goal by the executive itself."""

    code: str  # a name that the error codes of both actions have
    sentence: str


SHUTTING_DOWN = EarlyEnd("NODE_INACTIVE", "The node is shutting down.")


class GoalWithdrawn(Exception):
    """A goal has ended while it waited or rested; the text is a sentence for its client."""


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
        self.rest: Rest | None = None  # from its first rest on; guarded by the thread's lock
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
    - A goal whose work returns `Rest` rests, and the work is done again when it is due. Goals that
      rest are looked at, in the thread, after each change of the world and when one comes to rest.
    - While no goal is current, events are handled by a job of their own (the late job), which is
      submitted with the first event. An answer of an executor therefore never waits for the next
      goal: the executor may have to be stopped.
    - No event is lost between the two. An event is first put into the queue and then noticed under
      `_lock`; a goal ceases to be current, and a late job ends, under the same lock and only then
      looks (or has just looked) into the queue. Whoever comes second sees the other.
    - A goal is free for the next one before its client learns of its end.

    `handle_late`: handles an event that concerns no wait of the current goal; called in the thread.
    `remind`: has `look_at_resting` called after a while, since a goal that rests is due later.
    """

    def __init__(
        self, handle_late: Callable[[object], None], remind: Callable[[], None] = lambda: None
    ) -> None:
        self.events = EventQueue(self._notice)
        self._handle_late = handle_late
        self._remind = remind
        self._lock = threading.Lock()  # guards all that follows
        self._queue = GoalQueue()
        self._pace = Pace()
        self._works: dict[bytes, tuple[GoalContext, Callable[[], Any]]] = {}  # of others
        self._current: GoalContext | None = None
        self._is_late_job_open = False
        self._is_closed = False
        self._worker = Worker("executive", CAPACITY)

    # --- for rclpy's threads --------------------------------------------------------------------

    def submit(
        self, context: GoalContext, ticket: Ticket, work: Callable[[], Any], most_waiting: int
    ) -> Reception:
        """Work on a goal when its turn comes; its `answer` has the end, unless it is refused.

        `work`: called in the thread; returns the end, or a `Rest`. `most_waiting`: as many goals
        may wait or rest. Raises WorkerClosed if the thread was closed.
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
            ended = None
            try:
                context.begin()
                ended = work()
            finally:
                withdrawn = not self._pass_turn(context, work, ended)
            if withdrawn:
                raise GoalWithdrawn(KEPT_TILL_THEN)
            return ended

        self._current = context
        job = self._worker.submit(run)
        # It can't have ended yet: it passes its turn on under the lock.
        job.answer.add_done_callback(lambda answer: _hand_on(answer, context.answer))

    def _pass_turn(self, context: GoalContext, work: Callable[[], Any], ended: object) -> bool:
        """Begin with the next goal; without one, handle events that came too late for this one.

        Returns False if the goal was to rest and is not wanted any more.
        """
        with self._lock:
            self._current = None
            rests = isinstance(ended, Rest) and not (context.is_cancelled or self._is_closed)
            if isinstance(ended, Rest):
                context.rest = ended
                if rests:
                    self._works[context.key] = context, work
                elif context.interruption is None and not context.is_cancelled:
                    context.interruption = SHUTTING_DOWN
            ticket = self._queue.end(rests=rests)
            if ticket is not None:
                self._begin(ticket)
            else:
                self._open_late_job()
        if rests:  # the world may have changed since it was met
            self.look_at_resting()
        return rests or not isinstance(ended, Rest)

    def cancel(self, context: GoalContext) -> None:
        """Ask a goal to end that nobody wants any more; one that waits or rests ends at once."""
        context.token.cancel()  # counts even if the goal has not been submitted yet
        with self._lock:
            was_waiting = self._queue.cancel(context.key)
            if was_waiting:
                del self._works[context.key]
        if was_waiting:
            text = "Cancelled before its turn came." if context.rest is None else KEPT_TILL_THEN
            context.answer.set_exception(GoalWithdrawn(text))
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
            text = "Its turn had not come." if context.rest is None else KEPT_TILL_THEN
            context.answer.set_exception(GoalWithdrawn(text))
        if current is not None:
            current.interrupt(interruption)
            self.wake()

    def look_at_resting(self) -> bool:
        """Have the goals that rest looked at, in the thread; False: one look at a time."""
        self.events.post(RestingDue(), "resting due")
        return False

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
        """Return the goals, and their tickets: the one at work, by their turns, those that rest."""
        with self._lock:
            current = self._queue.current
            others = (*self._queue.waiting, *self._queue.resting)
            contexts = tuple(self._works[ticket.key][0] for ticket in others)
            if current is None or self._current is None:
                return contexts, others
            return (self._current, *contexts), (current, *others)

    @property
    def count_waiting(self) -> int:
        """Number of goals that wait for their turn."""
        with self._lock:
            return len(self._queue)

    @property
    def count_resting(self) -> int:
        """Number of goals that are met and stay in force."""
        with self._lock:
            return len(self._queue.resting)

    @property
    def is_busy(self) -> bool:
        """True while a goal is at work."""
        with self._lock:
            return self._current is not None

    def close(self, timeout: float) -> bool:
        """End the thread, and the current goal at once, whatever its step still does.

        Returns True if the thread ended within `timeout` seconds.
        """
        with self._lock:
            self._is_closed = True  # so that no goal comes to wait after the others were ended
        self.interrupt(SHUTTING_DOWN.sentence)
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
        event = self.events.take(until)
        self._look_at_resting(event)
        return event

    def wait_events(self, seconds: float) -> Iterator[object]:
        """Yield the events of the coming seconds; those about executors are handled on the way."""
        # The caller looks after each event whether its goal was cancelled: that is one.
        until = time.monotonic() + seconds
        while (event := self.take(until)) is not None:
            self._handle_late(event)
            yield event

    def _look_at_resting(self, event: object) -> None:
        """Have the goals that rest wait for their turn if they are due after an event."""
        if not isinstance(event, (RestingDue, WorldChanged, GoalCancelled)):
            return
        with self._lock:
            resting = [self._works[ticket.key][0] for ticket in self._queue.resting]
        is_any_due_later = False
        for context in resting:
            if context.is_cancelled:  # just before it came to rest
                self.cancel(context)
                continue
            assert context.rest is not None, "it rests"
            turn = context.rest.find_turn()
            if turn <= time.monotonic():
                self._end_rest(context)
            elif turn < math.inf:
                is_any_due_later = True
        if is_any_due_later:
            self._remind()

    def _end_rest(self, context: GoalContext) -> None:
        with self._lock:
            ticket = next((t for t in self._queue.resting if t.key == context.key), None)
            if ticket is None:
                return  # it was cancelled meanwhile
            if self._queue.wake(context.key) is Admission.BEGINS:
                self._begin(ticket)
        self.events.post(GoalsChanged(), "goals changed")

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
            self._look_at_resting(event)
            self._handle_late(event)


def _hand_on(answer: Future[Any], to: Future[Any]) -> None:
    """Give one future the end of another, unless that is a rest."""
    error = answer.exception()
    if error is None:
        if not isinstance(answer.result(), Rest):
            to.set_result(answer.result())
    else:
        to.set_exception(error)
