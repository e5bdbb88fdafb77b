# SPDX-License-Identifier: Apache-2.0
"""Instructions as dependency trees, and their clauses: a verb, and what it depends on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.language.english.tokens import Token, tokenise
from fcp_ros.language.syntax.normalisation import Piece, normalise
from fcp_ros.language.syntax.pipeline import parse_words
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word

_NESTED = ("ROOT", "conj", "advcl", "ccomp", "xcomp", "relcl", "acl", "pcomp", "parataxis", "csubj")


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of an instruction with its tree."""

    piece: Piece
    tree: Tree


def parse_segments(
    tokens: Sequence[Token], names: frozenset[int] = frozenset()
) -> tuple[Segment, ...]:
    """Parse the pieces of an instruction.

    Args:
        names: the tokens that name things of the domain; none: it isn't known.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """
    pieces = [piece for piece in normalise(tokens, names) if piece.words]
    return tuple(Segment(piece, parse_words(piece.words)) for piece in pieces)


def parse_instruction(text: str) -> tuple[Segment, ...]:
    """Parse an instruction (see `parse_segments`)."""
    return parse_segments(tokenise(text))


@dataclass(frozen=True, slots=True)
class ParsedClause:
    """A clause of an instruction."""

    tree: Tree
    verb: int  # the place of its verb in the tree; of a verbless one, of its root
    # how it depends on the clause above: "ROOT", "conj", "relcl", "xcomp", "advcl", "pcomp"
    relation: str
    has_subject: bool  # said by the speaker; an imperative has none
    negated: bool  # with "not", "never", "without"
    end: int  # after the last character of its words


def parse_clauses(text: str) -> Iterator[ParsedClause]:
    """Yield all clauses of an instruction, also subordinate ones, in the order of their verbs.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """
    for segment in parse_instruction(text):
        tree = segment.tree
        for word in tree.words:
            if word.place == tree.root.place or (
                word.role in _NESTED and _heads_clause(tree, word)
            ):
                yield _read_clause(tree, word)


def _heads_clause(tree: Tree, word: Word) -> bool:
    if word.is_verb:
        return True
    return word.role != "conj" and any(tree.list_children(word.place, *SUBJECTS, "cop", "mark"))


def _read_clause(tree: Tree, verb: Word) -> ParsedClause:
    nested = frozenset(
        word.place
        for word in tree.words
        if word.place != verb.place and word.role in _NESTED and _heads_clause(tree, word)
    )
    subject = _find_subject(tree, verb)
    said = subject is not None and not subject.is_inserted
    _, end = tree.get_span(tree.list_subtree(verb.place, nested))
    return ParsedClause(tree, verb.place, verb.role, said, _is_negated(tree, verb), end)


def _find_subject(tree: Tree, verb: Word) -> Word | None:
    own = tree.find_child(verb.place, *SUBJECTS)
    if own is None and verb.role == "conj" and tree.words[verb.head].is_verb:
        return _find_subject(tree, tree.words[verb.head])
    return own


def _is_negated(tree: Tree, verb: Word) -> bool:
    if any(tree.list_children(verb.place, "neg")):
        return True
    return verb.role == "pcomp" and tree.words[verb.head].text == "without"
