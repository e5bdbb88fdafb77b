# SPDX-License-Identifier: Apache-2.0
"""Packed states, their registry, and the queues of labels."""

from __future__ import annotations

import heapq

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from packed_states import pack_state, unpack_state
from random_flat_tasks import flat_tasks

from fcp_ros.planning.flat import semantics
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.task import FlatTask, count_operators, count_variables
from fcp_ros.planning.search.kernel.bucket_queue import (
    HEAPS,
    IN_USE,
    BucketQueues,
    make_queues,
    pop,
    push,
    rebuild_table,
)
from fcp_ros.planning.search.kernel.packing import pack
from fcp_ros.planning.search.kernel.space import COUNTS, HASHED, STATES, WORK, intern_state, rehash
from fcp_ros.planning.search.kernel.switch_tree import (
    SwitchTree,
    build_switch_tree,
    find_applicable,
    is_forbidden,
)


def empty_task(domain: list[int]) -> FlatTask:
    return FlatBuilder(domain, [0] * len(domain), ((0, 0),)).build()


DOMAINS = st.lists(st.sampled_from([1, 2, 3, 4, 5, 17, 1000, 70_000]), min_size=1, max_size=30)


@given(st.data(), DOMAINS)
def test_states_are_packed_and_unpacked(data, domain):
    packing = pack(empty_task(domain))
    state = np.array([data.draw(st.integers(0, size - 1)) for size in domain], np.int32)
    assert unpack_state(packing, pack_state(packing, state)).tolist() == state.tolist()


def linear(words: np.ndarray, factor: np.ndarray) -> np.uint64:
    """The linear hash, slowly."""
    return np.uint64(sum(int(w) * int(f) for w, f in zip(words, factor, strict=True)) % 2**64)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 2**64 - 1)), max_size=60))
def test_the_registry_numbers_states_as_they_come_and_grows(rows):
    factor = np.array([3, 2**63 + 7], np.uint64)
    words, counts = np.zeros((200, 2), np.uint64), np.zeros(COUNTS, np.int64)
    table = np.zeros(4, np.int64)
    known: dict[tuple[int, int], int] = {}
    for row in rows:
        if 2 * counts[STATES] >= len(table):
            table = np.zeros(2 * len(table), np.int64)
            counts[HASHED] = 0
            while counts[HASHED] < counts[STATES]:
                counts[WORK] = 3  # a few at a time
                rehash(words, table, counts, factor)
        fresh = np.array(row, np.uint64)
        state = intern_state(words, table, counts, fresh, linear(fresh, factor))
        assert state == known.setdefault(row, len(known))
    assert counts[STATES] == len(known)


def test_words_with_the_same_hash_are_told_apart():
    words, counts, table = (
        np.zeros((9, 1), np.uint64),
        np.zeros(COUNTS, np.int64),
        np.zeros(32, "q"),
    )
    rows = [np.array([w], "u8") for w in range(4)]
    numbers = [intern_state(words, table, counts, row, np.uint64(5)) for row in rows]
    assert numbers == [0, 1, 2, 3]
    assert intern_state(words, table, counts, np.array([2], "u8"), np.uint64(5)) == 2


KEYS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 1e17])
ORDERS = st.lists(st.one_of(st.none(), st.tuples(KEYS, KEYS, st.booleans())), max_size=120)


@settings(max_examples=200)
@given(ORDERS, st.booleans())
def test_queues_give_the_least_key_first(orders, last):
    """None pops, keys push; in each queue equal keys leave in order (last) or the newest first."""
    room = 32
    buckets = make_queues(2, room, 200)
    twins: list[list[tuple[float, float, int, int]]] = [[], []]
    for label, order in enumerate(orders):
        if order is not None:
            queue = int(order[2])
            push(buckets, queue, order[0], order[1], label, last)
            heapq.heappush(twins[queue], (order[0], order[1], label if last else -label, label))
            continue
        for queue in range(2):
            if twins[queue]:
                assert buckets.heap_key[queue, 0].tolist() == list(twins[queue][0][:2])
                assert pop(buckets, queue) == heapq.heappop(twins[queue])[3]
            assert (buckets.sizes[HEAPS + queue] == 0) == (not twins[queue])
    assert_table_finds_all(buckets)


