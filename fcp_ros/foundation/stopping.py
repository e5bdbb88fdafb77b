# SPDX-License-Identifier: Apache-2.0
"""The check of long work: called now and then, it raises to stop it (a limit, a cancellation)."""

from __future__ import annotations

from collections.abc import Callable

Check = Callable[[], None]


def never_stop() -> None:
    """The check of a caller without limits."""
