# SPDX-License-Identifier: Apache-2.0
"""Words attached to the nouns that they are about: exceptions, appositions, relative clauses."""

from __future__ import annotations

from fcp_ros.language.english.turning_words import EXCEPTING_MARKS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax.tree import Tree, Word, move_words

LISTED = ("appos", "npadvmod", "conj", "dep")
"""Roles that a parser gives to later things of a list, and to what is said again."""
OBJECTS = ("dobj", "pobj", "nsubj", "nsubjpass", "attr")
DESTINATIONS = frozenset(["to", "into", "onto"])
PLACING = gather_words("on in into onto to at under behind next inside")


def leave_out(tree: Tree) -> Tree:
    """Make "but" in "all cups but the mug" a preposition."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        if word.text in ("just", "only"):
            moved |= _leave_out_just(tree, word)
        if word.text not in ("but", "except") or word.role != "cc":
            continue
        later = (w for w in tree.list_children(word.head, "conj") if w.place > word.place)
        left_out = next(later, None)
        above = tree.words[word.head]
        noun = _find_many(tree, above, word) if above.is_verb else above
        if left_out is None or noun is None or left_out.is_verb or not _is_named(tree, left_out):
            continue
        moved[word.place] = (noun.place, "prep")
        moved[left_out.place] = (word.place, "pobj")
        for between in tree.list_children(left_out.place, "neg", "advmod"):
            if word.place < between.place < left_out.place:
                moved[between.place] = (word.place, between.role)  # "but not | the mug"
        verb = above if above.is_verb else tree.words[noun.head]
        if verb.is_verb and not has_place(tree, verb, noun):
            for place in tree.list_children(left_out.place, "prep"):
                if place.text != "of":
                    moved[place.place] = (verb.place, "prep")
    return move_words(tree, moved)


def _leave_out_just(tree: Tree, just: Word) -> dict[int, tuple[int, str]]:
    """Make "just not" in "all cups, just not the mug" a preposition."""
    behind = tree.words[just.place + 1 :]
    if len(behind) < 2 or behind[0].text != "not":
        return {}
    named = (w for w in behind[1:] if w.role not in ("compound", "nmod", "amod", "det", "poss"))
    left_out = next(named, just)
    verb = tree.words[left_out.head]
    while not verb.is_verb and verb.head != verb.place:
        verb = tree.words[verb.head]
    noun = _find_many(tree, verb, just)
    if not (left_out.is_noun or left_out.text == "one") or noun is None or noun == left_out:
        return {}
    return {
        just.place: (noun.place, "prep"),
        behind[0].place: (just.place, "neg"),
        left_out.place: (just.place, "pobj"),
    }


def _is_named(tree: Tree, word: Word) -> bool:
    """Return False for a number with a bound, which limits another one: "but no more than two"."""
    if any(tree.list_children(word.place, "quantmod", "amod", "advmod")) and word.tag == "CD":
        return False
    return word.is_noun or word.tag in ("CD", "PRP", "DT")


def has_place(tree: Tree, verb: Word, noun: Word) -> bool:
    """Return True for a verb with a place of its own behind its object."""
    return any(
        prep.place > noun.place
        and prep.text not in EXCEPTING_MARKS
        and any(tree.list_children(prep.place, "pobj", "prep", "pcomp"))
        for prep in tree.list_children(verb.place, "prep", "dative")
    )


def attach_exceptions(tree: Tree) -> Tree:
    """Attach "except the mug" to the noun before it, and what follows to the verb."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        if not _leaves_out(tree, word):
            continue
        above = tree.words[word.head]
        for later in tree.list_children(word.place, "prep"):
            if later.place > word.place + 1 and later.text in DESTINATIONS and above.is_verb:
                moved[later.place] = (above.place, "prep")
        if above.is_verb:
            noun = _find_many(tree, above, word) or _find_later(tree, above, word)
            if noun is not None:
                moved[word.place] = (noun.place, "prep")
        noun = tree.words[moved.get(word.place, (word.head, ""))[0]]
        verb = tree.words[noun.head]
        if noun.role == "dobj" and verb.is_verb and not has_place(tree, verb, noun):
            places = [
                tree.words[p]
                for p in tree.list_subtree(word.place)
                if tree.words[p].text in PLACING and tree.words[p].role == "prep"
            ]
            if places and any(tree.list_children(places[-1].place, "pobj")):
                moved[places[-1].place] = (verb.place, "prep")
    return move_words(tree, moved)


