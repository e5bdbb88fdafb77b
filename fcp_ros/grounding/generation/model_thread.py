# SPDX-License-Identifier: Apache-2.0
"""A thread that computes for others, who wait for it with a deadline and a check.

A model has one thread of its own: torch keeps a pool of threads for each thread that calls it. The
thread is a daemon, so that a model that hangs does not keep the process from ending.
"""

from __future__ import annotations

import atexit
import queue
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from time import monotonic
from typing import Any, TypeVar

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

Result = TypeVar("Result")

_Tasks = queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]

PAUSE = 0.05
"""Seconds between two checks."""


class StoppedError(Exception):
    """Raised inside a computation that nobody waits for any more."""


class ModelThread:
    """Runs computations one after the other; safe to use from several threads.

    The thread ends when nobody refers to this object any more.

    Args:
        name: of the thread.
        last_wait: seconds that the end of the process waits for a computation that was stopped;
            torch aborts a process that ends while it computes.
    """

    def __init__(self, name: str, last_wait: float = 0.0) -> None:
        self._name = name
        self._last_wait = last_wait
        self._tasks: _Tasks = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def run(
        self,
        compute: Callable[[Callable[[], None]], Result],
        check: Callable[[], None],
        seconds: float,
        late: str,
    ) -> Result:
        """Compute something there, and wait for it.

        Args:
            compute: is given a function to call often, which raises once nobody waits.
            check: called every `PAUSE` seconds in this thread; may raise to stop.
            seconds: longest wait, behind others that compute included.
            late: the sentence of the error after that.

        Raises:
            GroundingError: not done in time (NO_ANSWER); or as `compute` raises.
        """
        stop = threading.Event()

        def raise_if_stopped() -> None:
            if stop.is_set():
                raise StoppedError

        def begin() -> Result:
            raise_if_stopped()
            return compute(raise_if_stopped)

        future: Future[Result] = Future()
        self._start()
        self._tasks.put((future, begin))
        until = monotonic() + seconds
        try:
            while True:
                check()
                left = until - monotonic()
                if left <= 0.0:
                    raise GroundingError(GroundingCode.NO_ANSWER, late)
                try:
                    return future.result(timeout=min(PAUSE, left))
                except FutureTimeout:
                    if future.done():  # the computation itself raised a timeout
                        raise
        finally:
            stop.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                # Nothing here may refer to this object: it could never be freed.
                tasks = (self._tasks,)
                thread = threading.Thread(target=_work, args=tasks, name=self._name, daemon=True)
                thread.start()
                weakref.finalize(self, self._tasks.put, None).atexit = False
                if self._last_wait:
                    atexit.register(_finish, self._tasks, thread, self._last_wait)
                self._thread = thread


def _work(tasks: _Tasks) -> None:
    """Compute until None comes."""
    while (task := tasks.get()) is not None:
        future, begin = task
        try:
            future.set_result(begin())
        except BaseException as error:  # the one who waits decides
            future.set_exception(error)
        del task, future, begin  # or a model would stay in memory until the next task


def _finish(tasks: _Tasks, thread: threading.Thread, seconds: float) -> None:
    """End the thread, and wait for what it computes."""
    tasks.put(None)
    thread.join(seconds)
