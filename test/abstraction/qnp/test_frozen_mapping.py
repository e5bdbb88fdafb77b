# SPDX-License-Identifier: Apache-2.0
"""A frozen mapping has the entries it was made from, in their order, and never changes."""

import pickle

import pytest

from fcp_ros.abstraction.qnp.problem import FrozenMapping


def test_entries_keep_their_order_and_never_change():
    entries = {"b": 1, "a": 2}
    frozen = FrozenMapping(entries)
    entries["c"] = 3
    assert list(frozen) == ["b", "a"]
    assert len(frozen) == 2
    with pytest.raises(TypeError):
        frozen["a"] = 4  # type: ignore[index]
    assert repr(frozen) == "FrozenMapping({'b': 1, 'a': 2})"


def test_equal_whatever_the_order():
    one, other = FrozenMapping({"b": 1, "a": 2}), FrozenMapping({"a": 2, "b": 1})
    assert one == other == {"a": 2, "b": 1}
    assert hash(one) == hash(other)
    assert one != FrozenMapping({"a": 2})
    assert pickle.loads(pickle.dumps(one)) == one


def test_empty_without_entries():
    assert FrozenMapping() == {}
