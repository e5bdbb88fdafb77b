# SPDX-License-Identifier: Apache-2.0
"""Trees mended where a parser that has read news attaches words of instructions wrongly.

Lists ("a plate, a fork and a knife" as appositions), free relatives ("whatever is on the table"),
exceptions, which are always said of a noun, and places behind places.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from fcp_ros.language.english.verbs import PUT_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax.noun_attachments import (
    DESTINATIONS,
    LISTED,
    OBJECTS,
    PLACING,
    attach_appositions,
    attach_exceptions,
    attach_relatives,
    attach_totals,
    has_place,
    leave_out,
)
from fcp_ros.language.syntax.sentences import Segment
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word, move_words
from fcp_ros.language.syntax.units import take_words

_FREE = gather_words("whatever whichever what")
_FREE_ROLES = {
    "ccomp": "dobj",
    "advcl": "dobj",
    "csubj": "nsubj",
    "csubjpass": "nsubj",
    "pcomp": "pobj",
}
"""Roles of free relative clauses in a parser's tree, and those of their pronouns then."""
_POSTURES = frozenset(["lie", "stand", "sit", "hang"])
_NOW = gather_words("now currently already still initially originally")
FINDING = gather_words("find see have get exist be need want own possess spot")
"""Verbs of clauses that say nothing of the things: "(all the cups) that you can find"."""
_PARTNERS = gather_words("i you we there")
_NEEDS = gather_words("need needs want wants")
_ADVERBS = gather_words("next close near")
"""Adverbs that are prepositions with "to" behind them."""


def mend_segment(segment: Segment) -> Segment:
    """Mend the tree of a piece."""
    return replace(segment, tree=mend_tree(segment.tree))


def mend_tree(tree: Tree) -> Tree:
    """Mend a tree; it stays as it is where nothing is wrong with it."""
    mends = (
        _name_list,
        _join_lists,
        _join_parts,
        _join_places,
        _split_pairs,
        attach_appositions,
        attach_totals,
        attach_relatives,
        _free_relatives,
        _attach_adverbs,
        _attach_deictics,
        _raise_needs,
        _make_prepositions,
        leave_out,
        attach_exceptions,
        _attach_places,
        _release_places,
        _release_destinations,
        _release_sources,
    )
    for mend in mends:
        tree = mend(tree)
    return tree


def _name_list(tree: Tree) -> Tree:
    """Take "mug, bowl and apple on the counter" for a list of things, not for what you should."""
    root = tree.root
    listed = [w for w in tree.list_children(root.place, "appos", "conj") if w.is_noun]
    asked = any(w.is_inserted for w in tree.list_children(root.place, *SUBJECTS))
    placed = any(word.role == "prep" for word in tree.words)
    if not (root.is_noun and listed and asked and placed):
        return tree
    if tree.find_child(root.place, "dobj"):
        return tree
    said = [w.place for w in tree.words if not w.is_inserted]
    mended = take_words(tree, root.place, said)
    head = mended.root.place
    return Tree(
        tuple(
            replace(w, role="conj") if w.role == "appos" and w.head == head and w.is_noun else w
            for w in mended.words
        )
    )


# --- lists


def _join_lists(tree: Tree) -> Tree:
    """Join "a plate, a fork and a knife", whatever the parser made of the later ones."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        before = _find_before(tree, word)
        if before is not None:
            moved[word.place] = (before.place, "conj")
            link = tree.words[tree.list_subtree(word.place)[0] - 1]
            if link.role in ("cc", "punct"):
                moved[link.place] = (before.place, link.role)
    return move_words(tree, moved)


def _find_before(tree: Tree, word: Word) -> Word | None:
    """Find the noun that stands before a later one of a list, if the tree doesn't join them."""
    if not word.is_noun or word.role not in LISTED or word.head == word.place:
        return None
    first = tree.list_subtree(word.place)[0]
    link = tree.words[first - 1] if first else word
    if link.text not in (",", "and", "or"):
        return None
    above = tree.words[word.head]
    if word.role == "conj" and not above.is_verb:
        return None
    if word.role != "conj" and not _goes_on(tree, word):
        return None
    if link.role in ("cc", "punct") and link.text in ("and", "or") and first > 1:
        comma = tree.words[first - 2].text == ","
        last = first - 2 - comma
    else:
        last = first - 2
    before = tree.words[last] if last >= 0 else None
    while before is not None and not (before.is_noun and before.role in (*OBJECTS, *LISTED)):
        if before.head in (before.place, word.place) or before.is_verb:
            return None
        before = tree.words[before.head]
    if before is None or before.place == word.place:
        return None
    # "put the mug on the counter, and the book": the book goes there, too
    return None if word.role == "conj" and before.role == "pobj" else before


