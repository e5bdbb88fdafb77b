# SPDX-License-Identifier: Apache-2.0
"""Priority queues of facts: a heap whose keys may fall, and a bucket queue of bit sets.

Both hand out facts of equal value in the order of their numbers, so the order depends on nothing
but values.

Heap: `heap[:size]` holds the facts, `place[fact]` is the position of a fact (-1: not in the heap),
`key[fact]` its key. The heap does not own `key`: after a key fell, `heap_put` restores the order.

Bucket queue: bucket x holds the facts of value x * unit, as bits: `buckets[x, f >> 6]` has bit
`f & 63` for fact f. A fact whose value falls is put into another bucket as well; what is left of it
in the dearer one is dropped when it is met. `span` bounds where bits may be set; see FRONT, WORD,
END. Before and after each exploration all bits are 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.jit import kernel, trailing_zeros
from fcp_ros.planning.flat.task import Floats, Ints, Marks

LEVELS = 256
"""Number of buckets; facts of higher values go to the heap."""
FRONT, WORD, END = range(3)
"""Places in `span`: the first bucket that may not be empty, its first word that may not be 0, and
the last bucket that may not be empty + 1; int64[3]."""

BucketBits = NDArray[np.uint64]
"""The buckets, uint64[LEVELS, (f + 63) // 64]."""


# --- heap


@kernel
def heap_put(heap: Ints, place: Ints, key: Floats, size: int, fact: int) -> int:
    """Put a fact in, or move it up after its key fell; return the new size."""
    at = place[fact]
    if at < 0:
        at = size
        size += 1
    own = key[fact]
    while at > 0:
        above = (at - 1) >> 1
        other = heap[above]
        if key[other] < own or (key[other] == own and other < fact):
            break
        heap[at] = other
        place[other] = at
        at = above
    heap[at] = fact
    place[fact] = at
    return size


@kernel
def heap_take(heap: Ints, place: Ints, key: Floats, size: int) -> int:
    """Remove and return the least fact; the caller counts the size down."""
    least = heap[0]
    place[least] = -1
    size -= 1
    if size == 0:
        return int(least)
    last = heap[size]
    own = key[last]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        other = heap[below]
        right = below + 1
        if right < size:
            sibling = heap[right]
            if key[sibling] < key[other] or (key[sibling] == key[other] and sibling < other):
                below = right
                other = sibling
        if own < key[other] or (own == key[other] and last < other):
            break
        heap[at] = other
        place[other] = at
        at = below
    heap[at] = last
    place[last] = at
    return int(least)


# --- bucket queue


@kernel
def bucket_put(buckets: BucketBits, span: Marks, number: int, fact: int) -> None:
    """Put a fact into a bucket, which does not precede the one that the last fact came from."""
    word = fact >> 6
    buckets[number, word] |= np.uint64(1) << np.uint64(fact & 63)
    if number == span[FRONT] and word < span[WORD]:
        span[WORD] = word
    span[END] = max(span[END], number + 1)


@kernel
def bucket_take(buckets: BucketBits, span: Marks, value: Floats, unit: float) -> int:
    """Remove and return the first fact of the first bucket; -1 if all are empty.

    Args:
        buckets, span: the queue.
        value: of each fact; a fact whose value is not that of its bucket is dropped, float64[f].
        unit: bucket x has the facts of value x * unit.
    """
    while span[FRONT] < span[END]:
        number, word = span[FRONT], span[WORD]
        if word == buckets.shape[1]:
            span[FRONT] += 1
            span[WORD] = 0
            continue
        bits = buckets[number, word]
        while bits != 0:
            fact = (word << 6) + np.int64(trailing_zeros(bits))
            bits &= bits - np.uint64(1)
            # Else its value has fallen and it left through a cheaper bucket: drop this bit.
            if value[fact] == number * unit:
                buckets[number, word] = bits
                return int(fact)
        buckets[number, word] = 0
        span[WORD] += 1
    return -1


@kernel
def clear_buckets(buckets: BucketBits, span: Marks) -> None:
    """Empty all buckets."""
    for number in range(span[FRONT], span[END]):
        for word in range(buckets.shape[1]):
            buckets[number, word] = 0
    span[FRONT] = span[WORD] = span[END] = 0
