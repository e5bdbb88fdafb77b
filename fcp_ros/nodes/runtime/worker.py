# SPDX-License-Identifier: Apache-2.0
"""The threads of nodes, one for the long work and one for each stream, and their timers."""

from __future__ import annotations

import atexit
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from typing import Generic, TypeVar

from rclpy.callback_groups import CallbackGroup, MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

# --- a timer that runs only while there is something to do, so that an idle node sleeps ---


class PausableTimer:
    """A timer that pauses when it has nothing left to do, until somebody starts it again.

    Each time that it wakes a node costs about 1.5 ms: rclpy collects all its topics and services.
    It keeps running while simulated time stands still.

    Only its own callback cancels the timer: an executor that is about to call a timer fails if
    another thread cancels it at that moment. `_lock` guards both flags; `act` is called without it.
    """

    def __init__(
        self,
        node: Node,
        period: float,  # Time from the start to the first call, and between two calls [s]
        # Called in the executor's thread; returns True if it wants to be called again
        act: Callable[[], bool],
        group: CallbackGroup | None = None,  # Callback group; by default one of its own
    ) -> None:
        self._node = node
        self._act = act
        self._lock = threading.Lock()
        self._runs = False
        self._was_started = False
        self._timer = node.create_timer(
            period,
            self._on_timer,
            callback_group=group or MutuallyExclusiveCallbackGroup(),
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        self._timer.cancel()

    def start(self) -> None:
        """Run; a timer that runs already keeps its rhythm. From any thread."""
        with self._lock:
            self._was_started = True
            if self._runs:
                return
            self._runs = True
            self._timer.reset()
        executor = self._node.executor
        if executor is not None:
            executor.wake()  # it may sleep without a timer to wake it

    def close(self) -> None:
        self._node.destroy_timer(self._timer)

    def _on_timer(self) -> None:
        with self._lock:
            self._was_started = False
        goes_on = self._act()
        with self._lock:
            if not goes_on and not self._was_started:
                self._runs = False
                self._timer.cancel()


# --- threads for streams, so that no callback works or waits ---

T = TypeVar("T")

STOP_TIMEOUT = 5.0
"""Seconds to wait for a thread at the end."""


class StreamThread(Generic[T]):
    """Handles one by one what waits elsewhere."""

    def __init__(
        self,
        name: str,
        is_waiting: Callable[[], bool],  # Tells, under the condition, if an item waits
        take: Callable[[], T],  # Takes the next item out, under the condition
        handle: Callable[[T], None],
        report: Callable[[Exception], object],  # Gets what `handle` raises; the thread goes on
    ) -> None:
        # The condition under which what waits is changed; notify it of each new item
        self.news = threading.Condition()
        self._is_waiting = is_waiting
        self._take = take
        self._handle = handle
        self._report = report
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; what waits is left out."""
        with self.news:
            self._closed = True
            self.news.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join(STOP_TIMEOUT)

    def _work(self) -> None:
        while True:
            with self.news:
                while not self._is_waiting() and not self._closed:
                    self.news.wait()
                if self._closed:
                    return
                item = self._take()
            try:
                self._handle(item)
            except Exception as error:
                self._report(error)


class NewestThread(Generic[T]):
    """Handles what it is given one by one, and leaves out what is overtaken while it waits.

    `report`: gets what `handle` raises; the thread goes on.
    """

    def __init__(
        self, name: str, handle: Callable[[T], None], report: Callable[[Exception], object]
    ) -> None:
        self._waiting: list[T] = []  # none or one; under the condition
        self._thread = StreamThread(
            name, lambda: bool(self._waiting), lambda: self._waiting.pop(), handle, report
        )

    def put(self, item: T) -> None:
        """Hand an item over, in the place of one that still waits."""
        with self._thread.news:
            self._waiting = [item]
            self._thread.news.notify()

    def put_if_idle(self, item: T) -> None:
        with self._thread.news:
            if not self._waiting:
                self.put(item)

    def close(self) -> None:
        self._thread.close()


# --- the thread model of all nodes ---

EXIT_TIMEOUT = 60.0
"""Seconds for which an ending process waits for a worker that is stuck in foreign code."""


class WorkerBusy(RuntimeError):
    """The queue is full and the job was not taken; the text is a sentence for the caller."""


class WorkerClosed(RuntimeError):
    """The worker no longer takes jobs."""


class JobCancelled(Exception):
    """The job was cancelled before it began."""


class CancelToken:
    """Tells a job that nobody wants its result any more; can be set from any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    def cancel(self) -> None:
        with self._lock:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def wait(self, timeout: float) -> bool:
        """Sleep `timeout` seconds or until cancelled; return True if cancelled."""
        return self._event.wait(timeout)

    def call_when_cancelled(self, callback: Callable[[], None]) -> None:
        """Call a function, which must return at once, as soon as the job is asked to end."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback()


class Job(Generic[T]):
    """A function that runs once in the worker's thread.

    `function`: called with the job's token, which it should check often.
    """

    def __init__(self, function: Callable[[CancelToken], T]) -> None:
        self.token = CancelToken()
        # Of the function, once the job has ended in whatever way: its result, what it raised, or
        # `JobCancelled`
        self.answer: Future[T] = Future()
        self._function = function

    def wait(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds for the end; return True if it has come."""
        return bool(wait([self.answer], timeout).done)

    def result(self) -> T:
        """Return the function's result; raise what it raised, or `JobCancelled`."""
        # Only to be called after the end (see `wait`).
        return self.answer.result(0.0)

    def run(self) -> Callable[[], None]:
        """Call the function; only the worker does this.

        Returns a function that tells the answer to whoever waits for it.
        """
        try:
            result = self._function(self.token)
        except BaseException as error:
            failure = error
            return lambda: self.fail(failure)
        return lambda: self._succeed(result)

    def _succeed(self, result: T) -> None:
        self.answer.set_result(result)

    def fail(self, error: BaseException) -> None:
        self.answer.set_exception(error)


class Worker:
    """One thread with a bounded queue of jobs.

    Invariants: `_jobs`, `_running` and `_closed` change under `_changed` only. A job leaves the
    queue once: the thread pops it to run it, or `cancel` removes it and then ends it; a job whose
    token is cancelled in between is ended without being run. Neither functions nor the callbacks of
    answers are called under the lock.

    `capacity`: number of jobs that may wait while one runs.
    """

    def __init__(self, name: str, capacity: int) -> None:
        self._capacity = capacity
        self._jobs: deque[Job[object]] = deque()
        self._running: Job[object] | None = None
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()
        # A thread that is inside a model's C++ code when the interpreter ends aborts the process.
        atexit.register(self.close, EXIT_TIMEOUT)

    def submit(self, function: Callable[[CancelToken], T]) -> Job[T]:
        """Put a job at the end of the queue.

        Raises WorkerBusy if `capacity` jobs wait already. Raises WorkerClosed if the worker was
        closed.
        """
        job = Job(function)
        with self._changed:
            if self._closed:
                raise WorkerClosed("The node is shutting down and takes no more requests.")
            if len(self._jobs) + (self._running is not None) > self._capacity:
                raise WorkerBusy(
                    f"The node is busy and {self._capacity} more requests wait already: "
                    "ask again later."
                )
            self._jobs.append(job)  # type: ignore[arg-type]
            self._changed.notify()
        return job

    def cancel(self, job: Job[T]) -> None:
        """Cancel a job: at once if it still waits, through its token if it runs."""
        job.token.cancel()
        with self._changed:
            waiting = job in self._jobs
            if waiting:
                self._jobs.remove(job)  # type: ignore[arg-type]
        if waiting:
            job.fail(JobCancelled("The request was cancelled before its turn came."))

    def cancel_all(self) -> None:
        with self._changed:
            jobs = [*self._jobs, *([self._running] if self._running is not None else [])]
        for job in jobs:
            self.cancel(job)

    @property
    def load(self) -> int:
        with self._changed:
            return len(self._jobs) + (self._running is not None)

    @property
    def is_closed(self) -> bool:
        return self._closed

    def close(self, timeout: float) -> bool:
        """Cancel everything and end the thread; return True if it ended within `timeout` s."""
        # A thread that is stuck in foreign code is left behind, and awaited again when the process
        # ends.
        with self._changed:
            self._closed = True
            self._changed.notify()
        self.cancel_all()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)
        ended = not self._thread.is_alive()
        if ended:
            atexit.unregister(self.close)
        return ended

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._jobs and not self._closed:
                    self._changed.wait()
                if not self._jobs:
                    return
                job = self._jobs.popleft()
                self._running = job
            if job.token.cancelled:
                error = JobCancelled("The request was cancelled before its turn came.")
                tell: Callable[[], None] = partial(job.fail, error)
            else:
                tell = job.run()
            with self._changed:
                self._running = None  # whoever hears the answer finds room for the next job
            tell()


