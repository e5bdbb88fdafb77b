# SPDX-License-Identifier: Apache-2.0
"""The cyclic garbage collector in a process that holds hundreds of thousands of live values.

Each collection traverses all of them in vain: while a scene of 20,000 objects is read, that is most
of the time. Values of this package have no reference cycles; reference counting frees them.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY_OBJECTS = 1_000
"""Scenes with at least this many elements slow the cyclic garbage collector noticeably."""

_RARELY = (50_000, 20, 100)  # Thresholds of the collector in a process that holds a large scene

_SELDOM = (1_000_000, 20, 100)  # In a process that answers one request


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Switch the collector off, in the whole process, while many lasting values are made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def skip_final_collection() -> None:
    """Let this process end without Python's collection at exit (0.3 s after a large task)."""
    atexit.register(gc.freeze)


@contextmanager
def collect_garbage_seldom() -> Iterator[None]:
    """Let the collector look at a million new values at a time, in a process for one request.

    By default it looks at 700, and at all that lasts whenever that has grown by a quarter: a sixth
    of planning for 20,000 preferences (issue 28). What libraries leave in cycles stays bounded.
    """
    before = gc.get_threshold()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        # All that was made counts as old from here on, without a look at it.
        gc.freeze()
        gc.unfreeze()
        gc.set_threshold(*before)


def collect_garbage_rarely() -> None:
    """Tune the collector for a process that follows the changes of a large scene.

    Call it once the scene is there: what exists now is never traversed again, and later values are
    traversed less often. One pass over a scene of 100,000 elements takes 0.1 to 0.3 s, in the midst
    of a change.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_RARELY)


def tune_garbage_collection(elements: int) -> None:
    """Call `collect_garbage_rarely`, at no cost if again, if the process holds a large scene."""
    # Not by gc.get_freeze_count(), which counts all frozen objects each time.
    if elements >= MANY_OBJECTS and gc.get_threshold() != _RARELY:
        collect_garbage_rarely()
