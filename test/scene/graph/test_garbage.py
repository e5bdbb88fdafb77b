# SPDX-License-Identifier: Apache-2.0
"""The pause of the garbage collection ends, whatever happens, as it was before."""

import gc

import pytest

from fcp_ros.scene.graph.garbage import (
    LARGE_SCENE,
    collect_garbage_rarely,
    garbage_collection_paused,
    hold_scene,
)


def test_pause_ends():
    assert gc.isenabled()
    with garbage_collection_paused():
        assert not gc.isenabled()
        with garbage_collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_pause_ends_after_an_error():
    with pytest.raises(ValueError, match="wrong"), garbage_collection_paused():
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
        hold_scene(LARGE_SCENE - 1)
        assert gc.get_threshold() == thresholds
        assert not gc.get_freeze_count()
        hold_scene(LARGE_SCENE)
        assert gc.get_threshold() != thresholds
        frozen = gc.get_freeze_count()
        assert frozen
        hold_scene(LARGE_SCENE)
        assert gc.get_freeze_count() <= frozen
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)
