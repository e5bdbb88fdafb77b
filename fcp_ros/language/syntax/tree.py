# SPDX-License-Identifier: Apache-2.0
"""Dependency trees of sentences as values, independent of the parser that made them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

SUBJECTS = ("nsubj", "nsubjpass", "csubj", "expl")
"""Roles of what a clause speaks of."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a tree.

    Attributes:
        start, end: its characters in the instruction; equal if it was inserted.
    """

    place: int  # its index in the tree
    text: str
    lemma: str
    tag: str  # its Penn Treebank tag, such as "VB" or "NNS"
    role: str  # its ClearNLP dependency label, such as "dobj"; "ROOT" of the root
    head: int  # the index of the word that it depends on; its own index for the root
    start: int
    end: int
    token: int  # the index of its token in `tokenise(instruction)`; -1 if it was inserted
    shown: str = ""

    @property
    def is_inserted(self) -> bool:
        """True for a word that nobody said."""
        return self.token < 0

    @property
    def is_verb(self) -> bool:
        """True for a verb or an auxiliary."""
        return self.tag.startswith("VB") or self.tag == "MD"

    @property
    def is_noun(self) -> bool:
        """True for a common or proper noun."""
        return self.tag.startswith("NN")


@dataclass(frozen=True, slots=True)
class Tree:
    """A dependency tree over the words of a part of an instruction."""

    words: tuple[Word, ...]
    # of each word, the indices of those that depend on it, from left to right
    children: tuple[tuple[int, ...], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        below: list[list[int]] = [[] for _ in self.words]
        for word in self.words:
            if word.head != word.place:
                below[word.head].append(word.place)
        object.__setattr__(self, "children", tuple(map(tuple, below)))

    @property
    def root(self) -> Word:
        """The first word that depends on no other."""
        return next(word for word in self.words if word.head == word.place)

    def list_children(self, place: int, *roles: str) -> Iterator[Word]:
        """Yield what depends on a word, with one of these labels (by default any)."""
        for child in self.children[place]:
            if not roles or self.words[child].role in roles:
                yield self.words[child]

    def find_child(self, place: int, *roles: str) -> Word | None:
        """Return the first word with one of these labels that depends on a word."""
        return next(self.list_children(place, *roles), None)

    def list_subtree(self, place: int, without: frozenset[int] = frozenset()) -> list[int]:
        """Return a word and all below it, from left to right, without some subtrees."""
        found, open_ = [], [place]
        while open_:
            current = open_.pop()
            found.append(current)
            open_ += [child for child in self.children[current] if child not in without]
        return sorted(found)

    def get_span(self, places: list[int]) -> tuple[int, int]:
        """Return the characters from the first to the last of some words that were said."""
        said = [self.words[place] for place in places if not self.words[place].is_inserted]
        if not said:
            return 0, 0
        return min(word.start for word in said), max(word.end for word in said)

    def write(self) -> str:
        """Write the tree on one line, for tests and people."""
        return " ".join(
            f"{word.text}/{word.tag}/{word.role}<{self.words[word.head].text}"
            for word in self.words
        )


def join_trees(trees: Iterable[Tree]) -> Tree:
    """Write several trees as one with several roots, for what is read across their bounds."""
    words: list[Word] = []
    for tree in trees:
        moved = len(words)
        for word in tree.words:
            words.append(replace(word, place=word.place + moved, head=word.head + moved))
    return Tree(tuple(words))