class NodeWorkers:
    """The workers of a node by the name of their work: open while the node is configured."""

    def __init__(self, warn: Callable[[str], object]) -> None:
        self._warn = warn
        self._open: dict[str, tuple[Worker, float, bool]] = {}

    def open(
        self,
        work: str,
        capacity: int,
        patience: float = 1.0,  # longest wait for its job when the node is cleaned up (s)
        *,
        outlasts: bool = False,  # its jobs go on while the node is inactive
    ) -> Worker:
        worker = Worker(work, capacity)
        self._open[work] = worker, patience, outlasts
        return worker

    def __getitem__(self, work: str) -> Worker:
        """Return an open worker. Raises WorkerClosed if the node was cleaned up this moment."""
        try:
            return self._open[work][0]
        except KeyError:
            sentence = "The node is being cleaned up: ask again when it is active."
            raise WorkerClosed(sentence) from None

    def find_load(self, work: str) -> int:
        """Return the number of jobs that run or wait; 0 while the worker is not open."""
        try:
            return self[work].load
        except WorkerClosed:
            return 0

    def cancel_jobs(self) -> None:
        """Cancel all jobs, but those that outlast a deactivation."""
        for worker, _, outlasts in list(self._open.values()):
            if not outlasts:
                worker.cancel_all()

    def close(self) -> None:
        """Cancel all jobs and end all threads; one that is stuck is left behind."""
        opened, self._open = self._open, {}
        for work, (worker, patience, _) in opened.items():
            if not worker.close(patience):
                self._warn(f"the worker for {work} did not end in time and is left behind")
