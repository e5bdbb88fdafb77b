# SPDX-License-Identifier: Apache-2.0
"""The parts of a clause by its tree: who or what it is about, where, and how it shall be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.language.english.function_words import PREPOSITIONS
from fcp_ros.language.english.turning_words import EXCEPTIONS
from fcp_ros.language.english.verbs import GO_VERBS, PARTICLES, PUT_VERBS, REMOVE_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.phrases import DIRECTIONS
from fcp_ros.language.parsing.trees import Act, Reference
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


BEING = gather_words(
    "be stand lie sit belong go live rest remain stay hang end need want move come"
)
"""Verbs of where the subject shall be."""
LASTING = gather_words("stay remain keep leave")
WANTING = gather_words("want need like love prefer wish have see")
PLACED = gather_words("on in at near under behind before above to where")
_STATIC, _DESTINATIONS = gather_words("on in at inside under"), gather_words("to into onto")
"""Prepositions of where something is, and of where it goes: "(the mug) on the table | to it"."""
_NEAR = gather_words("near under behind before above")
DEICTIC = {"there": Reference.THERE, "here": Reference.HERE}
"""Adverbs that are places."""

Bars = Callable[[Nucleus, Word, SpokenPlace, Word], bool]
"""Returns True if no relation says of a thing that it is at a place by a preposition."""


@dataclass(frozen=True, slots=True)
class Placing:
    """The parts of a clause by which something shall be somewhere."""

    act: Act
    word: Word  # what shall be there
    goals: list[SpokenPlace]
    sources: list[SpokenPlace]
    barred: list[SpokenPlace]  # where it shall not be
    described: list[SpokenPlace]  # where it is, which says what is meant
    joined: list[Word]  # more things
    pairs: list[tuple[Word, SpokenPlace]]  # more things with a place of their own

    @property
    def roots(self) -> list[Word]:
        """The words above what has a part of its own in the clause."""
        places = (*self.goals, *self.sources, *self.barred, *self.described)
        return [*(p.root for p in places), *self.joined, *(one for one, _ in self.pairs)]

    @property
    def early(self) -> list[Word]:
        """Things that are named before the place."""
        goals = self.goals
        return [one for one in self.joined if not goals or one.place < goals[0].noun.place]


class PlacingFinder:
    """A finder of what shall be somewhere in a clause, and where.

    Args:
        bars: knows by the types of two nouns that one of them is no place for the other one.
    """

    def __init__(self, bars: Bars) -> None:
        self._bars = bars

    def find(self, said: Nucleus) -> Placing | None:
        """Find what shall be somewhere, and where; None if the clause says nothing of the kind."""
        found = self._find_theme(said)
        if found is None:
            return None
        act, word = found
        own = [p for p in said.places if p.preposition in (*PLACED, "from")]
        attached = said.list_behind(word)
        if not said.lemma and word is said.verb:
            own, attached = [p for p in attached if p.preposition in (*PLACED, "from")], []
        barred = [p for p in own if _is_negated(said, p)]
        sources = [p for p in own if p.preposition == "from" and p not in barred]
        goals = [p for p in own if p not in (*sources, *barred)]
        joined, pairs = self._find_joined(said, word, goals)
        later = _pair_up(joined, goals)
        pairs += later
        joined = [one for one in joined if all(one is not noun for noun, _ in later)]
        goals = [p for p in goals if all(p is not place for _, place in later)]
        if not goals and sources:  # "from the counter | on the table"
            source = sources[0].noun
            behind = [p for p in said.list_behind(source) if p.preposition in PLACED]
            goals = [p for p in behind if self._bars(said, source, p, p.noun)][:1]
        if not goals:
            goals = [p for p in attached if p.preposition in PLACED][-1:]
        if not goals and pairs:
            (one, place), *pairs = pairs  # "the mug and the book | on the table, ..."
            joined, goals = [*joined, one], [place]
        named = [p for p in goals if p.noun.text not in DEICTIC]
        goals = named or goals[:1]  # "on the table there" is on the table
        described = goals[:1] if self._says_which(said, goals) else []
        return Placing(
            act, word, goals[len(described) :], sources, barred, described, joined, pairs
        )

    def _says_which(self, said: Nucleus, goals: Sequence[SpokenPlace]) -> bool:
        """Return True for "(everything) on the counter | on the table": it is there already."""
        if len(goals) < 2 or goals[0].preposition == "where" or goes_on(said, goals[1]):
            return False
        near = goals[1].preposition in _NEAR  # "on the counter | by the fridge"
        if near or any(word.lemma in DIRECTIONS for word in (goals[1].noun, *goals[1].words)):
            return False  # "in the cabinet | to the left of the stove"
        static = goals[0].words[0].text in _STATIC and goals[1].words[0].text in _DESTINATIONS
        return static or self._bars(said, goals[0].noun, goals[1], goals[1].noun)

    def _find_theme(self, said: Nucleus) -> tuple[Act, Word] | None:
        """Find what shall be somewhere, and how that is asked for."""
        word = said.subject
        if said.thing is not None and said.lemma in PUT_VERBS | WANTING | LASTING | REMOVE_VERBS:
            there = any(p.noun.text == "there" for p in said.places)
            act = Act.STATE if there else Act.KEEP  # "(put it on the table and) leave it there"
            return (act if said.lemma in LASTING else Act.ACHIEVE), said.thing
        if word is None:
            return None
        if said.passive and said.lemma in PUT_VERBS | REMOVE_VERBS | {"allow", "permit"}:
            return Act.STATE, word
        if said.lemma and said.lemma not in BEING:
            return None
        return (Act.KEEP if said.lemma in LASTING else Act.STATE), word

    def _find_joined(
        self, said: Nucleus, theme: Word, goals: list[SpokenPlace]
    ) -> tuple[list[Word], list[tuple[Word, SpokenPlace]]]:
        """Find what goes on without its verb: "and the book", "and the book | on the couch"."""
        tree, alone = said.tree, list[Word]()
        pairs: list[tuple[Word, SpokenPlace]] = []
        open_ = [*said.joined, *(p.noun for p in goals)]
        seen: set[int] = {theme.place}
        if tree.children[theme.place]:
            open_.insert(0, theme)
        while open_:
            word = open_.pop(0)
            behind = bool(goals) and word.place > goals[0].noun.place
            is_joined = word in said.joined or word.role == "conj"
            is_joined |= behind and word.role in ("appos", "dep")  # ", the rest on the couch"
            if is_joined and word.place not in seen and word not in (p.noun for p in goals):
                seen.add(word.place)
                there = self._find_own_place(said, word)
                if there is not None:
                    pairs.append((word, there))
                    open_.append(there.noun)
                elif word in said.joined:
                    alone.append(word)
            for child in tree.list_children(word.place, "conj", "appos", "dep"):
                known = (*goals, *(place for _, place in pairs))
                there = next((p for p in known if p.noun is word), None)
                if (
                    may_name(tree, child)
                    and there is not None
                    and self._is_no_place(said, theme, there, child)
                ):
                    alone.append(child)
                    continue
                if may_name(tree, child) and self._find_own_place(said, child) is not None:
                    open_.append(child)
                elif may_name(tree, child) and word in said.joined:
                    alone.append(child)
        return alone, pairs

    def _find_own_place(self, said: Nucleus, word: Word) -> SpokenPlace | None:
        """Find where something joined shall be: "(the apple here and) the rest of it | there".

        A place behind another one at which that can't be is where the thing shall be: "and all that
        is on the counter | on the couch".
        """
        for noun in _list_places_of(said, word):
            inner = [p for p in said.list_behind(noun) if p.preposition in PLACED]
            if inner and self._bars(said, noun, inner[0], inner[0].noun):
                return inner[0]
        own = [p for p in said.list_behind(word) if p.preposition in PLACED]
        return next(iter(own[1:] if self._says_which(said, own) else own), None)

    def _is_no_place(self, said: Nucleus, theme: Word, where: SpokenPlace, other: Word) -> bool:
        """Return True for the book of "the mug on the table, then the book"."""
        own = any(p.preposition in PLACED for p in said.list_behind(other))
        return not own and self._bars(said, theme, where, other)


def _list_places_of(said: Nucleus, word: Word) -> Iterator[Word]:
    """Yield the places by which a thing is described: "the rest of | the shelf"."""
    tree = said.tree
    yield from (place.noun for place in said.list_behind(word))
    for clause in tree.list_children(word.place, "relcl"):
        yield from (place.noun for place in find_places(tree, clause.place))
    for of in tree.list_children(word.place, "prep"):
        noun = tree.find_child(of.place, "pobj") if of.text == "of" else None
        if noun is not None:
            yield noun
            yield from _list_places_of(said, noun)


def _pair_up(
    joined: Sequence[Word], goals: Sequence[SpokenPlace]
) -> list[tuple[Word, SpokenPlace]]:
    """Pair what is joined behind the first place with the place behind it: "the mug | on it"."""
    found: list[tuple[Word, SpokenPlace]] = []
    for noun in joined:
        before = [p for p in goals if p.noun.place < noun.place]
        behind = [p for p in goals if p.words[0].place > noun.place]
        between = [n for n in joined if behind and noun.place < n.place < behind[0].words[0].place]
        if before and behind and not between:
            found.append((noun, behind[0]))
    return found


def _is_negated(said: Nucleus, place: SpokenPlace) -> bool:
    """Return True for "not | on the couch", "anywhere but | on the couch"."""
    words = said.tree.words
    before = words[place.words[0].place - 1] if place.words[0].place else None
    if any(word.text in EXCEPTIONS for word in place.words):
        return True  # "anywhere | except on the table"
    if before is not None and before.place and before.text in ("but", "except"):
        return words[before.place - 1].text == "anywhere"
    return before is not None and before.text == "not" and before.head != said.verb.place


def goes_on(said: Nucleus, place: SpokenPlace) -> bool:
    """Return True for "(on the table) and afterwards | in the fridge"."""
    words, first = said.tree.words, place.words[0].place
    before = [words[p].text for p in range(max(0, first - 3), first)]
    return "and" in before or "then" in before or "," in before
