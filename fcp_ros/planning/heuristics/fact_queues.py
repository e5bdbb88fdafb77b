# SPDX-License-Identifier: Apache-2.0
"""Priority queues of facts: a heap whose keys may fall, and a bucket queue.

Heap: `heap[:size]` holds the facts, `place[fact]` is the position of a fact (-1: not in the heap),
`key[fact]` its key. The heap does not own `key`: after a key fell, `heap_put` restores the order.
Facts of equal value leave in the order of their numbers.

Bucket queue: bucket x holds the facts of value x * unit. Of equal value, the fact put in last
leaves first: so the order, and with it the supporters that a relaxed plan takes, changes with the
state. In the order of numbers, relaxed plans prefer the same few operators everywhere, and a search
by helpful actions circles among them (15-puzzle: 15,000 expansions in vain, instead of 2,000).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.jit import kernel
from fcp_ros.planning.flat.task import Floats, Ints, Marks

LEVELS = 256
"""Number of buckets; facts of higher values go to the heap."""
FRONT, END = range(2)
"""Places in `span`: the first bucket that may not be empty, and the last one + 1; int64[2]."""


class Buckets(NamedTuple):
    """A chain of facts for each bucket; no fact is in two of them.

    Attributes:
        before, after: the neighbours of each fact in its chain, or -1; int32[f].
    """

    first: Ints  # the fact last put into each bucket, or -1; int32[LEVELS]
    before: Ints
    after: Ints


def make_buckets(facts: int) -> Buckets:
    """Make empty buckets for facts with numbers below `facts`."""
    return Buckets(
        np.full(LEVELS, -1, np.int32), np.zeros(facts, np.int32), np.zeros(facts, np.int32)
    )


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
def bucket_put(buckets: Buckets, span: Marks, number: int, fact: int) -> None:
    """Put a fact that is in no bucket into one that does not precede the last one taken from."""
    first = buckets.first[number]
    buckets.after[fact] = first
    buckets.before[fact] = -1
    if first >= 0:
        buckets.before[first] = fact
    buckets.first[number] = fact
    span[END] = max(span[END], number + 1)


@kernel
def bucket_drop(buckets: Buckets, number: int, fact: int) -> None:
    """Take a fact out of the bucket that it is in."""
    before, after = buckets.before[fact], buckets.after[fact]
    if before >= 0:
        buckets.after[before] = after
    else:
        buckets.first[number] = after
    if after >= 0:
        buckets.before[after] = before


@kernel
def bucket_take(buckets: Buckets, span: Marks) -> int:
    """Remove and return the last fact put into the first bucket that has one; -1 if none has."""
    while span[FRONT] < span[END]:
        number = span[FRONT]
        fact = buckets.first[number]
        if fact >= 0:
            bucket_drop(buckets, number, fact)
            return int(fact)
        span[FRONT] += 1
    return -1


@kernel
def clear_buckets(buckets: Buckets, span: Marks) -> None:
    """Empty all buckets."""
    for number in range(span[FRONT], span[END]):
        buckets.first[number] = -1
    span[FRONT] = span[END] = 0
