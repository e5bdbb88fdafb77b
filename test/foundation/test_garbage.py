# SPDX-License-Identifier: Apache-2.0
"""The pause of the garbage collection ends, whatever happens, as it was before."""

import gc

import pytest

from fcp_ros.foundation.garbage import (
    MANY_OBJECTS,
    collect_garbage_rarely,
    collect_garbage_seldom,
    pause_garbage_collection,
    tune_garbage_collection,
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


def test_collecting_rarely():
    thresholds = gc.get_threshold()
    try:
        collect_garbage_rarely()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold()[0] > thresholds[0]
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)


def test_only_a_large_scene_changes_anything():
    thresholds = gc.get_threshold()
    try:
        tune_garbage_collection(MANY_OBJECTS - 1)
        assert gc.get_threshold() == thresholds
        assert not gc.get_freeze_count()
        tune_garbage_collection(MANY_OBJECTS)
        assert gc.get_threshold() != thresholds
        frozen = gc.get_freeze_count()
        assert frozen
        tune_garbage_collection(MANY_OBJECTS)
        assert gc.get_freeze_count() <= frozen
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)
