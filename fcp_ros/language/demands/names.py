# SPDX-License-Identifier: Apache-2.0
"""Names that people gave to things: how probably a noun stands for a label.

Learned by aligning the nouns of sentences with the labels of what they were about (IBM model 1,
Brown and others 1993). Only labels of the scene compete; a noun that nobody said in the training
is compared with them in meaning.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

ROUNDS = 8
LEAST_COUNT = 1.5
"""A noun counts for a label if about two sentences said it so."""
_UNSEEN = 2e-3
"""Least probability of a noun that was said for a label."""
_ELSEWHERE = math.log(0.05)
"""Logarithm of the likelihood of a noun that was only said for other labels, if it is the label."""
_NOTHING = -5.0
"""Logarithm of the likelihood of a noun that stands for nothing in the scene."""
_LEAST_SHARE = 0.1
"""Least share of a label in what a noun was said for. Less is noise of the alignment: five of 412
sentences with a knife were about an apple; where no knife is, "bring me the knife" brought it."""
_UNSAID, _PRIOR = 5.0, 0.75
"""The weight of a label that nobody spoke of, and the exponent of how often one was spoken of."""
_SHARPNESS = 12.0
"""Factor of the cosine in the logarithm of a likelihood."""
Likeness = Callable[[str, str], float]


def align_names(
    sentences: Iterable[tuple[Sequence[str], Sequence[str]]],
) -> dict[str, dict[str, int]]:
    """Count how often each noun stood for a label.

    Returns:
        label -> noun -> number of times.
    """
    pairs = [(nouns, (*labels, "")) for nouns, labels in sentences if nouns and labels]
    chances: dict[tuple[str, str], float] = {}
    counts: dict[tuple[str, str], float] = {}
    for _ in range(ROUNDS):
        counts, totals = {}, dict[str, float]()
        for nouns, labels in pairs:
            for noun in nouns:
                shares = [chances.get((noun, label), 1.0) for label in labels]
                every = sum(shares)
                for label, share in zip(labels, shares, strict=True):
                    counts[noun, label] = counts.get((noun, label), 0.0) + share / every
                    totals[label] = totals.get(label, 0.0) + share / every
        chances = {(n, label): c / totals[label] for (n, label), c in counts.items()}
    found: dict[str, dict[str, int]] = {}
    for (noun, label), count in sorted(counts.items()):
        if label and count >= LEAST_COUNT:
            found.setdefault(label, {})[noun] = round(count)
    return found


class LearnedNames:
    """Probabilities of labels for nouns.

    Args:
        likeness: cosine of two nouns in meaning.
    """

    def __init__(self, counts: Mapping[str, Mapping[str, int]], likeness: Likeness) -> None:
        said = Counter[str]()
        for nouns in counts.values():
            said.update(nouns)
        self._chances = {
            label: {
                noun: count / sum(nouns.values())
                for noun, count in nouns.items()
                if count >= _LEAST_SHARE * said[noun]
            }
            for label, nouns in counts.items()
        }
        self._sizes = {label: float(sum(nouns.values())) for label, nouns in counts.items()}
        self._known = {noun for nouns in counts.values() for noun in nouns}
        self._likeness = likeness

    def knows(self, noun: str) -> bool:
        """Return True for a noun that people called anything by."""
        return noun in self._known

    def rank(self, nouns: Sequence[str], labels: Iterable[str]) -> dict[str, float]:
        """Compute the probability of each label, the highest first; the rest is for none of them.

        Args:
            nouns: all nouns of a phrase, its head first: ["bar", "soap"].
        """
        scores = {
            label: sum(self._score(noun, label) for noun in nouns) + math.log(self._prior(label))
            for label in (*labels, "")
        }
        highest = max(scores.values(), default=0.0)
        total = sum(math.exp(score - highest) for score in scores.values())
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return {label: math.exp(score - highest) / total for label, score in ranked if label}

    def _prior(self, label: str) -> float:
        return float((self._sizes.get(label, 1.0) + _UNSAID) ** _PRIOR)

    def _score(self, noun: str, label: str) -> float:
        """Compute the logarithm of the likelihood of a noun, up to a constant."""
        if not label:
            return _NOTHING
        if noun == label:
            return 0.0
        known = self._find_known(noun)
        said = self._chances.get(label, {}).get(known, 0.0)
        if said:
            return math.log(max(said, _UNSEEN))
        alike = _SHARPNESS * (min(self._likeness(noun, label), 1.0) - 1.0)
        return alike + _ELSEWHERE if known in self._known and label in self._chances else alike

    def _find_known(self, noun: str) -> str:
        """Return the longest end of a noun that somebody said: "metal garbage can"."""
        words = noun.split()
        ends = (" ".join(words[start:]) for start in range(len(words)))
        return next((end for end in ends if end in self._known), noun)
