# SPDX-License-Identifier: Apache-2.0
"""Verbs of motion and possession, which every domain may have: put, bring, go, hold, keep ..."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from fcp_ros.language.english.verbs import (
    BRING_VERBS,
    CLEAR_VERBS,
    GO_VERBS,
    HOLD_VERBS,
    KEEP_VERBS,
    MAKE_VERBS,
    PUT_VERBS,
    REMOVE_VERBS,
)
from fcp_ros.language.parsing.noun_phrases.head_parser import list_phrase_uses
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
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
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.spoken.chunks import WORD, ClauseChunk, Row
from fcp_ros.language.spoken.cores import Core
from fcp_ros.language.spoken.span_phrases import SpanPhrases

GENERAL = 0.93
"""Degree of a clause by verbs of English in general, beside a phrase of the domain."""
_PLACES = frozenset(["on", "in", "at", "near", "under", "behind", "before", "above", "to"])
_PARTICLES = frozenset(["down", "over", "up", "away", "out", "back", "off"])
_TAKEN = 0.8
"""Degree of "take the mug" as holding it, where it may only be a way to something else."""
_LEAVE_THERE = 0.8
_MOVED = frozenset(["touch", "move", "disturb"])
_RETURNING = frozenset(["return", "put", "bring", "take", "place", "set"])
_HANDS = frozenset(["hand", "hands", "grip", "gripper", "arms", "arm"])
_STAYING = frozenset(["stay", "remain", "wait", "stand", "park"])


class GeneralVerbs:
    """A reader of clauses by general verbs.

    Args:
        phrases: of the sentence.
    """

    def __init__(self, phrases: SpanPhrases) -> None:
        self._phrases = phrases
        self._nouns = phrases.nouns

    def read(
        self, stems: Sequence[str], row: Row, subject: ClauseChunk | None = None
    ) -> Iterator[Core]:
        """Yield what a verb with these chunks may ask for.

        Args:
            stems: base forms that it may have.
            row: the chunks behind it.
            subject: of a passive.
        """
        bare = [chunk for chunk in row if chunk.marker == ""]
        if subject is not None:
            bare = [replace(subject, marker=""), *bare]
        words = [chunk for chunk in row if chunk.marker == WORD]
        marked = [chunk for chunk in row if chunk.marker not in ("", WORD)]
        for verb in dict.fromkeys(stems):
            for clause, used in self._read_verb(verb, bare, words, marked):
                small = [w for w in words if w.said in _PARTICLES]
                rest = tuple(c for c in row if c not in used and c not in small)
                uses = (*clause.uses, *self._describe(small, ""))
                yield Core(replace(clause, verb=clause.verb or verb, uses=uses), rest)

    def _read_verb(
        self,
        verb: str,
        bare: list[ClauseChunk],
        words: list[ClauseChunk],
        marked: list[ClauseChunk],
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        if len(bare) == 1:
            if verb in PUT_VERBS | KEEP_VERBS:
                yield from self._place(verb, bare[0], words, marked)
            if verb in BRING_VERBS:
                yield from self._bring(bare[0], words, marked)
            if verb in HOLD_VERBS and not any(w.said == "on" for w in words):
                yield from self._hold(verb, bare[0], marked)
            if verb in ("keep", "hold", "carry"):
                yield from self._keep_holding(bare[0], marked)
            if verb in REMOVE_VERBS:
                yield from self._remove(verb, bare[0], marked)
            if verb in CLEAR_VERBS and not marked:
                yield from self._clear(bare[0])
            if verb in MAKE_VERBS | KEEP_VERBS:
                yield from self._make(verb, bare[0], words)
            if verb in _MOVED and not marked:
                yield from self._stay(bare[0], Act.STAY, negated=True)
            if verb == "leave":
                yield from self._stay(bare[0], Act.STAY, degree=_LEAVE_THERE)
            if verb in ("return", "put", "bring", "take", "place", "set") and not marked:
                yield from self._return(verb, bare[0], words)
        elif len(bare) == 2 and verb in BRING_VERBS:
            yield from self._give(*bare)
        if len(bare) <= 1:
            if verb in GO_VERBS and not (bare and marked):
                yield from self._go(bare, words, marked)
            if verb in _STAYING and not bare:
                yield from self._remain(verb, words, marked)

    # --- parts

    def _describe(self, chunks: Sequence[ClauseChunk], meaning: str) -> list[WordUse]:
        return [
            self._nouns.describe_use(c.start, c.end, WordRole.ACTION, meaning or c.said)
            for c in chunks
        ]

    def _mark(self, chunk: ClauseChunk) -> tuple[WordUse, ...]:
        if chunk.inner == chunk.start:
            return ()
        return (self._nouns.describe_use(chunk.start, chunk.inner, WordRole.ACTION, chunk.said),)

    def _read(self, chunk: ClauseChunk) -> tuple[Phrase, ...]:
        return self._phrases.read(chunk.inner, chunk.end)

    def _say(
        self, act: Act, said: Predication, chunks: Sequence[ClauseChunk], degree: float = GENERAL
    ) -> SpokenClause:
        uses: list[WordUse] = []
        for chunk in chunks:
            uses += self._mark(chunk)
        for argument in said.arguments.values():
            if not isinstance(argument, int):
                uses += list_phrase_uses(argument)
                degree *= argument.degree
        return SpokenClause(act, (replace(said, degree=degree),), uses=tuple(uses), degree=degree)

    # --- placing

    def _place(
        self, verb: str, theme: ClauseChunk, words: list[ClauseChunk], marked: list[ClauseChunk]
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        act = Act.KEEP if verb in KEEP_VERBS else Act.ACHIEVE
        sources = [chunk for chunk in marked if chunk.marker == "from"]
        for place in marked:
            if place.marker not in _PLACES:
                continue
            for what, where in product(self._read(theme), self._read(place)):
                if place.marker == "to" and _is_person(self._nouns, where):
                    continue
                for source in (None, *sources[:1]):
                    moved = what if source is None else self._add_source(what, source)
                    if moved is None:
                        continue
                    used = [theme, place, *([source] if source else [])]
                    said = Predication(None, {THEME: moved, PLACE: where}, preposition=place.marker)
                    yield self._say(act, said, used), used
        for there in words:
            reference = {"there": Reference.THERE, "here": Reference.HERE}.get(there.said)
            if reference is None:
                continue
            spot = NounPhrase(there.start, there.end, reference, Determiner.THE)
            use = self._nouns.describe_use(there.start, there.end, WordRole.THING, there.said)
            for what in self._read(theme):
                said = Predication(None, {THEME: what, PLACE: spot}, preposition="at")
                clause = self._say(act, said, [theme])
                yield replace(clause, uses=(*clause.uses, use)), [theme, there]

    def _add_source(self, theme: Phrase, source: ClauseChunk) -> Phrase | None:
        if not isinstance(theme, NounPhrase):
            return None
        for where in self._read(source):
            said = Predication(
                None,
                {PLACE: where},
                THEME,
                "from",
                source=True,
                degree=where.degree,
                uses=(),
            )
            uses = (*theme.uses, *list_phrase_uses(where))
            return replace(
                theme,
                qualities=(*theme.qualities, said),
                uses=uses,
                degree=theme.degree * where.degree,
            )
        return None

    def _remove(
        self, verb: str, theme: ClauseChunk, marked: list[ClauseChunk]
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        for source in marked:
            if source.marker != "from":
                continue
            for what, where in product(self._read(theme), self._read(source)):
                said = Predication(
                    None, {THEME: what, PLACE: where}, preposition="from", negated=True
                )
                # taking something from somewhere may only lead to what is done with it
                degree = GENERAL if verb in ("remove", "clear", "unload") else 0.85
                yield self._say(Act.ACHIEVE, said, [theme, source], degree), [theme, source]

    def _clear(self, place: ClauseChunk) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        nothing = NounPhrase(place.start, place.start, Reference.THING, Determiner.NO)
        for where, preposition in product(self._read(place), ("on", "in")):
            said = Predication(None, {THEME: nothing, PLACE: where}, preposition=preposition)
            yield self._say(Act.STATE, said, [place]), [place]

    # --- bringing, holding

    def _bring(
        self, theme: ClauseChunk, words: list[ClauseChunk], marked: list[ClauseChunk]
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        for chunk in marked:
            if chunk.said not in ("to", "for", "over to", "back to"):
                continue
            for what, person in product(self._read(theme), self._read(chunk)):
                if isinstance(person, NounPhrase) and _is_person(self._nouns, person):
                    yield self._hand(what, person, [theme, chunk]), [theme, chunk]
        for here in words:
            if here.said == "here":
                use = self._nouns.describe_use(here.start, here.end, WordRole.THING, "here")
                speaker = NounPhrase(
                    here.start, here.end, Reference.SPEAKER, Determiner.THE, uses=(use,)
                )
                for what in self._read(theme):
                    yield self._hand(what, speaker, [theme]), [theme, here]

    def _give(
        self, person: ClauseChunk, theme: ClauseChunk
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        for who, what in product(self._read(person), self._read(theme)):
            if isinstance(who, NounPhrase) and _is_person(self._nouns, who):
                yield self._hand(what, who, [person, theme]), [person, theme]

    def _hand(self, what: Phrase, person: NounPhrase, chunks: list[ClauseChunk]) -> SpokenClause:
        said = Predication(None, {THEME: what, PERSON: person})
        return replace(self._say(Act.BRING, said, chunks), verb="bring")

    def _hold(
        self, verb: str, theme: ClauseChunk, marked: list[ClauseChunk]
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        weak = _TAKEN if verb in ("get", "fetch", "take", "collect", "gather") else 1.0
        sources = [chunk for chunk in marked if chunk.marker == "from"]
        for what in self._read(theme):
            if not sources:
                said = Predication(None, {THEME: what})
                yield self._say(Act.HOLD, said, [theme], GENERAL * weak), [theme]
            for source in sources[:1]:
                moved = self._add_source(what, source)
                if moved is not None:
                    said = Predication(None, {THEME: moved})
                    clause = self._say(Act.HOLD, said, [theme, source], GENERAL * weak)
                    yield clause, [theme, source]

    def _keep_holding(
        self, theme: ClauseChunk, marked: list[ClauseChunk]
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        """Read "keep it in your hand"."""
        for place in marked:
            said = [self._nouns.get_text(i) for i in range(place.inner, place.end)]
            if said[:1] != ["your"] or said[-1] not in _HANDS:
                continue
            use = self._nouns.describe_use(place.start, place.end, WordRole.ACTION, "held")
            for what in self._read(theme):
                clause = self._say(Act.HOLD, Predication(None, {THEME: what}), [theme])
                uses = (*clause.uses, use)
                yield replace(clause, verb="keep", uses=uses), [theme, place]

    # --- states

    def _make(
        self, verb: str, theme: ClauseChunk, words: list[ClauseChunk]
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        """Read "make it hot", "leave the door open"."""
        act = Act.KEEP if verb in KEEP_VERBS else Act.STATE
        for word in words:
            for what in self._read(theme):
                for end, said in self._nouns.parse_modifiers(word.start):
                    if end != word.end or said.meaning is None or not said.subject:
                        continue
                    type_ = said.meaning.types.get(said.subject, "")
                    degree = GENERAL * said.degree * self._nouns.fit(what, type_)
                    if degree <= 0.0:
                        continue
                    full = replace(said, arguments={said.subject: what}, subject="", uses=())
                    clause = self._say(act, full, [theme], degree)
                    uses = (*clause.uses, *said.uses)
                    yield replace(clause, uses=uses), [theme, word]

    def _stay(
        self, theme: ClauseChunk, act: Act, negated: bool = False, degree: float = 0.96
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        for what in self._read(theme):
            clause = self._say(act, Predication(None, {THEME: what}), [theme], degree)
            yield replace(clause, negated=negated), [theme]

    def _return(
        self, verb: str, theme: ClauseChunk, words: list[ClauseChunk]
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        if verb != "return" and not any(w.said == "back" for w in words):
            return
        yield from self._stay(theme, Act.RETURN, degree=GENERAL)

    # --- motion

    def _go(
        self, bare: list[ClauseChunk], words: list[ClauseChunk], marked: list[ClauseChunk]
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        for place in (*bare, *marked):
            if place.marker not in ("", "to", "in", "at", "near", "on", "before"):
                continue
            for where in self._read(place):
                said = Predication(None, {PLACE: where}, preposition="to")
                degree = GENERAL if place.marker else GENERAL * 0.9
                yield self._say(Act.GO, said, [place], degree), [place]

    def _remain(
        self, verb: str, words: list[ClauseChunk], marked: list[ClauseChunk]
    ) -> Iterator[tuple[SpokenClause, list[ClauseChunk]]]:
        for place in marked:
            if place.marker not in ("in", "at", "near", "on"):
                continue
            robot = NounPhrase(place.start, place.start, Reference.ADDRESSEE, Determiner.THE)
            for where in self._read(place):
                said = Predication(None, {THEME: robot, PLACE: where}, preposition=place.marker)
                act = Act.KEEP if verb in ("stay", "remain", "wait") else Act.STATE
                yield self._say(act, said, [place]), [place]


def _is_person(nouns: NounParser, phrase: Phrase) -> bool:
    return isinstance(phrase, NounPhrase) and nouns.fits_person(phrase)
