# SPDX-License-Identifier: Apache-2.0
"""Words around a clause: politeness, negation, time, wishes, exceptions, "for each"."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.adverbials import ALWAYS, NEGATIONS, PREFERENCES, SOMETIME
from fcp_ros.language.english.polite_phrases import CLOSINGS, POLITE, WISHES
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.verbs import BRING_VERBS, HOLD_VERBS, THROUGH
from fcp_ros.language.english.word_lists import gather_phrases
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.clauses.exception_parser import ExceptionParser, is_universal
from fcp_ros.language.parsing.noun_phrases.head_parser import list_phrase_uses
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.noun_phrases.quantities import match_words, read_limit
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Coordination,
    Determiner,
    NounPhrase,
    Predication,
    Reference,
    SpokenClause,
)
from fcp_ros.language.reading import WordRole, WordUse

MOST_WISHES = 8
"""Polite words and wishes behind one another."""
DEEPEST_CLAUSE = 2
"""Clauses within one another."""
_FOR_SOMEBODY = 0.9
"""Degree of "fetch it for me" without bringing it."""
_AFTER_EACH = gather_phrases(
    "immediately after each",
    "immediately after every",
    "right after each",
    "directly after each",
    "after each",
    "after every",
    "every time",
    "each time",
    "in between",
)


Fragments = tuple[list[SpokenClause], list[tuple[int, SpokenClause]]]
"""What was asked before, and the clauses that go on from it without a verb."""


class AdverbialParser(ExceptionParser, ABC):
    """A reader of the words around the core of a clause; some have a clause in them again.

    Args:
        nouns: the chart of its noun phrases.
    """

    def __init__(self, nouns: NounParser) -> None:
        super().__init__(nouns)
        self._patterns = nouns.patterns
        self._clauses: dict[tuple[int, int], list[tuple[int, SpokenClause]]] = {}
        self._openings: dict[int, tuple[tuple[int, SpokenClause], ...]] = {}
        self._fragments: dict[tuple[int, bool], list[Fragments]] = {}

    def _read_openings(self, start: int) -> tuple[tuple[int, SpokenClause], ...]:
        """Return the openings that begin at a token."""
        if start not in self._openings:
            self._openings[start] = tuple(self._list_openings(start))
        return self._openings[start]

    def _list_openings(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Yield where the core may begin, with the politeness and negation before it."""
        blank = SpokenClause(Act.ACHIEVE, ())
        yield start, blank
        for end, limit in self._list_time_openings(start):
            place = end + 1 if self._get(end) in (",", ":") else end
            use = self._describe_time(start, place, limit)
            yield place, replace(blank, time=limit, uses=(use,))
        yield from self._read_first_exception(start, blank)
        sometime = self._match_any(start, SOMETIME)
        if sometime > start:
            place = sometime + (self._get(sometime) == ",")
            use = self._nouns.describe_use(start, place, WordRole.ORDER, "sometime")
            yield place, replace(blank, sometime=True, uses=(use,))
        for end, opened in self._read_each(start, blank):
            place = end + 1 if self._get(end) == "," else end
            yield place, opened
        place, opened = start, blank
        for place, opened in self._read_wishes(start, blank):
            yield place, opened
        for words in NEGATIONS:
            if match_words(self._tokens, place, words):
                end = place + len(words)
                use = self._nouns.describe_use(place, end, WordRole.LIMIT, "not")
                yield end, replace(opened, uses=(*opened.uses, use), negated=True)
                return

    def _read_wishes(self, start: int, blank: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Yield the clause behind each of the polite words and wishes that follow one another."""
        place, opened = start, blank
        for _ in range(MOST_WISHES):
            polite = self._match_polite(place)
            wished = self._match_any(place, PREFERENCES)
            if self._get(place + 2) == "rather" and WISHES.find_end(self._tokens, place) > place:
                wished = place  # "I would rather have it there" asks for something
            end = max(polite, wished)
            if end <= place:
                return
            kind = self._get(place) == "if" and polite >= wished  # "if you could put ..."
            wish = wished >= polite and not kind
            role = WordRole.LIMIT if wish else WordRole.FILLER
            use = self._nouns.describe_use(place, end, role)
            place = end + (self._get(end) == ",")
            opened = replace(opened, uses=(*opened.uses, use), preferred=opened.preferred or wish)
            yield place, opened

    def _match_polite(self, start: int) -> int:
        """Return the end of politeness; "if you could, ..." is a wish, and not polite only."""
        end = POLITE.find_end(self._tokens, start)
        wish = self._get(start) == "if" and self._get(end) == ","
        return start if wish else end

    def _read_adverbials(
        self, start: int, clause: SpokenClause, depth: int
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Yield a clause with what stands behind its core, the longest last."""
        yield start, clause
        frontier = [(start, clause)]
        for _ in range(4):
            following = []
            for end, current in frontier:
                place = end + 1 if self._get(end) == "," else end
                for after, longer in self._read_adverbial(place, current, depth):
                    following.append((after, longer))
            yield from following
            frontier = following[:6]
            if not frontier:
                return

    def _read_adverbial(
        self, start: int, clause: SpokenClause, depth: int
    ) -> Iterator[tuple[int, SpokenClause]]:
        if self._get(start + 1) == "by" and self._get(start) == self._get(start + 2):
            use = self._nouns.describe_use(start, start + 3, WordRole.FILLER)  # one by one
            yield start + 3, replace(clause, uses=(*clause.uses, use))
        end = CLOSINGS.find_end(self._tokens, start)
        if end > start and not self.parse_starts_noun(start, end):
            use = self._nouns.describe_use(start, end, WordRole.FILLER)
            brought = clause.verb in BRING_VERBS and self._get(start) == "for"
            degree = clause.degree * (_FOR_SOMEBODY if brought else 1.0)
            yield end, replace(clause, uses=(*clause.uses, use), degree=degree)
        end = self._match_any(start, ALWAYS)
        if end > start and (clause.negated or clause.act in (Act.STATE, Act.KEEP, Act.STAY)):
            use = self._nouns.describe_use(start, end, WordRole.ORDER, "always")
            act = Act.KEEP if clause.act is Act.STATE else clause.act
            yield end, replace(clause, act=act, uses=(*clause.uses, use))
        end = self._match_any(start, PREFERENCES)
        if end > start and self._nouns.ends_clause(end):
            use = self._nouns.describe_use(start, end, WordRole.LIMIT, "a wish")
            yield end, replace(clause, uses=(*clause.uses, use), preferred=True)
        yield from self._read_timing(start, clause)
        if self._get(start) == "without" and depth < DEEPEST_CLAUSE:
            ever = self._get(start + 1) == "ever"
            use = self._nouns.describe_use(start, start + 1 + ever, WordRole.LIMIT, "never")
            for end, never in self._parse_core(start + 1 + ever, depth + 1):
                yield (
                    end,
                    replace(
                        clause,
                        never=(*clause.never, never),
                        uses=(*clause.uses, use),
                        degree=clause.degree * never.degree,
                    ),
                )
        yield from self._read_purpose(start, clause)
        yield from self._read_exception(start, clause)
        yield from self._read_other_place(start, clause)
        yield from self._read_nothing_else(start, clause)
        yield from self._read_description(start, clause)
        yield from self._read_place(start, clause)
        yield from self._read_via(start, clause)
        yield from self._read_after_each(start, clause)
        yield from self._read_each(start, clause)
        yield from self._read_source(start, clause)
        yield from self._read_limit(start, clause)

    def parse_starts_noun(self, start: int, end: int) -> bool:
        """Return True if the closing words are the beginning of something else ("for me")."""
        return (
            self._get(end) in ("and", ",")
            and self._get(end - 1) in ("me", "us")
            and bool(self._get(start) == "to")
        )

    def _read_place(self, start: int, clause: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read where something ends: "throw the peel away in the bin"."""
        if clause.act is not Act.ACHIEVE or len(clause.predications) != 1:
            return
        said = clause.predications[0]
        if said.preposition or said.meaning is None or said.meaning.source is MeaningSource.TASK:
            return
        theme = next(iter(said.arguments.values()), None)
        if len(said.arguments) != 1 or clause.verb in HOLD_VERBS:
            return
        if not isinstance(theme, (NounPhrase, Coordination)):
            return
        several = isinstance(theme, Coordination) or theme.plural
        head = Reference.THEM if several else Reference.IT
        same = NounPhrase(start, start, head, Determiner.THE, None, several)
        for end, placed in self._nouns.parse_modifiers(start):
            if placed.preposition not in ("in", "on", "at"):
                continue
            where = replace(placed, arguments={THEME: same, **placed.arguments}, subject="")
            yield (
                end,
                replace(
                    clause,
                    predications=(said, where),
                    uses=(*clause.uses, *list_argument_uses(placed)),
                    degree=clause.degree * placed.degree * 0.95,
                ),
            )

    def _read_purpose(self, start: int, clause: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read "to build a shed" behind "bring all the parts into the garden"."""
        if len(clause.predications) != 1:
            return
        said = clause.predications[0]
        for slot, theme in said.arguments.items():
            if not isinstance(theme, NounPhrase) or not self._is_part(theme):
                continue
            for end, whole in self._nouns.read_purpose(start):
                parts = self._nouns.make_set(replace(theme, end=start), end, whole)
                full = replace(said, arguments={**said.arguments, slot: parts})
                use = self._nouns.describe_use(start, end, WordRole.THING, whole.given.name)
                yield (
                    end,
                    replace(
                        clause,
                        predications=(full,),
                        uses=(*clause.uses, use),
                        degree=clause.degree * 0.99,
                    ),
                )

    def _is_part(self, theme: NounPhrase) -> bool:
        """Return True for all of several things that may be the parts of something."""
        if theme.kinds or not (is_universal(theme) or theme.head is Reference.THING):
            return False
        anything = theme.head is Reference.THING and theme.determiner is not Determiner.NO
        return anything or self._nouns.is_part_noun(theme.head)

    def _read_via(self, start: int, clause: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read "via the hall" behind "go to the kitchen"."""
        place = self._match_any(start, THROUGH)
        if place == start or clause.act is not Act.GO or clause.negated or clause.via:
            return
        use = self._nouns.describe_use(start, place, WordRole.ORDER, "on the way")
        for end, phrase in self._nouns.parse_phrases(place):
            said = Predication(None, {PLACE: phrase}, preposition="to", degree=phrase.degree)
            via = SpokenClause(Act.GO, (said,), uses=(use,), degree=phrase.degree)
            yield end, replace(clause, via=(via,), degree=clause.degree * phrase.degree)

    def _read_after_each(
        self, start: int, clause: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "immediately after each one", "after every room", "each time"."""
        for words in _AFTER_EACH:
            if not match_words(self._tokens, start, words) or clause.after_each:
                continue
            end = start + len(words)
            if words[-1] in ("each", "every") and end < len(self._tokens):
                known = [stop for stop, _ in self._nouns.parse_simple(end)]
                closed = self._tokens[end].kind is TokenKind.MARK or self._get(end) == "and"
                end = known[0] if known else end if closed else end + 1
            use = self._nouns.describe_use(start, end, WordRole.ORDER, "after each")
            yield end, replace(clause, after_each=True, uses=(*clause.uses, use))
            return

    def _read_each(self, start: int, clause: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read "for each person", "for three people", "per person"."""
        if self._get(start) not in ("for", "per") or clause.each is not None:
            return
        if any(s.meaning and s.meaning.source is MeaningSource.TASK for s in clause.predications):
            return
        for end, phrase in self._nouns.parse_simple(start + 1):
            distributive = phrase.determiner in (
                Determiner.EACH,
                Determiner.ALL,
                Determiner.BOTH,
            )
            if self._get(start) == "per" or distributive or phrase.number is not None:
                use = self._nouns.describe_use(start, start + 1, WordRole.QUANTITY)
                yield (
                    end,
                    replace(
                        clause,
                        each=phrase,
                        uses=(*clause.uses, use, *phrase.uses),
                        degree=clause.degree * phrase.degree,
                    ),
                )

    def _read_limit(self, start: int, clause: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(put two cups on the table), no more and no fewer"."""
        if len(clause.predications) != 1:
            return
        said = clause.predications[0]
        for slot, argument in said.arguments.items():
            if not isinstance(argument, NounPhrase) or argument.number is None:
                continue
            found = read_limit(self._tokens, start, argument.number)
            if found is not None:
                use = self._nouns.describe_use(start, found[0], WordRole.QUANTITY)
                limited = replace(argument, number=found[1])
                counted = replace(said, arguments={**said.arguments, slot: limited})
                uses = (*clause.uses, use)
                yield found[0], replace(clause, predications=(counted,), uses=uses)
            return

    def _read_source(self, start: int, clause: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Read "from the shelf" behind "put the books on the table"."""
        if clause.act is not Act.ACHIEVE or len(clause.predications) != 1:
            return
        said = clause.predications[0]
        theme = said.arguments.get(THEME)
        if not isinstance(theme, NounPhrase):
            return
        for end, quality in self._nouns.parse_modifiers(start):
            if quality.source:
                longer = replace(theme, qualities=(*theme.qualities, quality))
                arguments = {**said.arguments, THEME: longer}
                uses = (*quality.uses, *list_argument_uses(quality))
                yield (
                    end,
                    replace(
                        clause,
                        predications=(replace(said, arguments=arguments),),
                        uses=(*clause.uses, *uses),
                        degree=clause.degree * quality.degree * 0.98,
                    ),
                )

    @abstractmethod
    def _parse_core(self, start: int, depth: int) -> Iterator[tuple[int, SpokenClause]]:
        """Yield the clauses that begin at a token, without the words around them."""


def list_argument_uses(said: Predication) -> tuple[WordUse, ...]:
    """List the uses of the words of the arguments."""
    return tuple(
        use
        for argument in said.arguments.values()
        if isinstance(argument, (NounPhrase, Coordination))
        for use in list_phrase_uses(argument)
    )
