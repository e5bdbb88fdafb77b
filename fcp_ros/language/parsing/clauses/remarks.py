# SPDX-License-Identifier: Apache-2.0
"""Sentences beside a request: why it is made ("I'm thirsty."), known by their form.

Such a sentence is about who speaks, or says how something is. It has no word that demands. One
that speaks of things of the scene may be meant as a request: it is read with a low degree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.language.english.function_words import FILLERS
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.polite_phrases import INDIFFERENT, POLITE
from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.word_lists import gather_phrases, gather_words
from fcp_ros.language.parsing.noun_phrases.head_parser import list_phrase_uses
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.noun_phrases.quantities import match_words
from fcp_ros.language.parsing.trees import (
    PLACE,
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
from fcp_ros.language.reading import WordRole

_PLAIN = 0.97
"""Degree of a remark without a word of the domain."""
_LOADED = 0.65
"""Degree of a remark that speaks of what the domain has."""
_REASON = 0.9
"""The same behind "because"."""
_ABOUT_SPEAKER = gather_words("i we")
_SUBJECTS = gather_words(
    "it he she they this that there everybody everyone nobody somebody someone"
)
_OPENINGS = gather_words("my our your his her their the a an some no today tonight tomorrow")
_FINITE = gather_words(
    "is are was were am has have had will looks look smells smell feels feel seems seem sounds "
    "came comes arrived ran spilled dropped broke forgot knows says said keeps likes loves hates "
    "wants thinks makes made does did happened works stopped started"
)
_DEMANDING = gather_words(
    "should must shall ought need needs may to never always please let make ensure without "
    "before after until unless if belongs belong goes only not"
)
_REQUESTING = gather_words("want need wish expect require demand insist prefer ask like love order")
_SUBORDINATORS = gather_words("because since as")
_COMMON_VERBS = gather_words(
    "be have do go come get run look set make take leave bring give keep stay hold feel"
)
_AUXILIARY = gather_words("am are was were have had will would do did can could")
_OUT_OF = gather_phrases("out of", "of", "from among", "among", "amongst", "from")
"""Words before that of which something is meant."""
_MOST_BEFORE_VERB = 5
"""Most words of a subject."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence, or a part of one, in which nothing is asked for.

    Attributes:
        end: after its last token.
        clause: the things that it speaks of, with its words.
    """

    end: int
    clause: SpokenClause


class RemarkParser:
    """A reader of remarks.

    Args:
        nouns: the chart of noun phrases.
    """

    def __init__(self, nouns: NounParser) -> None:
        self._nouns = nouns
        self._tokens = nouns.tokens

    def parse_whole(self, start: int) -> Iterator[Remark]:
        """Yield "of the things on the shelf,", "from the shelf,": what comes next is of these."""
        first = next((w for w in _OUT_OF if match_words(self._tokens, start, w)), ())
        place = start + len(first)
        for end, phrase in self._nouns.parse_phrases(place) if first else ():
            if self._nouns.get_text(end) != ",":
                continue
            uses = (
                self._nouns.describe_use(start, place, WordRole.FILLER),
                *list_phrase_uses(phrase),
            )
            degree = phrase.degree
            if isinstance(phrase, NounPhrase) and not phrase.plural:
                if first[-1] == "of" or phrase.determiner is not Determiner.THE:
                    continue
                there = Predication(None, {PLACE: phrase}, THEME, "from", source=True)
                every = Determiner.ALL
                phrase = NounPhrase(place, end, Reference.THING, every, None, True, (there,))
            said = Predication(None, {THEME: phrase})
            yield Remark(end + 1, SpokenClause(Act.REMARK, (said,), uses=uses, degree=degree))

    def parse_remark(self, start: int) -> Iterator[Remark]:
        """Yield the remark that begins at the first token of a sentence, if one does."""
        if INDIFFERENT.find_end(self._tokens, start) > start:
            stop = self._find_stop(start, comma=True)
            yield self._make_remark(start, stop, stop, _LOADED)
            return
        if start and self._get(start - 1) == ",":
            return
        stop = self._find_stop(start)
        if stop > start + 1 and self._is_declarative(start, stop):
            yield self._make_remark(start, stop, start, _LOADED)

    def parse_reason(self, start: int) -> Iterator[Remark]:
        """Yield the reason that begins at a token: "because I'm thirsty", "so I can cook"."""
        text = self._get(start)
        inner = start + 1
        if text == "so":
            inner += self._get(inner) == "that"
            able = self._get(inner + 1) in ("can", "could", "may", "will")
            if self._get(inner) not in _ABOUT_SPEAKER or not able:
                return
        elif text not in _SUBORDINATORS:
            return
        stop = self._find_stop(inner, comma=True)
        if text == "so" or (stop > inner + 1 and self._is_declarative(inner, stop)):
            yield self._make_remark(start, stop, inner, _REASON)

    def _get(self, place: int) -> str:
        return self._nouns.get_text(place)

    def _find_stop(self, start: int, comma: bool = False) -> int:
        """Return where a remark ends: at a full stop, or before a request."""
        for place in range(start, len(self._tokens)):
            if self._tokens[place].kind is not TokenKind.MARK:
                if self._get(place) == "so" and self._asks(place + 1) and place > start:
                    return place
                continue
            if self._get(place) != "," or comma:
                return place
            following = place + 1 + (self._get(place + 1) in ("and", "but"))
            if self._get(following) in ("so", "therefore", "thus", "hence"):
                return place
            if self._asks(following):
                return place
        return len(self._tokens)

    def _asks(self, place: int) -> bool:
        """Return True if a request begins at a token."""
        return POLITE.find_end(self._tokens, place) > place

    def _is_declarative(self, start: int, stop: int) -> bool:
        """Return True for a statement without a word that demands."""
        words = [self._get(place) for place in range(start, stop)]
        while words and words[0] in ("well", "oh", "ah", "now", "today", "tonight", ","):
            words = words[1:]
        if len(words) < 2:
            return False
        if words[0] in _ABOUT_SPEAKER:
            return _is_about_speaker(words[1:])
        if any(word in _DEMANDING for word in words):
            return False
        if words[0] == "what" and words[1] == "a":
            return True
        if words[0] in _SUBJECTS:
            return words[1] in _FINITE
        return any(word in _FINITE for word in words[1:_MOST_BEFORE_VERB])

    def _make_remark(self, start: int, stop: int, inner: int, loaded: float) -> Remark:
        use = self._nouns.describe_use(start, stop, WordRole.FILLER, "a remark")
        known = self._list_things(inner, stop)
        plain = not known and not any(self._is_loaded(place) for place in range(inner, stop))
        degree = _PLAIN if plain else loaded
        said = tuple(
            Predication(None, {THEME: _make_definite(phrase)}, uses=list_phrase_uses(phrase))
            for phrase in known
        )
        return Remark(stop, SpokenClause(Act.REMARK, said, uses=(use,), degree=degree))

    def _is_loaded(self, place: int) -> bool:
        """Return True for a state or a verb of the domain."""
        text = self._get(place)
        if text in FILLERS or text in _ABOUT_SPEAKER or (text,) in PREPOSITIONS:
            return False
        if text in self._nouns.patterns.states:
            return True
        stems = set(list_stems(text)) - _COMMON_VERBS
        return text not in _COMMON_VERBS and any(
            stem in self._nouns.patterns.imperatives for stem in stems
        )

    def _list_things(self, start: int, stop: int) -> list[Phrase]:
        """List the things of the scene that are named, from left to right."""
        found: list[Phrase] = []
        place = start
        while place < stop:
            known = [
                (end, phrase)
                for end, phrase in self._nouns.parse_phrases(place)
                if end <= stop and self._is_known(phrase)
            ]
            if known:
                end, phrase = max(known, key=lambda pair: (pair[1].degree, pair[0]))
                found.append(phrase)
                place = end
            else:
                place += 1
        return found

    def _is_known(self, phrase: Phrase) -> bool:
        if isinstance(phrase, Coordination):
            return all(map(self._is_known, phrase.parts))
        named = getattr(phrase.head, "members", ())
        return bool(named) and phrase.degree > 0.9


def _is_about_speaker(words: list[str]) -> bool:
    """Return True for what "I" am, have or am going to do, behind "I"."""
    words = [word for word in words if word not in ("just", "really", "am", "also", "still")]
    if not words:
        return False
    joined = " ".join(words[:3])
    wish = joined.startswith(("want to", "would like to", "would love to", "need to", "have to"))
    if wish or words[0] == "going":
        return True
    if words[0] in _REQUESTING or words[0] in ("should", "must", "may", "shall", "would", "could"):
        return False
    if words[0] in ("do", "did", "can") and words[1:3] and words[2:3] and words[2] in _REQUESTING:
        return False
    return not any(word in ("you", "your", "please", "must", "should") for word in words)


def _make_definite(phrase: Phrase) -> Phrase:
    """Make "a mug" the one that is spoken of next."""
    if isinstance(phrase, Coordination):
        return replace(phrase, parts=tuple(map(_make_definite, phrase.parts)))
    loose = phrase.determiner in (Determiner.A, Determiner.BARE) and phrase.number is None
    return replace(phrase, determiner=Determiner.THE) if loose else phrase


def names_pronoun(clause: SpokenClause) -> bool:
    """Return True if a clause speaks of "it" or "them"."""
    return any(
        _is_pronoun(argument)
        for said in clause.predications
        for argument in said.arguments.values()
        if not isinstance(argument, int)
    )


def _is_pronoun(argument: NounPhrase | Coordination) -> bool:
    if isinstance(argument, Coordination):
        return any(map(_is_pronoun, argument.parts))
    return getattr(argument.head, "value", "") in ("it", "them", "there", "one")
