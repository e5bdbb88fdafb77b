# SPDX-License-Identifier: Apache-2.0
"""The probable type of an unknown label: by the known labels that are most like it, or by WordNet.

Sentence embeddings are drawn to shared words, but in English the last word names the thing: a
*towel holder* is not a towel, nor a *pancake* a pan. So a known label that only describes the
unknown one has no vote. test/benchmark/test_scene_labels.py measures how often the vote is right;
docs/scene_graphs.md has the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.wordnet import Sense, WordNet

VOTERS = 3
"""Number of the nearest known labels that vote."""


class NoSimilarity(Exception):
    """Labels can't be compared; the message says why and what to do, in one sentence."""


class LabelSimilarity(Protocol):
    """A measure of how like labels are in meaning; implemented where there is a model for it."""

    def similarities(self, labels: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        """Return the similarities (at most 1) of normalised labels.

        Returns:
            Shape (len(labels), len(known)).
        """


@dataclass(frozen=True, slots=True)
class TypeVote:
    """The outcome of a vote."""

    type: str
    # Sum of the similarities of its voters, divided by ``VOTERS``: 1 only where all of them mean
    # the same as the label and have this type
    degree: float
    nearest: str  # The known label of that type that is most like the unknown one


def vote_on_types(
    labels: Sequence[str], known: Mapping[str, str], similarity: LabelSimilarity
) -> list[TypeVote | None]:
    """Vote on the type of each label; None if no known label may vote."""
    names = list(known)
    if not labels or not names:
        return [None] * len(labels)
    table = similarity.similarities(labels, names)
    return [_vote(label, row, names, known) for label, row in zip(labels, table, strict=True)]


def _vote(
    label: str, row: NDArray[np.float32], names: Sequence[str], known: Mapping[str, str]
) -> TypeVote | None:
    votes: dict[str, float] = {}
    first: dict[str, str] = {}
    voters = 0
    for index in np.argsort(-row, kind="stable"):
        name, value = names[index], float(row[index])
        if voters == VOTERS or value <= 0.0:
            break
        if is_only_description(name, label):
            continue
        voters += 1
        votes[known[name]] = votes.get(known[name], 0.0) + value
        first.setdefault(known[name], name)
    if not votes:
        return None
    best = max(votes, key=votes.__getitem__)
    return TypeVote(best, min(votes[best] / VOTERS, 1.0), first[best])


def is_only_description(known: str, label: str) -> bool:
    """Return True if a known label is only a description in a label, or similar to it by chance.

    The first holds where the known one's last word is in the label, but not as its last word
    ("towel" in "towel holder"); the second where a word of one begins with the last word of the
    other ("pan" and "pancake", "cart" and "carton").
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


# --- the type of a label that the domain doesn't know, by what kind of thing WordNet says it is
#
# A "tote" is a carryall, that is a bag: if the domain has a type for bags, a tote gets it. The
# meaning that counts is the most frequent one of something concrete, and a label of the domain
# stands for *its* most frequent one. Neither is certain, so the type is a guess, and said to be
# one. test/benchmark/test_scene_labels.py measures how often it is right; docs/scene_graphs.md has
# the figures.


MOST_STEPS = 2
"""Wider meanings than a grandparent's are right in half of the cases only."""
MOST_MEANINGS = 3
"""Rarer meanings don't count: a guest is no computer."""
LEAST_DEPTH = 5
"""Meanings above this depth ("object", "structure") say nothing of what a robot can do."""


@dataclass(frozen=True, slots=True)
class LabelKind:
    """The domain's kind of an unknown label."""

    type: str
    label: str


class LabelKinds:
    """Finds the kinds of labels among those that a domain knows.

    Args:
        agents: Those of people and other agents.
    """

    def __init__(
        self, wordnet: WordNet, things: Mapping[str, str], agents: Mapping[str, str]
    ) -> None:
        self._wordnet = wordnet
        self._things = self._find_meanings(things, LEAST_DEPTH)
        self._agents = self._find_meanings(agents)

    def find(self, label: str, *, is_agent: bool = False) -> LabelKind | None:
        """Find the kind of a normalised label; None if the domain has no type for it.

        Args:
            is_agent: True if the scene says that it moves by itself; else only a word that means
                nothing but people is one ("toddler", but not "walker").
        """
        senses = self._wordnet.find_head(label)[:MOST_MEANINGS]
        meanings = [sense for sense in senses if sense.is_concrete]
        things = [sense for sense in meanings if not sense.is_person]
        if is_agent:
            return self._choose([sense for sense in meanings if sense.is_alive], self._agents)
        if not things:
            # The head alone says little of people: a DVD player is none.
            whole = self._wordnet.find_senses(label)
            return self._choose(meanings, self._agents) if whole else None
        return self._choose(things, self._things, MOST_STEPS)

    def _choose(
        self,
        meanings: Iterable[Sense],
        known: Mapping[int, LabelKind | None],
        most_steps: int | None = None,
    ) -> LabelKind | None:
        first = next(iter(meanings), None)
        if first is None:
            return None
        for kind in self._wordnet.list_kinds(first, most_steps):
            found = known.get(kind.offset)
            if found is not None:
                return found
        return None

    def _find_meanings(
        self, labels: Mapping[str, str], least_depth: int = 0
    ) -> Mapping[int, LabelKind | None]:
        """Find the labels' own meanings; None for one that labels of two types share."""
        found: dict[int, LabelKind | None] = {}
        for label, type_ in labels.items():
            senses = self._wordnet.find_senses(label)
            meaning = next((sense for sense in senses if sense.is_concrete), None)
            if meaning is None or self._wordnet.measure_depth(meaning) < least_depth:
                continue
            kind = found.setdefault(meaning.offset, LabelKind(type_, label))
            if kind is not None and kind.type != type_:
                found[meaning.offset] = None
        return found
