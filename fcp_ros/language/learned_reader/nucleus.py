# SPDX-License-Identifier: Apache-2.0
"""The parts of a clause by its tree: who or what it is about, where, and how it shall be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.language.english.function_words import PREPOSITIONS
from fcp_ros.language.english.verbs import GO_VERBS, PARTICLES
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.clauses import ParsedClause
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word

_PARTNERS = gather_words("you i we me us")
_SIDES = gather_words("top front side inside middle back")
"""Parts of a thing that make a preposition: "on top of"."""
_JOINED = ("conj", "appos", "npadvmod", "dep")
_DEICTIC = ("there", "here")
_OVER = ("over", "back", "in", "up")
_STATES = ("acomp", "oprd", "attr", "advcl", "ccomp", "amod", "prt", "advmod", "acl")
NOT_OF_PLACE = gather_words(
    "of without instead except but than as like despite besides during until after before"
)
"""Prepositions of what is no place."""


@dataclass(frozen=True, slots=True)
class SpokenPlace:
    """A preposition and the noun behind it."""

    preposition: str  # the one that stands for it, such as "on" for "on top of"
    words: tuple[Word, ...]  # those of the preposition
    noun: Word
    root: Word  # the first word of the preposition in the tree


@dataclass(frozen=True, slots=True)
class Nucleus:
    """The parts of a clause."""

    tree: Tree
    verb: Word  # of a clause without a verb, its root
    lemma: str  # "" without a verb
    subject: Word | None  # None for who speaks and who is spoken to
    speaker: bool  # who speaks is the subject
    thing: Word | None  # the object
    receiver: Word | None
    places: tuple[SpokenPlace, ...]  # those that depend on the verb
    states: tuple[Word, ...]  # adjectives and participles that may be said of the thing
    particles: tuple[Word, ...]
    passive: bool = False
    joined: tuple[Word, ...] = ()  # nouns that the parser joined to the verb: "... and the bowl"

    def list_behind(self, noun: Word) -> list[SpokenPlace]:
        """List the prepositions behind a noun, which the parser may have given to it."""
        found = list(find_places(self.tree, noun.place))
        for child in self.tree.list_children(noun.place, "acl"):
            if child.tag in ("VBG", "VBN"):
                found += find_places(self.tree, child.place)
        return found

    def list_joined(self, noun: Word) -> Iterator[Word]:
        """Yield a noun, and those that "and" joins to it."""
        yield noun
        for child in self.tree.list_children(noun.place, "conj"):
            yield from self.list_joined(child)


def read_nucleus(parsed: ParsedClause) -> Nucleus:
    """Read the parts of a clause."""
    tree, verb = parsed.tree, parsed.tree.words[parsed.verb]
    subject = tree.find_child(verb.place, *SUBJECTS)
    if subject is None and verb.role == "conj" and parsed.subject is not None:
        subject = tree.words[parsed.subject.word]
    elif subject is None and verb.role == "xcomp" and not tree.find_child(verb.head, "dobj"):
        subject = tree.find_child(verb.head, *SUBJECTS)
    speaker = subject is not None and subject.text in ("i", "we", "me", "us")
    if subject is not None and subject.role == "expl":
        subject = tree.find_child(verb.place, "attr", "dobj", "nsubj") or subject
    lemma = parsed.lemma
    thing = tree.find_child(verb.place, "dobj")
    receiver = tree.find_child(verb.place, "dative")
    if receiver is not None and receiver.tag in ("IN", "TO"):
        receiver = None
    objects = list(tree.list_children(verb.place, "dobj"))
    if receiver is None and len(objects) > 1 and objects[0].text in ("me", "us"):
        receiver, thing = objects[:2]  # "fetch | me | the mug"
    more = [one for one in objects if one not in (receiver, thing)]  # "one plate | one knife"
    if not lemma and verb.is_noun and subject is None:
        subject = verb
    elif subject is not None and subject.text in _PARTNERS:
        subject = None
    states = [
        child
        for child in tree.list_children(verb.place, *_STATES)
        if child.tag.startswith("JJ") or child.tag in ("VBN", "VBD") or child.text in PARTICLES
    ]
    if thing is not None:
        states += [
            c for c in tree.list_children(thing.place, "acl", "amod") if c.place > thing.place
        ]
    particles = [
        child
        for child in tree.list_children(verb.place, "prt", "advmod", "prep")
        if child.text in PARTICLES and not tree.children[child.place]
    ]
    places = tuple(find_places(tree, verb.place))
    return Nucleus(
        tree,
        verb,
        lemma,
        subject,
        speaker,
        thing,
        receiver,
        places,
        tuple(dict.fromkeys(states)),
        tuple(particles),
        tree.find_child(verb.place, "auxpass") is not None,
        (*more, *(c for c in tree.list_children(verb.place, *_JOINED) if may_name(tree, c))),
    )


def may_name(tree: Tree, word: Word) -> bool:
    """Return True for what may name a thing: a noun, "the other one", "whatever is there"."""
    if word.tag in ("WDT", "WP"):
        return tree.find_child(word.place, "relcl") is not None
    opened = any(tree.list_children(word.place, "det"))
    return word.is_noun or (word.text in ("one", "ones") and opened)


def find_places(tree: Tree, place: int) -> Iterator[SpokenPlace]:
    """Yield the prepositions below a word that may say where something is, and "where it is"."""
    for child in tree.list_children(place, "advcl", "ccomp", "relcl"):
        yield from _find_whereabouts(tree, child)
    for child in tree.list_children(place, "advmod"):
        if child.text in _DEICTIC:
            near = [w for w in tree.words if w.text in _OVER and w.head in (place, child.place)]
            yield SpokenPlace("at", (child, *near), child, child)
    for child in tree.list_children(place, "prep", "advmod", "dative", "prt", "agent"):
        if tree.find_child(child.place, "neg"):
            yield from _find_contrary(tree, child)
        chain = [child]
        while True:
            last = chain[-1]
            nouns = list(tree.list_children(last.place, "pobj"))
            nouns += [w for w in tree.list_children(last.place, "pcomp") if w.text in _DEICTIC]
            again = [c for c in tree.list_children(last.place, "conj") if c.text == last.text]
            beside = [*again, *tree.list_children(last.place, "preconj")]  # "(in it) or | in that"
            below = [c for c in tree.list_children(last.place, "prep") if c.place > last.place]
            for verb in tree.list_children(last.place, "pcomp"):
                yield from _find_whereabouts(tree, verb, chain)
            if nouns:
                for found in _make_place(tree, chain, nouns[0]):
                    yield replace(found, words=(*found.words, *beside))
            if not below or (nouns and nouns[0].lemma not in _SIDES):
                break
            chain.append(below[0])


def _find_contrary(tree: Tree, preposition: Word) -> Iterator[SpokenPlace]:
    """Yield the place behind "not on the table but | on the sofa"."""
    for other in tree.list_children(preposition.place, "conj"):
        for noun in tree.list_children(other.place, "pobj"):
            yield from _make_place(tree, [other], noun)


def _find_whereabouts(tree: Tree, verb: Word, before: Sequence[Word] = ()) -> Iterator[SpokenPlace]:
    """Yield "where | the bowl | is now", "(to) where | I am".

    Args:
        before: the prepositions.
    """
    adverbs = list(tree.list_children(verb.place, "advmod"))
    where = next((word for word in adverbs if word.text == "where"), None)
    subject = tree.find_child(verb.place, "nsubj", "nsubjpass")
    if where is None or subject is None:
        return
    words = (*adverbs, *tree.list_children(verb.place, "aux", "auxpass", "prep"))
    if subject.text in ("i", "we") and verb.lemma == "be":
        here = replace(where, text="here")
        yield SpokenPlace("at", (*before, where, subject, verb, *adverbs), here, verb)
        return
    if subject.tag == "PRP" or before:
        return
    yield SpokenPlace("where", (where, verb, *(w for w in words if w is not where)), subject, verb)


def _make_place(tree: Tree, chain: list[Word], noun: Word) -> Iterator[SpokenPlace]:
    words = list(chain)
    if noun.lemma in _SIDES:
        inner = next((c for c in tree.list_children(noun.place, "prep") if c.text == "of"), None)
        whole = tree.find_child(inner.place, "pobj") if inner is not None else None
        if inner is not None and whole is not None:
            between = [w for w in tree.list_children(noun.place, "det") if w.place < noun.place]
            words, noun = [*words, *between, noun, inner], whole
    words.sort(key=lambda word: word.place)
    said = [word.text for word in words if word.text != "the"]
    for start in range(len(said)):
        meant = PREPOSITIONS.get(tuple(said[start:]))
        if meant is not None:
            yield SpokenPlace(meant, tuple(words), noun, chain[0])
            return
    if said[0] not in NOT_OF_PLACE and chain[0].text in ("through", "via", "across", "past"):
        yield SpokenPlace(chain[0].text, tuple(words), noun, chain[0])


def list_uses(words: Iterable[Word], role: WordRole, meaning: str) -> tuple[WordUse, ...]:
    """List the uses of words that were said."""
    return tuple(
        WordUse(word.start, word.end, role, meaning) for word in words if not word.is_inserted
    )


def mend_clauses(tree: Tree) -> Tree:
    """Give a clause the subject and subordinator that the parser gave to its auxiliary.

    "Make sure | that the fridge is | closed" has an adjective as its verb. Where somebody goes
    belongs to the going: "wipe it without going | into the hall".
    """
    words = list(tree.words)
    for word in tree.words:
        before = tree.words[word.place - 1] if word.place else word
        if word.role == "prep" and before.role == "pcomp" and before.lemma in GO_VERBS:
            words[word.place] = replace(word, head=before.place)
        above = tree.words[word.head]
        if above.role == "auxpass" and word.role in (*SUBJECTS, "mark"):
            words[word.place] = replace(word, head=above.head)
            verb = words[above.head]
            tag = "VBN" if verb.tag == "JJ" else verb.tag
            role = "advcl" if verb.role == "punct" and word.role == "mark" else verb.role
            words[verb.place] = replace(verb, tag=tag, role=role)
    return Tree(tuple(words))
