# SPDX-License-Identifier: Apache-2.0
"""Parsed clauses as the demand model sees them: markers and nouns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from fcp_ros.foundation.wordnet import find_wordnet
from fcp_ros.language.demands.frames import (
    JOINED,
    OBJECT,
    PREPOSITION,
    RECEIVER,
    SUBJECT,
    DemandClause,
    SpokenArgument,
)
from fcp_ros.language.english.turning_words import EXCEPTING_MARKS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax import ParsedClause, parse_clauses
from fcp_ros.language.syntax.tree import Tree, Word

_SIDES = gather_words(
    "top back front side middle inside center centre edge end bottom rest lid seat"
)
"""Parts of a thing that stand for it behind a preposition: "on the back of the toilet"."""
_DESTINATIONS = gather_words("to into onto")
_PRONOUNS = gather_words("it them this that these those")
_STATES = gather_words("open shut clean empty full warm cold cool free dry")
"""States that are nouns, too."""
"""Prepositions of what is left out of a noun."""
_PARTNERS = frozenset(["you", "i", "we", "me", "us"])
"""Who speaks and who is spoken to."""
_INNER = frozenset(["of", "with", "like"])
"""Prepositions that say something of a noun rather than of its verb."""


@dataclass(frozen=True, slots=True)
class SpokenParts:
    """A clause as the demand model sees it, and where its arguments are from."""

    clause: DemandClause
    heads: tuple[int, ...]  # for each of its arguments the place of its head noun in the tree


def read_parts(parsed: ParsedClause) -> SpokenParts:
    """Read what the demand model needs of a parsed clause."""
    tree = parsed.tree
    found: list[tuple[SpokenArgument, int]] = []
    complement, particle = "", parsed.particle
    subject = _find_subject(parsed)
    if subject is not None:
        found.append(_make(tree, SUBJECT, subject))
        if subject.role == "attr":
            found += [
                _make(tree, PREPOSITION + preposition, noun)
                for preposition, noun in _list_attached(tree, subject)
            ]
    for argument in parsed.arguments:
        word = tree.words[argument.word]
        if argument.marker in ("acomp", "oprd") and not word.is_noun:
            complement = complement or word.text
        elif argument.marker == "where":
            whole = next(_list_inner(tree, word, ("of",)), None)
            if whole is None:
                complement = complement or word.text
            else:
                found.append(_make(tree, PREPOSITION + word.text, whole[1]))
        elif argument.marker in ("dobj", "dative", "oprd"):
            marker = RECEIVER if argument.marker == "dative" else OBJECT
            thing = _find_described(tree, word)
            if thing is not None:
                complement, word = complement or word.text, thing
            found.append(_make(tree, marker, word))
            found += [
                _make(tree, PREPOSITION + preposition, noun)
                for preposition, noun in _list_attached(tree, word)
            ]
        elif argument.marker.startswith(PREPOSITION):
            found.append(_make(tree, argument.marker, word))
            inner = argument.marker.removeprefix(PREPOSITION) in _INNER
            found += [
                _make(tree, PREPOSITION + preposition, noun)
                for preposition, noun in _list_attached(tree, word)
                if inner or preposition in _DESTINATIONS  # "from the shelf | to the table"
            ]
    for child in tree.list_children(parsed.verb, "conj"):
        if child.is_noun:
            found += [
                _make(tree, PREPOSITION + preposition, noun)
                for preposition, noun in _list_attached(tree, child)
            ]
    found += _list_joined(tree, parsed)
    verb, root = parsed.lemma, tree.words[parsed.verb]
    if tree.find_child(parsed.verb, "auxpass") is not None:
        verb, complement = "be", root.text
    elif not verb and root is subject:
        verb = "be"
    elif not verb:
        verb, complement = "be", complement or root.text
    if verb == "be":
        particle, complement = "", complement or particle  # "the lamp is | off"
    clause = DemandClause(verb, particle, tuple(a for a, _ in found), complement, parsed.negated)
    return SpokenParts(clause, tuple(place for _, place in found))


def _find_subject(parsed: ParsedClause) -> Word | None:
    """Find who or what a clause speaks of; None for who speaks and who is spoken to.

    "the mug | on the table" has no verb, in "there is | a mug on it" the subject stands behind,
    and in "the door needs | to be closed" with the verb above.
    """
    tree, root = parsed.tree, parsed.tree.words[parsed.verb]
    if parsed.subject is not None:
        subject: Word | None = tree.words[parsed.subject.word]
        if subject is not None and subject.role == "expl":
            subject = tree.find_child(parsed.verb, "attr", "dobj")
    elif not parsed.lemma and root.is_noun:
        subject = root
    elif parsed.relation == "xcomp" and not tree.find_child(root.head, "dobj"):
        subject = tree.find_child(root.head, "nsubj", "nsubjpass")
    else:  # the parser may hang it on the wrong verb: "make sure | the box is | closed"
        helper = tree.find_child(parsed.verb, "auxpass")
        subject = tree.find_child(helper.place, "nsubj") if helper is not None else None
    return None if subject is None or subject.text in _PARTNERS else subject


def _find_described(tree: Tree, word: Word) -> Word | None:
    """Find the noun in "the window open", if the parser took the state for the noun."""
    if not word.tag.startswith("JJ") and word.text not in _STATES:
        return None
    before = tree.list_children(word.place, "compound", "amod", "nmod")
    return next((one for one in before if one.place == word.place - 1), None)


def _list_joined(tree: Tree, parsed: ParsedClause) -> Iterator[tuple[SpokenArgument, int]]:
    """Yield what "and" joins to the object: "swap the mug | and the bowl"."""
    for child in tree.list_children(parsed.verb, "dobj"):
        for other in tree.list_children(child.place, "conj"):
            yield _make(tree, JOINED, other)


def split_clauses(text: str) -> list[DemandClause]:
    """Split a sentence into clauses as the demand model sees them.

    Raises:
        InputError: the parser isn't installed.
    """
    return [read_parts(parsed).clause for parsed in parse_clauses(text)]


def _make(tree: Tree, marker: str, word: Word) -> tuple[SpokenArgument, int]:
    """Make an argument; a side of a thing stands for the thing."""
    if word.lemma in _SIDES:
        word = next((noun for _, noun in _list_inner(tree, word, ("of",))), word)
    noun = name_noun(tree, word)
    return SpokenArgument(marker, noun, _is_thing(noun)), word.place


@lru_cache(maxsize=4096)
def _is_thing(noun: str) -> bool:
    """Return False for an act, a state or the like by WordNet: "a wipe", "get rid of"."""
    wordnet = find_wordnet()
    if wordnet is None:
        return True
    senses = wordnet.find_senses(noun) or wordnet.find_senses(f"{noun}s")  # "scissors"
    return not senses[0].is_abstract if senses else not wordnet.is_no_noun(noun)


def _list_attached(tree: Tree, word: Word) -> Iterator[tuple[str, Word]]:
    """Yield the places that the parser took for a part of the object.

    "two sets of keys | on the shelf", "a pot with a spoon in it | on the counter", "a bowl
    containing an egg | in the sink".
    """
    for preposition, noun in _list_inner(tree, word):
        if preposition in _INNER:
            yield from _list_attached(tree, noun)
        elif noun.text not in _PRONOUNS:
            yield preposition, noun
    for child in tree.list_children(word.place, "acl", "conj"):
        yield from _list_attached(tree, child)
        for inner in tree.list_children(child.place, "dobj"):
            yield from _list_attached(tree, inner)


def _list_inner(
    tree: Tree, word: Word, prepositions: tuple[str, ...] = ()
) -> Iterator[tuple[str, Word]]:
    """Yield the prepositions and nouns that depend on a noun."""
    for child in tree.list_children(word.place, "prep"):
        if child.text in prepositions or (not prepositions and child.text not in EXCEPTING_MARKS):
            for noun in tree.list_children(child.place, "pobj"):
                yield child.text, noun


def name_noun(tree: Tree, word: Word) -> str:
    """Name a noun with the nouns before it: "coffee mug". A pronoun stays as it is."""
    if not word.is_noun:
        return word.text
    before = [tree.words[place] for place in tree.children[word.place] if place < word.place]
    roles = ("compound", "amod") if word.lemma in _SIDES else ("compound",)  # "counter top"
    return " ".join([*(w.text for w in before if w.role in roles), word.lemma])
