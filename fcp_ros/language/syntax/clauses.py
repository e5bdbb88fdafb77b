# SPDX-License-Identifier: Apache-2.0
"""Clauses of dependency trees: a verb with its arguments, subject, mood and negation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax.sentences import Segment, parse_instruction
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word

_NESTED = ("ROOT", "conj", "advcl", "ccomp", "xcomp", "relcl", "acl", "pcomp", "parataxis", "csubj")
_OBJECTS = {
    "dobj": "dobj",
    "dative": "dative",
    "attr": "attr",
    "acomp": "acomp",
    "oprd": "oprd",
    "npadvmod": "npadvmod",
}
_PLACES = frozenset(
    ["there", "here", "back", "home", "upstairs", "downstairs", "outside", "inside"]
)
_PARTICLES = gather_words("away up down off on out back in over together apart")
_REQUESTING = frozenset(["could", "can", "would", "will"])
QUESTION_WORDS = gather_words("who what which where when why how whose whom")


class Mood(Enum):
    """The form of a clause."""

    IMPERATIVE = "imperative"
    STATEMENT = "statement"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Argument:
    """A noun phrase or adverb that depends on a verb.

    Attributes:
        start, end: its characters in the instruction.
    """

    marker: str  # "dobj", "dative", "prep:in", "acomp", "attr", "where" ("there"), "subject"
    word: int  # the place of its head noun in the tree
    head: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ParsedClause:
    """A clause of an instruction.

    Attributes:
        start, end: the characters of all its words.
    """

    tree: Tree
    verb: int  # the place of its verb in the tree; of a verbless one, of its root
    lemma: str  # the verb; empty without one
    particle: str  # of "pick up"
    # how it depends on the clause above: "ROOT", "conj", "relcl", "xcomp", "advcl", "prep:after"
    relation: str
    mark: str  # the subordinator before it ("if")
    arguments: tuple[Argument, ...]  # from left to right, without the subject
    subject: Argument | None  # who or what is spoken of; None for an imperative
    mood: Mood
    negated: bool  # with "not", "never", "without"
    start: int
    end: int


def parse_clauses(text: str) -> tuple[ParsedClause, ...]:
    """Parse all clauses of an instruction, also subordinate ones, in the order of their verbs.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """
    return tuple(clause for part in parse_instruction(text) for clause in list_clauses(part))


def list_clauses(segment: Segment) -> Iterator[ParsedClause]:
    """Yield the clauses of a piece, in the order of their verbs."""
    tree = segment.tree
    for word in tree.words:
        if word.place == tree.root.place or (word.role in _NESTED and _heads_clause(tree, word)):
            yield _read_clause(segment, word)


def _heads_clause(tree: Tree, word: Word) -> bool:
    if word.is_verb:
        return True
    return word.role != "conj" and any(tree.list_children(word.place, *SUBJECTS, "cop", "mark"))


def _read_clause(segment: Segment, verb: Word) -> ParsedClause:
    tree = segment.tree
    nested = frozenset(
        word.place
        for word in tree.words
        if word.place != verb.place and word.role in _NESTED and _heads_clause(tree, word)
    )
    subject = _find_subject(tree, verb)
    particle, arguments = "", list[Argument]()
    for child in tree.list_children(verb.place):
        if child.place in nested:
            continue
        if child.role == "prt" or (child.role == "prep" and not tree.children[child.place]):
            particle = particle or child.text
        elif child.role == "advmod" and child.text in _PARTICLES and not particle:
            particle = child.text
        arguments += _list_arguments(tree, child, nested)
    imperative = subject is None or tree.words[subject.word].is_inserted
    own = tree.list_subtree(verb.place, nested)
    start, end = tree.get_span(own)
    mark = tree.find_child(verb.place, "mark")
    relation = verb.role
    if verb.role == "pcomp":
        relation = f"prep:{tree.words[verb.head].text}"
    return ParsedClause(
        tree,
        verb.place,
        verb.lemma if verb.is_verb else "",
        particle,
        relation,
        mark.text if mark else "",
        tuple(arguments),
        None if imperative else subject,
        _find_mood(segment, verb, imperative),
        _is_negated(tree, verb),
        start,
        end,
    )


def _find_subject(tree: Tree, verb: Word) -> Argument | None:
    own = tree.find_child(verb.place, *SUBJECTS)
    if own is None and verb.role == "conj" and tree.words[verb.head].is_verb:
        return _find_subject(tree, tree.words[verb.head])
    return make_argument(tree, "subject", own) if own else None


def _list_arguments(tree: Tree, child: Word, nested: frozenset[int]) -> Iterator[Argument]:
    if child.role in _OBJECTS and (child.role != "npadvmod" or child.is_noun):
        inner = tree.find_child(child.place, "pobj")
        if inner is not None:  # "to me" as dative
            yield make_argument(tree, f"prep:{child.text}", inner, nested)
        else:
            yield make_argument(tree, _OBJECTS[child.role], child, nested)
    elif child.role == "prep":
        marker, last = child.text, child
        for inner in tree.list_children(child.place, "prep"):
            marker, last = f"{marker} {inner.text}", inner  # "out of"
        for place in dict.fromkeys((child.place, last.place)):
            for noun in tree.list_children(place, "pobj"):
                name = child.text if place == child.place else marker
                yield make_argument(tree, f"prep:{name}", noun, nested)
    elif child.role == "advmod" and child.text in _PLACES:
        yield make_argument(tree, "where", child, nested)


def make_argument(
    tree: Tree, marker: str, word: Word, nested: frozenset[int] = frozenset()
) -> Argument:
    """Make an argument of a word and all below it, without clauses."""
    below = tree.list_subtree(word.place, nested)
    start, end = tree.get_span(below)
    said = " ".join(tree.words[place].text for place in below if not tree.words[place].is_inserted)
    return Argument(marker, word.place, word.lemma, said, start, end)


def _find_mood(segment: Segment, verb: Word, imperative: bool) -> Mood:
    tree = segment.tree
    main = verb.role in ("ROOT", "conj")
    if segment.piece.imperative and imperative:
        return Mood.IMPERATIVE
    own = tree.find_child(verb.place, *SUBJECTS)
    helper = tree.find_child(verb.place, "aux", "auxpass")
    before = helper if helper is not None else (verb if verb.lemma == "be" else None)
    inverted = own is not None and before is not None and before.place < own.place
    asking = helper is not None and helper.text in _REQUESTING
    if inverted and asking and own is not None and own.text == "you":
        return Mood.IMPERATIVE
    asked = any(
        child.text in QUESTION_WORDS and child.role != "mark"
        for child in tree.list_children(verb.place)
    )
    if main and (inverted or asked or segment.piece.end == "?"):
        return Mood.QUESTION
    if own is None and main and verb.tag in ("VB", "VBP"):
        return Mood.IMPERATIVE
    return Mood.STATEMENT


def _is_negated(tree: Tree, verb: Word) -> bool:
    if any(tree.list_children(verb.place, "neg")):
        return True
    return verb.role == "pcomp" and tree.words[verb.head].text == "without"
