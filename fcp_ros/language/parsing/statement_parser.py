# SPDX-License-Identifier: Apache-2.0
"""Statements of what shall be so, and of what is so already."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.domain.phrases import PhraseSlot, PhraseWord
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.verbs import KEEP_VERBS, PUT_VERBS
from fcp_ros.language.english.word_lists import gather_phrases, gather_words
from fcp_ros.language.parsing.adverbial_parser import (
    DEEPEST_CLAUSE,
    AdverbialParser,
    list_argument_uses,
)
from fcp_ros.language.parsing.meanings import MeaningSource
from fcp_ros.language.parsing.noun_phrases.head_parser import list_phrase_uses
from fcp_ros.language.parsing.noun_phrases.quantities import match_words
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
)
from fcp_ros.language.reading import WordRole, WordUse

MOVING = frozenset(("touch", "move", "disturb"))
_UNFIT = 0.01
"""Degree of a state that something can't be in: said, and refused with a reason."""
_VERBLESS = 0.75
"""Degree of a wish without a verb."""
MOST_CLAUSES = 12
"""Clauses that are kept of those that begin at one token."""
GENERAL = 0.93
"""Degree of a clause by verbs of English in general, beside a phrase of the domain."""
_MODALS = gather_words("should must shall will would can may ought has have needs need is are")
_STAYS = frozenset(["stay", "stays", "remain", "remains"])
_ENSURE = gather_phrases(
    "make sure that",
    "make sure",
    "be sure that",
    "see to it that",
    "ensure that",
    "ensure",
    "take care that",
    "check that",
    "guarantee that",
    "i want",
    "we want",
    "i would like",
    "we would like",
    "i need",
    "we need",
    "i expect",
    "i wish that",
    "let",
    "make it so that",
    "make it so",
    "see to it",
    "see that",
    "take care",
    "it is important that",
    "the goal is that",
    "in the end",
    "at the end",
    "finally",
)
_WISH = gather_phrases(
    "i want",
    "i need",
    "i would like",
    "i would love",
    "we need",
    "we want",
    "i could use",
    "we would like",
    "can i have",
    "could i have",
    "may i have",
    "can i get",
    "could i get",
    "i will have",
)


