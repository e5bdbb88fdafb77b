# SPDX-License-Identifier: Apache-2.0
"""Counts the requests that are being answered, so that nobody is cut off in the middle."""

from __future__ import annotations

import threading
from types import TracebackType


class InFlight:
    """A counter; ``with in_flight:`` around the answering of one request."""

    def __init__(self) -> None:
        self._count = 0
        self._changed = threading.Condition()

    def __enter__(self) -> None:
        with self._changed:
            self._count += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def wait_for_none(self, timeout: float) -> bool:
        """Wait until nothing is being answered; False when that took more than `timeout` s."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count == 0, timeout)
