# SPDX-License-Identifier: Apache-2.0
"""The type of a label that the domain doesn't know, by what kind of thing WordNet says it is.

A "tote" is a carryall, that is a bag: if the domain has a type for bags, a tote gets it. The
meaning that counts is the most frequent one of something concrete, and a label of the domain stands
for *its* most frequent one. Neither is certain, so the type is a guess, and said to be one.
test/benchmark/test_scene_labels.py measures how often it is right; docs/scene_graphs.md has the
figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.foundation.wordnet import Sense, WordNet

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
