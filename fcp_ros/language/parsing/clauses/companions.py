# SPDX-License-Identifier: Apache-2.0
"""Companions of a clause: "with the door closed", "(come to me) with it", "holding the mug"."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.english.verbs import GO_VERBS, PUT_VERBS
from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.clauses.fronting import FrontingParser
from fcp_ros.language.parsing.clauses.verb_phrases import skip_posture
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Determiner,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole, WordUse

_COMPANION = 0.95
"""Degree of a clause that is said by "with"."""
_UNPLACED = Confidence.DOUBTFUL.degree
"""Degree of one behind "put a pan (with an apple on the table)", which is one thing."""
_WITH = PhraseSet("[and] with", "[while|still] (holding|carrying|bringing|having)", "having")
_IN_HAND = PhraseSet(
    "[still] in (your|the|its) (hand|hands|arm|arms|gripper)", "in hand", "(along|too)", "with you"
)


@dataclass(frozen=True, slots=True)
class Companion:
    """A clause that comes with another one."""

    end: int  # after its last token
    clause: SpokenClause
    ahead: bool  # it is done before: what is held on the way


class CompanionParser(FrontingParser, ABC):
    """A reader of what shall be so beside a clause."""

    def parse_companions(self, start: int, before: SpokenClause) -> Iterator[Companion]:
        """Yield what comes with the clause before a token."""
        place = _WITH.find_end(self._tokens, start)
        if place == start:
            return
        use = self._nouns.describe_use(start, place, WordRole.ACTION, "with")
        held = self._get(place - 1) != "with"
        unplaced = before.verb in PUT_VERBS and len(before.predications[-1].arguments) == 1
        for end, theme in self._nouns.parse_phrases(place):
            if not held:
                after = skip_posture(self._get, end)
                uses = [use]
                if after > end:
                    uses.append(self._nouns.describe_use(end, after, WordRole.FILLER))
                for stop, said in self._nouns.parse_modifiers(after):
                    if said.source or said.preposition == "to":
                        continue
                    clause = self._make_said(_describe_contents(theme, said), said, Act.STATE)
                    degree = clause.degree * (_UNPLACED if unplaced else _COMPANION)
                    whole = replace(clause, uses=(*uses, *clause.uses), degree=degree)
                    yield Companion(stop, whole, False)
            if _moves_robot(before):
                stop = _IN_HAND.find_end(self._tokens, end)
                yield Companion(stop, self._make_held(theme, use, end, stop), True)

    def _make_held(self, theme: Phrase, use: WordUse, end: int, stop: int) -> SpokenClause:
        """Make the clause that something is held; "in your hand" is from `end` to `stop`."""
        uses = [use, *list_phrase_uses(theme)]
        if stop > end:
            uses.append(self._nouns.describe_use(end, stop, WordRole.FILLER))
        degree = theme.degree
        said = Predication(None, {THEME: theme}, degree=degree)
        return SpokenClause(Act.HOLD, (said,), uses=tuple(uses), degree=degree)


def _describe_contents(theme: Phrase, said: Predication) -> Phrase:
    """Take all things "in it" for those that are there already.

    "With everything in it" goes along with the box, and asks for nothing else to be put there.
    """
    place = said.arguments.get(PLACE)
    if not isinstance(theme, NounPhrase) or not isinstance(place, NounPhrase):
        return theme
    every = theme.determiner in (Determiner.ALL, Determiner.EACH)
    if not every or place.head not in (Reference.IT, Reference.THEM):
        return theme
    return replace(theme, qualities=(*theme.qualities, said))


def _moves_robot(clause: SpokenClause) -> bool:
    """Return True for "come to me", "you should be in the kitchen"."""
    if clause.act is Act.GO:
        return True
    if clause.verb in GO_VERBS and all(len(p.arguments) == 1 for p in clause.predications):
        return True
    subjects = [said.arguments.get(THEME) for said in clause.predications]
    return any(isinstance(s, NounPhrase) and s.head is Reference.ADDRESSEE for s in subjects)