def _goes_on(tree: Tree, word: Word) -> bool:
    """Return True for one that is followed by more of a list: "..., a fork and a knife"."""
    return any(tree.list_children(word.place, "cc", "conj", "appos"))


def _join_parts(tree: Tree) -> Tree:
    """Join what is listed behind "of": "one of the mug | and the bowl"."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        of = next((c for c in tree.list_children(word.place, "prep") if c.text == "of"), None)
        inner = tree.find_child(of.place, "pobj") if of is not None else None
        if inner is None or not inner.is_noun or word.tag not in ("CD", "DT", "NN"):
            continue
        for other in tree.list_children(word.place, "conj"):
            numbered = any(tree.list_children(other.place, "nummod", "quantmod"))
            if other.tag == inner.tag and not numbered:
                moved[other.place] = (inner.place, "conj")
                for link in tree.list_children(word.place, "cc", "punct"):
                    if inner.place < link.place < other.place:
                        moved[link.place] = (inner.place, link.role)
    return move_words(tree, moved)


def _join_places(tree: Tree) -> Tree:
    """Join the nouns of "in the desk or | in the locker"."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        first = tree.words[word.head]
        if word.role != "conj" or first.text != word.text or first.role != "prep":
            continue
        nouns = [tree.find_child(one.place, "pobj") for one in (first, word)]
        links = list(tree.list_children(first.place, "cc"))
        contrary = any(link.text == "but" for link in links)  # "not on the table but | on it"
        if nouns[0] is None or nouns[1] is None or not links or contrary:
            continue
        moved[nouns[1].place] = (nouns[0].place, "conj")
        moved |= {link.place: (nouns[0].place, "cc") for link in links}
    return move_words(tree, moved)


def _split_pairs(tree: Tree) -> Tree:
    """Give "(put a mug on the table) and another one on the couch" to the verb that it lacks."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        place = tree.words[word.head]
        prep = tree.words[place.head]
        verb = tree.words[prep.head]
        if verb.role == "dobj":
            verb = tree.words[verb.head]
        pair = word.role == "conj" and place.role == "pobj" and prep.role == "prep"
        own = any(p.text in PLACING for p in tree.list_children(word.place, "prep"))
        if pair and own and verb.is_verb and verb.lemma != "be":
            opened = any(tree.list_children(word.place, "det", "nummod", "poss"))
            if opened or word.tag == "CD":
                moved[word.place] = (verb.place, "conj")
    return move_words(tree, moved)


# --- free relatives


def _free_relatives(tree: Tree) -> Tree:
    """Make "whatever" in "move whatever is on the table" the object, with a relative clause."""
    moved: dict[int, tuple[int, str]] = {}
    for clause in tree.words:
        thing = tree.find_child(clause.head, "dobj")
        lying = clause.role == "advcl" and clause.lemma in _POSTURES and clause.tag == "VBG"
        if lying and thing is not None and thing.place < clause.place:
            moved[clause.place] = (thing.place, "acl")
        if not clause.is_verb or not (clause.role in _FREE_ROLES or clause.role == "conj"):
            continue
        subject = tree.find_child(clause.place, "nsubj", "nsubjpass")
        if subject is None or not _is_free(tree, subject):
            continue
        above = tree.words[clause.head]
        if clause.role == "conj" and above.lemma == "be":
            continue
        moved[subject.place] = (above.place, _FREE_ROLES.get(clause.role, "conj"))
        if thing is not None and thing.tag == "PRP":
            moved[thing.place] = (thing.head, "dative")  # "bring me | what is on the table"
        moved[clause.place] = (subject.place, "relcl")
        places = [w for w in tree.list_children(clause.place, "prep") if w.place > clause.place]
        if len(places) > 1 and above.place < clause.place:
            moved[places[-1].place] = (above.place, "prep")
    return move_words(tree, moved)


def _is_free(tree: Tree, subject: Word) -> bool:
    if subject.text in _FREE:
        return True
    return any(child.text in _FREE for child in tree.list_children(subject.place, "det"))


def _attach_adverbs(tree: Tree) -> Tree:
    """Attach "now" in "what is on the table now" to the clause before it, and "along with"."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        before = tree.words[word.place - 1] if word.place else word
        if before.text == ",":
            before = tree.words[before.place - 1]
        if word.text in ("along", "together") and word.role in ("prep", "advmod"):
            noun = before if before.is_noun else None
            if noun is not None and noun.role in OBJECTS and tree.words[word.head].is_verb:
                moved[word.place] = (noun.place, "prep")
        if word.text not in _NOW or word.role != "advmod" or word.place == word.head:
            continue
        above = before
        while above.head != above.place and above.role not in ("relcl", "acl"):
            above = tree.words[above.head]
        if above.role in ("relcl", "acl") and above.head != word.place:
            moved[word.place] = (above.place, "advmod")
    return move_words(tree, moved)


