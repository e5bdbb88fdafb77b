# SPDX-License-Identifier: Apache-2.0
"""The words of the sets of a domain, and where they stand in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.phrases import PhraseWord, ThingSet
from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.language.english.tokens import Token, TokenKind, tokenise
from fcp_ros.language.english.wholes import PART_NOUNS

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
