# SPDX-License-Identifier: Apache-2.0
"""What an unknown label probably means: a vote of the known labels that are most like it.

Sentence embeddings are drawn to shared words, and in English the last word says what a thing is:
a *towel holder* is no towel, a *pancake* no pan. So a known label that is only part of what
describes the unknown one has no vote. How often the vote is right is measured in
benchmark/scene_labels.py; docs/scene_graphs.md has the figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

VOTERS = 3
"""How many of the nearest known labels vote."""


class NoSimilarity(Exception):
    """Labels can't be compared; one sentence why and what to do."""


class LabelSimilarity(Protocol):
    """How like labels are in meaning; whoever has a model for it implements this."""

    def similarities(self, labels: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        """Similarity (at most 1), shape (len(labels), len(known)), of normalised labels.

        Raises:
            NoSimilarity: there is no model, or it can't be used.
        """


@dataclass(frozen=True, slots=True)
class LikelyType:
    """The outcome of a vote.

    Attributes:
        type: The type with the most votes.
        degree: Sum of the similarities of its voters, divided by ``VOTERS``: 1 only where all of
            them mean the same as the label and have this type.
        nearest: The known label of that type that is most like the unknown one.
    """

    type: str
    degree: float
    nearest: str


def likely_types(
    labels: Sequence[str], known: Mapping[str, str], similarity: LabelSimilarity
) -> list[LikelyType | None]:
    """What each label probably is; None where no known label may vote.

    Args:
        labels: Normalised labels that are not known.
        known: Normalised label -> type.
        similarity: Compares them.

    Raises:
        NoSimilarity: as ``similarity`` does.
    """
    names = list(known)
    if not labels or not names:
        return [None] * len(labels)
    table = similarity.similarities(labels, names)
    return [_vote(label, row, names, known) for label, row in zip(labels, table, strict=True)]


def _vote(
    label: str, row: NDArray[np.float32], names: Sequence[str], known: Mapping[str, str]
) -> LikelyType | None:
    votes: dict[str, float] = {}
    first: dict[str, str] = {}
    voters = 0
    for index in np.argsort(-row, kind="stable"):
        name, value = names[index], float(row[index])
        if voters == VOTERS or value <= 0.0:
            break
        if describes_only(name, label):
            continue
        voters += 1
        votes[known[name]] = votes.get(known[name], 0.0) + value
        first.setdefault(known[name], name)
    if not votes:
        return None
    best = max(votes, key=votes.__getitem__)
    return LikelyType(best, min(votes[best] / VOTERS, 1.0), first[best])


def describes_only(known: str, label: str) -> bool:
    """Whether a known label stands in a label only as a description, or looks like it by chance.

    So it is where the known one's last word is in the label, but not as its last word ("towel" in
    "towel holder"), and where a word of the one begins with the last word of the other
    ("pan" and "pancake", "cart" and "carton").
    """
    words, known_words = label.split(), known.split()
    if not words or not known_words or words[-1] == known_words[-1]:
        return False
    last, known_last = words[-1], known_words[-1]
    return (
        any(word.startswith(known_last) for word in words)
        or any(word.startswith(last) for word in known_words)
        or known_last.startswith(last)
    )
