# SPDX-License-Identifier: Apache-2.0
"""A clause as a row of chunks: its object, prepositions with their nouns, and single words.

A parser attaches "on the table" to the verb or to the noun before it, often wrongly; types decide.
So a row has all chunks apart, and `list_rows` joins them to phrases in each possible way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.spoken.clause_tree import ClauseNode
from fcp_ros.language.syntax import Tree, Word

WORD = "word"
"""Marker of a chunk that is a single word: a particle, an adverb, an adjective."""
_JOINED_AGAINST, _APART_AGAINST = 0.93, 0.97
"""Degrees of joining what the parser has apart, and the other way round."""
_MOST_ROWS = 12
_PARTICLES = ("prt", "advmod", "acomp", "oprd", "neg", "ccomp", "xcomp")
_MARKING = ("IN", "TO", "RP", "RB", "VBG")
_OTHER = gather_words(
    "using via through until till during against between along across without except besides "
    "for with of about past around toward towards"
)
_DIRECTIONS = frozenset(["across", "over", "up", "down", "back", "along", "out", "through"])
INSTEAD = "instead of"
_REPLACING = (("instead", "of"), ("rather", "than"))
_SIDE = ("relcl", "acl")


@dataclass(frozen=True, slots=True)
class ClauseChunk:
    """A part of a clause.

    Attributes:
        marker: the preposition that stands for it, `WORD`, or "" for a bare noun phrase.
        said: the words of the marker, or the word.
        start: the first token.
        inner: the first token of the noun phrase.
        end: after the last token.
        apart: the parser has it apart from the chunk before it.
        degree: how well it goes with the parser's attachments.
    """

    marker: str
    said: str
    start: int
    inner: int
    end: int
    apart: bool = True
    degree: float = 1.0


Row = tuple[ClauseChunk, ...]


def cut_chunks(node: ClauseNode, nouns: NounParser, start: int) -> list[ClauseChunk]:
    """Cut the words of a clause from a token on into chunks."""
    return list(_Cutter(node, nouns, start).cut())


def list_rows(chunks: list[ClauseChunk]) -> list[Row]:
    """List the ways to join chunks to phrases, those that the parser prefers first."""
    rows: list[Row] = [()]
    for chunk in chunks:
        longer = []
        for row in rows:
            apart = chunk.degree * (1.0 if chunk.apart else _APART_AGAINST)
            longer.append((*row, replace(chunk, degree=apart)))
            last = row[-1] if row else None
            if last is None or last.marker == WORD or chunk.marker in (WORD, ""):
                continue
            if last.end == chunk.start:
                joined = last.degree * (_JOINED_AGAINST if chunk.apart else 1.0)
                whole = ClauseChunk(
                    last.marker, last.said, last.start, last.inner, chunk.end, last.apart, joined
                )
                longer.append((*row[:-1], whole))
        rows = longer
    rows.sort(key=rate_row, reverse=True)
    return rows[:_MOST_ROWS]


def rate_row(row: Row) -> float:
    """Rate how well a row goes with the parser's attachments."""
    return prod(chunk.degree for chunk in row)


