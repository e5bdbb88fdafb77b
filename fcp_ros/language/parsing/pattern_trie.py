# SPDX-License-Identifier: Apache-2.0
"""Phrases as a tree of their beginnings, so that what they share is matched once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fcp_ros.domain.model import TEXT
from fcp_ros.domain.phrases import PhraseSlot, PhraseWord
from fcp_ros.language.english.prepositions import PREPOSITIONS

Leaf = TypeVar("Leaf")


@dataclass(slots=True)
class PatternTrie(Generic[Leaf]):
    """The phrases that go on from one beginning."""

    words: dict[str, PatternTrie[Leaf]] = field(default_factory=dict)
    # next slot, its type, and True if words follow free text -> phrases with it
    slots: dict[tuple[PhraseSlot, str, bool], PatternTrie[Leaf]] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)  # what phrases stand for that end here
    prepositions: list[str] = field(default_factory=list)  # the next words that are prepositions

    def add(
        self, parts: Sequence[PhraseWord | PhraseSlot], types: Mapping[str, str], leaf: Leaf
    ) -> None:
        """Add a phrase whose slots have these types."""
        node = self
        for number, part in enumerate(parts):
            if isinstance(part, PhraseWord):
                if part.text not in node.words:
                    node.words[part.text] = PatternTrie()
                    if (part.text,) in PREPOSITIONS:
                        node.prepositions.append(part.text)
                node = node.words[part.text]
            else:
                type_ = types.get(part.name, "")
                follows = type_ == TEXT and number + 1 < len(parts)
                node = node.slots.setdefault((part, type_, follows), PatternTrie())
        node.leaves.append(leaf)
