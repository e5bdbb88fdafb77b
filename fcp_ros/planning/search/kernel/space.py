# SPDX-License-Identifier: Apache-2.0
"""The memory of a search: generated states, labels on them, and the queues.

A label is one path to a state: its value so far in both criteria, and the resources left. A label
never changes after it was written, so its path stays valid; a label that another one dominates is
marked DEAD, and mostly unlinked from its state, but keeps its place: its children refer to it.

States and labels are numbered from 0 in the order of generation, and never freed. The hash table
maps states to numbers by open addressing with linear probing, without deletion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.jit import kernel
from fcp_ros.planning.flat.task import (
    AxiomScratch,
    Flags,
    FlatTask,
    Floats,
    Ints,
    count_operators,
    make_scratch,
)
from fcp_ros.planning.search.kernel.bucket_queue import (
    IN_USE,
    NO_KEY,
    USED,
    BucketQueues,
    make_queues,
)
from fcp_ros.planning.search.kernel.packing import Packing, Words, mix_hash
from fcp_ros.planning.search.kernel.switch_tree import SwitchTree

Counts = NDArray[np.int64]

STATES, LABELS, HASHED, CURRENT, POSITION, APPLICABLE, EXPANDED, GENERATED, EVALUATED = range(9)
"""Places in `counts`: states, labels, states in the hash table, the label that is being expanded
(-1: none), the position of its next applicable operator and their number, and the numbers of
states expanded, generated and evaluated so far."""
INCUMBENT, DRAWN, WORK, STALE, TURN, TOUCHED = 9, 10, 11, 12, 13, 17
"""More places in `counts`: the best label at a goal (-1: none), the state of the random numbers,
the work left in this call, 1 if the table of the queues must be filled again, the turns of each of
four queues, and a number without meaning (see `successors._prefetch_successors`)."""
LAYER, OF_LAYER, CUT, NEARER = 18, 19, 20, 21
"""Places of a beam search: the layer that is being expanded, its labels expanded so far, 1 if any
label was left out, and the last layer that came nearer to the goal."""
COUNTS = 22

BEST, BOUND, LEAST = 0, 2, 3
"""Places in `marks`: both criteria of the best plan so far, the bound of the first criterion, and
the least estimate of each heuristic in a greedy search."""

DEAD, OPEN, CLOSED = 0, 1, 2
"""The status of a label: dominated, waiting in a queue, expanded (or proven useless)."""

STATE, PARENT, OPERATOR, NEXT = range(4)
"""Columns of `link`."""

FIRST_ROOM = 1 << 10
"""Room for labels initially."""
LAST_ROOM = 1 << 18
"""From this room on, all that the limit allows is reserved at once: the operating system hands out
pages only when they are touched."""
GROWTH = 1 << 4
"""Factor by which the room grows until then."""


class Space(NamedTuple):
    """Room for S states of W words and L labels with R resources, in a task of n variables.

    Attributes:
        counts, marks: see the constants above; int64[COUNTS] and float64[5].
    """

    words: Words  # the states, uint64[S, W]
    first: Ints  # a label of each state (the others follow by NEXT), or -1; int32[S]
    known: Flags  # bit i is set if estimate i of the state was computed, uint8[S]
    estimate: Floats  # the heuristic values of each state, infinity at a dead end; float64[S, 2]
    # a bit for each landmark reached on every path to the state so far, uint64[S, w]; w is 0 in
    # searches that count no landmarks
    rows: Words
    # hash table: 31 bits of the hash, then state + 1 in the low 32 bits; 0 for an empty slot.
    # int64[2^k], at most half full.
    table: Counts
    way: Floats  # both criteria in units of their grids, then the resources, float64[L, 2 + R]
    # state, parent (-1: none), operator and next label of the same state (-1: none), int32[L, 4]
    link: Ints
    status: Flags  # DEAD, OPEN or CLOSED, uint8[L]
    buckets: BucketQueues
    counts: Counts
    marks: Floats
    values: Ints  # the state that is being expanded, value by value, int32[n]
    after: Ints  # the same for its successor
    fresh: Words  # the successor in words, then the linear hash of the state itself, uint64[W + 1]
    row: Words  # the landmarks reached on the path to the successor, uint64[w]
    amounts: Floats  # the resources after the step, float64[R]
    waiting: Ints  # scratch of the switch tree, int32[depth]
    found: Ints  # the operators applicable in the state (blocks aside), int32[m]
    helps: Flags  # 1 if the operator at the same position of `found` is helpful, uint8[m]
    slots: Counts  # the probable slot of each successor in `table`, int64[m]
    axioms: AxiomScratch


class SpaceAllocator:
    """Makes and enlarges the memory of a search."""

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
        """Make an empty search memory."""
        n, m = len(self._task.domain), count_operators(self._task)
        words, resources = len(self._packing.factor), len(self._task.amount)
        counts = np.zeros(COUNTS, np.int64)
        counts[[CURRENT, INCUMBENT]] = -1
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
            make_queues(self._queues, room, room),
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
            make_scratch(self._task.axioms),
        )

    def count_bytes(self, space: Space) -> int:
        """Count the bytes in use; reserved pages that were never touched do not count."""
        counts = space.counts
        return int(
            self._state_bytes * counts[STATES]
            + self._label_bytes * counts[LABELS]
            + space.table.nbytes
            + space.buckets.table.nbytes
            + 28 * space.buckets.sizes[USED]
        )

    def enlarge(self, space: Space) -> Space | None:
        """Make room where it has run out; return None if the limit does not allow it.

        A larger hash table starts empty (HASHED is 0), a larger queue table too (STALE is 1): the
        kernel fills them, within its slices.
        """
        labels = self._choose_room(len(space.status))
        full = int(space.counts[LABELS]) >= len(space.status) - 1
        if full and labels is None:
            return None
        if full and labels is not None:
            space = self._enlarge_labels(space, labels)
        if 2 * int(space.counts[STATES]) > len(space.table) - 4:
            if self.count_bytes(space) + space.table.nbytes > self._limit:
                return None
            space.counts[HASHED] = 0
            space = space._replace(table=_make_zeros(2 * len(space.table)))
        if int(space.buckets.sizes[IN_USE]) + self._queues >= len(space.buckets.key):
            if self.count_bytes(space) + 64 * len(space.buckets.key) > self._limit:
                return None
            space = space._replace(buckets=self._enlarge_queues(space.buckets))
            space.counts[STALE] = 1
        return space

    def _choose_room(self, room: int) -> int | None:
        """Choose the next room for labels; None if there is no larger one."""
        if room >= self._most:
            return None
        return min(self._most, room * GROWTH if room < LAST_ROOM else self._most)

    def _enlarge_labels(self, space: Space, room: int) -> Space:
        return space._replace(
            words=_lengthen(space.words, room),
            first=_lengthen(space.first, room),
            known=_lengthen(space.known, room),
            estimate=_lengthen(space.estimate, room),
            rows=_lengthen(space.rows, room),
            way=_lengthen(space.way, room),
            link=_lengthen(space.link, room),
            status=_lengthen(space.status, room),
            buckets=space.buckets._replace(chain=_widen(space.buckets.chain, room)),
        )

    def _enlarge_queues(self, buckets: BucketQueues) -> BucketQueues:
        room = 2 * len(buckets.key)
        return buckets._replace(
            heap_key=_widen(buckets.heap_key, room),
            heap_bucket=_widen(buckets.heap_bucket, room),
            key=_lengthen(buckets.key, room, NO_KEY),
            owner=_lengthen(buckets.owner, room),
            head=_lengthen(buckets.head, room),
            tail=_lengthen(buckets.tail, room),
            table=np.zeros(2 * room, np.int32),
        )


def _make_zeros(room: int) -> Counts:
    """Make zeros in large pages: numpy asks for those in `empty`, but not in `zeros`."""
    zeros = np.empty(room, np.int64)
    zeros.fill(0)
    return zeros


def _lengthen(array: np.ndarray, room: int, rest: float | None = None) -> np.ndarray:  # type: ignore[type-arg]
    longer = np.empty((room, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    if rest is not None:
        longer[len(array) :] = rest
    return longer


def _widen(array: np.ndarray, room: int) -> np.ndarray:  # type: ignore[type-arg]
    wider = np.empty((len(array), room, *array.shape[2:]), array.dtype)
    wider[:, : array.shape[1]] = array
    return wider


@kernel
def intern_state(words: Words, table: Counts, counts: Counts, fresh: Words, linear: int) -> int:
    """Return the number of the state in `fresh`; add it if it is new.

    Returns:
        The state. It is new if and only if counts[STATES] grew.
    """
    value = mix_hash(linear)
    tag = np.int64(value >> np.uint64(33)) << 32
    mask = len(table) - 1
    slot = np.int64(value & np.uint64(0x7FFFFFFF)) & mask
    width = words.shape[1]
    # The table is at most half full, so the probe ends. Equal tags (31 bits of the hash) are rare
    # for different states; the words decide.
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
    """Put states into an enlarged table, as many as the work left in this call allows."""
    mask = len(table) - 1
    # States 0 .. HASHED - 1 are in the table. They are distinct, so no slot is ever compared.
    while counts[HASHED] < counts[STATES] and counts[WORK] > 0:
        state = counts[HASHED]
        linear = np.uint64(0)
        for w in range(words.shape[1]):
            linear += words[state, w] * factor[w]
        value = mix_hash(linear)
        slot = np.int64(value & np.uint64(0x7FFFFFFF)) & mask
        while table[slot] != 0:
            slot = (slot + 1) & mask
        table[slot] = (np.int64(value >> np.uint64(33)) << 32) | (state + 1)
        counts[HASHED] += 1
        counts[WORK] -= 1