class StatementParser(AdverbialParser):
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
        arguments = {**said.arguments, said.subject: theme}
        uses = (*said.uses, *list_argument_uses(said), *list_phrase_uses(theme))
        type_ = said.meaning.types.get(said.subject, "") if said.meaning else ""
        degree = said.degree * theme.degree * max(self._nouns.fit(theme, type_), _UNFIT)
        full = replace(said, arguments=arguments, subject="", degree=degree, uses=())
        return SpokenClause(act, (full,), uses=uses, degree=degree)

    def _parse_ensured(self, start: int, depth: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "make sure that the door is closed", "I want a mug", "I want it to be clean"."""
        for words in _ENSURE:
            if match_words(self._tokens, start, words):
                place = start + len(words)
                use = self._nouns.describe_use(start, place, WordRole.FILLER)
                for end, clause in self._parse_statement(place, wanted=True):
                    yield end, replace(clause, uses=(use, *clause.uses))
                if depth < DEEPEST_CLAUSE and words[0] != "i":
                    for end, clause in self.parse_clauses(place, depth + 1):
                        yield (
                            end,
                            replace(clause, uses=(use, *clause.uses), degree=clause.degree * 0.9),
                        )
        for words in (("i", "do", "not", "want"), ("we", "do", "not", "want")):
            if match_words(self._tokens, start, words):
                place = start + len(words)
                use = self._nouns.describe_use(start, place, WordRole.LIMIT, "not")
                for end, clause in self._parse_statement(place, wanted=True):
                    yield end, replace(clause, negated=True, uses=(use, *clause.uses))
        end = self._match_any(start, _WISH)
        if end > start:
            use = self._nouns.describe_use(start, end, WordRole.ACTION, "bring me")
            speaker = NounPhrase(start, start, Reference.SPEAKER, Determiner.THE)
            for after, theme in self._nouns.parse_phrases(end):
                clause = make_brought(theme, speaker)
                yield after, replace(clause, uses=(use, *clause.uses), degree=clause.degree * 0.9)

    def _parse_statement(
        self, start: int, wanted: bool = False
    ) -> Iterator[tuple[int, SpokenClause]]:
        if self._get(start) == "there":
            yield from self._parse_existence(start, wanted)
        if self._get(start) in ("may", "should", "must", "shall"):
            yield from self._parse_inverted(start)
        for end, theme in self._nouns.parse_phrases(start):
            place, negated, demanded, stays = self._read_verb_phrase(end)
            if place == end:
                if wanted:
                    for after, said in self._nouns.parse_modifiers(end):
                        purpose = said.meaning and said.meaning.source is MeaningSource.GRADED
                        if not said.source and not purpose:
                            yield after, self._make_said(theme, said, Act.STATE)
                continue
            if not (demanded or wanted):
                if not negated:
                    yield from self._parse_remark(end, place, theme)
                continue
            use = self._nouns.describe_use(end, place, WordRole.FILLER)
            if negated:
                use = self._nouns.describe_use(end, place, WordRole.LIMIT, "not")
            act = Act.KEEP if stays else Act.STATE
            for after, said in self._nouns.parse_modifiers(place):
                if said.source:
                    continue
                clause = self._make_said(theme, said, act)
                yield after, replace(clause, negated=negated, uses=(use, *clause.uses))
                yield from self._add_said(after, theme, clause, negated, use)
            if stays:
                continue
            if negated and set(list_stems(self._get(place))) & MOVING:
                said = Predication(None, {THEME: theme}, degree=theme.degree)
                verb = self._nouns.describe_use(place, place + 1, WordRole.ACTION, "stays")
                uses = (use, verb, *list_phrase_uses(theme))
                yield (
                    place + 1,
                    SpokenClause(Act.STAY, (said,), uses=uses, degree=theme.degree * 0.96),
                )
                continue
            for after, clause in self._parse_passive(place, theme):
                yield after, replace(clause, negated=negated, uses=(use, *clause.uses))

    def _add_said(
        self, start: int, theme: Phrase, clause: SpokenClause, negated: bool, use: WordUse
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(should be closed) and empty"."""
        if self._get(start) != "and" or negated:
            return
        several = isinstance(theme, Coordination) or theme.plural
        head = Reference.THEM if several else Reference.IT
        same = NounPhrase(start, start, head, Determiner.THE, None, several)
        for after, said in self._nouns.parse_modifiers(start + 1):
            if said.source or said.preposition == "to":
                continue
            more = self._make_said(same, said, clause.act)
            yield (
                after,
                replace(
                    clause,
                    predications=(*clause.predications, *more.predications),
                    uses=(use, *clause.uses, *more.uses),
                    degree=clause.degree * more.degree,
                ),
            )

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
        """Read "(at no time) may the fridge be open"."""
        for end, theme in self._nouns.parse_phrases(start + 1):
            if self._get(end) != "be":
                continue
            use = self._nouns.describe_use(start, start + 1, WordRole.FILLER)
            for after, said in self._nouns.parse_modifiers(end + 1):
                if not said.source:
                    clause = self._make_said(theme, said, Act.KEEP)
                    yield after, replace(clause, uses=(use, *clause.uses))

    def _parse_remark(
        self, end: int, place: int, theme: Phrase
    ) -> Iterator[tuple[int, SpokenClause]]:
        """Read "the counter is dirty": nothing is asked, and "it" is spoken of."""
        use = self._nouns.describe_use(end, place, WordRole.FILLER)
        for after, said in self._nouns.parse_modifiers(place):
            if not said.source:
                clause = self._make_said(theme, said, Act.REMARK)
                yield after, replace(clause, uses=(use, *clause.uses), degree=clause.degree * 0.9)

    def _read_verb_phrase(self, start: int) -> tuple[int, bool, bool, bool]:
        """Read "should not be": its end, negated, demanded, and True for "stay"."""
        place, negated, demanded, stays = start, False, False, False
        text = self._get(place)
        if text in ("goes", "go", "belongs", "belong", "be"):
            return place + 1, False, True, False
        if text in ("to",) and self._get(place + 1) == "be":
            return place + 2, False, True, False
        if text not in _MODALS:
            return (
                (place + 1, False, True, True) if text in _STAYS else (start, False, False, False)
            )
        finite = text in ("is", "are")
        demanded = not finite
        place += 1
        while self._get(place) in ("not", "never", "always", "also", "all", "both", "still", "no"):
            negated = negated or self._get(place) in ("not", "never")
            stays = stays or self._get(place) in ("never", "always")
            place += 1
        if self._get(place) == "to":
            demanded = True
            place += 1
        if self._get(place) in ("be", "get", "become", "end", "go"):
            place += 1
            if self._get(place) == "up":
                place += 1
        elif self._get(place) in _STAYS:
            place, stays = place + 1, True
        elif text in ("has", "have") and self._get(place) in ("been", "become"):
            place += 1
        elif text in ("needs", "need") and self._get(place).endswith("ing"):
            return place, negated, True, stays
        elif not finite and text not in ("has", "have"):
            return start, False, False, False
        return place, negated, demanded, stays

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
            for pattern in self._patterns.imperatives.get(stem, ()):
                parts = pattern.parts
                slots = [part for part in parts if isinstance(part, PhraseSlot)]
                if not slots or not isinstance(parts[0], PhraseWord):
                    continue
                rest = tuple(part for part in parts[1:] if part is not slots[0])
                type_ = pattern.meaning.types.get(slots[0].name, "")
                degree = self._nouns.fit(theme, type_)
                if degree <= 0.0 or slots[0].name not in pattern.meaning.types:
                    continue
                for match in self._nouns.match_parts(rest, after, pattern.meaning.types, 0):
                    said = Predication(
                        pattern.meaning,
                        {slots[0].name: theme, **match.arguments},
                        degree=pattern.degree * match.degree * degree * theme.degree,
                        uses=(use, *match.uses),
                    )
                    yield (
                        match.end,
                        SpokenClause(
                            Act.ACHIEVE, (said,), uses=list_phrase_uses(theme), degree=said.degree
                        ),
                    )

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
        place, negated, demanded, stays = self._read_verb_phrase(start + 1)
        if place == start + 1:
            return
        if not demanded and not wanted and not negated:
            yield from self._parse_lead_in(start, place)
            return
        for end, theme in self._nouns.parse_simple(place):
            use = self._nouns.describe_use(start, place, WordRole.FILLER)
            for after, said in self._nouns.parse_modifiers(end):
                if not said.source:
                    clause = self._make_said(theme, said, Act.KEEP if stays else Act.STATE)
                    yield after, replace(clause, negated=negated, uses=(use, *clause.uses))

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
