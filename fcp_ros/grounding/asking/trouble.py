# SPDX-License-Identifier: Apache-2.0
"""What an oracle can't do at the moment, and when it is worth another try.

A server that hangs would cost every plan its timeout. So while another oracle can answer, one that
failed is left alone for a while, and one whose settings are wrong until somebody says so.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

RETRY_PERIOD = 30.0
"""Seconds between two tries of an oracle that failed."""
SHARE_OF_TIME = 2.0
"""A try that took long is repeated after so many times its duration."""

LASTING = frozenset(
    {
        GroundingCode.MODEL_NOT_FOUND,
        GroundingCode.NOT_A_MODEL,
        GroundingCode.UNSAFE_WEIGHTS,
        GroundingCode.MISSING_LIBRARY,
        GroundingCode.INVALID_OPTION,
        GroundingCode.UNKNOWN_ORACLE,
    }
)
"""Wrong settings: trying again changes nothing."""
PASSING = frozenset(
    {
        GroundingCode.MODEL_FAILED,
        GroundingCode.SERVER_UNREACHABLE,
        GroundingCode.SERVER_FAILED,
    }
)
"""May be over in a moment."""


class Trouble:
    """Whether one oracle can be asked; safe to use from several threads.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._error: GroundingError | None = None
        self._again = -math.inf

    @property
    def error(self) -> GroundingError | None:
        """Why the oracle could not answer when it was last asked; None where it could."""
        return self._error

    def reason_to_wait(self) -> GroundingError | None:
        """The error that keeps the oracle from being asked now; None where it may be asked."""
        with self._lock:
            return self._error if self._clock() < self._again else None

    def failed(self, error: GroundingError, duration: float = 0.0) -> None:
        """The oracle as a whole could not answer; the try took `duration` seconds."""
        if error.code not in LASTING | PASSING:
            return
        wait = math.inf if error.code in LASTING else max(RETRY_PERIOD, SHARE_OF_TIME * duration)
        with self._lock:
            self._error = error
            self._again = self._clock() + wait

    def worked(self) -> None:
        """The oracle answered, or may be tried again."""
        with self._lock:
            self._error = None
            self._again = -math.inf
