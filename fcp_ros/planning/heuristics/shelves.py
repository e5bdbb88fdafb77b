# SPDX-License-Identifier: Apache-2.0
"""Facts that wait, sorted by values that are small multiples of one number: a shelf for each value.

A shelf has a bit for each fact, so that facts of equal value leave by their numbers, like those of
the heap, and nothing has to be sorted. A fact that becomes cheaper is laid on another shelf as
well; what is left of it on the dearer one is dropped when it is met.

`shelf[x, f >> 6]` has bit `f & 63` for fact f on shelf x. `shelved` says where to look: see FRONT,
WORD, END. Before and after each exploration all bits are 0.
"""

from __future__ import annotations

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros
from numpy.typing import NDArray

from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import Floats, Marks

LEVELS = 256
"""Number of shelves."""
FRONT, WORD, END = range(3)
"""Places in `shelved`: the first shelf that may not be empty, its first word that may not be 0, and
the number of the last shelf that may not be empty + 1; int64[3]."""

Shelf = NDArray[np.uint64]


@kernel
def lay(shelf: Shelf, shelved: Marks, number: int, fact: int) -> None:
    """Lays a fact on a shelf, which is not before the one that the last fact was taken from."""
    word = fact >> 6
    shelf[number, word] |= np.uint64(1) << np.uint64(fact & 63)
    if number == shelved[FRONT] and word < shelved[WORD]:
        shelved[WORD] = word
    shelved[END] = max(shelved[END], number + 1)


@kernel
def least(shelf: Shelf, shelved: Marks, value: Floats, unit: float) -> int:
    """Takes the first fact of the first shelf; -1 where all are empty.

    Arguments:
        shelf, shelved: see above.
        value: of each fact; facts that lie on another shelf than theirs are dropped.
        unit: shelf x has the facts of value x * unit.
    """
    while shelved[FRONT] < shelved[END]:
        number, word = shelved[FRONT], shelved[WORD]
        if word == shelf.shape[1]:
            shelved[FRONT] += 1
            shelved[WORD] = 0
            continue
        bits = shelf[number, word]
        while bits != 0:
            fact = (word << 6) + np.int64(trailing_zeros(bits))
            bits &= bits - np.uint64(1)
            if value[fact] == number * unit:
                shelf[number, word] = bits
                return int(fact)
        shelf[number, word] = 0
        shelved[WORD] += 1
    return -1


@kernel
def sweep(shelf: Shelf, shelved: Marks) -> None:
    """Takes everything from the shelves."""
    for number in range(shelved[FRONT], shelved[END]):
        for word in range(shelf.shape[1]):
            shelf[number, word] = 0
    shelved[FRONT] = shelved[WORD] = shelved[END] = 0
