# SPDX-License-Identifier: Apache-2.0
"""Clauses within dependency trees: a verb, the words of its own, and the clauses below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fcp_ros.language.syntax import Segment, Tree, Word
from fcp_ros.language.syntax.clauses import SUBJECTS

_CLAUSAL = ("advcl", "ccomp", "xcomp", "pcomp", "parataxis", "csubj", "dep", "conj", "relcl", "acl")
_ATTRIBUTIVE = ("relcl", "acl")
_SMALL = ("ccomp", "xcomp", "oprd")


@dataclass(frozen=True, slots=True)
class ClauseNode:
    """A clause of a tree.

    Attributes:
        segment: the piece of the instruction.
        verb: its verb; the root of a verbless one.
        own: the places of its words, without those of clauses below it.
        below: the heads of these clauses, from left to right.
    """

    segment: Segment
    verb: Word
    own: frozenset[int]
    below: tuple[Word, ...]

    @property
    def tree(self) -> Tree:
        """The tree that it is part of."""
        return self.segment.tree

    def list_words(self) -> list[Word]:
        """List its words that were said, from left to right."""
        words = (self.tree.words[place] for place in sorted(self.own))
        return [word for word in words if not word.is_inserted]

    def find_subject(self) -> Word | None:
        """Return its own subject; None if there is none, or if it is who is spoken to."""
        found = self.tree.find_child(self.verb.place, *SUBJECTS)
        for helper in self.tree.list_children(self.verb.place, "aux", "auxpass"):
            found = found or self.tree.find_child(helper.place, *SUBJECTS)  # a parser's slip
        if found is None or found.is_inserted or found.text in ("you", "robot"):
            return None
        return found

    @property
    def is_negated(self) -> bool:
        """True with "not" or "never"."""
        return any(self.tree.list_children(self.verb.place, "neg"))

    def list_nodes_below(self) -> Iterator[ClauseNode]:
        """Yield the clauses directly below it."""
        for word in self.below:
            yield make_node(self.segment, word)


def make_node(segment: Segment, verb: Word) -> ClauseNode:
    """Make the node of a clause."""
    tree = segment.tree
    own: list[int] = []
    below: list[Word] = []
    open_ = [verb.place]
    while open_:
        place = open_.pop()
        own.append(place)
        for child in tree.children[place]:
            word = tree.words[child]
            if _heads_clause(tree, word):
                below.append(word)
            else:
                open_.append(child)
    below.sort(key=lambda word: word.place)
    return ClauseNode(segment, verb, frozenset(own), tuple(below))


def _heads_clause(tree: Tree, word: Word) -> bool:
    """Return True for the head of a clause that does not only describe a noun."""
    if word.role not in _CLAUSAL:
        return False
    if word.text == "using":
        return False
    above = tree.words[word.head]
    if word.role == "conj":
        return word.is_verb and above.is_verb
    if word.role in _ATTRIBUTIVE:
        return _is_purpose(tree, word)
    if word.role in _SMALL and not word.is_verb:
        return any(tree.list_children(word.place, "mark", "aux"))
    return word.is_verb or any(tree.list_children(word.place, *SUBJECTS, "mark", "aux"))


def _is_purpose(tree: Tree, word: Word) -> bool:
    """Return True for "(take the towel from the cabinet) to put it in the tub"."""
    helper = tree.find_child(word.place, "aux")
    if word.tag != "VB" or helper is None or helper.text != "to":
        return False
    if any(tree.list_children(word.place, *SUBJECTS)):
        return False
    return any(tree.list_children(word.place, "dobj", "prep", "prt"))
