# SPDX-License-Identifier: Apache-2.0
"""Words around a clause that say what is left out, where not, and which things are meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.word_lists import gather_phrases
from fcp_ros.language.parsing.clauses.timing_parser import TimingParser
from fcp_ros.language.parsing.noun_phrases.head_parser import (
    list_argument_uses,
    list_phrase_uses,
)
from fcp_ros.language.parsing.noun_phrases.relative_parser import EXCEPT
from fcp_ros.language.parsing.trees import (
    THEME,
    Act,
    Argument,
    Coordination,
    Determiner,
    NounPhrase,
    Phrase,
    Reference,
    SpokenClause,
)
from fcp_ros.language.reading import WordRole

_FIRST = gather_phrases(
    "with the exception of",
    "with exception of",
    "except for",
    "apart from",
    "aside from",
    "other than",
    "except",
    "excluding",
    "besides",
    "not counting",
)
"""Words before what is left out, in front of a clause."""
_SKIP = gather_phrases(
    "leave out", "leaving out", "skip", "skipping", "omit", "omitting", "spare", "without", "minus"
)
"""The same behind a clause, and before a noun phrase only."""
_BUT = gather_phrases("but", "just", "only", "but please", "and", "just please")
_NOT_THERE = gather_phrases("not", "but not", "just not", "only not", "and not", "never")
_NOTHING_ELSE = gather_phrases(
    "and nothing else",
    "and nothing more",
    "and no others",
    "and no other",
    "and only that",
    "but nothing else",
    "nothing else",
    "nothing more",
    "and none of the others",
    "and only those",
)
_APART = 0.9
"""Degree of "the shelf, that is dirty" as said of something further away."""


class ExceptionParser(TimingParser):
    """A reader of exceptions around the core of a clause."""

    def _read_first_exception(
        self, start: int, blank: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "apart from the mug," before a clause."""
        end = self._match_any(start, _FIRST)
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
        opened = self._match_any(start, _BUT)
        ends = [self._match_any(place, EXCEPT) for place in {start, opened}]
        ends += [self._match_any(place, _SKIP) for place in {start, opened}]
        end = max(ends)
        if end in (start, opened):
            return
        use = self._nouns.describe_use(start, end, WordRole.LIMIT, "except")
        for after, excluded in self._nouns.parse_phrases(end):
            fewer = leave_out(clause, (excluded,))
            if fewer is not None:
                uses = (*clause.uses, use, *list_phrase_uses(excluded))
                yield after, replace(fewer, uses=uses, degree=clause.degree * excluded.degree)

    def _read_other_place(
        self, start: int, clause: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "but not on the counter" behind "put it in the kitchen"."""
        end = self._match_any(start, _NOT_THERE)
        if end == start or len(clause.predications) != 1 or clause.negated:
            return
        said = clause.predications[0]
        theme = next(iter(said.arguments.values()), None)
        if len(said.arguments) != 2 or isinstance(theme, int) or theme is None:
            return
        if clause.act not in (Act.ACHIEVE, Act.STATE, Act.KEEP):
            return
        several = isinstance(theme, Coordination) or theme.plural
        head = Reference.THEM if several else Reference.IT
        same = NounPhrase(start, start, head, Determiner.THE, None, several)
        use = self._nouns.describe_use(start, end, WordRole.LIMIT, "not")
        for after, placed in self._nouns.parse_modifiers(end):
            if not placed.preposition or placed.source or placed.negated:
                continue
            where = replace(
                placed, arguments={THEME: same, **placed.arguments}, subject="", negated=True
            )
            yield (
                after,
                replace(
                    clause,
                    predications=(said, replace(where, uses=())),
                    uses=(*clause.uses, use, *placed.uses, *list_argument_uses(placed)),
                    degree=clause.degree * placed.degree,
                ),
            )

    def _read_nothing_else(
        self, start: int, clause: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "and nothing else" behind "put the cups on the table"."""
        end = self._match_any(start, _NOTHING_ELSE)
        if end == start or len(clause.predications) != 1 or clause.negated:
            return
        said = clause.predications[0]
        for slot, theme in said.arguments.items():
            if isinstance(theme, NounPhrase) and not theme.only:
                use = self._nouns.describe_use(start, end, WordRole.LIMIT, "only")
                alone = {**said.arguments, slot: replace(theme, only=True)}
                limited = replace(said, arguments=alone)
                yield end, replace(clause, predications=(limited,), uses=(*clause.uses, use))
            return

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


def leave_out(clause: SpokenClause, excluded: tuple[Phrase, ...]) -> SpokenClause | None:
    """Leave something out of the things of a clause; None if these are not several."""
    if len(clause.predications) != 1:
        return None
    said = clause.predications[0]
    for slot, argument in said.arguments.items():
        fewer = _exclude(argument, excluded)
        if fewer is not None:
            left = replace(said, arguments={**said.arguments, slot: fewer})
            return replace(clause, predications=(left,))
    return None


def _exclude(argument: Argument, excluded: tuple[Phrase, ...]) -> Argument | None:
    nothing = isinstance(argument, NounPhrase) and argument.determiner is Determiner.NO
    if isinstance(argument, NounPhrase) and (nothing or is_universal(argument)):
        return replace(argument, excluded=(*argument.excluded, *excluded))
    if isinstance(argument, Coordination):
        parts = [_exclude(part, excluded) for part in argument.parts]
        phrases = [part for part in parts if isinstance(part, (NounPhrase, Coordination))]
        if len(phrases) == len(argument.parts):
            return replace(argument, parts=tuple(phrases))
    return None


def is_universal(argument: object) -> bool:
    """Return True for all of several things, from which some may be left out."""
    if not isinstance(argument, NounPhrase):
        return False
    if argument.head is Reference.THEM and argument.number is None:
        return True
    every = (Determiner.ALL, Determiner.EACH, Determiner.REST, Determiner.BOTH)
    plural = argument.plural and argument.determiner in (Determiner.THE, Determiner.BARE)
    return plural or argument.determiner in every
