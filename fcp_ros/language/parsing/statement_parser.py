# SPDX-License-Identifier: Apache-2.0
"""Statements of what shall be so, and of what is so already."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.remark_words import DEMANDS, INTENTIONS, UNWANTED, WANTS, WISHES
from fcp_ros.language.english.verbs import KEEP_VERBS, PUT_VERBS
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.adverbial_parser import DEEPEST_CLAUSE, AdverbialParser
from fcp_ros.language.parsing.clauses.former_places import match_former_place
from fcp_ros.language.parsing.clauses.swaps import parse_swap
from fcp_ros.language.parsing.clauses.verb_phrases import VerbPhrase, read_verb_phrase
from fcp_ros.language.parsing.trees import (
    PERSON,
    THEME,
    Act,
    Coordination,
    Determiner,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
    list_argument_uses,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole

MOVING = frozenset(("touch", "move", "disturb"))
_UNFIT = 0.01
"""Degree of a state that something can't be in: said, and refused with a reason."""
_VERBLESS = 0.75
"""Degree of a wish without a verb."""
MOST_CLAUSES = 12
"""Clauses that are kept of those that begin at one token."""
_LATE = 0.93
"""Degree of "in the end" as no word of order."""
GENERAL = 0.93
"""Degree of a clause by verbs of English in general, beside a phrase of the domain."""
_INTENDED = 0.68
"""Degree of what who speaks wants to do as a request."""
_PLACED_WISH = 0.8
"""Degree of bringing what is wanted somewhere: "I want the mug on the table"."""
_DIRECTIONS = frozenset(["back", "over", "out", "away", "up", "down"])
_ASKING = frozenset(["could", "can", "would", "will", "might"])
_INVERTED = _ASKING | {"may", "should", "must", "shall"}


