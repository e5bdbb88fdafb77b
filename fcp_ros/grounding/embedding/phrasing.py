# SPDX-License-Identifier: Apache-2.0
"""The similarity of the two sides of a predicate, by phrases around their words.

For ``serves_as(item, purpose)`` the sides are the item's words and the purpose's words. One
phrasing brings out the use of a thing, another the kind of thing; no single one is best for every
predicate, so the similarity is the mean over the three below.

Raw cosine has *hubs*: some phrases are close to everything. So a share of each side's mean
similarity to a fixed reference list is subtracted (the idea of cross-domain similarity local
scaling: Conneau et al. 2018, "Word translation without parallel data", section 2.3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HUB_SHARE = 0.25
"""A higher share orders purposes of household things better, substitutes of food worse."""

Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]

_THINGS = """
    table chair lamp book knife spoon cup plate bottle towel pillow apple bread shoe box phone
    television clock plant picture bucket broom hammer key pen bag curtain soap candle radio toy
    hat rug mirror door bed pan scissors coin umbrella
"""
REFERENCE_THINGS = tuple(_THINGS.split())
REFERENCE_PURPOSES = (
    "drinking",
    "eating",
    "cleaning",
    "reading",
    "sitting",
    "sleeping",
    "cooking",
    "cutting",
    "giving light",
    "writing",
    "carrying things",
    "playing music",
    "decorating a room",
    "keeping warm",
    "fastening things",
    "measuring",
    "telling the time",
    "storing food",
    "washing hands",
    "travelling",
)


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Templates for the two sides, each with one ``{}``, and the right side's reference words."""

    name: str
    left: str
    right: str
    right_references: tuple[str, ...]

    def list_phrases(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """List all phrases that `compare` will encode for these pairs."""
        lefts = [self.left.format(left) for left, _ in pairs]
        rights = [self.right.format(right) for _, right in pairs]
        return [*lefts, *rights, *self._list_left_references(), *self._list_right_references()]

    def compare(self, pairs: Sequence[tuple[str, str]], encode: Encode) -> Vectors:
        """Compute the similarity of each pair under this phrasing, corrected for hubs."""
        left = encode([self.left.format(left) for left, _ in pairs])
        right = encode([self.right.format(right) for _, right in pairs])
        left_hub = (left @ encode(self._list_right_references()).T).mean(axis=1)
        right_hub = (right @ encode(self._list_left_references()).T).mean(axis=1)
        cosine = np.einsum("ij,ij->i", left, right)
        return np.asarray(cosine - HUB_SHARE * (left_hub + right_hub), np.float32)

    def _list_left_references(self) -> list[str]:
        return [self.left.format(word) for word in REFERENCE_THINGS]

    def _list_right_references(self) -> list[str]:
        return [self.right.format(word) for word in self.right_references]


PHRASINGS = (
    Phrasing("function", "the purpose of a {}", "the purpose of a {}", REFERENCE_THINGS),
    Phrasing("purpose", "a {}", "What do you use for {}?", REFERENCE_PURPOSES),
    Phrasing("kind", "a kind of {}", "a kind of {}", REFERENCE_THINGS),
)
"""The phrasings whose similarities are averaged."""


def compare_pairs(pairs: Sequence[tuple[str, str]], encode: Encode) -> list[float]:
    """Compute the similarity of each pair, from about 0 (nothing in common) to 0.7.

    Args:
        pairs: (element words, text words).
        encode: returns unit vectors; it is first called with all phrases, so that one model call
            is enough, and looks them up afterwards.
    """
    if not pairs:
        return []
    encode([phrase for phrasing in PHRASINGS for phrase in phrasing.list_phrases(pairs)])
    rows = [phrasing.compare(pairs, encode) for phrasing in PHRASINGS]
    return [float(similarity) for similarity in np.mean(rows, axis=0)]


def measure_concordance(scores: Sequence[float], similarities: Sequence[float]) -> float:
    """Measure the share of pairs of examples that the similarities order like the scores.

    Pairs of equal scores are left out; a tie in similarity counts half. 0.5 is chance, 1.0 perfect
    (the concordance index; for two scores, the area under the ROC curve); 0.5 if all are equal.
    """
    ordered = 0.0
    count = 0
    for i, score in enumerate(scores):
        for j in range(i):
            if score == scores[j]:
                continue
            count += 1
            difference = (score - scores[j]) * (similarities[i] - similarities[j])
            ordered += 1.0 if difference > 0 else 0.5 if difference == 0 else 0.0
    return ordered / count if count else 0.5