def _attach_deictics(tree: Tree) -> Tree:
    """Attach "here" in "bring it over here" to the verb, and "over" to it."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        above = tree.words[word.head]
        near = above.text in ("over", "back", "up", "in") and above.head != above.place
        if word.text in ("here", "there") and near and word.role in ("pcomp", "advmod"):
            moved[word.place] = (above.head, "advmod")
            moved[above.place] = (word.place, "advmod")
    return move_words(tree, moved)


def _raise_needs(tree: Tree) -> Tree:
    """Put "needs" above "wiping" in "the table needs wiping", where it was made its auxiliary."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        verb = tree.words[word.head]
        subject = any(tree.list_children(word.place, "nsubj", "nsubjpass"))
        needs = word.text in _NEEDS and word.role == "aux"
        if needs and verb.tag == "VBG" and subject:
            above = word.place if verb.head == verb.place else verb.head
            moved[word.place] = (above, verb.role)
            moved[verb.place] = (word.place, "xcomp")
    words = [
        replace(word, lemma=word.text.removesuffix("s")) if word.text in _NEEDS else word
        for word in move_words(tree, moved).words
    ]
    return Tree(tuple(words)) if moved else tree


# --- prepositions


def _make_prepositions(tree: Tree) -> Tree:
    """Make "next to" and the like prepositions, and attach "as" to "the same room | as it"."""
    moved = {
        word.place: (word.head, "prep")
        for word in tree.words
        if word.text in _ADVERBS and word.role in ("advmod", "acomp")
        if any(child.text == "to" for child in tree.list_children(word.place, "prep"))
    }
    for before, word in pairwise(tree.words):
        same = any(child.text == "same" for child in tree.list_children(before.place, "amod"))
        if word.text == "as" and word.role == "prep" and before.is_noun and same:
            moved[word.place] = (before.place, "prep")
    return move_words(tree, moved)