class StatementParser(AdverbialParser, ABC):
    """A reader of statements and wishes; "make sure that you" has any clause behind it."""

    def parse_statements(self, start: int) -> list[tuple[int, SpokenClause]]:
        """Return the statements that begin at a token: "the door is closed"."""
        found = list(self._parse_statement(start, wanted=True))
        found.sort(key=lambda pair: (-pair[1].degree, -pair[0]))
        return limit(found)

    def _make_placed(self, theme: Phrase, said: Predication, verb: str) -> SpokenClause:
        """Make the clause that something is in a place."""
        arguments = {THEME: theme, **said.arguments}
        uses = (*list_phrase_uses(theme), *said.uses, *list_argument_uses(said))
        degree = theme.degree * said.degree
        act = Act.KEEP if verb in KEEP_VERBS else Act.ACHIEVE
        placed = replace(said, arguments=arguments, subject="", degree=degree, uses=())
        return SpokenClause(act, (placed,), verb=verb, uses=uses, degree=degree)

    def _make_said(self, theme: Phrase, said: Predication, act: Act) -> SpokenClause:
        """Make the clause that something is so."""
        if said.preposition:
            return replace(self._make_placed(theme, said, ""), act=act)
        arguments = {said.subject: theme, **said.arguments}
        uses = (*said.uses, *list_argument_uses(said), *list_phrase_uses(theme))
        type_ = said.meaning.types.get(said.subject, "") if said.meaning else ""
        degree = said.degree * theme.degree * max(self._nouns.fit(theme, type_), _UNFIT)
        full = replace(said, arguments=arguments, subject="", degree=degree, uses=())
        return SpokenClause(act, (full,), uses=uses, degree=degree)

    def _parse_ensured(self, start: int, depth: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "make sure that the door is closed", "I want a mug", "I want it to be clean"."""
        for phrases, clausal in ((DEMANDS, True), (WISHES, False)):
            place = phrases.find_end(self._tokens, start)
            forbidden = self._get(start) == "let" and self._get(start - 1) in ("not", "ever")
            if place == start or forbidden:
                continue
            use = self._nouns.describe_use(start, place, WordRole.FILLER)
            for end, clause in self._parse_statement(place, wanted=True):
                late = _LATE if self._get(start) in ("in", "at", "finally") else 1.0
                degree = clause.degree * late
                yield end, replace(clause, uses=(use, *clause.uses), degree=degree)
            if depth < DEEPEST_CLAUSE and clausal:
                for end, clause in self.parse_clauses(place, depth + 1):
                    yield (
                        end,
                        replace(clause, uses=(use, *clause.uses), degree=clause.degree * 0.9),
                    )
        place = INTENTIONS.find_end(self._tokens, start)
        if place > start and depth < DEEPEST_CLAUSE:
            use = self._nouns.describe_use(start, place, WordRole.FILLER)
            for end, clause in self.parse_clauses(place, depth + 1):
                degree = clause.degree * _INTENDED
                yield end, replace(clause, uses=(use, *clause.uses), degree=degree)
        place = UNWANTED.find_end(self._tokens, start)
        if place > start:
            use = self._nouns.describe_use(start, place, WordRole.LIMIT, "not")
            let = "let" in (self._get(place - 1), self._get(place - 2))
            for end, clause in self._parse_statement(place, wanted=True):
                if let and clause.act is Act.STATE:
                    clause = replace(clause, act=Act.ACHIEVE, verb="let")
                uses = (use, *clause.uses)
                yield end, replace(clause, negated=not clause.negated, uses=uses)
        yield from self._parse_wanted(start)

    def _parse_wanted(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "I need a mug": it is brought to who speaks."""
        end = WANTS.find_end(self._tokens, start)
        if end == start:
            return
        use = self._nouns.describe_use(start, end, WordRole.ACTION, "bring me")
        speaker = NounPhrase(start, start, Reference.SPEAKER, Determiner.THE)
        for after, theme in self._nouns.parse_phrases(end):
            if isinstance(theme, NounPhrase) and theme.determiner is Determiner.NO:
                continue
            clause = make_brought(theme, speaker)
            degree = clause.degree * self.rate_wanted(theme) * 0.9
            uses = (use, *clause.uses)
            yield after, replace(clause, verb="want", uses=uses, degree=degree)

    def rate_wanted(self, theme: Phrase) -> float:
        """Rate lower that "the mug on the table" is wanted here: it may be wanted there."""
        last = theme
        while isinstance(last, Coordination):
            last = last.parts[-1]
        placed = any(said.preposition and not said.source for said in last.qualities[-1:])
        clausal = any(self._get(i) in ("that", "which") for i in range(last.start, last.end))
        return _PLACED_WISH if placed and not clausal else 1.0

    def _parse_statement(
        self, start: int, wanted: bool = False
    ) -> Iterator[tuple[int, SpokenClause]]:
        yield from parse_swap(self._nouns, start)
        if self._get(start) == "there":
            yield from self._parse_existence(start, wanted)
        if self._get(start) in ("it", "this", "that", "these", "those"):
            verb = read_verb_phrase(self._get, start + 1)
            if verb.end > start + 1 and not (verb.demanded or verb.negated or wanted):
                yield from self._parse_lead_in(start, verb.end)
        if self._get(start) in _INVERTED:
            yield from self._parse_inverted(start)
        for end, theme in self._nouns.parse_phrases(start):
            verb = read_verb_phrase(self._get, end)
            place, negated, stays = verb.end, verb.negated, verb.stays
            if place == end:
                if wanted:
                    yield from self._parse_wanted_state(end, theme)
                continue
            if not (verb.demanded or wanted):
                if not negated:
                    yield from self._parse_remark(end, place, theme)
                continue
            use = self._nouns.describe_use(end, place, WordRole.FILLER)
            if negated:
                use = self._nouns.describe_use(end, place, WordRole.LIMIT, "not")
            act = Act.KEEP if stays else Act.STATE
            permitted = self._is_permission(end, place)
            if self._get(place) in _DIRECTIONS and self._get(place + 1) in ("to", "onto", "on"):
                place += 1
                use = self._nouns.describe_use(end, place, use.role, use.meaning)
            for after, said in self._nouns.parse_modifiers(place):
                if said.source:
                    continue
                clause = replace(self._make_said(theme, said, act), permitted=permitted)
                yield after, replace(clause, negated=negated, uses=(use, *clause.uses))
            former = match_former_place(self._get, place)
            if former > place and not negated and (verb.demanded or wanted):
                same = self._nouns.describe_use(place, former, WordRole.ACTION, "as initially")
                said = Predication(None, {THEME: theme}, uses=(same,), degree=theme.degree)
                yield former, SpokenClause(Act.RETURN, (said,), uses=(use,), degree=theme.degree)
            if stays and not negated:
                continue
            if negated and set(list_stems(self._get(place))) & MOVING:
                said = Predication(None, {THEME: theme}, degree=theme.degree)
                moved = self._nouns.describe_use(place, place + 1, WordRole.ACTION, "stays")
                uses = (use, moved, *list_phrase_uses(theme))
                yield (
                    place + 1,
                    SpokenClause(Act.STAY, (said,), uses=uses, degree=theme.degree * 0.96),
                )
                continue
            for after, clause in self._parse_passive(place, theme):
                uses = (use, *clause.uses)
                yield after, replace(clause, negated=negated, permitted=permitted, uses=uses)

    def _is_permission(self, start: int, end: int) -> bool:
        """Return True for "may only be"."""
        words = [token.text for token in self._tokens[start:end]]
        return "only" in words and words[0] in ("may", "can", "must", "should", "shall")

    def _parse_wanted_state(self, start: int, theme: Phrase) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(I want the mug) on the table", "(I want the counter) wiped"."""
        for after, said in self._nouns.parse_modifiers(start):
            purpose = said.meaning and said.meaning.source is MeaningSource.GRADED
            if not said.source and not purpose:
                yield after, self._make_said(theme, said, Act.STATE)
        yield from self._parse_passive(start, theme)

    def _parse_verbless(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "two cups on the table, please", "I left the mug on the table"."""
        told = self._get(start) in ("i", "we", "someone", "somebody") and self._get(start + 1) in (
            "left",
            "put",
            "placed",
            "forgot",
        )
        for end, theme in self._nouns.parse_phrases(start + 2 * told):
            if not told and isinstance(theme, NounPhrase) and isinstance(theme.head, Reference):
                continue
            for after, said in self._nouns.parse_modifiers(end):
                if said.source or said.preposition == "to":
                    continue
                clause = self._make_said(theme, said, Act.REMARK if told else Act.STATE)
                uses = clause.uses
                if told:
                    uses = (self._nouns.describe_use(start, start + 2, WordRole.FILLER), *uses)
                degree = clause.degree * (0.9 if told else _VERBLESS)
                yield after, replace(clause, uses=uses, degree=degree)

    def _parse_inverted(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(at no time) may the fridge be open", "could the door be closed?"."""
        asked = self._get(start) in _ASKING
        use = self._nouns.describe_use(start, start + 1, WordRole.FILLER)
        if asked and self._get(start + 1) == "there":
            verb = read_verb_phrase(self._get, start + 2)
            yield from self._parse_there(start, replace(verb, demanded=True))
        for end, theme in self._nouns.parse_phrases(start + 1):
            verb = read_verb_phrase(self._get, end)
            base = self._get(end) in ("please", "be", "get", "stay", "remain", "stand", "lie", "go")
            if not base:
                continue
            place = max(verb.end, end + 1)
            verb_use = self._nouns.describe_use(end, place, WordRole.FILLER)
            act = Act.KEEP if verb.stays or not asked else Act.STATE
            for after, said in self._nouns.parse_modifiers(place):
                if not said.source:
                    clause = self._make_said(theme, said, act)
                    yield after, replace(clause, uses=(use, verb_use, *clause.uses))
            for after, clause in self._parse_passive(place, theme):
                yield after, replace(clause, uses=(use, verb_use, *clause.uses))

    def _parse_remark(
        self, end: int, place: int, theme: Phrase
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "the counter is dirty": nothing is asked, and "it" is spoken of."""
        use = self._nouns.describe_use(end, place, WordRole.FILLER)
        for after, said in self._nouns.parse_modifiers(place):
            if not said.source:
                clause = self._make_said(theme, said, Act.REMARK)
                yield after, replace(clause, uses=(use, *clause.uses), degree=clause.degree * 0.9)

    def _parse_passive(self, start: int, theme: Phrase) -> Iterator[tuple[int, SpokenClause]]:
        """Read "put on the table", "wiped", said of a subject."""
        for stem in list_stems(self._get(start)):
            if stem == self._get(start) and stem not in PUT_VERBS:
                continue
            after = start + 1
            use = self._nouns.describe_use(start, after, WordRole.ACTION, stem)
            if stem in PUT_VERBS:
                for end, said in self._nouns.parse_modifiers(after):
                    if said.preposition and not said.source:
                        clause = self._make_placed(theme, said, stem)
                        yield (
                            end,
                            replace(
                                clause, uses=(use, *clause.uses), degree=clause.degree * GENERAL
                            ),
                        )
            passives = self._patterns.find_passives(stem)
            for (pattern, slot), match in self._nouns.match_phrases(passives, after, 0):
                degree = self._nouns.fit(theme, pattern.meaning.types[slot])
                if degree <= 0.0 or slot in match.arguments:
                    continue
                said = Predication(
                    pattern.meaning,
                    {slot: theme, **match.arguments},
                    degree=pattern.degree * match.degree * degree * theme.degree,
                    uses=(use, *match.uses),
                )
                uses = list_phrase_uses(theme)
                yield (match.end, SpokenClause(Act.ACHIEVE, (said,), uses=uses, degree=said.degree))

    def _parse_lead_in(self, start: int, place: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "there is a mug on the table": it is spoken of, and nothing is asked."""
        use = self._nouns.describe_use(start, place, WordRole.FILLER)
        for end, theme in self._nouns.parse_simple(place):
            known = Determiner.THE if theme.number is None else theme.determiner
            said = Predication(None, {THEME: replace(theme, determiner=known)}, degree=theme.degree)
            uses = (use, *list_phrase_uses(theme))
            yield end, SpokenClause(Act.REMARK, (said,), uses=uses, degree=theme.degree * 0.9)

    def _parse_existence(self, start: int, wanted: bool) -> Iterator[tuple[int, SpokenClause]]:
        """Read "there should be two mugs on the table"."""
        verb = read_verb_phrase(self._get, start + 1)
        if verb.end == start + 1:
            return
        if not verb.demanded and not wanted and not verb.negated:
            yield from self._parse_lead_in(start, verb.end)
            return
        yield from self._parse_there(start, verb)

    def _parse_there(self, start: int, verb: VerbPhrase) -> Iterator[tuple[int, SpokenClause]]:
        """Read what shall be there, behind "there should be"."""
        use = self._nouns.describe_use(start, verb.end, WordRole.FILLER)
        for end, theme in self._nouns.parse_phrases(verb.end):
            place, uses = end, [use]
            if self._get(end) == "left":
                place = end + 1
                uses.append(self._nouns.describe_use(end, place, WordRole.FILLER))
            act = Act.KEEP if verb.stays else Act.STATE
            for after, said in self._nouns.parse_modifiers(place):
                if not said.source:
                    clause = self._make_said(theme, said, act)
                    yield after, replace(clause, negated=verb.negated, uses=(*uses, *clause.uses))

    @abstractmethod
    def parse_clauses(self, start: int, depth: int = 0) -> list[tuple[int, SpokenClause]]:
        """Return the clauses that begin at a token, best first."""


def make_brought(theme: Phrase, person: NounPhrase) -> SpokenClause:
    """Make the clause that something is brought to a person."""
    degree = theme.degree * person.degree
    said = Predication(None, {THEME: theme, PERSON: person}, degree=degree)
    uses = (*list_phrase_uses(theme), *person.uses)
    return SpokenClause(Act.BRING, (said,), verb="bring", uses=uses, degree=degree)


def limit(found: list[tuple[int, SpokenClause]]) -> list[tuple[int, SpokenClause]]:
    """Keep the best clauses, and of each length some."""
    kept: list[tuple[int, SpokenClause]] = []
    of_end: dict[int, int] = {}
    for end, clause in found:
        if of_end.get(end, 0) < 6 and len(kept) < 3 * MOST_CLAUSES:
            of_end[end] = of_end.get(end, 0) + 1
            kept.append((end, clause))
    return kept
