# SPDX-License-Identifier: Apache-2.0
"""The phrases of a domain as patterns, each with a condition over its slots.

A domain without words of its own gets phrases from its names: a relation `is_on(item, surface)`
reads "{item} is on {surface}", a rule `throw_away` "throw away {what}".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fcp_ros.domain.model import TEXT
from fcp_ros.domain.phrases import NUMBER, PhraseSlot, PhraseWord
from fcp_ros.language.english.function_words import COMMON, PREPOSITIONS
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.meanings import Meaning
from fcp_ros.language.parsing.set_index import SetIndex

FlatPart = PhraseWord | PhraseSlot
Leaf = TypeVar("Leaf")


@dataclass(slots=True)
class PatternTrie(Generic[Leaf]):
    """The phrases that go on from one beginning, so that what they share is matched once."""

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


@dataclass(frozen=True)
class SpokenPattern:
    """Words and slots that stand for a meaning; an imperative, or with `subject` a modifier."""

    parts: tuple[FlatPart, ...]
    meaning: Meaning
    degree: float = 1.0
    subject: str = ""
    finite: bool = False
    """It begins with a verb that needs no copula ("belongs in ...")."""

    @property
    def is_place(self) -> bool:
        """True for a preposition with a slot behind it: places are read for all relations."""
        *words, last = self.parts
        key = tuple(word.text for word in words if isinstance(word, PhraseWord))
        if not isinstance(last, PhraseSlot) or len(key) < len(words) or key not in PREPOSITIONS:
            return False
        return self.meaning.types.get(last.name) not in (TEXT, NUMBER)

    @property
    def is_adjective(self) -> bool:
        """True if it consists of words only."""
        return all(isinstance(part, PhraseWord) for part in self.parts)


@dataclass(frozen=True)
class PlaceRelation:
    """A relation that says where something is: theme, then the place."""

    preposition: str
    meaning: Meaning
    theme: str
    place: str


@dataclass
class PatternTable:
    """All patterns of a domain, by the stem of their first word."""

    # patterns that begin with a verb
    imperatives: dict[str, list[SpokenPattern]] = field(default_factory=dict)
    # patterns that are said of a subject
    modifiers: dict[str, list[SpokenPattern]] = field(default_factory=dict)
    places: list[PlaceRelation] = field(default_factory=list)
    remarks: list[SpokenPattern] = field(default_factory=list)
    # adjective -> meaning and True if the state is that it does not hold
    states: dict[str, SpokenPattern] = field(default_factory=dict)
    vocabulary: set[str] = field(default_factory=set)
    slot_first: list[SpokenPattern] = field(default_factory=list)
    sets: SetIndex = field(default_factory=lambda: SetIndex(()))  # things that belong together
    _tries: dict[tuple[str, str], PatternTrie[SpokenPattern]] = field(default_factory=dict)
    _passives: dict[str, PatternTrie[tuple[SpokenPattern, str]]] = field(default_factory=dict)

    def add_imperative(self, pattern: SpokenPattern) -> None:
        """Add a pattern under its first word."""
        first = pattern.parts[0]
        self._tries.clear()
        self._passives.clear()
        if isinstance(first, PhraseWord):
            self.imperatives.setdefault(first.text, []).append(pattern)
        else:
            self.slot_first.append(pattern)
        self._learn(pattern)

    def add_modifier(self, pattern: SpokenPattern) -> None:
        """Add a pattern under its first word, and what it says of places and states."""
        if not pattern.parts:
            return
        first = pattern.parts[0]
        if isinstance(first, PhraseSlot):
            return
        known = self.modifiers.setdefault(first.text, [])
        if any(p.parts == pattern.parts and p.meaning == pattern.meaning for p in known):
            return
        known.append(pattern)
        self._learn(pattern)
        *words, last = pattern.parts
        if pattern.is_adjective:
            self.states.setdefault(_join_words(pattern.parts), pattern)
        elif isinstance(last, PhraseSlot) and all(isinstance(w, PhraseWord) for w in words):
            key = tuple(w.text for w in words if isinstance(w, PhraseWord))
            element = pattern.meaning.types.get(last.name) not in (TEXT, NUMBER)
            if key in PREPOSITIONS and pattern.meaning.goal is not None and element:
                place = PlaceRelation(
                    PREPOSITIONS[key], pattern.meaning, pattern.subject, last.name
                )
                if not any(
                    p.preposition == place.preposition and p.meaning.name == place.meaning.name
                    for p in self.places
                ):
                    self.places.append(place)

    def find_imperatives(self, first: str) -> PatternTrie[SpokenPattern]:
        """Return the imperatives that begin with a word; those with a slot for an empty one."""
        known = self.imperatives.get(first, ()) if first else self.slot_first
        return self._build(("imperatives", first), known)

    def find_modifiers(self, first: str) -> PatternTrie[SpokenPattern]:
        """Return the modifiers that begin with a word, without plain places."""
        known = (p for p in self.modifiers.get(first, ()) if not p.is_place)
        return self._build(("modifiers", first), known)

    def find_remarks(self, task: str) -> PatternTrie[SpokenPattern]:
        """Return the remarks beside a task."""
        known = (p for p in self.remarks if p.meaning.name == task)
        return self._build(("remarks", task), known)

    @property
    def remark_words(self) -> set[str]:
        """The words of remarks beside tasks: "we'll have soup"."""
        parts = (part for pattern in self.remarks for part in pattern.parts)
        words = {part.text for part in parts if isinstance(part, PhraseWord)}
        return {word for word in words if not COMMON & {*list_stems(word)}}

    def find_passives(self, verb: str) -> PatternTrie[tuple[SpokenPattern, str]]:
        """Return what is said behind the participle of a verb, each with the slot of the subject.

        "put {item} on {support}" is "on {support}" behind "the mug shall be put".
        """
        if verb not in self._passives:
            trie: PatternTrie[tuple[SpokenPattern, str]] = PatternTrie()
            for pattern in self.imperatives.get(verb, ()):
                slot = next((p for p in pattern.parts if isinstance(p, PhraseSlot)), None)
                if slot is None or slot.name not in pattern.meaning.types:
                    continue
                rest = [part for part in pattern.parts[1:] if part is not slot]
                trie.add(rest, pattern.meaning.types, (pattern, slot.name))
            self._passives[verb] = trie
        return self._passives[verb]

    def _build(
        self, key: tuple[str, str], known: Iterable[SpokenPattern]
    ) -> PatternTrie[SpokenPattern]:
        """Build the tree of some patterns when it is needed first."""
        if key not in self._tries:
            trie: PatternTrie[SpokenPattern] = PatternTrie()
            for pattern in known:
                trie.add(pattern.parts, pattern.meaning.types, pattern)
            self._tries[key] = trie
        return self._tries[key]

    def _learn(self, pattern: SpokenPattern) -> None:
        self.vocabulary.update(p.text for p in pattern.parts if isinstance(p, PhraseWord))


def _join_words(parts: Sequence[FlatPart]) -> str:
    return " ".join(part.text for part in parts if isinstance(part, PhraseWord))


def match_word(said: str, pattern: str) -> bool:
    """Return True if a word is a form of a word of a pattern."""
    return said == pattern or pattern in list_stems(said)
