# SPDX-License-Identifier: Apache-2.0
"""Acts that any domain may be asked for, by the structure of a clause: placing, bringing, going."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.domain_reader.preparation import ParsedInstruction
from fcp_ros.language.english.verbs import (
    BRING_VERBS,
    CLEAR_VERBS,
    GO_VERBS,
    HOLD_VERBS,
    PUT_VERBS,
    SAME_VERBS,
)
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.nucleus import (
    LASTING,
    WANTING,
    Nucleus,
    list_uses,
)
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.learned_reader.place_reader import PlaceReader
from fcp_ros.language.parsing.trees import (
    PERSON,
    PLACE,
    THEME,
    Act,
    Determiner,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
)
from fcp_ros.language.reading import WordRole
from fcp_ros.language.syntax.tree import Word

_POSITIONS = ("place", "position")
_SWAPPING = gather_words("swap exchange interchange")
_THROUGH = ("through", "via", "across", "past")
_WAYS = ("to", "in", "at", "near", *_THROUGH)
_BEING_THERE = GO_VERBS | gather_words("be stay remain wait stand get keep")
_ENTERING = gather_words("enter visit avoid")
_PERSON_MARKS = ("to", "for")


class GeneralActs:
    """A reader of clauses by verbs of English in general."""

    def __init__(self, parsed: ParsedInstruction, phrases: LearnedPhrases) -> None:
        self._parsed = parsed
        self._nouns = parsed.nouns
        self._phrases = phrases
        self._places = PlaceReader(parsed, phrases)
        self.topic: NounPhrase | None = None
        """What was named just before as what the next clause is about: "the mug, ..."."""

    def read(self, said: Nucleus) -> list[SpokenClause]:
        """Return what a clause asks for, several for "the mug there and the bowl here"."""
        lemma = said.lemma
        bare = said.thing is None and said.subject is None and not said.passive
        if self.topic is not None and bare and lemma in PUT_VERBS and said.places:
            return list(self._places.place_same(said, self.topic))
        moved = said.thing is not None and said.thing.lemma in _POSITIONS
        if lemma in _SWAPPING or (moved and lemma in ("switch", "trade", "change")):
            return []  # the chart reads that, "clear" below, and "leave it as it is"
        going = said.thing is None and said.lemma in _BEING_THERE
        if said.subject is None and (going or said.lemma in _ENTERING):
            return list(self._go(said))
        if not lemma and said.subject is None and said.places:
            return list(self._places.place_same(said))
        if lemma in CLEAR_VERBS and said.thing is not None and not said.places:
            return []
        for read in (self._bring, self._places.place, self._hold):
            found = list(read(said))
            if found:
                return found
        return []

    def _bring(self, said: Nucleus) -> Iterator[SpokenClause]:
        """Read "bring | me | the mug", "take it | to Ann", "I need the mug | here"."""
        wanted = said.lemma in (WANTING - {"prefer"}) | {"get"} and said.speaker
        if wanted and any(said.tree.list_children(said.verb.place, "neg")):
            return  # "I don't want | more than one item"
        if said.thing is None or not (said.lemma in BRING_VERBS or wanted):
            return
        marked: tuple[Word, ...] = ()
        person = self._places.read_noun(said, said.receiver) if said.receiver is not None else None
        things = list(said.list_joined(said.thing))
        behind = [p for thing in things for p in said.list_behind(thing)]
        places = [*said.places, *(behind if wanted else said.list_behind(said.thing))]
        here = next(
            (
                w
                for w in said.tree.words
                if w.text == "here" and w.head in (said.verb.place, *(t.place for t in things))
            ),
            None,
        )
        if here is None and not places:  # "bring it | over"
            here = next((p for p in said.particles if p.text == "over"), None)
        if person is None and here is not None:
            over = [w for w in said.tree.list_children(here.place) if w.text == "over"]
            marked = (here, *over)
            person = _speaker(here.token)
        placed = any(
            p.preposition in ("to", "in", "on") for p in said.places if p.noun.text != "me"
        )
        for where in places if person is None else ():
            if where.preposition == "for" and placed:
                continue
            if where.preposition in _PERSON_MARKS:
                one = self._places.read_noun(said, where.noun)
                if isinstance(one, NounPhrase) and self._nouns.fits_person(one):
                    person, marked = one, where.words
                    marked = (*marked, where.root)
                    break
        if person is None and wanted and not places and not said.states:
            person = _speaker(said.verb.token)
        if not isinstance(person, NounPhrase) or not self._nouns.fits_person(person):
            return
        sources = [p for p in said.list_behind(said.thing) if p.preposition == "from"]
        marked = (*marked, *(p.root for p in sources))
        theme = self._places.read_noun(said, said.thing, marked, self._parsed.places.find_movable())
        if theme is None:
            return
        theme = self._places.join(said, theme, list(said.joined), marked)
        if theme is None:
            return
        for where in (*sources, *said.places):
            if where.preposition == "from" or (where.preposition in ("in", "on") and said.receiver):
                theme = self._places.add_place(said, theme, where)
        uses = list_uses(marked, WordRole.ACTION, "bring")
        degree = theme.degree * person.degree
        brought = Predication(None, {THEME: theme, PERSON: person}, uses=uses, degree=degree)
        yield replace(self._places.make(said, Act.BRING, brought), verb="bring")

    def _hold(self, said: Nucleus) -> Iterator[SpokenClause]:
        """Read "take | the mug", "put | it | down", "keep holding | it"."""
        down = any(w.text == "down" for w in said.particles)
        if said.thing is not None and down and said.lemma in ("put", "set", "lay"):
            theme = self._places.read_noun(said, said.thing)
            if theme is not None:
                one = Predication(None, {THEME: theme}, negated=True, degree=theme.degree)
                yield self._places.make(said, Act.HOLD, one, "keep")
            return
        whole = f"{said.lemma} {said.thing.text} of" if said.thing is not None else ""
        mine = said.thing is None or said.speaker  # "could i get | the mug" asks to bring it
        if said.thing is None or mine or said.lemma not in HOLD_VERBS or whole in SAME_VERBS:
            return
        lasting = said.tree.words[said.verb.head].lemma in LASTING or said.verb.role == "advcl"
        kept = said.verb.tag == "VBG" and lasting
        theme = self._places.read_noun(said, said.thing)
        theme = self._places.join(said, theme, list(said.joined), ()) if theme is not None else None
        if theme is not None:
            one = Predication(None, {THEME: theme}, degree=theme.degree)
            yield self._places.make(said, Act.HOLD, one, "keep" if kept else "")

    def _go(self, said: Nucleus) -> Iterator[SpokenClause]:
        """Read "go | to the kitchen", "stay | there", "avoid | the hall", "stay | out of it"."""
        away = next((p for p in said.places if p.preposition == "from"), None)
        away = away if said.lemma in ("stay", "remain", "keep") else None
        where = away or next((p for p in said.places if p.preposition in _WAYS), None)
        stay = said.lemma in ("stay", "remain", "be", "wait", "stand")
        words: tuple[Word, ...] = ()
        phrase: Phrase | None = None
        if said.thing is not None and said.lemma in _ENTERING:
            phrase = self._places.read_noun(said, said.thing)
        elif where is not None:
            inner = [p for p in said.places if p is not where and p.preposition in ("in", "on")]
            phrase, words = self._places.read_place(said, where.noun), where.words
            for further in inner:
                phrase = phrase and self._places.add_place(said, phrase, further)
        if phrase is None:
            return
        uses = list_uses(words, WordRole.ACTION, "to")
        one = Predication(None, {PLACE: phrase}, preposition="to", uses=uses, degree=phrase.degree)
        clause = self._places.make(
            said, Act.GO, one, negated=said.lemma == "avoid" or away is not None
        )
        through = where is not None and where.preposition in _THROUGH and said.thing is None
        yield replace(clause, verb="stay" if stay else "go", sometime=through)


def _speaker(token: int) -> NounPhrase:
    return NounPhrase(token, token, Reference.SPEAKER, Determiner.THE)
