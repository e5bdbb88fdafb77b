# SPDX-License-Identifier: Apache-2.0
"""A binary heap of facts in arrays, where the key of a fact can fall while it waits.

`heap[:size]` holds the facts, `place[fact]` is where a fact is (-1: not in the heap), `key[fact]`
what it is sorted by. Equal keys are sorted by fact, so facts leave in an order that depends on
nothing but their keys.
"""

from __future__ import annotations

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Floats, Ints


@kernel
def put(heap: Ints, place: Ints, key: Floats, size: int, fact: int) -> int:
    """Puts a fact in, or moves it up after its key fell; returns the new size."""
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
def take(heap: Ints, place: Ints, key: Floats, size: int) -> int:
    """Takes the least fact out and returns it; the caller counts the size down."""
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
