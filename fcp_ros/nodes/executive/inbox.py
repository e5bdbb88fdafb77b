# SPDX-License-Identifier: Apache-2.0
"""The bounded queue between rclpy's callbacks and the executive's thread."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Inbox(Generic[T]):
    """Events in the order in which they came.

    An event that is posted under a key replaces the one that still waits under the same key
    (progress, "the world changed"): however often such events come, each key takes one place.
    Events without a key are never dropped; they are answers, and as many as there were questions.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[Hashable, T] = OrderedDict()
        self._number = 0
        self._changed = threading.Condition()

    def post(self, event: T, key: Hashable | None = None) -> None:
        """Add an event; from any thread, returns at once."""
        with self._changed:
            if key is None:
                self._number += 1
                key = ("event", self._number)
            self._waiting[key] = event
            self._changed.notify()

    def take(self, until: float | None) -> T | None:
        """The oldest event; waits for one.

        Arguments:
            until: time (s, of `time.monotonic`) to wait until; None waits as long as it takes.

        Returns:
            The event, or None when the time has come and there is none.
        """
        with self._changed:
            while not self._waiting:
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0.0:
                    return None
                self._changed.wait(left)
            return self._waiting.popitem(last=False)[1]

    def __len__(self) -> int:
        with self._changed:
            return len(self._waiting)
