# SPDX-License-Identifier: Apache-2.0
"""Many values at once without looking for garbage among them all the time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
