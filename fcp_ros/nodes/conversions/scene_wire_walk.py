# SPDX-License-Identifier: Apache-2.0
"""Where the nodes and relations of a serialised scene message begin and end.

The bytes are those of XCDR1, little endian, after the encapsulation header (OMG DDS-XTypes 1.3,
7.4.1): numbers are aligned to their size, strings are a length with their final zero, the zero, and
sequences a length and their elements. The kernels never look outside of the bytes they are given,
whatever lengths those hold. They set the gaps that alignment leaves to zero: senders leave there
what was in their memory, and equal values are to be equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])

LEAST_NODE = 120
"""Bytes that the smallest node takes: what a message can hold is bounded by its length."""
LEAST_RELATION = 13
NUMBERS = 88
"""Bytes of a node's pose and box: 7 numbers, known, gap, 3 numbers."""

START, HEAD_END, REST, END = range(4)
"""Columns of a node's row: id, layer, category and pose_known are [START, HEAD_END), everything
else [REST, END)."""


def _compiled(function: Function) -> Function:
    """Compiles at the first call; the machine code stays on disk."""
    return cast(Function, njit(cache=True, nogil=True)(function))


@_compiled
def _aligned(data: Any, at: int, to: int) -> int:
    """The next multiple of `to`, with zeros up to it; -1 where it is outside, or `at` was."""
    if at < 0:
        return -1
    end = (at + to - 1) // to * to
    if end > data.size:
        return -1
    for place in range(at, end):
        data[place] = 0
    return end


@_compiled
def _skip(data: Any, at: int, size: int) -> int:
    """Go on by a number of this size."""
    start = _aligned(data, at, min(size, 8))
    return -1 if start < 0 or size > data.size - start else start + size


@_compiled
def _count(data: Any, at: int) -> int:
    """The number of 4 bytes that ends at `at`."""
    number = 0
    for place in range(at - 1, at - 5, -1):
        number = number * 256 + int(data[place])
    return number


@_compiled
def _skip_string(data: Any, at: int) -> int:
    at = _skip(data, at, 4)
    if at < 0:
        return -1
    length = _count(data, at)
    if length > data.size - at or (length > 0 and data[at + length - 1] != 0):
        return -1
    return at + length


@_compiled
def _skip_strings(data: Any, at: int) -> int:
    at = _skip(data, at, 4)
    if at < 0:
        return -1
    for _ in range(_count(data, at)):
        at = _skip_string(data, at)
        if at < 0:
            return -1
    return at


@_compiled
def _skip_flag(data: Any, at: int) -> int:
    return -1 if at < 0 or at >= data.size or data[at] > 1 else at + 1


@_compiled
def _skip_attributes(data: Any, at: int) -> int:
    at = _skip(data, at, 4)
    if at < 0:
        return -1
    for _ in range(_count(data, at)):
        at = _skip_string(data, at)  # name
        at = _skip_flag(data, _skip(data, at, 1))  # kind, bool_value
        at = _skip(data, _skip(data, at, 8), 8)  # integer_value, float_value
        at = _skip_string(data, at)
        if at < 0:
            return -1
    return at


@_compiled
def walk_nodes(data: Any, at: int, rows: Any) -> int:
    """Find the nodes of a sequence.

    Arguments:
        data: (bytes,) uint8, without the encapsulation header; gaps are set to zero.
        at: where the first node begins (behind the sequence's length).
        rows: (nodes, 4) int64, filled in: START, HEAD_END, REST, END of each.

    Returns:
        Where the last one ends; -1 - n where node n is damaged or reaches beyond the end.
    """
    for number in range(rows.shape[0]):
        at = start = _aligned(data, at, 4)
        for _ in range(3):  # id, layer, category
            at = _skip_string(data, at)
        at = head_end = _skip_flag(data, at)  # pose_known
        at = rest = _aligned(data, at, 8)
        if at < 0 or data.size - at < NUMBERS or data[at + 56] > 1:
            return -1 - number
        _aligned(data, at + 57, 8)
        at = _skip(data, at + NUMBERS, 4)
        if at < 0:
            return -1 - number
        corners = _count(data, at)
        if corners > (data.size - at) // 12:
            return -1 - number
        at = _skip(data, at + 12 * corners, 8)  # height
        at = _skip_strings(data, _skip_attributes(data, at))
        if at < 0:
            return -1 - number
        rows[number, 0] = start
        rows[number, 1] = head_end
        rows[number, 2] = rest
        rows[number, 3] = at
    return at


@_compiled
def walk_relations(data: Any, at: int, rows: Any) -> int:
    """Find the relations of a sequence; as `walk_nodes`, with rows (relations, 2): start, end."""
    for number in range(rows.shape[0]):
        start = _aligned(data, at, 4)
        at = _skip_strings(data, _skip_string(data, start))  # name, elements
        at = _skip(data, _skip(data, at, 4), 1)  # confidence, provenance
        if at < 0:
            return -1 - number
        rows[number, 0] = start
        rows[number, 1] = at
    return at


def warm_up() -> None:
    """Compile the kernels, or load them from the disk."""
    data = np.zeros(256, dtype=np.uint8)
    walk_nodes(data, 0, np.empty((1, 4), dtype=np.int64))
    walk_relations(data, 0, np.empty((1, 2), dtype=np.int64))
