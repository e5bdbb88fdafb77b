# SPDX-License-Identifier: Apache-2.0
"""Clauses that stand side by side: a tree is cut where one begins that depends on no other.

People join what they tell and what they ask for without a word ("it is drafty, can you ..."): the
parser makes one tree of it. Each clause with a subject of its own becomes a tree of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.language.syntax.clauses import Segment
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word

_LOOSE = ("ccomp", "parataxis", "dep", "advcl")
_EDGES = ("punct", "cc", "intj")
_LEADING = frozenset(["so", "and", "but", "then", ","])
_REASONS = frozenset(["because", "since", "as", "although", "though"])
_MEASURING = frozenset(["soon", "long", "far", "much", "many", "well"])


@dataclass(frozen=True, slots=True)
class Unit:
    """A clause with its own words, and the tokens before and behind that join it to others."""

    tree: Tree
    before: tuple[int, ...]
    behind: tuple[int, ...]

    @property
    def start(self) -> int:
        """The first token of its own words."""
        return min((w.token for w in self.tree.words if not w.is_inserted), default=0)

    @property
    def end(self) -> int:
        """The token after its last word."""
        return max((w.token for w in self.tree.words), default=-1) + 1


def find_units(tree: Tree) -> list[Unit]:
    """Find the clauses of a tree, from left to right; also of several trees that were joined."""
    heads = {word.place for word in tree.words if word.head == word.place}
    heads |= {word.place for word in tree.words if _stands_alone(tree, word)}
    own = {head: tree.list_subtree(head, frozenset(heads - {head})) for head in heads}
    own = {head: _join_inseparable(tree, head, own) for head in heads if _is_outer(tree, head, own)}
    return [_cut(tree, head, own[head]) for head in sorted(own, key=lambda head: own[head][0])]


def split_units(segment: Segment) -> Iterator[Segment]:
    """Yield the clauses of a piece that stand side by side, from left to right."""
    units = find_units(segment.tree)
    for number, unit in enumerate(units):
        first, last = number == 0, number + 1 == len(units)
        asked = len(units) == 1 or _is_imperative(unit.tree)
        joined = segment.piece.links if first else units[number - 1].behind
        piece = replace(
            segment.piece,
            imperative=segment.piece.imperative and asked,
            links=(*joined, *unit.before),
            dropped=segment.piece.dropped if first else (),
            end=segment.piece.end if last else "",
        )
        yield Segment(piece, segment.tree if len(units) == 1 else unit.tree)


def _stands_alone(tree: Tree, word: Word) -> bool:
    """Return True for a clause beside another one, not within it."""
    if word.place == word.head or not (word.is_verb or word.tag == "JJ"):
        return False
    marks = list(tree.list_children(word.place, "mark"))
    if not any(tree.list_children(word.place, *SUBJECTS)) and not _forbids(tree, word):
        return False
    if any(not _gives_reason(tree, mark) for mark in marks):
        return False
    above = tree.words[word.head]
    while word.role == "relcl" and not above.is_verb and above.head != above.place:
        above = tree.words[above.head]
    if above.head != above.place and not _stands_alone(tree, above):
        return False
    if word.role == "conj" or marks:
        return True
    pointing = tree.find_child(word.place, *SUBJECTS)
    loose = word.role in _LOOSE
    loose |= word.role == "relcl" and pointing is not None and pointing.tag == "DT"
    inner = [p for p in tree.list_subtree(word.place) if tree.words[p].role not in _EDGES]
    before = inner[0] - 1
    while before > 0 and tree.words[before].role == "intj":
        before -= 1
    comma = before > 0 and tree.words[before].text in (",", ":")
    return loose and (word.place < word.head or comma)


def _is_imperative(tree: Tree) -> bool:
    """Return True for a clause with an inserted "you should", and for "do not ..."."""
    inserted = any(word.is_inserted and word.text == "you" for word in tree.words)
    return inserted or _forbids(tree, tree.root)


def _forbids(tree: Tree, verb: Word) -> bool:
    """Return True for "do not open"."""
    helpers = [child.text for child in tree.list_children(verb.place, "aux", "neg", *SUBJECTS)]
    return helpers == ["do", "not"]


def _is_outer(tree: Tree, head: int, own: dict[int, list[int]]) -> bool:
    """Return True unless a clause lies amid the words of the one above it."""
    above = tree.words[head].head
    while above != head and above not in own:
        above = tree.words[above].head
    if above == head:
        return True
    mine, others = _list_core(tree, own[head]), _list_core(tree, own[above])
    return not any(mine[0] < place < mine[-1] for place in others) and not (
        others[0] < mine[0] < others[-1]
    )


def _join_inseparable(tree: Tree, head: int, own: dict[int, list[int]]) -> list[int]:
    """Return the words of a clause, with those of clauses that lie amid them."""
    inner = frozenset(other for other in own if other != head and _is_outer(tree, other, own))
    return tree.list_subtree(head, inner)


def _list_core(tree: Tree, places: list[int]) -> list[int]:
    return [place for place in places if not _joins(tree.words[place])] or places


def _calls(tree: Tree, place: int) -> bool:
    return tree.words[place].role == "intj"


def _gives_reason(tree: Tree, mark: Word) -> bool:
    """Return True for "because", not for "as soon as"."""
    near = tree.words[max(0, mark.place - 1) : mark.place + 2]
    return mark.text in _REASONS and not any(word.text in _MEASURING for word in near)


def _joins(word: Word) -> bool:
    return word.role in _EDGES or word.text in _LEADING


def _cut(tree: Tree, head: int, places: list[int]) -> Unit:
    """Cut what joins clauses off the words of one, and make a tree of them."""
    core = [
        place
        for place in places
        if place == head or not _joins(tree.words[place]) or _calls(tree, place)
    ]  # "only then" may have "then" as its head
    first, last = (core[0], core[-1]) if core else (places[0], places[-1])
    inner = [place for place in places if first <= place <= last]
    before = [tree.words[p].token for p in places if p < first]
    behind = [tree.words[p].token for p in places if p > last]
    return Unit(take_words(tree, head, inner), tuple(before), tuple(behind))


def take_words(tree: Tree, head: int, places: list[int]) -> Tree:
    """Make a tree of some words of another, below one of them that is among them."""
    renamed = {place: number for number, place in enumerate(places)}
    return Tree(
        tuple(
            replace(
                tree.words[place],
                place=renamed[place],
                head=renamed.get(tree.words[place].head, renamed[head]),
                role="ROOT" if place == head else tree.words[place].role,
            )
            for place in places
        )
    )
