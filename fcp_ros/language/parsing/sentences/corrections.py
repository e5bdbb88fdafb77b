# SPDX-License-Identifier: Apache-2.0
"""Things that are taken back: "put it on the bed. No, sorry, the table"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.remark_words import CORRECTIONS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.parsing.clauses.remarks import asks
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.sentences.partial_sentences import PartialSentence, Steps
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Coordination,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
)
from fcp_ros.language.reading import WordRole, WordUse

_CORRECTED = 0.9
"""Degree of a thing that takes the place of another one."""
_UNSURE = 0.6
"""The same where it could take the place of several."""
_MOST_WORDS = 3
"""Most phrases by which something is taken back."""
_ENDS = frozenset([".", ",", "!", ";", "?"])


class CorrectionReader:
    """A reader of what takes the place of something that was said before.

    Args:
        nouns: the chart of noun phrases.
    """

    def __init__(self, nouns: NounParser) -> None:
        self._nouns = nouns
        self._tokens = nouns.tokens

    def read_correction(self, place: int, partial: PartialSentence) -> Steps:
        """Yield the readings in which a thing of the last clause is another one."""
        clauses = partial.sentence.clauses
        if not clauses or not asks(clauses[-1]) or len(clauses[-1].predications) != 1:
            return
        start = self._find_thing(place)
        if start == place:
            return
        last, said = clauses[-1], clauses[-1].predications[0]
        for end, changed, taken, degree in self._change(start, said):
            use = self._nouns.describe_use(place, start, WordRole.LIMIT, "taken back")
            uses = (*last.uses, use, *taken)
            clause = replace(last, predications=(changed,), uses=uses)
            sentence = replace(
                partial.sentence,
                clauses=(*clauses[:-1], clause),
                degree=partial.sentence.degree * degree,
            )
            yield end, replace(partial, sentence=sentence, separated=False)

    def _find_thing(self, place: int) -> int:
        """Return where the right thing begins behind "no, sorry,"; the same place if nowhere."""
        if place == 0 or self._tokens[place - 1].kind is TokenKind.WORD:
            return place
        start, marked = place, False
        for _ in range(_MOST_WORDS):
            end = CORRECTIONS.find_end(self._tokens, start)
            if end == start:
                break
            marked = marked or end - start > 1 or self._nouns.get_text(end) in _ENDS
            start = end + (self._nouns.get_text(end) in _ENDS)
        return start if marked else place

    def _change(
        self, start: int, said: Predication
    ) -> Iterator[tuple[int, Predication, list[WordUse], float]]:
        """Yield what is said with another thing in it: end, predication, words taken back."""
        for end, where in self._nouns.parse_modifiers(start):
            if self._ends(end) and where.preposition and PLACE in said.arguments:
                arguments = {**said.arguments, PLACE: where.arguments[PLACE]}
                changed = replace(said, arguments=arguments, preposition=where.preposition)
                taken = self._take_back(said.arguments[PLACE])
                yield end, changed, taken, where.degree * _CORRECTED
        for end, phrase in self._nouns.parse_phrases(start):
            if not self._ends(end):
                continue
            fitting = [slot for slot in said.arguments if self._fits(phrase, slot, said)]
            for slot in fitting:
                changed = replace(said, arguments={**said.arguments, slot: phrase})
                degree = phrase.degree * (_CORRECTED if len(fitting) == 1 else _UNSURE)
                yield end, changed, self._take_back(said.arguments[slot]), degree

    def _ends(self, place: int) -> bool:
        return self._nouns.get_text(place) in _ENDS or place >= len(self._tokens)

    def _fits(self, phrase: Phrase, slot: str, said: Predication) -> bool:
        """Return True if a phrase may fill a slot: "the table" is no thing on the table."""
        before = said.arguments[slot]
        if not isinstance(before, NounPhrase) or isinstance(before.head, Reference):
            return False
        if said.meaning is not None:
            return self._nouns.fit(phrase, said.meaning.types.get(slot, "")) > 0.0
        if slot not in (THEME, PLACE):
            return False
        legs = [
            relation.meaning.types.get(relation.theme if slot == THEME else relation.place, "")
            for relation in self._nouns.patterns.places
        ]
        return any(
            self._nouns.fit(phrase, type_) > 0.0 and self._nouns.fit(before, type_) > 0.0
            for type_ in legs
        )

    def _take_back(self, phrase: object) -> list[WordUse]:
        """Return the uses of the words of what was said first."""
        if not isinstance(phrase, (NounPhrase, Coordination)):
            return []
        parts = phrase.parts if isinstance(phrase, Coordination) else (phrase,)
        found = []
        for part in parts:
            if isinstance(part, NounPhrase) and part.end > part.start:
                meaning = "taken back"
                use = self._nouns.describe_use(part.start, part.end, WordRole.LIMIT, meaning)
                found.append(use)
        return found
