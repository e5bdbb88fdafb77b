# SPDX-License-Identifier: Apache-2.0
"""The words of a dependency tree at the tokens of a sentence, and where noun phrases begin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from fcp_ros.language.english.tokens import Token
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.noun_phrases.quantities import read_openings
from fcp_ros.language.syntax.tree import Tree, Word

_HEADS = gather_words(
    "ROOT dobj pobj nsubj nsubjpass dative attr conj appos npadvmod oprd dep advmod"
)
"""Roles that a noun phrase may play as a whole."""
_PRONOUNS = frozenset(["PRP", "WP", "DT", "CD", "PDT", "WDT"])
_OUTSIDE = gather_words("neg advmod preconj predet cc punct mark intj prep dep")
"""Roles of words at the beginning of a phrase that may stand before it: "not the red one"."""
_INSIDE = gather_words("det predet amod compound nmod nummod quantmod poss advmod")
"""Roles of words before a noun that can't be left out of its phrase."""
_MOST_BEFORE = 6
"""Words of a quantity that a tree may give to the verb: "at the very least two mugs"."""


class TreeSpans:
    """The noun phrases of a tree by the tokens at which they begin.

    Args:
        tree: of a part of the sentence.
    """

    def __init__(self, tree: Tree, tokens: Sequence[Token]) -> None:
        self.tree = tree
        self._tokens = tokens
        self.words = {word.token: word for word in tree.words if not word.is_inserted}
        self._starting: dict[int, list[Word]] = defaultdict(list)
        for word in tree.words:
            if _may_head(word):
                for start in self.list_starts(word):
                    self._starting[start].append(word)

    @property
    def end(self) -> int:
        """The token after the last one of the tree."""
        return max(self.words, default=-1) + 1

    def list_heads(self, start: int) -> list[Word]:
        """List the heads of the phrases that begin at a token."""
        return self._starting.get(start, [])

    def list_tokens(self, place: int, without: frozenset[int] = frozenset()) -> set[int]:
        """List the tokens of a word and all below it, without some subtrees."""
        places = self.tree.list_subtree(place, without)
        return {self.tree.words[p].token for p in places if not self.tree.words[p].is_inserted}

    def list_starts(self, word: Word) -> tuple[int, ...]:
        """List the tokens at which the phrase of a word may begin, the first one first.

        Words of quantities before it belong to it, whatever the tree made of them.
        """
        below = self.list_tokens(word.place)
        start = word.token
        while start - 1 in below:
            start -= 1
        starts = [start]
        while start < word.token and self.words[start].role in _OUTSIDE:
            start += 1
            starts.append(start)
        inner = word.token
        while inner - 1 in below and self._find_role(word, inner - 1) in _INSIDE:
            inner -= 1
        if inner not in starts:
            starts.append(inner)
        for before in range(max(0, starts[0] - _MOST_BEFORE), starts[0]):
            openings = read_openings(self._tokens, before)
            if any(o.end > starts[0] and o.quantity and o.quantity[0] == before for o in openings):
                return (before, *starts)
        return tuple(starts)

    def _find_role(self, word: Word, token: int) -> str:
        """Return the role for a word of what a token below it is a part of."""
        one = self.words[token]
        while one.head not in (word.place, one.place):
            one = self.tree.words[one.head]
        return one.role

    def find_core(self, word: Word, start: int) -> Word | None:
        """Return the noun of a phrase from a token on: the mugs of "two of the mugs"."""
        if word.token >= start:
            return word
        below = [self.tree.words[p] for p in self.tree.list_subtree(word.place)]
        later = [w for w in below if w.token >= start and _may_head(w)]
        return min(later, key=lambda w: (self._measure_depth(w), w.token), default=None)

    def find_noun_before(self, word: Word, start: int) -> Word | None:
        """Return the noun before a word that the tree took for a part of its compound."""
        before = [self.words[t] for t in range(start, word.token) if t in self.words]
        return next((one for one in reversed(before) if one.is_noun), None)

    def find_of(self, word: Word) -> Word | None:
        """Return the noun behind "of" that depends on a noun."""
        for child in self.tree.list_children(word.place, "prep"):
            if child.text == "of":
                return self.tree.find_child(child.place, "pobj")
        return None

    def _measure_depth(self, word: Word) -> int:
        depth = 0
        while word.head != word.place:
            word = self.tree.words[word.head]
            depth += 1
        return depth


def _may_head(word: Word) -> bool:
    """Return True for a word that may be the head of a noun phrase."""
    if word.is_inserted or word.tag in ("MD", "EX", "IN", ".", ",", ":", "CC"):
        return False
    if word.tag == "RB":
        return word.text in ("there", "here")
    if word.is_noun:
        return word.role not in ("compound", "nmod")
    if word.role == "det" or word.role == "predet":
        return False
    return word.role in _HEADS or (word.tag in _PRONOUNS and word.role not in ("nummod",))
