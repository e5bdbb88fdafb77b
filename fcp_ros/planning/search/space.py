# SPDX-License-Identifier: Apache-2.0
"""The memory of a search: states that were met, labels on them, and the queues.

A label is one way to a state: what it has cost so far in both criteria, and what is left of the
resources. Labels never change, so the way to each of them stays what it was; one that another label
makes useless is marked and forgotten.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Flags, FlatTask, Floats, Ints, operators
from fcp_ros.planning.search.buckets import NO_KEY, TAKEN, USED, Buckets, empty_buckets
from fcp_ros.planning.search.packing import Packing, Words, scramble
from fcp_ros.planning.search.switch_tree import SwitchTree

Counts = NDArray[np.int64]

STATES, LABELS, HASHED, CURRENT, POSITION, FITTING, EXPANDED, GENERATED, EVALUATED = range(9)
"""Places in `counts`: states, labels, states in the hash table, the label that is being expanded
(-1: none), the next of the operators that fit it and their number, and what was done so far."""
INCUMBENT, DRAWN, WORK, SORTED, STALE, TURN, TOUCHED = 9, 10, 11, 12, 13, 14, 18
"""The best label at a goal (-1: none), the state of the random numbers, work that is left in this
call, the next label to be sorted into the queues again (-1: all are), whether the queues' table has
to be filled again, turns of each of four queues, and a number without meaning (see `touch`)."""
COUNTS = 19

BEST, BOUND, LEAST = 0, 2, 3
"""Places in `marks`: both criteria of the best plan so far, the bound of the first one, and the
least estimate of each heuristic in a greedy search."""

DEAD, OPEN, CLOSED = 0, 1, 2
"""The status of a label: useless, waiting, expanded."""

STATE, PARENT, OPERATOR, NEXT = range(4)
"""Columns of `link`."""

FIRST_ROOM = 1 << 10
LAST_ROOM = 1 << 18
GROWTH = 1 << 4
"""Room for labels at first, and how it grows; after LAST_ROOM, all that the limit allows is
reserved at once (memory that is not touched costs nothing)."""


class Space(NamedTuple):
    """Room for S states of W words and L labels with R resources.

    Attributes:
        words: the states, uint64[S, W].
        first: a label of each state (the others follow by NEXT), int32[S].
        known: bit i is set where estimate i of the state was computed, uint8[S].
        estimate: the heuristics of each state, float64[S, 2].
        rows: the landmarks that were reached on every way to the state so far, uint64[S, w]; w is 0
            in searches that count none.
        table: hash table with open addressing: 31 bits of the hash and state + 1; int64[2^k].
        way: both criteria in units of their grid, then the resources, float64[L, 2 + R].
        link: state, parent (-1: none), operator and next label of the same state, int32[L, 4].
        status: DEAD, OPEN or CLOSED, uint8[L].
        buckets: the queues.
        counts, marks: see above.
        values: the state that is being expanded, value by value, int32[n].
        after: the same of its successor.
        fresh: its successor in words, and the linear hash of the state itself, uint64[W + 1].
        row: the landmarks that were reached on the way to the successor, uint64[w].
        amounts: the resources after the step, float64[R].
        waiting, found, helps: scratch of the switch tree, the operators that fit the state, and
            whether each of them is helpful.
        slots: where each operator's successor probably is in the table, int64[m].
    """

    words: Words
    first: Ints
    known: Flags
    estimate: Floats
    rows: Words
    table: Counts
    way: Floats
    link: Ints
    status: Flags
    buckets: Buckets
    counts: Counts
    marks: Floats
    values: Ints
    after: Ints
    fresh: Words
    row: Words
    amounts: Floats
    waiting: Ints
    found: Ints
    helps: Flags
    slots: Counts


class Rooms:
    """Makes and enlarges the memory of a search.

    Arguments:
        task, packing, tree: what is searched.
        queues: number of queues.
        row: words of a state's row of landmarks.
        limit: bytes that may be used.
    """

    def __init__(
        self, task: FlatTask, packing: Packing, tree: SwitchTree, queues: int, row: int, limit: int
    ) -> None:
        self._task = task
        self._packing = packing
        self._tree = tree
        self._queues = queues
        self._row = row
        self._limit = limit
        words, resources = len(packing.factor), len(task.amount)
        self._state_bytes = 8 * (words + row) + 4 + 1 + 16
        self._label_bytes = 8 * (2 + resources) + 16 + 1 + 4 * queues
        # A slot is 8 bytes, and there are at least two for each state. Keys are counted as used.
        per_label = self._state_bytes + self._label_bytes + 32
        self._most = max(FIRST_ROOM, min(limit // per_label, 2**31 - 2))

    def make(self) -> Space:
        """An empty search memory."""
        n, m = len(self._task.domain), operators(self._task)
        words, resources = len(self._packing.factor), len(self._task.amount)
        counts = np.zeros(COUNTS, np.int64)
        counts[[CURRENT, INCUMBENT, SORTED]] = -1
        room = FIRST_ROOM
        return Space(
            np.empty((room, words), np.uint64),
            np.empty(room, np.int32),
            np.empty(room, np.uint8),
            np.empty((room, 2)),
            np.empty((room, self._row), np.uint64),
            np.zeros(4 * room, np.int64),
            np.empty((room, 2 + resources)),
            np.empty((room, 4), np.int32),
            np.empty(room, np.uint8),
            empty_buckets(self._queues, room, room),
            counts,
            np.array([np.inf, np.inf, 0.0, np.inf, np.inf]),
            np.zeros(n, np.int32),
            np.zeros(n, np.int32),
            np.zeros(words + 1, np.uint64),
            np.zeros(self._row, np.uint64),
            np.zeros(resources),
            np.zeros(self._tree.depth, np.int32),
            np.zeros(max(1, m), np.int32),
            np.zeros(max(1, m), np.uint8),
            np.zeros(max(1, m), np.int64),
        )

    def used(self, space: Space) -> int:
        """Bytes that are in use."""
        counts = space.counts
        return int(
            self._state_bytes * counts[STATES]
            + self._label_bytes * counts[LABELS]
            + space.table.nbytes
            + space.buckets.table.nbytes
            + 28 * space.buckets.sizes[USED]
        )

    def enlarged(self, space: Space) -> Space | None:
        """The same with more room; None when the limit does not allow it."""
        labels = self._next(len(space.status))
        full = int(space.counts[LABELS]) >= len(space.status) - 1
        if full and labels is None:
            return None
        if full and labels is not None:
            space = self._with_labels(space, labels)
        if 2 * int(space.counts[STATES]) > len(space.table) - 4:
            if self.used(space) + space.table.nbytes > self._limit:
                return None
            space.counts[HASHED] = 0
            space = space._replace(table=_zeros(2 * len(space.table)))
        if int(space.buckets.sizes[TAKEN]) + self._queues >= len(space.buckets.key):
            if self.used(space) + 64 * len(space.buckets.key) > self._limit:
                return None
            space = space._replace(buckets=self._with_keys(space.buckets))
            space.counts[STALE] = 1
        return space

    def _next(self, room: int) -> int | None:
        if room >= self._most:
            return None
        return min(self._most, room * GROWTH if room < LAST_ROOM else self._most)

    def _with_labels(self, space: Space, room: int) -> Space:
        return space._replace(
            words=_longer(space.words, room),
            first=_longer(space.first, room),
            known=_longer(space.known, room),
            estimate=_longer(space.estimate, room),
            rows=_longer(space.rows, room),
            way=_longer(space.way, room),
            link=_longer(space.link, room),
            status=_longer(space.status, room),
            buckets=space.buckets._replace(chain=_wider(space.buckets.chain, room)),
        )

    def _with_keys(self, buckets: Buckets) -> Buckets:
        room = 2 * len(buckets.key)
        return buckets._replace(
            heap_key=_wider(buckets.heap_key, room),
            heap_bucket=_wider(buckets.heap_bucket, room),
            key=_longer(buckets.key, room, NO_KEY),
            owner=_longer(buckets.owner, room),
            head=_longer(buckets.head, room),
            tail=_longer(buckets.tail, room),
            table=np.zeros(2 * room, np.int32),
        )


def _zeros(room: int) -> Counts:
    """Zeros in memory of large pages, which numpy asks for only where it need not clear them."""
    zeros = np.empty(room, np.int64)
    zeros.fill(0)
    return zeros


def _longer(array: np.ndarray, room: int, rest: float | None = None) -> np.ndarray:  # type: ignore[type-arg]
    longer = np.empty((room, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    if rest is not None:
        longer[len(array) :] = rest
    return longer


def _wider(array: np.ndarray, room: int) -> np.ndarray:  # type: ignore[type-arg]
    wider = np.empty((len(array), room, *array.shape[2:]), array.dtype)
    wider[:, : array.shape[1]] = array
    return wider


@kernel
def state_of(words: Words, table: Counts, counts: Counts, fresh: Words, linear: int) -> int:
    """The number of the state in `fresh`; it is added where it is new.

    Arguments:
        words, table, counts: of the space.
        fresh: the state's words.
        linear: their linear hash.

    Returns:
        The state. Whether it is new shows in counts[STATES].
    """
    value = scramble(linear)
    tag = np.int64(value >> np.uint64(33)) << 32
    mask = len(table) - 1
    slot = np.int64(value & np.uint64(0x7FFFFFFF)) & mask
    width = words.shape[1]
    while table[slot] != 0:
        if (table[slot] & ~np.int64(0xFFFFFFFF)) == tag:
            state = (table[slot] & np.int64(0xFFFFFFFF)) - 1
            same = True
            for w in range(width):
                if words[state, w] != fresh[w]:
                    same = False
                    break
            if same:
                return int(state)
        slot = (slot + 1) & mask
    state = counts[STATES]
    counts[STATES] += 1
    counts[HASHED] += 1
    table[slot] = tag | (state + 1)
    for w in range(width):
        words[state, w] = fresh[w]
    return int(state)


@kernel
def rehash(words: Words, table: Counts, counts: Counts, factor: Words) -> None:
    """Puts states into a table that has grown, as many as the work that is left allows."""
    mask = len(table) - 1
    while counts[HASHED] < counts[STATES] and counts[WORK] > 0:
        state = counts[HASHED]
        linear = np.uint64(0)
        for w in range(words.shape[1]):
            linear += words[state, w] * factor[w]
        value = scramble(linear)
        slot = np.int64(value & np.uint64(0x7FFFFFFF)) & mask
        while table[slot] != 0:
            slot = (slot + 1) & mask
        table[slot] = (np.int64(value >> np.uint64(33)) << 32) | (state + 1)
        counts[HASHED] += 1
        counts[WORK] -= 1
