# SPDX-License-Identifier: Apache-2.0
"""The phrases of a domain as patterns, each with a condition over its slots.

A domain without words of its own gets phrases from its names: a relation `is_on(item, surface)`
reads "{item} is on {surface}", a rule `throw_away` "throw away {what}".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from fcp_ros.domain.model import TEXT
from fcp_ros.domain.phrases import NUMBER, PhraseSlot, PhraseWord, ThingSet
from fcp_ros.language.english.function_words import COMMON, PREPOSITIONS
from fcp_ros.language.english.inflection import list_singulars, list_stems
from fcp_ros.language.english.states import PART_NOUNS
from fcp_ros.language.english.tokens import Token, TokenKind, tokenise
from fcp_ros.language.meanings import Meaning

_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetMention:
    """A set that was spoken of."""

    given: ThingSet
    more: frozenset[int] = frozenset()  # which of its extensions were said
    number: int = 1  # how many wholes

    @property
    def members(self) -> tuple[str, ...]:
        """The labels of its parts, with those of the extensions."""
        added = (self.given.more[i].members for i in sorted(self.more))
        return tuple(dict.fromkeys([*self.given.members, *(m for some in added for m in some)]))

    def join(self, other: SetMention) -> SetMention:
        """Return the mention with what another one of the same set says besides."""
        number = max(self.number, other.number)
        return replace(self, more=self.more | other.more, number=number)


class SetIndex:
    """The words of sets by their first word."""

    def __init__(self, sets: Iterable[ThingSet]) -> None:
        self.sets = tuple(sets)
        self._wholes: dict[str, list[tuple[_Words, ThingSet]]] = {}
        for one in self.sets:
            for word in sorted(one.words, key=len, reverse=True):
                words = tuple(word.split())
                self._wholes.setdefault(words[0], []).append((words, one))
                self._wholes.setdefault(words[0] + "s", []).append((words, one))
        self._more = {one.name: _index_more(one) for one in self.sets}
        self._parts = {one.name: _list_part_nouns((one,)) for one in self.sets}
        self._any_part = _list_part_nouns(self.sets)

    @property
    def part_nouns(self) -> set[str]:
        """The nouns for parts of any of the sets."""
        return {" ".join(words) for words in self._any_part}

    @property
    def vocabulary(self) -> set[str]:
        """All words of the sets."""
        found = {word for one in self.sets for name in one.words for word in name.split()}
        for more in self._more.values():
            found.update(word for listed in more.values() for words, _ in listed for word in words)
        return found

    def match_whole(self, tokens: Sequence[Token], start: int) -> Iterator[tuple[int, ThingSet]]:
        """Yield the wholes that are named at a token, the longest first, and where they end."""
        if start >= len(tokens) or tokens[start].kind is not TokenKind.WORD:
            return
        for words, one in self._wholes.get(tokens[start].text, ()):
            end = start + len(words)
            if end > len(tokens) or not _stand_at(tokens, start, words[:-1]):
                continue
            said = tokens[end - 1].text
            if said == words[-1] or words[-1] in list_singulars(said):
                yield end, one

    def match_more(
        self, tokens: Sequence[Token], start: int, name: str
    ) -> Iterator[tuple[int, int]]:
        """Yield the extensions of a set that are said at a token: their end and number."""
        if start < len(tokens):
            for words, number in self._more[name].get(tokens[start].text, ()):
                if _stand_at(tokens, start, words):
                    yield start + len(words), number

    def match_part(
        self, tokens: Sequence[Token], start: int, given: ThingSet | None
    ) -> tuple[int, bool] | None:
        """Return the end of a noun for parts of a set, and True for a plural."""
        if start >= len(tokens) or tokens[start].kind is not TokenKind.WORD:
            return None
        for words in self._any_part if given is None else self._parts[given.name]:
            end = start + len(words)
            if end > len(tokens) or not _stand_at(tokens, start, words[:-1]):
                continue
            said = tokens[end - 1].text
            if said == words[-1]:
                return end, False
            if words[-1] in list_singulars(said):
                return end, True
        return None


def _stand_at(tokens: Sequence[Token], start: int, words: _Words) -> bool:
    """Return True if words stand at a token."""
    return tuple(token.text for token in tokens[start : start + len(words)]) == words


def _list_part_nouns(sets: Iterable[ThingSet]) -> list[_Words]:
    own = {tuple(word.split()) for one in sets for word in one.parts}
    return sorted({*own, *((noun,) for noun in PART_NOUNS)}, key=lambda words: (-len(words), words))


def _index_more(given: ThingSet) -> dict[str, list[tuple[_Words, int]]]:
    """Index the ways to say the extensions of a set by their first word, the longest first."""
    found: dict[str, list[tuple[_Words, int]]] = {}
    for number, more in enumerate(given.more):
        for phrase in more.phrases:
            for variant in phrase.variants:
                said = " ".join(part.text for part in variant if isinstance(part, PhraseWord))
                words = tuple(token.text for token in tokenise(said))
                found.setdefault(words[0], []).append((words, number))
    for listed in found.values():
        listed.sort(key=lambda pair: -len(pair[0]))
    return found


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
