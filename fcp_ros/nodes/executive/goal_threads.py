# SPDX-License-Identifier: Apache-2.0
"""The threads of the executive: one for each goal at work, of which one computes at a time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from typing import Any

from fcp_ros.execution.events import StepReleased, WorldChanged
from fcp_ros.execution.goal_queue import (
    Admission,
    GoalQueue,
    Pace,
    Reception,
    Ticket,
    may_preempt,
)
from fcp_ros.nodes.executive.goal_context import (
    EarlyEnd,
    EventQueue,
    GoalCancelled,
    GoalContext,
    GoalsChanged,
    GoalWithdrawn,
    Rest,
    RestingDue,
    ThreadClosed,
    find_earlier,
)
from fcp_ros.nodes.runtime.worker import CancelToken, Worker, WorkerClosed

REMINDER = 0.25
"""Seconds between two looks at goals that rest and are due a little later."""

CAPACITY = 2
"""Jobs that may wait for a thread: the goal, and the late events before or after it."""

KEPT_TILL_THEN = "It was kept until then."

SHUTTING_DOWN = EarlyEnd("NODE_INACTIVE", "The node is shutting down.")


class GoalThreads:
    """Owns the threads (each a `Worker`), the goals at work and those that wait.

    Invariants:

    - A goal is at work from its turn, which `GoalQueue` decides, until its job is about to end.
      Only while it is at work does its job take events (`take`, `wait_events`), its own ones.
    - **One thread computes at a time**: a job holds `_turn`, and gives it away only while it waits
      in `take`. So what the goals share (the ledger of executors, the plans that run, the names of
      perception) needs no lock of its own, and changes only where a goal takes an event.
    - The turn passes within the job that ends, so a goal that waits never misses it.
    - A goal whose work returns `Rest` rests, and the work is done again when it is due. Goals that
      rest are looked at, in a goal's thread, after each change of the world and when one comes to
      rest.
    - While no goal is at work, events are handled by a job of their own (the late job), which is
      submitted with the first event. An answer of an executor therefore never waits for the next
      goal: the executor may have to be stopped.
    - No event is lost: it is posted, and a goal ceases to be at work, under `_lock`. An event for a
      goal that is no longer at work, and what it has not taken, goes to all that are, and without
      any to the late job. So each goal hears of an executor that becomes free.
    - A goal's place is free for the next one before its client learns of its end.

    `handle_late`: handles an event that concerns no wait of the goal that takes it; called in a
    goal's thread. `remind`: has `look_at_resting` called after a while, since a goal that rests is
    due later. `places`: as many goals are at work at a time.
    """

    def __init__(
        self,
        handle_late: Callable[[object], None],
        remind: Callable[[], None] = lambda: None,
        places: int = 1,
    ) -> None:
        self._handle_late = handle_late
        self._remind = remind
        self._turn = threading.Lock()  # held by the thread that computes
        self._lock = threading.Lock()  # guards all that follows; taken after `_turn`, if both are
        self._queue = GoalQueue(places)
        self._pace = Pace()
        self._works: dict[bytes, tuple[GoalContext, Callable[[], Any]]] = {}  # of others
        self._at_work: dict[bytes, tuple[GoalContext, Worker]] = {}  # the oldest first
        self._late = EventQueue()  # of no goal at work
        self._is_late_job_open = False
        self._is_closed = False
        self._workers = tuple(Worker(_name_thread(number), CAPACITY) for number in range(places))
        self._idle = list(self._workers)

    # --- for rclpy's threads --------------------------------------------------------------------

    def submit(
        self, context: GoalContext, ticket: Ticket, work: Callable[[], Any], most_waiting: int
    ) -> Reception:
        """Work on a goal when its turn comes; its `answer` has the end, unless it is refused.

        `work`: called in a thread; returns the end, or a `Rest`. `most_waiting`: as many goals may
        wait or rest. Raises WorkerClosed if the threads were closed.
        """
        with self._lock:
            if self._is_closed:
                raise WorkerClosed("The node is shutting down and takes no more goals.")
            arrival = self._queue.arrive(ticket, most_waiting)
            if arrival.admission is Admission.REFUSED:
                return arrival
            self._works[ticket.key] = context, work
            preempted = None if arrival.stops is None else self._at_work[arrival.stops.key][0]
            if arrival.admission is Admission.BEGINS:
                self._begin(ticket)
        if preempted is not None:
            self._preempt(preempted, ticket)
        if arrival.admission is Admission.WAITS:
            self.post(GoalsChanged(), "goals changed")
        return arrival

    def _preempt(self, context: GoalContext, ticket: Ticket) -> None:
        if not context.is_cancelled:
            text = f"Preempted by a goal of priority {ticket.priority} that came later."
            context.interrupt(EarlyEnd("PREEMPTED", text))
            self.wake(context)

    def _begin(self, ticket: Ticket) -> None:
        """Have the goal worked on whose turn it is; to be called under the lock."""
        context, work = self._works.pop(ticket.key)

        def run(_token: CancelToken) -> Any:
            ended = None
            try:
                with self._turn:
                    context.begin()
                    ended = work()
            finally:
                withdrawn = not self._pass_turn(context, work, ended)
            if withdrawn:
                raise GoalWithdrawn(KEPT_TILL_THEN)
            return ended

        worker = self._idle.pop(0)
        self._at_work[context.key] = context, worker
        job = worker.submit(run)
        # It can't have ended yet: it passes its turn on under the lock.
        job.answer.add_done_callback(lambda answer: _hand_on(answer, context.answer))

    def _pass_turn(self, context: GoalContext, work: Callable[[], Any], ended: object) -> bool:
        """Begin with the next goal, and hand on the events that came too late for this one.

        Returns False if the goal was to rest and is not wanted any more.
        """
        with self._lock:
            _, worker = self._at_work.pop(context.key)
            self._idle.insert(0, worker)
            rests = isinstance(ended, Rest) and not (context.is_cancelled or self._is_closed)
            if isinstance(ended, Rest):
                context.rest = ended
                if rests:
                    self._works[context.key] = context, work
                elif context.interruption is None and not context.is_cancelled:
                    context.interruption = SHUTTING_DOWN
            ticket = self._queue.end(context.key, rests=rests)
            if ticket is not None:
                self._begin(ticket)
            for event in context.events.drain():
                self._spread(event, None)
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
            self.post(GoalsChanged(), "goals changed")
        else:
            self.wake(context)

    def wake(self, context: GoalContext) -> None:
        self.post_to(context, GoalCancelled(), "goal cancelled")

    def interrupt(self, reason: str) -> None:
        """Ask all goals to end because the node can't go on; returns at once."""
        with self._lock:
            at_work = [context for context, _ in self._at_work.values()]
            waiting = [self._works.pop(ticket.key)[0] for ticket in self._queue.clear()]
        interruption = EarlyEnd("NODE_INACTIVE", reason)
        for context in waiting:
            context.interrupt(interruption)
            text = "Its turn had not come." if context.rest is None else KEPT_TILL_THEN
            context.answer.set_exception(GoalWithdrawn(text))
        for context in at_work:
            context.interrupt(interruption)
            self.wake(context)

    def look_at_resting(self) -> bool:
        """Have the goals that rest looked at, in a thread; False: one look at a time."""
        self.post(RestingDue(), "resting due")
        return False

    # --- events ---

    def post(self, event: object, key: Hashable | None = None) -> None:
        """Tell all goals at work of an event: see `EventQueue.post`."""
        with self._lock:
            self._spread(event, key)

    def post_to(self, context: GoalContext, event: object, key: Hashable | None = None) -> None:
        """Tell one goal of an event, as long as it is at work."""
        with self._lock:
            if context.key in self._at_work:
                context.events.post(event, key)
            else:
                self._spread(event, key)

    def _spread(self, event: object, key: Hashable | None) -> None:
        """Post an event for all goals at work, or for the late job; called under the lock."""
        for context, _ in self._at_work.values():
            context.events.post(event, key)
        if self._at_work:
            return
        self._late.post(event, key)
        if self._is_late_job_open:
            return
        try:
            self._idle[0].submit(self._handle_late_events)
        except WorkerClosed:
            return
        self._is_late_job_open = True

    # --- pausing ---

    def pause(self) -> None:
        with self._lock:
            self._pace.pause()
        self.post(GoalsChanged(), "goals changed")

    def release(self, *, one_step: bool) -> None:
        with self._lock:
            (self._pace.step if one_step else self._pace.resume)()
        self.post(StepReleased(), "step released")
        self.post(GoalsChanged(), "goals changed")

    def may_begin(self) -> bool:
        """Return True if one more step may begin; it counts as begun then."""
        with self._lock:
            return self._pace.take()

    @property
    def is_paused(self) -> bool:
        with self._lock:
            return self._pace.is_paused

    # --- what there is to do ---

    def list_goals(self) -> tuple[tuple[GoalContext, ...], tuple[Ticket, ...]]:
        """Return the goals, and their tickets: those at work, by their turns, those that rest."""
        with self._lock:
            at_work = self._queue.at_work
            others = (*self._queue.waiting, *self._queue.resting)
            contexts = [self._at_work[ticket.key][0] for ticket in at_work]
            contexts += [self._works[ticket.key][0] for ticket in others]
            return tuple(contexts), (*at_work, *others)

    def find_ticket(self, context: GoalContext) -> Ticket:
        return self._find_tickets()[context.key]

    def may_preempt(self, context: GoalContext, other: bytes) -> bool:
        """Return True if a goal at work takes the place of another one, given by its key."""
        tickets = self._find_tickets()
        return other in tickets and may_preempt(tickets[context.key], tickets[other])

    def _find_tickets(self) -> dict[bytes, Ticket]:
        with self._lock:
            return {ticket.key: ticket for ticket in self._queue.at_work}

    def preempt(self, context: GoalContext, other: bytes) -> None:
        with self._lock:
            preempted = self._at_work[other][0] if other in self._at_work else None
            if preempted is not None:
                self._queue.cancel(other)
        if preempted is not None:
            self._preempt(preempted, self.find_ticket(context))

    @property
    def count_waiting(self) -> int:
        with self._lock:
            return len(self._queue)

    @property
    def count_resting(self) -> int:
        with self._lock:
            return len(self._queue.resting)

    @property
    def is_busy(self) -> bool:
        with self._lock:
            return bool(self._at_work)

    def close(self, timeout: float) -> bool:
        """End the threads, and the goals at work at once, whatever their steps still do.

        Returns True if the threads ended within `timeout` seconds.
        """
        until = time.monotonic() + timeout
        with self._lock:
            self._is_closed = True  # so that no goal comes to wait after the others were ended
            at_work = [context for context, _ in self._at_work.values()]
        self.interrupt(SHUTTING_DOWN.sentence)
        self._late.close()
        for context in at_work:
            context.events.close()
        ended = [worker.close(max(0.0, until - time.monotonic())) for worker in self._workers]
        return all(ended)

    # --- in the thread of a goal ----------------------------------------------------------------

    def take(self, context: GoalContext, until: float | None) -> object | None:
        """Take the oldest event for a goal at work, in its thread: see `EventQueue.take`."""
        self._turn.release()
        try:
            event = context.events.take(until)
        finally:
            self._turn.acquire()
        self._look_at_resting(event)
        return event

    def wait_events(self, context: GoalContext, seconds: float | None) -> Iterator[object]:
        """Yield a goal's events of the coming seconds; those about executors are handled, too.

        Its plan handles them if steps of it are still being done. None: for as long as the caller
        wants, who looks after each event whether its goal was cancelled (that is one).
        """
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            running = context.running
            moment = until if running is None else find_earlier(until, running.look())
            event = self.take(context, moment)
            if running is not None:
                running.take(event)
            elif event is not None:
                self._handle_late(event)
            if event is not None:
                yield event
            elif until is not None and time.monotonic() >= until:
                return

    def _look_at_resting(self, event: object) -> None:
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
        self.post(GoalsChanged(), "goals changed")

    def _handle_late_events(self, _token: CancelToken) -> None:
        while True:
            with self._turn:
                with self._lock:
                    try:
                        event = self._late.take(0.0)
                    except ThreadClosed:
                        event = None
                    if event is None:
                        self._is_late_job_open = False
                        return
                self._look_at_resting(event)
                self._handle_late(event)


def _name_thread(number: int) -> str:
    return f"executive {number + 1}" if number else "executive"


def _hand_on(answer: Future[Any], to: Future[Any]) -> None:
    """Give one future the end of another, unless that is a rest."""
    error = answer.exception()
    if error is None:
        if not isinstance(answer.result(), Rest):
            to.set_result(answer.result())
    else:
        to.set_exception(error)
