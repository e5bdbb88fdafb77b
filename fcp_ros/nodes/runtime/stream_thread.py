# SPDX-License-Identifier: Apache-2.0
"""Threads for streams, so that no callback works or waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

STOP_TIMEOUT = 5.0
"""Seconds to wait for a thread at the end."""


class StreamThread(Generic[T]):
    """Handles one by one what waits elsewhere.

    Attributes:
        news: The condition under which what waits is changed; notify it of each new item.

    Args:
        name: Name of the thread, for debuggers.
        is_waiting: Tells, under the condition, if an item waits.
        take: Takes the next item out, under the condition.
        handle: Handles one item, in the thread.
        report: Gets what `handle` raises; the thread goes on.
    """

    def __init__(
        self,
        name: str,
        is_waiting: Callable[[], bool],
        take: Callable[[], T],
        handle: Callable[[T], None],
        report: Callable[[Exception], object],
    ) -> None:
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

    Args:
        name: Name of the thread, for debuggers.
        handle: Handles one item, in the thread.
        report: Gets what `handle` raises; the thread goes on.
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
        """Hand an item over unless another one waits."""
        with self._thread.news:
            if not self._waiting:
                self.put(item)

    def close(self) -> None:
        """End the thread; what waits is left out."""
        self._thread.close()
