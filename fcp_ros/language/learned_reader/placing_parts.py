# SPDX-License-Identifier: Apache-2.0
"""The parts of a clause by which something shall be somewhere: what, and at which places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.language.english.turning_words import EXCEPTIONS
from fcp_ros.language.english.verbs import PUT_VERBS, REMOVE_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.nucleus import Nucleus, SpokenPlace, find_places, may_name
from fcp_ros.language.learned_reader.phrases import DIRECTIONS
from fcp_ros.language.parsing.trees import Act, Reference
from fcp_ros.language.syntax.tree import Word

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
