# SPDX-License-Identifier: Apache-2.0
"""Known words that a word may be a misspelling of."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA

_MOST_COMPARED = 24
"""Longer words are not compared in spelling."""
_LONG = 8
"""Words of so many letters may have two mistakes."""


def find_misspelt(word: str, known: Iterable[str]) -> list[tuple[str, int]]:
    """Return the known words that a word may be a misspelling of, nearest first.

    Args:
        word: an unknown word, in lower case.

    Returns:
        Words and their distance: letters changed, left out, added or swapped (optimal string
        alignment). Short words may have letters swapped, left out or added, but not changed:
        "boat" is no boot.
    """
    length = len(word)
    if not 3 <= length <= _MOST_COMPARED or not word.isalpha():
        return []
    alike = [other for other in known if len(other) >= 3 and other[0] in word[:2]]
    most = 1 if length < _LONG else 2
    near = process.extract(word, alike, scorer=OSA.distance, score_cutoff=most, limit=None)
    found = {(other, int(distance)) for other, distance, _ in near if distance}
    return sorted(
        (pair for pair in found if _may_be(word, pair[0])), key=lambda pair: (pair[1], pair[0])
    )


def _may_be(word: str, other: str) -> bool:
    length = len(word)
    is_short = length < 4 or (length < 6 and len(other) == length)
    return not is_short or sorted(other) == sorted(word)
