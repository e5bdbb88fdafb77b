# SPDX-License-Identifier: Apache-2.0
"""The pause of the garbage collection ends, whatever happens, as it was before."""

import gc

import pytest

from fcp_ros.foundation.garbage import (
    MANY_OBJECTS,
    collect_garbage_rarely,
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