def assert_table_finds_all(buckets: BucketQueues) -> None:
    """A table that is filled again has the same keys as the one that was kept up to date."""
    again = buckets._replace(table=np.zeros_like(buckets.table))
    rebuild_table(again)
    assert sorted(again.table[again.table > 0]) == sorted(buckets.table[buckets.table > 0])
    assert np.count_nonzero(buckets.table) == buckets.sizes[IN_USE]


# --- The switch tree finds the operators that `semantics.find_applicable` finds


def found(task: FlatTask, tree: SwitchTree, state: tuple[int, ...]) -> list[int]:
    """The operators that may be applied, by the tree."""
    values = np.array(state, np.int32)
    waiting = np.zeros(tree.depth, np.int32)
    into = np.zeros(count_operators(task), np.int32)
    count = find_applicable(tree.nodes, tree.listed, tree.root, values, waiting, into)
    return sorted(
        int(o) for o in into[:count] if tree.simple[o] or not is_forbidden(task, values, int(o))
    )


def states(task: FlatTask) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*(st.integers(0, int(size) - 1) for size in task.domain))


@settings(max_examples=150)
@given(st.data(), flat_tasks(max_variables=6, max_operators=15))
def test_the_tree_finds_what_is_applicable(data, task):
    tree = build_switch_tree(task)
    for _ in range(4):
        state = data.draw(states(task))
        assert found(task, tree, state) == semantics.find_applicable(task, state)


def place_task(places: int) -> FlatTask:
    """Two things on many places: single values are tested, not switched on."""
    made = [
        FlatOperator(pre=((0, p), (1, q)), effects=(FlatEffect(2, 1),))
        for p in (0, 3, places - 1)
        for q in (1, places - 1)
    ]
    made.append(FlatOperator(effects=(FlatEffect(0, 0),)))
    return FlatBuilder([places, places, 2], [0, 0, 0], ((2, 1),), made).build()


def test_values_that_nobody_asks_for_take_no_room():
    task = place_task(1000)
    tree = build_switch_tree(task)
    assert len(tree.nodes) < 200
    for state in ((0, 1, 0), (3, 999, 1), (999, 1, 0), (4, 1, 0), (0, 0, 0)):
        assert found(task, tree, state) == semantics.find_applicable(task, state)


def test_an_operator_that_asks_for_two_values_at_once_is_never_found():
    made = [FlatOperator(pre=((0, 0), (0, 1)), effects=(FlatEffect(0, 1),))]
    task = FlatBuilder([2], [0], ((0, 1),), made).build()
    assert found(task, build_switch_tree(task), (0,)) == []


def test_a_condition_said_twice_counts_once():
    made = [FlatOperator(pre=((0, 0), (0, 0)), effects=(FlatEffect(0, 1),))]
    task = FlatBuilder([2], [0], ((0, 1),), made).build()
    assert found(task, build_switch_tree(task), (0,)) == [0]


def test_thousands_of_variables_make_a_long_chain():
    count = 3000
    made = [FlatOperator(pre=((v, 0),), effects=(FlatEffect(v, 1),)) for v in range(count)]
    task = FlatBuilder([2] * count, [0] * count, ((0, 1),), made).build()
    assert count_variables(task) == count
    tree = build_switch_tree(task)
    assert found(task, tree, (0,) * count) == list(range(count))


def test_an_operator_may_ask_for_thousands_of_variables():
    count = 3000
    everything = tuple((v, 1) for v in range(count - 1))
    made = [FlatOperator(pre=everything, effects=(FlatEffect(count - 1, 1),))]
    task = FlatBuilder([2] * count, [0] * count, ((count - 1, 1),), made).build()
    tree = build_switch_tree(task)
    assert found(task, tree, (1,) * count) == [0]
    assert found(task, tree, (1,) * (count - 2) + (0, 1)) == []