class _Cutter:
    def __init__(self, node: ClauseNode, nouns: NounParser, start: int) -> None:
        self._tree: Tree = node.tree
        self._verb = node.verb
        self._nouns = nouns
        self._words = {word.token: word for word in node.list_words() if word.token >= start}
        self._beside = frozenset(
            place
            for word in self._words.values()
            if word.role in _SIDE
            for place in self._tree.list_subtree(word.place)
        )

    def cut(self) -> Iterator[ClauseChunk]:
        places = sorted(self._words)
        if not places:
            return
        place, end = places[0], places[-1] + 1
        while place < end:
            if place not in self._words or self._is_mark(place):
                place += 1
                continue
            word = self._words[place]
            marked = self._find_marker(place)
            if marked is not None:
                inner, marker = marked
                stop = self._find_end(inner)
                yield ClauseChunk(
                    marker, self._join(place, inner), place, inner, stop, self._is_apart(word)
                )
                place = stop
            elif self._stands_alone(word):
                yield ClauseChunk(WORD, word.text, place, place, place + 1)
                place += 1
            else:
                stop = self._find_end(place)
                yield ClauseChunk("", "", place, place, stop)
                place = stop

    def _join(self, start: int, end: int) -> str:
        return " ".join(self._nouns.get_text(place) for place in range(start, end))

    def _is_mark(self, place: int) -> bool:
        word = self._words[place]
        marks = self._nouns.tokens[place].kind in (TokenKind.MARK, TokenKind.SYMBOL)
        return marks or (
            word.role in ("cc", "aux", "auxpass", "intj") and word.head == self._verb.place
        )

    def _find_marker(self, place: int) -> tuple[int, str] | None:
        """Return where the noun phrase behind a preposition begins, and the preposition."""
        word = self._words[place]
        replacing = (word.text, self._nouns.get_text(place + 1)) in _REPLACING
        if (
            not replacing
            and word.tag not in _MARKING
            and word.role not in ("prep", "dative", "agent", "prt")
        ):
            return None
        if word.is_noun:
            return None
        for inner, marker in self._nouns.match_preposition(place):
            if self._begins_phrase(inner) and all(p in self._words for p in range(place, inner)):
                return inner, marker
        if word.text in _DIRECTIONS:
            for inner, marker in self._nouns.match_preposition(place + 1):
                if self._begins_phrase(inner) and all(
                    p in self._words for p in range(place, inner)
                ):
                    return inner, marker
        if word.text in _OTHER and self._begins_phrase(place + 1):
            return place + 1, word.text
        following = self._nouns.get_text(place + 1)
        if (word.text, following) in _REPLACING:
            inner = place + 2 + ((self._nouns.get_text(place + 2),) in PREPOSITIONS)
            return (inner, INSTEAD) if self._begins_phrase(inner) else None
        return None

    def _begins_phrase(self, place: int) -> bool:
        word = self._words.get(place)
        if word is None or self._is_mark(place) or word.role == "cc":
            return False
        return (word.text,) not in PREPOSITIONS or word.is_noun

    def _stands_alone(self, word: Word) -> bool:
        if word.role in _PARTICLES and word.head == self._verb.place:
            return not any(self._tree.list_children(word.place, "pobj"))
        prepositional = word.role == "prep" and not self._tree.children[word.place]
        return prepositional or (word.tag == "RP")

    def _is_apart(self, word: Word) -> bool:
        return self._tree.words[word.head].place == self._verb.place or (
            not self._tree.words[word.head].is_noun
        )

    def _find_end(self, start: int) -> int:
        """Return where the noun phrase that begins at a token ends, without places behind it."""
        place = start + 1
        while place in self._words:
            if self._cuts(place, start):
                break
            place += 1
        while place - 1 > start and (
            self._is_mark(place - 1) or self._words[place - 1].role == "cc"
        ):
            place -= 1
        return place

    def _cuts(self, place: int, start: int) -> bool:
        word = self._words[place]
        if word.place in self._beside:
            return False
        if (word.text, self._nouns.get_text(place + 1)) in _REPLACING:
            return True
        if word.role in ("prep", "agent", "dative") and word.text != "of" and not word.is_noun:
            return True
        if word.head == self._verb.place and word.role in (*_PARTICLES, "intj"):
            return True
        if word.tag == "RP":
            return True
        head = word
        while head.head != head.place and head.head != self._verb.place:
            head = self._tree.words[head.head]
        own = self._tree.list_subtree(head.place)
        first = next((self._tree.words[p].token for p in own if self._tree.words[p].token >= 0), -1)
        return first == place and head.role in ("dobj", "attr", "npadvmod", "oprd", "dative")
