# SPDX-License-Identifier: Apache-2.0
"""Subordinators: how a clause of a tree depends on the one above it."""

from __future__ import annotations

from enum import Enum

from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax.clauses import ParsedClause
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word


class Subordination(Enum):
    """The relation of a clause to the one above it."""

    IF = "if"
    UNLESS = "unless"
    WHEN = "when"
    AFTER = "after"
    BEFORE = "before"
    UNTIL = "until"
    WHILE = "while"
    WHENEVER = "whenever"
    WITHOUT = "without"
    REASON = "because"


_PHRASES = {
    Subordination.IF: "if, if and only if, only if, in case, provided, provided that, assuming, "
    "assuming that",
    Subordination.UNLESS: "unless",
    Subordination.WHEN: "when, as soon as, the moment, only when",
    Subordination.AFTER: "after, once, only after, only once, right after, having, "
    "not before, not until, but not before, but not until",
    Subordination.BEFORE: "before, prior to",
    Subordination.UNTIL: "until, till, up until, unless and until",
    Subordination.WHILE: "while, whilst, as long as, so long as, for as long as",
    Subordination.WHENEVER: "whenever, each time, every time, any time, always when",
    Subordination.WITHOUT: "without, without ever, instead of",
    Subordination.REASON: "because, since, as, so that, although, though, even though",
}
_SAID = {
    tuple(said.split()): relation
    for relation, phrases in _PHRASES.items()
    for said in phrases.split(", ")
}
_LONGEST = max(map(len, _SAID))
_CLAUSAL = gather_words("advcl pcomp ccomp relcl acl ROOT conj dep parataxis")


def find_relation(
    tree: Tree, clause: ParsedClause
) -> tuple[Subordination, tuple[Word, ...]] | None:
    """Find the subordinator of a clause and its words; None for a clause without one."""
    verb = tree.words[clause.verb]
    relation = clause.relation
    if relation not in _CLAUSAL and not relation.startswith("prep:"):
        return None
    if _is_inverted(tree, verb):
        return Subordination.IF, tuple(tree.list_children(verb.place, "aux"))[:1]
    below = tree.list_subtree(verb.place)
    begin = min((p for p in below if not tree.words[p].is_inserted), default=verb.place)
    texts = [word.text for word in tree.words]
    for start in range(max(0, begin - 3), verb.place):
        for length in range(_LONGEST, 0, -1):
            found = _SAID.get(tuple(texts[start : start + length]))
            stop = start + length
            loose = relation not in ("advcl", "ccomp") and found is Subordination.REASON
            if found is None or loose or stop > verb.place or stop < begin:
                continue
            words = tree.words[start:stop]
            if not _introduces(tree, verb, words, begin):
                continue
            return found, words
    return None


def _is_inverted(tree: Tree, verb: Word) -> bool:
    """Return True for "should the door be open, ..."."""
    first = [tree.words[p] for p in tree.children[verb.place] if tree.words[p].role != "cc"]
    if not first or first[0].text != "should" or first[0].is_inserted:
        return False
    subject = tree.find_child(verb.place, *SUBJECTS)
    asked = subject is None or subject.text in ("i", "we", "you")
    return not asked and subject is not None and first[0].place < subject.place


def _introduces(tree: Tree, verb: Word, words: tuple[Word, ...], begin: int) -> bool:
    """Return True if the last word of a subordinator depends on the verb, or stands before it."""
    last = words[-1]
    if verb.role in ("ROOT", "conj", "dep", "parataxis"):
        own = last.role in ("mark", "advmod") and last.head == verb.place
        own |= len(words) > 1 and words[0].place == begin  # "in case"
        return own and (verb.role != "ROOT" or words[0].place == begin)
    if last.head == verb.place or verb.head == last.place:
        return last.role in ("mark", "advmod", "dep", "npadvmod", "aux") or (
            verb.role == "pcomp" and verb.head == last.place
        )
    if last.role == "mark" and last.head == verb.head:
        return last.place + 1 == begin
    return last.place + 1 == begin and verb.role != "ROOT" and len(words) > 1
