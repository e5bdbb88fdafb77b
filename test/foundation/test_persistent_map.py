# SPDX-License-Identifier: Apache-2.0
"""Persistent maps: dicts to everybody who looks, with copies that share."""

import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.foundation.persistent_map import (
    SMALL,
    PersistentMap,
    PersistentSet,
    add_to,
    evolve,
    group_ids,
    take_from,
)

Operations = list[tuple[str, int, int]]

operations = st.lists(
    st.tuples(
        st.sampled_from(["set", "set", "delete", "copy", "back"]),
        st.integers(0, 30),
        st.integers(0, 3),
    ),
    max_size=60,
)


def same(shared: PersistentMap[int, int], plain: dict[int, int]) -> None:
    """Everything that can be asked of a map has the same answer."""
    assert shared == plain
    assert len(shared) == len(plain)
    assert list(shared) == sorted(plain)
    assert list(shared.items()) == sorted(plain.items())
    assert list(shared.values()) == [plain[key] for key in sorted(plain)]
    for key in range(31):
        assert (key in shared) == (key in plain)
        assert shared.get(key, "none") == plain.get(key, "none")


@settings(max_examples=150, deadline=None)
@given(start=st.dictionaries(st.integers(0, 30), st.integers(0, 3), max_size=20), steps=operations)
def test_a_map_equals_a_dict(start: dict[int, int], steps: Operations) -> None:
    shared = PersistentMap(dict(sorted(start.items())), ascending=True)
    versions = [(shared.copy(), dict(start))]
    original = shared, dict(start)
    for what, key, value in steps:
        shared, plain = versions[-1]
        if what == "set":
            shared[key] = plain[key] = value
        elif what == "delete" and key in plain:
            del shared[key], plain[key]
        elif what == "delete":
            with pytest.raises(KeyError):
                del shared[key]
        elif what == "copy":
            versions.append((shared.copy(), dict(plain)))
        elif len(versions) > 1:
            same(*versions.pop())
    for version in (original, *versions):
        same(*version)
    # Maps are compared by what they share, too.
    for one, ours in versions:
        for other, theirs in versions:
            assert (one == other) == (ours == theirs)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_maps_that_were_folded_equal_dicts(seed: int) -> None:
    draw = random.Random(seed)
    plain = {2 * key: key for key in range(300)}
    shared = PersistentMap(dict(plain), ascending=True)
    bases, kept = [shared.base], []
    for step in range(600):
        shared, plain = shared.copy(), dict(plain)
        key = draw.randrange(700)
        if key in plain and draw.random() < 0.6:
            del shared[key], plain[key]
        else:
            shared[key] = plain[key] = step
        if shared.base is not bases[-1]:
            bases.append(shared.base)
        if step % 60 == 0:
            kept.append((shared, plain))
    assert len(bases) > 2
    kept.append((shared, plain))
    for one, other in kept:
        assert list(one.items()) == sorted(other.items())
        assert len(one) == len(other)
        assert all(one[key] == value for key, value in other.items())


def test_siblings_are_folded_only_as_often_as_writes_have_paid_for() -> None:
    parent = PersistentMap({key: key for key in range(1000)}, ascending=True).copy()
    for key in range(200):
        parent[key] = -key
    siblings = []
    for key in range(100):
        child = parent.copy()
        child[key] = 0
        siblings.append(child)
    # The parent itself was folded, once, and all the children share what came of it.
    assert {id(child.base) for child in siblings} == {id(parent.base)}
    assert not list(parent.changes())
    grandchildren = [child.copy() for child in siblings]
    assert {id(child.base) for child in grandchildren} == {id(parent.base)}


def test_keys_that_need_not_ascend_keep_their_order_and_new_ones_follow_sorted() -> None:
    shared = PersistentMap({"m": 1, "c": 2, "x": 3}).copy()
    for key in ("z", "b", "y"):
        shared[key] = 0
    del shared["c"]
    assert list(shared) == ["m", "x", "b", "y", "z"]
    again = pickle.loads(pickle.dumps(shared))
    assert list(again.items()) == list(shared.items())
    assert again == shared == dict(shared)


def test_small_maps_are_dicts_and_large_ones_share() -> None:
    small = evolve({key: key for key in range(SMALL)})
    assert isinstance(small, dict)
    large = evolve({key: key for key in range(SMALL + 1)})
    assert isinstance(large, PersistentMap)
    for key in range(SMALL - 4):
        del large[key]
    assert evolve(large) == {key: key for key in range(SMALL - 4, SMALL + 1)}
    assert isinstance(evolve(large), dict)


@settings(max_examples=60, deadline=None)
@given(
    size=st.sampled_from([0, 5, 31, 32, 33, 70]),
    steps=st.lists(st.tuples(st.booleans(), st.integers(0, 80)), max_size=60),
)
def test_buckets_equal_sets(size: int, steps: list[tuple[bool, int]]) -> None:
    index = group_ids(("key", id_) for id_ in range(0, 2 * size, 2))
    plain = set(range(0, 2 * size, 2))
    older = [(dict(index), frozenset(plain))]
    for adds, id_ in steps:
        if adds and id_ not in plain:
            add_to(index, "key", id_)
            plain.add(id_)
        elif not adds and id_ in plain:
            take_from(index, "key", id_)
            plain.remove(id_)
        older.append((dict(index), frozenset(plain)))
    # Nothing that was read before has changed since.
    for found, expected in older:
        bucket = found.get("key", ())
        assert list(bucket) == sorted(expected)
        assert len(bucket) == len(expected)
        assert all((id_ in bucket) == (id_ in expected) for id_ in range(81))
        assert ("key" in found) == bool(expected)


def test_large_buckets_are_not_copied() -> None:
    index = group_ids((1, id_) for id_ in range(10_000))
    before = index[1]
    add_to(index, 1, 10_000)
    after = index[1]
    assert isinstance(before, PersistentSet)
    assert isinstance(after, PersistentSet)
    assert after.entries.base is before.entries.base