def _leaves_out(tree: Tree, word: Word) -> bool:
    """Return True for "except", "with the exception of", "other than"."""
    if word.role not in ("prep", "mark", "advmod", "amod"):
        return False
    if word.text == "with":
        noun = tree.find_child(word.place, "pobj")
        return noun is not None and noun.text == "exception"
    if word.text == "other":
        return any(child.text == "than" for child in tree.list_children(word.place, "prep"))
    return word.text in EXCEPTING_MARKS and word.role != "amod"


def _find_later(tree: Tree, verb: Word, exception: Word) -> Word | None:
    """Find what an exception is about that stands before its clause: "except the hall, mop all"."""
    named = list(tree.list_children(verb.place, "nsubj", "nsubjpass", "dobj"))
    behind = (w for w in reversed(named) if exception.place < w.place and not w.is_inserted)
    return next((w for w in behind if w.tag != "PRP"), None)


def _find_many(tree: Tree, verb: Word, exception: Word) -> Word | None:
    """Find the object or subject that an exception is about."""
    roles = ("dobj", "nsubj", "nsubjpass", "attr")
    clauses = [verb, *tree.list_children(verb.place, "ccomp", "xcomp")]
    for clause in clauses:
        before = [w for w in tree.list_children(clause.place, *roles) if w.place < exception.place]
        named = [w for w in before if not w.is_inserted and w.tag != "PRP"]
        if named:
            return named[-1]
    return None


def attach_appositions(tree: Tree) -> Tree:
    """Attach "the clean one" in "my jacket, the clean one" to the noun before it."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        if word.text not in ("one", "ones") or word.role not in (
            "dep",
            "ccomp",
            "npadvmod",
            "conj",
        ):
            continue
        first = tree.words[tree.list_subtree(word.place)[0]]
        before = tree.words[first.place - 1] if first.place else word
        if before.text == ",":
            before = tree.words[before.place - 1]
        if before.is_noun and first.text in ("the", "that") and before.role not in ("compound",):
            moved[word.place] = (before.place, "appos")
    return move_words(tree, moved)


def attach_totals(tree: Tree) -> Tree:
    """Attach "all of them" in "wash the plates, all of them" to the noun that it is about."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        of = next((c for c in tree.list_children(word.place, "prep") if c.text == "of"), None)
        whole = tree.find_child(of.place, "pobj") if of is not None else None
        if whole is None or whole.text != "them" or word.tag not in ("DT", "CD"):
            continue
        verb = tree.words[word.head]
        noun = _find_many(tree, verb, word) if verb.is_verb and word.role in LISTED else None
        if noun is not None and noun != word:
            moved[word.place] = (noun.place, "appos")
    return move_words(tree, moved)


def attach_relatives(tree: Tree) -> Tree:
    """Attach relative clauses to the noun before them.

    "The kites in the hall | where the can is", "put the cup | that Ann left here | there".
    """
    moved: dict[int, tuple[int, str]] = {}
    for clause in tree.words:
        if clause.role not in ("relcl", "advcl", "ccomp") or not clause.is_verb:
            continue
        first = tree.words[tree.list_subtree(clause.place)[0]]
        before = tree.words[first.place - 1] if first.place else clause
        where = first.text == "where" and before.role == "pobj"
        which = first.text in ("that", "which", "who") and first.role in ("dobj", "nsubj", "pobj")
        which = which and clause.role != "relcl" and before.role in OBJECTS
        if before.is_noun and (where or which):
            moved[clause.place] = (before.place, "relcl")
    return move_words(tree, moved)
