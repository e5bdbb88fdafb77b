# SPDX-License-Identifier: Apache-2.0
"""Words around a clause that say what is left out, where not, and which things are meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.function_words import INSTEAD_OF
from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.clauses.timing_parser import TimingParser
from fcp_ros.language.parsing.noun_phrases.relative_parser import EXCEPT
from fcp_ros.language.parsing.trees import (
    PLACE,
    Act,
    Argument,
    Coordination,
    Determiner,
    Noun,
    NounPhrase,
    Phrase,
    Reference,
    SpokenClause,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole

_SKIP = PhraseSet("(leave|leaving) out", "(skip|omit|spare) [out]", "(without|minus)")
"""Words behind a clause and before a noun phrase that is left out."""
_BUT = PhraseSet("(but|just|only|and) [please]")
_STAYING = PhraseSet(
    "(can|may|should|shall|has to|have to|must) (stay|remain|be left) [there|here|put|where it is]",
    "(stays|stay|remains) [there|here|put|where it is|where they are]",
)
_APART = 0.9
"""Degree of "the shelf, that is dirty" as said of something further away."""


class ExceptionParser(TimingParser):
    """A reader of exceptions around the core of a clause."""

    def _read_first_exception(
        self, start: int, blank: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "apart from the mug," before a clause."""
        end = EXCEPT.find_end(self._tokens, start)
        for after, excluded in self._nouns.parse_phrases(end) if end > start else ():
            if self._get(after) == ",":
                use = self._nouns.describe_use(start, end, WordRole.LIMIT, "except")
                uses = (use, *list_phrase_uses(excluded))
                degree = excluded.degree
                yield after + 1, replace(blank, excluded=(excluded,), uses=uses, degree=degree)

    def _read_exception(
        self, start: int, clause: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "except the mug", "just skip the mug" behind "put all items on the counter"."""
        opened = _BUT.find_end(self._tokens, start)
        ends = [EXCEPT.find_end(self._tokens, place) for place in {start, opened}]
        ends += [_SKIP.find_end(self._tokens, place) for place in {start, opened}]
        end = max(ends)
        for place, left in self._nouns.parse_phrases(opened) if clause.predications else ():
            after = _STAYING.find_end(self._tokens, place)
            fewer = leave_out(clause, (left,)) if after > place else None
            if fewer is not None:  # "but the vase can stay"
                use = self._nouns.describe_use(place, after, WordRole.LIMIT, "except")
                uses = (*clause.uses, use, *list_phrase_uses(left))
                yield after, replace(fewer, uses=uses, degree=clause.degree * left.degree)
        bare = end == start + 1 and self._get(start) == "but"
        if end == start or (end == opened and not bare):
            return
        use = self._nouns.describe_use(start, end, WordRole.LIMIT, "except")
        contrasted = self._get(end - 1) == "not"
        for after, excluded in self._nouns.parse_phrases(end):
            if bare and (not self._nouns.ends_clause(after) or _is_told_apart(excluded)):
                continue
            fewer = leave_out(clause, (excluded,))
            if fewer is None and contrasted and self._nouns.ends_clause(after):
                fewer = leave_out(clause, (excluded,), open_=True)
            if fewer is not None:
                uses = (*clause.uses, use, *list_phrase_uses(excluded))
                yield after, replace(fewer, uses=uses, degree=clause.degree * excluded.degree)

    def _read_replaced(
        self, start: int, clause: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "rather than (on) the couch", which asks for nothing more than the clause does."""
        end = INSTEAD_OF.find_end(self._tokens, start)
        if end == start or clause.negated or clause.act not in (Act.ACHIEVE, Act.BRING, Act.STATE):
            return
        use = self._nouns.describe_use(start, end, WordRole.LIMIT, "instead of")
        places = [
            (after, said.arguments.get(PLACE))
            for after, said in self._nouns.parse_modifiers(end)
            if said.preposition and not said.source
        ]
        for after, other in (*self._nouns.parse_phrases(end), *places):
            if isinstance(other, (NounPhrase, Coordination)) and self._nouns.ends_clause(after):
                unasked = self._nouns.list_uses(range(end, after), WordRole.LIMIT)
                uses = (*clause.uses, use, *unasked)
                yield after, replace(clause, uses=uses, degree=clause.degree * other.degree)

    def _read_description(
        self, start: int, clause: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(put something on the shelf) that is safe": said of what is not next to it."""
        if self._get(start) not in ("that", "which") or len(clause.predications) != 1:
            return
        said = clause.predications[0]
        slot, theme = next(iter(said.arguments.items()), ("", None))
        if len(said.arguments) < 2 or not isinstance(theme, NounPhrase):
            return
        if theme.determiner not in (Determiner.A, Determiner.ANY, Determiner.ALL):
            return
        for end, quality, uses in self._nouns.read_behind(start, 1):
            if quality.source or quality.preposition == "to" or not quality.subject:
                continue
            described = replace(theme, qualities=(*theme.qualities, quality))
            longer = replace(said, arguments={**said.arguments, slot: described})
            degree = clause.degree * quality.degree * _APART
            yield (
                end,
                replace(clause, predications=(longer,), uses=(*clause.uses, *uses), degree=degree),
            )


def _is_told_apart(phrase: Phrase) -> bool:
    """Return True for "but the mug on the shelf" and "but no mug", which ask for more."""
    if isinstance(phrase, Coordination):
        return any(map(_is_told_apart, phrase.parts))
    return bool(phrase.qualities) or phrase.determiner is Determiner.NO


def leave_out(
    clause: SpokenClause, excluded: tuple[Phrase, ...], *, open_: bool = False
) -> SpokenClause | None:
    """Leave something out of the things of a clause; None if these are not several.

    Args:
        open_: also out of those of which it is open which are meant: "a cup, but not the mug".
    """
    if len(clause.predications) != 1:
        return None
    said = clause.predications[0]
    for slot, argument in said.arguments.items():
        fewer = _exclude(argument, excluded, open_)
        if fewer is not None:
            left = replace(said, arguments={**said.arguments, slot: fewer})
            return replace(clause, predications=(left,))
    return None


def _exclude(
    argument: Argument, excluded: tuple[Phrase, ...], open_: bool = False
) -> Argument | None:
    if isinstance(argument, NounPhrase):
        nothing = argument.determiner is Determiner.NO
        some = open_ and all(_may_be(argument, other) for other in excluded)
        if nothing or some or is_universal(argument):
            return replace(argument, excluded=(*argument.excluded, *excluded))
    if isinstance(argument, Coordination):
        parts = [_exclude(part, excluded) for part in argument.parts]
        phrases = [part for part in parts if isinstance(part, (NounPhrase, Coordination))]
        if len(phrases) == len(argument.parts):
            return replace(argument, parts=tuple(phrases))
    return None


def _may_be(phrase: NounPhrase, other: Phrase) -> bool:
    """Return True if it is open which things are meant, and others are among them."""
    if phrase.determiner not in (Determiner.A, Determiner.ANY, Determiner.BARE):
        return False
    if not isinstance(other, NounPhrase):
        return False
    if phrase.head is Reference.THING or other.head is Reference.ONE:
        return True
    if not isinstance(phrase.head, Noun) or not isinstance(other.head, Noun):
        return False
    return bool(other.head.members) and set(other.head.members) <= set(phrase.head.members)


def is_universal(argument: object) -> bool:
    """Return True for all of several things, from which some may be left out."""
    if not isinstance(argument, NounPhrase):
        return False
    if argument.head is Reference.THEM and argument.number is None:
        return True
    every = (Determiner.ALL, Determiner.EACH, Determiner.REST, Determiner.BOTH)
    plural = argument.plural and argument.determiner in (Determiner.THE, Determiner.BARE)
    return plural or argument.determiner in every
