# SPDX-License-Identifier: Apache-2.0
"""Bucket queues of labels: a heap of the distinct keys, and a chain of labels for each key.

Keys are pairs of whole numbers that repeat often. So most pushes and pops touch neither the heap
nor memory beyond the label's own place in its chain. Several queues share the arrays; a label is in
each of them at most once at a time.

Invariants between two calls:
- Each bucket in use holds the labels of one (queue, key), at least one; it occurs in the heap of
  its queue once and in `table` once.
- `heap_key[q, i]` is the key of bucket `heap_bucket[q, i]`, and no key precedes that of its parent
  at `(i - 1) // 2`.
- `table` uses linear probing without tombstones: no empty slot lies between a bucket's home slot
  and the bucket.
- Free buckets are linked through `head`; their key is `NO_KEY`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.jit import kernel
from fcp_ros.planning.flat.task import Floats, Ints
from fcp_ros.planning.search.kernel.packing import mix_hash

USED, FREE, IN_USE, LAST, HEAPS = range(5)
"""Places in `sizes`: buckets ever used, first free bucket + 1 (0: none), buckets in use, the bucket
of the last push; from HEAPS on the size of each heap."""
NONE = -1
"""The end of a chain."""
NO_KEY = -1.0
"""The first part of the key of a free bucket; no key is negative."""


class BucketQueues(NamedTuple):
    """Q queues with room for B keys in all and L labels each.

    Attributes:
        head, tail: first and last label in the chain of each bucket, int32[B]; in a free
            bucket, head is the next free bucket + 1.
    """

    heap_key: Floats  # keys in heap order, float64[Q, B, 2]
    heap_bucket: Ints  # their buckets, int32[Q, B]
    key: Floats  # key of each bucket, float64[B, 2]
    owner: Ints  # queue of each bucket, int32[B]
    head: Ints
    tail: Ints
    chain: Ints  # next label in the chain, or NONE; int32[Q, L]
    table: Ints  # bucket + 1 by hash of queue and key, 0 for an empty slot; int32[2^k], 2^k >= 2 B
    # see USED, FREE, IN_USE, LAST, HEAPS; int64[4 + Q]
    sizes: np.ndarray[tuple[int], np.dtype[np.int64]]


def make_queues(queues: int, keys: int, labels: int) -> BucketQueues:
    """Make empty queues."""
    return BucketQueues(
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
def is_before(one_first: float, one_second: float, other_first: float, other_second: float) -> bool:
    """Return True if one key precedes another, lexicographically."""
    return one_first < other_first or (one_first == other_first and one_second < other_second)


@kernel
def push(b: BucketQueues, queue: int, first: float, second: float, label: int, last: bool) -> None:
    """Put a label into a queue; the caller has made sure that one more key fits.

    Args:
        last: put it behind the labels with the same key instead of before them.
    """
    # Successive pushes mostly have the same key, so the last bucket is tried before the table.
    bucket = b.sizes[LAST]
    if b.key[bucket, 0] == first and b.key[bucket, 1] == second and b.owner[bucket] == queue:
        _join(b, queue, bucket, label, last)
        return
    mask = len(b.table) - 1
    slot = _hash_slot(queue, first, second, mask)
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
    b.sizes[IN_USE] += 1
    b.sizes[LAST] = bucket
    b.table[slot] = bucket + 1
    b.key[bucket, 0] = first
    b.key[bucket, 1] = second
    b.owner[bucket] = queue
    b.head[bucket] = label
    b.tail[bucket] = label
    b.chain[queue, label] = NONE
    _insert_key(b, queue, first, second, bucket)


@kernel
def _join(b: BucketQueues, queue: int, bucket: int, label: int, last: bool) -> None:
    if last:
        b.chain[queue, label] = NONE
        b.chain[queue, b.tail[bucket]] = label
        b.tail[bucket] = label
    else:
        b.chain[queue, label] = b.head[bucket]
        b.head[bucket] = label


@kernel
def pop(b: BucketQueues, queue: int) -> int:
    """Remove and return the first label of a queue that is not empty."""
    bucket = b.heap_bucket[queue, 0]
    label = b.head[bucket]
    b.head[bucket] = b.chain[queue, label]
    if b.head[bucket] == NONE:
        _free_bucket(b, queue, bucket)
        _remove_root(b, queue)
    return int(label)


@kernel
def rebuild_table(b: BucketQueues) -> None:
    """Fill an empty table with the keys of all heaps, after the table has grown."""
    mask = len(b.table) - 1
    for queue in range(len(b.heap_bucket)):
        for place in range(b.sizes[HEAPS + queue]):
            bucket = b.heap_bucket[queue, place]
            slot = _hash_slot(queue, b.key[bucket, 0], b.key[bucket, 1], mask)
            while b.table[slot] != 0:
                slot = (slot + 1) & mask
            b.table[slot] = bucket + 1


@kernel
def _hash_slot(queue: int, first: float, second: float, mask: int) -> int:
    """Compute the home slot of a key; eighths separate weighted keys, 1e18 stands for infinity."""
    low = np.uint64(np.int64(min(first, 1e18) * 8.0)) * np.uint64(0x9E3779B97F4A7C15)
    high = np.uint64(np.int64(min(second, 1e18) * 8.0)) * np.uint64(0xC2B2AE3D27D4EB4F)
    value = np.uint64(mix_hash(low + high + np.uint64(queue)))
    return int(np.int64(value >> np.uint64(1)) & mask)


@kernel
def _free_bucket(b: BucketQueues, queue: int, bucket: int) -> None:
    """Take a bucket out of the table, closing the gap in its probe sequence (Knuth 6.4, R)."""
    mask = len(b.table) - 1
    slot = _hash_slot(queue, b.key[bucket, 0], b.key[bucket, 1], mask)
    while b.table[slot] != bucket + 1:
        slot = (slot + 1) & mask
    # Linear probing without tombstones: entries behind the gap move up until an empty slot ends the
    # run, else a later probe for them would stop at the gap.
    gap = slot
    while True:
        slot = (slot + 1) & mask
        if b.table[slot] == 0:
            break
        other = b.table[slot] - 1
        home = _hash_slot(b.owner[other], b.key[other, 0], b.key[other, 1], mask)
        # Move `other` into the gap unless its home lies cyclically between the gap and its slot.
        if ((slot - home) & mask) >= ((slot - gap) & mask):
            b.table[gap] = other + 1
            gap = slot
    b.table[gap] = 0
    b.key[bucket, 0] = NO_KEY
    b.head[bucket] = b.sizes[FREE]
    b.sizes[FREE] = bucket + 1
    b.sizes[IN_USE] -= 1


@kernel
def _insert_key(b: BucketQueues, queue: int, first: float, second: float, bucket: int) -> None:
    place = b.sizes[HEAPS + queue]
    b.sizes[HEAPS + queue] += 1
    keys = b.heap_key[queue]
    # Sift up: larger keys move down into the hole at `place` until the new key fits there.
    while place > 0:
        parent = (place - 1) >> 1
        if not is_before(first, second, keys[parent, 0], keys[parent, 1]):
            break
        keys[place, 0] = keys[parent, 0]
        keys[place, 1] = keys[parent, 1]
        b.heap_bucket[queue, place] = b.heap_bucket[queue, parent]
        place = parent
    keys[place, 0] = first
    keys[place, 1] = second
    b.heap_bucket[queue, place] = bucket


@kernel
def _remove_root(b: BucketQueues, queue: int) -> None:
    """Remove the least key of a heap."""
    b.sizes[HEAPS + queue] -= 1
    size = b.sizes[HEAPS + queue]
    keys = b.heap_key[queue]
    first, second = keys[size, 0], keys[size, 1]
    bucket = b.heap_bucket[queue, size]
    place = 0
    # Sift down: the last key replaces the root; the hole at `place` sinks to the smaller child.
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        other = child + 1
        if other < size and is_before(
            keys[other, 0], keys[other, 1], keys[child, 0], keys[child, 1]
        ):
            child = other
        if not is_before(keys[child, 0], keys[child, 1], first, second):
            break
        keys[place, 0] = keys[child, 0]
        keys[place, 1] = keys[child, 1]
        b.heap_bucket[queue, place] = b.heap_bucket[queue, child]
        place = child
    keys[place, 0] = first
    keys[place, 1] = second
    b.heap_bucket[queue, place] = bucket
