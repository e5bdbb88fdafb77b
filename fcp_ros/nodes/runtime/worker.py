# SPDX-License-Identifier: Apache-2.0
"""The thread model of all nodes: one thread for the long work, one job after the other.

Models, searches and goals never run in an executor callback: a callback submits a job and either
returns or waits for it with a bound. Each job has a token through which it is cancelled.
"""

from __future__ import annotations

import atexit
import threading
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import Generic, TypeVar

T = TypeVar("T")

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

    def cancel(self) -> None:
        """Ask the job to end."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """True once the job was asked to end."""
        return self._event.is_set()

    def wait(self, timeout: float) -> bool:
        """Sleep `timeout` seconds or until cancelled; return True if cancelled."""
        return self._event.wait(timeout)


class JobState(str, Enum):
    """The states of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


class Job(Generic[T]):
    """A function that runs once in the worker's thread.

    Args:
        function: Called with the job's token, which it should check often.
        on_done: Called once after the job has ended in whatever way, in the worker's thread or in
            the thread that cancelled a queued job.
    """

    def __init__(
        self,
        function: Callable[[CancelToken], T],
        on_done: Callable[[Job[T]], None] | None = None,
    ) -> None:
        self.token = CancelToken()
        self.state = JobState.QUEUED
        self._function = function
        self._on_done = on_done
        self._result: list[T] = []
        self._error: BaseException | None = None
        self._finished = threading.Event()

    def wait(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds for the end; return True if it has come."""
        return self._finished.wait(timeout)

    def result(self) -> T:
        """Return the function's result; raise what it raised, or `JobCancelled`.

        Only to be called after the end (see `wait`).
        """
        if self._error is not None:
            raise self._error
        return self._result[0]

    def run(self) -> None:
        """Call the function; only the worker does this."""
        try:
            self._result.append(self._function(self.token))
        except BaseException as error:  # whoever waits for the job gets it
            self._error = error
        self.finish()

    def finish(self, error: BaseException | None = None) -> None:
        """Mark the end, and wake whoever waits."""
        self._error = self._error or error
        self.state = JobState.DONE
        self._finished.set()
        if self._on_done is not None:
            self._on_done(self)


class Worker:
    """One thread with a bounded queue of jobs.

    Invariants: `_jobs`, `_running` and `_closed` change under `_changed` only. A job leaves the
    queue once: the thread pops it to run it, or `cancel` removes it and then finishes it; a job
    whose token is cancelled in between is finished without being run. Neither functions nor
    `on_done` are called under the lock.

    Args:
        name: Name of the thread, for debuggers.
        capacity: Number of jobs that may wait while one runs.
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

    def submit(
        self,
        function: Callable[[CancelToken], T],
        on_done: Callable[[Job[T]], None] | None = None,
    ) -> Job[T]:
        """Put a job at the end of the queue.

        Raises:
            WorkerBusy: `capacity` jobs wait already.
            WorkerClosed: the worker was closed.
        """
        job = Job(function, on_done)
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
            job.finish(JobCancelled("The request was cancelled before its turn came."))

    def cancel_all(self) -> None:
        """Cancel the running job and all waiting ones."""
        with self._changed:
            jobs = [*self._jobs, *([self._running] if self._running is not None else [])]
        for job in jobs:
            self.cancel(job)

    @property
    def load(self) -> int:
        """Number of jobs that run or wait."""
        with self._changed:
            return len(self._jobs) + (self._running is not None)

    def close(self, timeout: float) -> bool:
        """Cancel everything and end the thread; return True if it ended within `timeout` s.

        A thread that is stuck in foreign code is left behind, and awaited again when the process
        ends.
        """
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
                job.state = JobState.RUNNING
                self._running = job
            if job.token.cancelled:
                job.finish(JobCancelled("The request was cancelled before its turn came."))
            else:
                job.run()
            with self._changed:
                self._running = None
