# SPDX-License-Identifier: Apache-2.0
"""The check of long work: called now and then, it raises to stop it (a limit, a cancellation)."""

from __future__ import annotations

from collections.abc import Callable

Check = Callable[[], None]


class WorkStopped(Exception):
    """Work has to stop here: a limit, a cancellation. It is no failure of what was at work."""


def never_stop() -> None:
    """The check of a caller without limits."""
