# SPDX-License-Identifier: Apache-2.0
"""Words that the two sides of a pair share; a plural is the same word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.judged.words import to_singular

SHARED_WORDS = 8
"""Number of features."""
Rows = NDArray[np.intp]


def compare_words(left: str, right: str) -> tuple[float, ...]:
    """Compare the words of two sides: same head, contained in the other, shared, several."""
    a, b = _split_words(left), _split_words(right)
    every_a, every_b = set(a), set(b)
    common = len(every_a & every_b)
    return (
        float(a[-1] == b[-1]),
        float(a[-1] in every_b),
        float(b[-1] in every_a),
        common / (len(every_a) + len(every_b) - common),
        float(every_a < every_b),
        float(every_b < every_a),
        float(len(a) > 1),
        float(len(b) > 1),
    )


def compare_all_words(phrases: Sequence[str], left: Rows, right: Rows) -> NDArray[np.float32]:
    """Compare the words of many pairs as `compare_words` does; each phrase is split once.

    Args:
        phrases: distinct ones.
        left: place of each pair's left side among the phrases.
        right: the same for the right side.
    """
    words = [_split_words(phrase) for phrase in phrases]
    numbers: dict[str, int] = {}
    distinct = [sorted({numbers.setdefault(word, len(numbers)) for word in some}) for some in words]
    counts = np.array([len(some) for some in distinct], np.intp)
    # Short rows are filled up with numbers that no word has; those of both sides differ.
    table = np.full((len(phrases), int(counts.max(initial=0))), -1, np.int64)
    for row, some in enumerate(distinct):
        table[row, : len(some)] = some
    heads = np.array([numbers[some[-1]] for some in words], np.int64)
    is_long = np.array([len(some) > 1 for some in words])
    a, b = table[left], np.where(table < 0, -2, table)[right]
    common = np.zeros(len(left), np.intp)
    for column in range(a.shape[1]):
        common += (a[:, column, None] == b).any(axis=1)
    of_a, of_b = counts[left], counts[right]
    columns = (
        heads[left] == heads[right],
        (heads[left, None] == b).any(axis=1),
        (heads[right, None] == a).any(axis=1),
        common / (of_a + of_b - common),
        (common == of_a) & (of_a < of_b),
        (common == of_b) & (of_b < of_a),
        is_long[left],
        is_long[right],
    )
    return np.stack(columns, axis=1, dtype=np.float32)


def _split_words(side: str) -> tuple[str, ...]:
    return tuple(to_singular(word) for word in side.split()) or ("",)
