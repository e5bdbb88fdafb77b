# SPDX-License-Identifier: Apache-2.0
"""Priority queues of labels: a heap of the distinct keys, and a chain of labels for each key.

Keys are pairs of whole numbers that repeat a lot, so most of the time pushing and popping touches
neither the heap nor more memory than the label's own place in its chain. Several queues share the
arrays; a label is in each of them at most once at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Floats, Ints
from fcp_ros.planning.search.packing import scramble

USED, FREE, TAKEN, LAST, HEAPS = range(5)
"""Places in `sizes`: buckets ever used, first free bucket + 1, buckets in use, the bucket of the
last push; then the size of each heap."""
NONE = -1
NO_KEY = -1.0
"""The first part of the key of a bucket that is free; no key is negative."""


class Buckets(NamedTuple):
    """Q queues with room for B keys in all and L labels each.

    Attributes:
        heap_key: keys in heap order, float64[Q, B, 2].
        heap_bucket: their buckets, int32[Q, B].
        key: the key of each bucket, float64[B, 2].
        owner: the queue of each bucket, int32[B].
        head, tail: first and last label in its chain, int32[B]; in free buckets, head is the next
            free one + 1.
        chain: the next label in the chain, int32[Q, L].
        table: bucket + 1 by hash of queue and key, 0 for none, int32[power of 2, >= 2 B].
        sizes: see USED, FREE, TAKEN, LAST, HEAPS; int64[4 + Q].
    """

    heap_key: Floats
    heap_bucket: Ints
    key: Floats
    owner: Ints
    head: Ints
    tail: Ints
    chain: Ints
    table: Ints
    sizes: np.ndarray[tuple[int], np.dtype[np.int64]]


def empty_buckets(queues: int, keys: int, labels: int) -> Buckets:
    """Empty queues.

    Arguments:
        queues: number of queues.
        keys: room for distinct keys, a power of two.
        labels: room for labels.
    """
    return Buckets(
        np.empty((queues, keys, 2)),
        np.empty((queues, keys), np.int32),
        np.full((keys, 2), NO_KEY),
        np.empty(keys, np.int32),
        np.empty(keys, np.int32),
        np.empty(keys, np.int32),
        np.empty((queues, labels), np.int32),
        np.zeros(2 * keys, np.int32),
        np.zeros(HEAPS + queues, np.int64),
    )


@kernel
def before(one_first: float, one_second: float, other_first: float, other_second: float) -> bool:
    """Whether one key comes before another."""
    return one_first < other_first or (one_first == other_first and one_second < other_second)


@kernel
def push(b: Buckets, queue: int, first: float, second: float, label: int, last: bool) -> None:
    """Puts a label into a queue; there must be room for one more key.

    Arguments:
        b: the queues.
        queue: which of them.
        first, second: the key.
        label: the label.
        last: behind the others with this key, instead of before them.
    """
    bucket = b.sizes[LAST]  # mostly the same one again
    if b.key[bucket, 0] == first and b.key[bucket, 1] == second and b.owner[bucket] == queue:
        _join(b, queue, bucket, label, last)
        return
    mask = len(b.table) - 1
    slot = _slot(queue, first, second, mask)
    while b.table[slot] != 0:
        bucket = np.int64(b.table[slot] - 1)
        if b.key[bucket, 0] == first and b.key[bucket, 1] == second and b.owner[bucket] == queue:
            b.sizes[LAST] = bucket
            _join(b, queue, bucket, label, last)
            return
        slot = (slot + 1) & mask
    if b.sizes[FREE] != 0:
        bucket = b.sizes[FREE] - 1
        b.sizes[FREE] = b.head[bucket]
    else:
        bucket = b.sizes[USED]
        b.sizes[USED] += 1
    b.sizes[TAKEN] += 1
    b.sizes[LAST] = bucket
    b.table[slot] = bucket + 1
    b.key[bucket, 0] = first
    b.key[bucket, 1] = second
    b.owner[bucket] = queue
    b.head[bucket] = label
    b.tail[bucket] = label
    b.chain[queue, label] = NONE
    _rise(b, queue, first, second, bucket)


@kernel
def _join(b: Buckets, queue: int, bucket: int, label: int, last: bool) -> None:
    """Puts a label into the chain of a bucket that has one."""
    if last:
        b.chain[queue, label] = NONE
        b.chain[queue, b.tail[bucket]] = label
        b.tail[bucket] = label
    else:
        b.chain[queue, label] = b.head[bucket]
        b.head[bucket] = label


@kernel
def pop(b: Buckets, queue: int) -> int:
    """Takes the first label out of a queue that is not empty."""
    bucket = b.heap_bucket[queue, 0]
    label = b.head[bucket]
    b.head[bucket] = b.chain[queue, label]
    if b.head[bucket] == NONE:
        _forget(b, queue, bucket)
        _sink(b, queue)
    return int(label)


def clear(b: Buckets) -> None:
    """Empties all queues."""
    b.table.fill(0)
    b.sizes.fill(0)
    b.key.fill(NO_KEY)


@kernel
def rebuild_table(b: Buckets) -> None:
    """Fills an empty table with the keys of all heaps (after the table has grown)."""
    mask = len(b.table) - 1
    for queue in range(len(b.heap_bucket)):
        for place in range(b.sizes[HEAPS + queue]):
            bucket = b.heap_bucket[queue, place]
            slot = _slot(queue, b.key[bucket, 0], b.key[bucket, 1], mask)
            while b.table[slot] != 0:
                slot = (slot + 1) & mask
            b.table[slot] = bucket + 1


@kernel
def _slot(queue: int, first: float, second: float, mask: int) -> int:
    low = np.uint64(np.int64(min(first, 1e18) * 8.0)) * np.uint64(0x9E3779B97F4A7C15)
    high = np.uint64(np.int64(min(second, 1e18) * 8.0)) * np.uint64(0xC2B2AE3D27D4EB4F)
    value = np.uint64(scramble(low + high + np.uint64(queue)))
    return int(np.int64(value >> np.uint64(1)) & mask)


@kernel
def _forget(b: Buckets, queue: int, bucket: int) -> None:
    """Takes a bucket out of the table, closing the gap in its probe sequence (Knuth 6.4, R)."""
    mask = len(b.table) - 1
    slot = _slot(queue, b.key[bucket, 0], b.key[bucket, 1], mask)
    while b.table[slot] != bucket + 1:
        slot = (slot + 1) & mask
    gap = slot
    while True:
        slot = (slot + 1) & mask
        if b.table[slot] == 0:
            break
        other = b.table[slot] - 1
        home = _slot(b.owner[other], b.key[other, 0], b.key[other, 1], mask)
        if ((slot - home) & mask) >= ((slot - gap) & mask):
            b.table[gap] = other + 1
            gap = slot
    b.table[gap] = 0
    b.key[bucket, 0] = NO_KEY
    b.head[bucket] = b.sizes[FREE]
    b.sizes[FREE] = bucket + 1
    b.sizes[TAKEN] -= 1


@kernel
def _rise(b: Buckets, queue: int, first: float, second: float, bucket: int) -> None:
    place = b.sizes[HEAPS + queue]
    b.sizes[HEAPS + queue] += 1
    keys = b.heap_key[queue]
    while place > 0:
        parent = (place - 1) >> 1
        if not before(first, second, keys[parent, 0], keys[parent, 1]):
            break
        keys[place, 0] = keys[parent, 0]
        keys[place, 1] = keys[parent, 1]
        b.heap_bucket[queue, place] = b.heap_bucket[queue, parent]
        place = parent
    keys[place, 0] = first
    keys[place, 1] = second
    b.heap_bucket[queue, place] = bucket


@kernel
def _sink(b: Buckets, queue: int) -> None:
    """Takes the root out of a heap."""
    b.sizes[HEAPS + queue] -= 1
    size = b.sizes[HEAPS + queue]
    keys = b.heap_key[queue]
    first, second = keys[size, 0], keys[size, 1]
    bucket = b.heap_bucket[queue, size]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        other = child + 1
        if other < size and before(keys[other, 0], keys[other, 1], keys[child, 0], keys[child, 1]):
            child = other
        if not before(keys[child, 0], keys[child, 1], first, second):
            break
        keys[place, 0] = keys[child, 0]
        keys[place, 1] = keys[child, 1]
        b.heap_bucket[queue, place] = b.heap_bucket[queue, child]
        place = child
    keys[place, 0] = first
    keys[place, 1] = second
    b.heap_bucket[queue, place] = bucket
