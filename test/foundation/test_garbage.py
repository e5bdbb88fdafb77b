# SPDX-License-Identifier: Apache-2.0
"""The pause of the garbage collection ends, whatever happens, as it was before."""

import gc
import subprocess
import sys

import pytest

from fcp_ros.foundation.garbage import (
    collect_garbage_seldom,
    pause_garbage_collection,
)


def test_pause_ends():
    assert gc.isenabled()
    with pause_garbage_collection():
        assert not gc.isenabled()
        with pause_garbage_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_pause_ends_after_an_error():
    with pytest.raises(ValueError, match="wrong"), pause_garbage_collection():
        raise ValueError("wrong")
    assert gc.isenabled()


def test_a_request_of_its_own_is_collected_seldom_and_not_at_its_end():
    """A sixth of planning for 20,000 preferences was the collector (issue 28)."""
    thresholds, collected = gc.get_threshold(), []

    def note(phase, info):
        collected.append((phase, info["generation"]))

    gc.callbacks.append(note)
    try:
        with collect_garbage_seldom():
            lasting = [[number] for number in range(100_000)]
        more = [[number] for number in range(100)]
    finally:
        gc.callbacks.remove(note)
    assert (len(lasting), len(more)) == (100_000, 100)
    assert gc.get_threshold() == thresholds
    assert not collected


# In a process of its own: here a collection goes through millions of objects, and would thaw what
# the session has frozen.
IN_A_LARGE_SCENE = """
import gc
from fcp_ros.foundation.garbage import MANY_OBJECTS, tune_garbage_collection

before = gc.get_threshold()
tune_garbage_collection(MANY_OBJECTS - 1)
assert gc.get_threshold() == before and not gc.get_freeze_count()
tune_garbage_collection(MANY_OBJECTS)
assert gc.isenabled() and gc.get_threshold()[0] > before[0]
frozen = gc.get_freeze_count()
assert frozen
lasting = [[number] for number in range(1000)]
tune_garbage_collection(MANY_OBJECTS)
assert gc.get_freeze_count() <= frozen  # what has come since isn't looked at
"""


def test_only_a_large_scene_changes_anything():
    subprocess.run([sys.executable, "-c", IN_A_LARGE_SCENE], check=True)
