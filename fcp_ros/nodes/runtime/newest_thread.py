# SPDX-License-Identifier: Apache-2.0
"""A thread for a stream of which only the newest counts, so that no callback works or waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

STOP_TIMEOUT = 5.0
"""Seconds to wait for the thread at the end."""


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
        self._handle = handle
        self._report = report
        self._waiting: list[T] = []  # none or one; under the condition, like `_closed`
        self._closed = False
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def put(self, item: T) -> None:
        """Hand an item over, in the place of one that still waits."""
        with self._news:
            self._waiting = [item]
            self._news.notify()

    def put_if_idle(self, item: T) -> None:
        """Hand an item over unless another one waits."""
        with self._news:
            if not self._waiting:
                self.put(item)

    def close(self) -> None:
        """End the thread; what waits is left out."""
        with self._news:
            self._closed = True
            self._news.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join(STOP_TIMEOUT)

    def _work(self) -> None:
        while True:
            with self._news:
                while not self._waiting and not self._closed:
                    self._news.wait()
                if self._closed:
                    return
                item = self._waiting.pop()
            try:
                self._handle(item)
            except Exception as error:
                self._report(error)
