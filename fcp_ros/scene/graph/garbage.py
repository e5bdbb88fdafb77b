# SPDX-License-Identifier: Apache-2.0
"""Many values at once without looking for garbage among them all the time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

LARGE_SCENE = 1_000
"""From so many elements on, searches for garbage among them take a good part of the time."""


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Let Python not search for reference cycles meanwhile.

    While hundreds of thousands of values are made that all stay, each search goes through all of
    them in vain; in a scene of 20,000 objects that is most of the reading time. For short stretches
    only: the pause is for the whole process.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_RARELY = (50_000, 20, 100)
"""Thresholds of Python's collector for a process that holds a large scene."""


def collect_garbage_rarely() -> None:
    """For a process that holds a large scene and follows its changes, once the scene is there.

    What is there now is not searched for reference cycles again, and what comes later is searched
    more rarely. Values of this package have no cycles: reference counting frees them. A search
    through a scene of 100,000 elements takes 0.1 to 0.3 s, in the midst of a change.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_RARELY)


def hold_scene(elements: int) -> None:
    """Say that the process holds a scene from now on: with a large one, `collect_garbage_rarely`.

    Args:
        elements: Number of nodes of the scene. It costs nothing to say it again.
    """
    # Not by gc.get_freeze_count(), which counts all that is frozen each time.
    if elements >= LARGE_SCENE and gc.get_threshold() != _RARELY:
        collect_garbage_rarely()