def _release_places(tree: Tree) -> Tree:
    """Give the last place in a relative clause to a verb without a place of its own.

    "Put the cup that is next to the laptop | on the couch", "all the cups you can find | on it".
    """
    moved: dict[int, tuple[int, str]] = {}
    for noun in tree.words:
        verb = tree.words[noun.head]
        if noun.role != "dobj" or not verb.is_verb or has_place(tree, verb, noun):
            continue
        for one in (noun, *_list_inner(tree, noun)):
            behind = [
                prep
                for prep in tree.list_children(one.place, "prep")
                if prep.text in PLACING and any(tree.list_children(prep.place, "pobj"))
            ]
            if len(behind) > 1 and verb.lemma in PUT_VERBS:  # "the cups on the shelf | on it"
                moved[behind[-1].place] = (verb.place, "prep")
        for clause in _list_relative(tree, noun):
            below = [tree.words[p] for p in tree.list_subtree(clause.place)]
            places = [
                w
                for w in below
                if w.role == "prep" and w.text != "of" and w.place > clause.place
                if any(tree.list_children(w.place, "pobj"))
                if tree.words[w.head].role != "prep" or _is_bare(tree, tree.words[w.head])
            ]
            states = list(tree.list_children(clause.place, "acomp", "oprd"))
            subject = tree.find_child(clause.place, "nsubj", "expl")
            idle = clause.lemma in FINDING and subject is not None and subject.text in _PARTNERS
            if not places:
                continue
            last = places[-1]
            free = idle or clause.role == "amod" or _is_bare(tree, tree.words[last.head])
            free = free or any(  # "something I can wipe it with | on the table"
                _is_bare(tree, prep) and prep.place < last.place
                for prep in tree.list_children(clause.place, "prep")
            )
            if len(places) > 1 or free or (states and clause.lemma == "be"):
                moved[last.place] = (verb.place, "prep")
    return move_words(tree, moved)


def _release_destinations(tree: Tree) -> Tree:
    """Give "to the table" in "move it from the shelf | to the table" to the verb."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        source = tree.words[tree.words[word.head].head]
        if word.role != "prep" or word.text not in DESTINATIONS or source.text != "from":
            continue
        above = source
        while above.head != above.place and not above.is_verb:
            above = tree.words[above.head]
        if above.is_verb:
            moved[word.place] = (above.place, "prep")
    return move_words(tree, moved)


def _release_sources(tree: Tree) -> Tree:
    """Give "off the counter" in "take the bowl and the vase | off the counter" to the verb."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        above = tree.words[word.head]
        if word.role != "prep" or word.text != "off" or above.role != "conj":
            continue
        while above.role == "conj" and above.is_noun:
            above = tree.words[above.head]
        if above.role == "dobj":
            moved[word.place] = (above.head, "prep")
    return move_words(tree, moved)


def _is_bare(tree: Tree, prep: Word) -> bool:
    """Return True for the "from" in "to drink from | on the table"."""
    return prep.role == "prep" and not any(tree.list_children(prep.place, "pobj", "pcomp"))


def _list_relative(tree: Tree, noun: Word) -> list[Word]:
    """List the clauses that are said of a noun, or of the one behind "of"."""
    found = list(tree.list_children(noun.place, "relcl", "acl"))
    found += [c for c in tree.list_children(noun.place, "amod") if c.place > noun.place]
    for inner in _list_inner(tree, noun):
        found += _list_relative(tree, inner)
    return found


def _list_inner(tree: Tree, noun: Word) -> list[Word]:
    """List the nouns behind "of" that depend on a noun: "two of | the cups"."""
    of = [prep for prep in tree.list_children(noun.place, "prep") if prep.text == "of"]
    return [inner for prep in of for inner in tree.list_children(prep.place, "pobj")]


def _attach_places(tree: Tree) -> Tree:
    """Attach "in the kitchen" to the table in "on the table | in the kitchen"."""
    moved: dict[int, tuple[int, str]] = {}
    for word in tree.words:
        if word.lemma == "be" or not (word.is_verb or word.is_noun):
            continue
        places = [w for w in tree.list_children(word.place, "prep") if w.place > word.place]
        for before, prep in pairwise(places):
            inner = tree.find_child(before.place, "pobj")
            if inner is None or not _says_where(before, prep):
                continue
            if max(tree.list_subtree(inner.place)) + 1 == prep.place:
                moved[prep.place] = (inner.place, "prep")
    return move_words(tree, moved)


def _says_where(before: Word, prep: Word) -> bool:
    """Return True for "to the table | in the kitchen", "on the table | in the kitchen"."""
    if prep.text not in ("in", "on", "at", "inside", "by", "near"):
        return False
    return before.text in DESTINATIONS or (before.text == "on" and prep.text == "in")
