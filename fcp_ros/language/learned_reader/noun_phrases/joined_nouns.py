# SPDX-License-Identifier: Apache-2.0
"""Nouns that a tree joins: what belongs to a list, and what its parts share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.trees import Determiner, Noun, NounPhrase, Reference
from fcp_ros.language.syntax.tree import Tree, Word

_MORE = gather_words("more less fewer")
_BOUNDING = frozenset(["than", "most", "least"])
"""Words of a number that limits another one: "one, but no more than two"."""


class NounLinks:
    """The words and marks that join the nouns of a tree.

    Args:
        get: returns the text of a token.
    """

    def __init__(self, tree: Tree, get: Callable[[int], str]) -> None:
        self._tree = tree
        self._get = get

    def list_joined(self, word: Word) -> list[Word]:
        """List what "and", "or" and commas join to a noun, from left to right."""
        found: list[Word] = []
        for child in self._tree.list_children(word.place, "conj", "appos"):
            if child.is_inserted or child.is_verb or (child.role == "appos" and not found):
                continue
            if child.text in _MORE or self._get(child.token - 1) in _BOUNDING:
                continue
            found += [child, *self.list_joined(child)]
        for child in self._tree.list_children(word.place, "prep", "advmod"):
            noun = self._find_along(child) if self._is_along(child) else None
            if noun is not None:
                found += [noun, *self.list_joined(noun)]
        return found

    def list_links(self, word: Word) -> list[Word]:
        """List the words and marks that join something to a noun."""
        links = list(self._tree.list_children(word.place, "cc", "punct", "preconj"))
        links += [w for w in self._tree.list_children(word.place) if self._is_along(w)]
        inner = [w for one in links for w in self._tree.list_children(one.place)]
        inner = [w for w in inner if w.role in ("advmod", "prep", "pcomp")]
        return [w for w in (*links, *inner) if not w.is_inserted]

    def _is_along(self, word: Word) -> bool:
        """Return True for "along with", which joins like "and"."""
        return word.text in ("along", "together") and self._find_along(word) is not None

    def _find_along(self, word: Word) -> Word | None:
        for inner in (word, *self._tree.list_children(word.place, "prep", "pcomp")):
            noun = self._tree.find_child(inner.place, "pobj")
            if noun is not None:
                return noun
        return None


def share_head(parts: list[NounPhrase]) -> list[NounPhrase]:
    """Give the noun to what lacks one: "the red and the blue mug"."""
    noun = next((p for p in reversed(parts) if isinstance(p.head, Noun)), None)
    if noun is None:
        return parts
    return [
        replace(p, head=noun.head, plural=noun.plural and p.determiner is not Determiner.A)
        if p.head is Reference.ONE and (p.qualities or p.attributes) and not p.other
        else p
        for p in parts
    ]
