# SPDX-License-Identifier: Apache-2.0
"""Whether a server has something that not all have, learnt from its answers."""

from __future__ import annotations

import threading

PATIENCE = 3
"""After so many answers without it in a row, the server counts as one that doesn't have it."""
AGAIN = 50
"""So many questions later it is asked for once more: the server may have been replaced."""


class Offer:
    """One thing that is asked for as long as it comes; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._missed = 0
        self._passed_over = 0

    def is_worth_asking(self) -> bool:
        """Whether to ask for it this time."""
        with self._lock:
            if self._missed < PATIENCE:
                return True
            self._passed_over = (self._passed_over + 1) % AGAIN
            return self._passed_over == 0

    def came(self, is_there: bool) -> None:
        """It was asked for, and came or didn't."""
        with self._lock:
            self._missed = 0 if is_there else self._missed + 1
