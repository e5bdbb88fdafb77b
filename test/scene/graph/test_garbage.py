# SPDX-License-Identifier: Apache-2.0
"""The pause of the garbage collection ends, whatever happens, as it was before."""

import gc

import pytest

from fcp_ros.scene.graph.garbage import garbage_collection_paused


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
