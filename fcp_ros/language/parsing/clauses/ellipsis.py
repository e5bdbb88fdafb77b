# SPDX-License-Identifier: Apache-2.0
"""Clauses that leave out what the clause before them said: "and the book on the shelf"."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fcp_ros.language.english.adverbials import FIRST, LAST, PREFERENCES
from fcp_ros.language.english.function_words import ONLY_LATER
from fcp_ros.language.english.verbs import GO_VERBS, KEEP_VERBS, PUT_VERBS
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.parsing.motion_parser import MotionParser
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Coordination,
    Determiner,
    Link,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole

_JOINED = 0.85
"""Degree of a thing that shall be where the one before it shall be."""
_GAPPED = 0.98
"""Degree of a thing and a place whose verb is left out."""
_SAME = 0.97
"""Degree of a thing of which the same is asked."""
_FOLLOWING = 0.95
"""Degree of "then the apple": the same, afterwards."""
_SEVERAL_LAST = 0.85
"""Degree of "the apple and the bowl last": more likely the bowl alone."""
_FITTING = 0.75
"""Least fit of a thing of which the same is asked."""
_AUXILIARIES = gather_words(
    "should must shall is are can may do does goes has have needs need will would"
)
_TOO = PhraseSet("too", "as well", "likewise", "also", "[in] the same way", "similarly")
_DO_SAME = PhraseSet(
    "[do|try] the same [thing] (with|to|for)",
    "the same (goes|applies|holds|is true|should happen) (for|to|with|of)",
    "(proceed|continue|deal) (likewise|similarly|the same way|in the same way) with",
    "(likewise|ditto|similarly) [for|with]",
    "do (that|this|so|it) [with|to|for]",
    "do",
    "treat",
)
_MARKS = (PREFERENCES, FIRST, LAST, ONLY_LATER)
_SO = ("so", "neither", "nor")


class EllipsisParser(MotionParser, ABC):
    """A reader of clauses that go on from another one."""

    def parse_fragment(
        self, start: int, before: Sequence[SpokenClause], link: Link
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Yield clauses without a verb that go on from the last one.

        Args:
            link: the order that was said.
        """
        asked = [clause for clause in before if clause.act not in (Act.REMARK, Act.TOPIC)]
        if not asked or not asked[-1].predications:
            return
        known = self._fragments.setdefault((start, link is Link.THEN), [])
        for said, found in known:
            if said == asked:
                yield from found
                return
        found = list(self._parse_fragment(start, asked, link is Link.THEN))
        known.append((asked, found))
        yield from found

    def _parse_fragment(
        self, start: int, asked: Sequence[SpokenClause], then: bool
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read clauses without a verb behind what was asked."""
        last = asked[-1]
        for place, opened in self._read_openings(start):
            if opened.negated:
                continue
            found: list[tuple[int, SpokenClause]] = []
            for earlier in reversed(asked):
                found = list(self._parse_same(place, earlier))
                if found:
                    break
            found += self._parse_gapped(place, last)
            if place < len(self._tokens):
                following = self._parse_following(place, last, opened.preferred)
                said = then or opened.preferred
                found += [one for one in following if said or self._is_marked(one[0])]
            for end, clause in found:
                merged = replace(
                    clause,
                    preferred=clause.preferred or opened.preferred,
                    time=clause.time or opened.time,
                    uses=(*opened.uses, *clause.uses),
                )
                yield from self._read_adverbials(end, merged)

    def parse_alike(self, start: int, before: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Yield clauses that ask the same of another thing: "(the mug before) the bowl"."""
        for end, clause in self._parse_following(start, before):
            yield end, replace(clause, permitted=False, negated=False)

    def _is_marked(self, start: int) -> bool:
        """Return True if words follow that say how a thing without a verb is asked for."""
        place = start + (self._get(start) == ",")
        return any(self._match_any(place, phrases) > place for phrases in _MARKS)

    # --- the same of another thing

    def _parse_same(self, start: int, before: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read "the fridge (does) too", "so should the fridge", "do the same with the fridge"."""
        if len(before.predications) != 1 or before.condition:
            return
        so = 2 * (self._get(start) in _SO and self._get(start + 1) in _AUXILIARIES)
        same = _DO_SAME.find_end(self._tokens, start)
        place = max(start + so, same)
        way_needed = same > start and self._get(start) in ("do", "treat") and same == start + 1
        for end, theme in self._nouns.parse_phrases(place):
            skipped = end + (self._get(end) == "," or self._get(end) in _AUXILIARIES)
            too = _TOO.find_end(self._tokens, skipped)
            too = too if too > skipped else end
            marked = way_needed and self._is_marked(end)
            if too == end and (place == start or way_needed) and not marked:
                continue
            clause = self._repeat(before, theme)
            if clause is None:
                continue
            uses = [self._nouns.describe_use(start, end, WordRole.FILLER)]
            if too > end:
                uses.append(self._nouns.describe_use(end, too, WordRole.FILLER))
            yield too, replace(clause, uses=(*clause.uses, *uses), degree=theme.degree * _SAME)

    def _parse_following(
        self, start: int, before: SpokenClause, chosen: bool = False
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(first put the bowl on the table,) then the apple", "then the glass follows"."""
        for end, theme in self._nouns.parse_phrases(start):
            if isinstance(theme, NounPhrase) and isinstance(theme.head, Reference):
                continue
            clause = self._repeat(before, theme, chosen or self._is_marked(end))
            if clause is None:
                continue
            after = end
            if self._get(end) in ("follows", "follow"):
                after = end + 1
                use = self._nouns.describe_use(end, after, WordRole.FILLER)
                clause = replace(clause, uses=(*clause.uses, use))
            several = isinstance(theme, Coordination) and self._match_any(after, LAST) > after
            degree = theme.degree * (_SEVERAL_LAST if several else _FOLLOWING)
            yield after, replace(clause, degree=degree)

    def _repeat(
        self, before: SpokenClause, theme: Phrase, chosen: bool = False
    ) -> SpokenClause | None:
        """Ask the same of another thing; None if it can't be so.

        Args:
            chosen: it may be one of those that the clause leaves open ("a cup, ideally the mug").
        """
        said = before.predications[-1]
        slot = THEME if said.meaning is None else next(iter(said.arguments), "")
        if chosen and said.meaning is not None:
            slot = self._choose_slot(said, theme) or slot
        if before.act is Act.GO or slot not in said.arguments:
            return None
        type_ = said.meaning.types.get(slot, "") if said.meaning is not None else ""
        if type_ and self._nouns.fit(theme, type_) < _FITTING:
            return None
        same = replace(said, arguments={**said.arguments, slot: theme}, uses=())
        uses = list_phrase_uses(theme)
        return replace(before, predications=(same,), provisos=(), order=None, uses=uses)

    def _choose_slot(self, said: Predication, theme: Phrase) -> str:
        """Return the slot of what was left open, which a thing fits; empty if none is."""
        types = said.meaning.types if said.meaning is not None else {}
        for slot, argument in said.arguments.items():
            if _is_left_open(argument) and self._nouns.fit(theme, types.get(slot, "")) >= _FITTING:
                return slot
        return ""

    # --- another thing in another place or state

    def _parse_gapped(self, start: int, before: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read "the book on the shelf", "the fridge closed", "metal bin for the can"."""
        last = before.predications[-1]
        placing = before.verb in PUT_VERBS | KEEP_VERBS
        placed = bool(last.preposition) or (placing and len(last.arguments) > 1)
        if before.act is Act.GO:
            yield from self._parse_next_stop(start, before)
            return
        if before.act not in (Act.ACHIEVE, Act.STATE, Act.KEEP, Act.BRING):
            return
        if not placed and before.act is not Act.BRING:
            yield from self._parse_gapped_state(start, before)
            return
        yield from self._parse_joined(start, before)
        excluding = any(isinstance(a, NounPhrase) and a.excluded for a in last.arguments.values())
        for end, theme in self._nouns.parse_phrases(start):
            if _is_same(theme):
                continue
            for after, said in self._nouns.parse_modifiers(end):
                if not said.preposition or said.source:
                    continue
                clause = self._place_alike(theme, said, before)
                if excluding:  # "except the mug and the bowl in ..." goes on otherwise
                    clause = replace(clause, degree=clause.degree * 0.85)
                yield after, clause

    def _place_alike(self, theme: Phrase, said: Predication, before: SpokenClause) -> SpokenClause:
        """Make the clause that something is in a place, as the clause before it asks."""
        clause = self._make_placed(theme, said, before.verb)
        act = before.act if before.act is not Act.BRING else Act.ACHIEVE
        return replace(clause, act=act, negated=before.negated, degree=clause.degree * _GAPPED)

    def _parse_gapped_state(
        self, start: int, before: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(leave the door open and) the fridge closed"."""
        if before.act not in (Act.STATE, Act.KEEP) or len(before.predications) != 1:
            return
        for end, theme in self._nouns.parse_phrases(start):
            for after, said in self._nouns.parse_modifiers(end):
                if said.source or not (said.preposition or said.subject):
                    continue
                clause = self._make_said(theme, said, before.act)
                yield (
                    after,
                    replace(
                        clause,
                        verb=before.verb,
                        negated=before.negated,
                        degree=clause.degree * _GAPPED,
                    ),
                )

    def _parse_joined(self, start: int, before: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(put a plate on the table) and a fork": to the same place."""
        last = before.predications[-1]
        slots = list(last.arguments)
        plain = before.act is Act.ACHIEVE and not (before.negated or before.preferred)
        if len(slots) != 2 or not plain or last.source or before.verb not in PUT_VERBS:
            return
        there = NounPhrase(start, start, Reference.THERE, Determiner.THE)
        type_ = last.meaning.types.get(slots[0], "") if last.meaning is not None else ""
        for end, theme in self._nouns.parse_phrases(start):
            fit = self._nouns.fit(theme, type_) if type_ else 1.0
            pronoun = isinstance(theme, NounPhrase) and isinstance(theme.head, Reference)
            if pronoun or fit < _FITTING or self._nouns.parse_modifiers(end):
                continue
            said = replace(last, arguments={slots[0]: theme, slots[1]: there}, uses=())
            yield (
                end,
                SpokenClause(
                    before.act,
                    (said,),
                    verb=before.verb,
                    uses=list_phrase_uses(theme),
                    degree=theme.degree * fit * _JOINED,
                ),
            )

    def _parse_next_stop(
        self, start: int, before: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(go to the kitchen and then) to the hall"."""
        if before.verb and before.verb not in GO_VERBS:
            return
        for end, said in self._nouns.parse_modifiers(start):
            if said.preposition == "to" and not said.source:
                where = said.arguments[PLACE]
                if not isinstance(where, int):
                    yield end, self._make_gone(where)


def _is_left_open(argument: object) -> bool:
    """Return True for something of which it was not said which one it is."""
    if isinstance(argument, Coordination):
        return argument.alternative
    loose = (Determiner.A, Determiner.ANY)
    return isinstance(argument, NounPhrase) and argument.determiner in loose


def _is_same(theme: Phrase) -> bool:
    """Return True for "the one" by itself: "(the mug), the one | on the table" is one thing."""
    if not isinstance(theme, NounPhrase) or theme.head is not Reference.ONE or theme.other:
        return False
    return theme.determiner is Determiner.THE and not (theme.qualities or theme.attributes)
