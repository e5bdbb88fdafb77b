# SPDX-License-Identifier: Apache-2.0
"""Sentences beside a request: why it is made ("I'm thirsty."), known by their form.

Such a sentence is about who speaks, or says how something is. It has no word that demands. One
that speaks of things of the scene may be meant as a request: it is read with a low degree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.language.english.function_words import COMMON, FILLERS, PREPOSITIONS
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.remark_words import ABOUT
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.verbs import (
    BRING_VERBS,
    CLEAR_VERBS,
    GO_VERBS,
    HOLD_VERBS,
    KEEP_VERBS,
    PUT_VERBS,
)
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.parsing.clauses.hedges import ASIDE
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
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
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.normalisation import SENTENCE_ENDS
from fcp_ros.language.syntax.statements import Telling, list_endings
from fcp_ros.language.syntax.units import find_units

_PLAIN = 0.97
"""Degree of a remark without a word of the domain."""
_LOADED = 0.65
"""Degree of a remark that speaks of what the domain has."""
_DOUBTFUL = 0.6
"""The same if it tells of an act of the domain, or of something else that "it" may mean."""
_DESCRIBED = 0.85
"""Degree of a remark that says how a thing of the scene is, or where who speaks is."""
_TOPIC = 0.95
"""Degree of a thing that is named before the clause about it."""
_CALLED = 0.9
"""Degree of a word that is taken for the name of who is spoken to."""
_PERSONS = gather_words("somebody someone everybody everyone nobody people they he she")
"""Subjects that "it" does not mean."""
_COMMON_VERBS = gather_words(
    "be have do go come get run look set make take leave bring give keep stay hold feel end "
    "finish return visit head add send stand rest move hang start wind use work call want need "
    "like drive walk travel serve insist pass carry drop"
)
_VERBS = PUT_VERBS | BRING_VERBS | GO_VERBS | HOLD_VERBS | CLEAR_VERBS | KEEP_VERBS
_PRONOUNS = ("it", "them", "there", "one")
_ONE_OF_SEVERAL = 0.6
"""Degree of "it" behind several things that were named."""
_NOT_SPOKEN_OF = 0.1
"""Degree of a clause without a pronoun behind such a thing."""
_LEAD_INS = gather_words("because since although as though well oh now besides plus anyway")
"""Words before a statement."""
_OUT_OF = PhraseSet("(out of|of|from)", "[from] among")
"""Words before that of which something is meant."""
_INTO = gather_words("in at near inside on")
_CLAUSE_STARTS = gather_words(", and but so though although while as : - \u2013 \u2014 (")


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence, or a part of one, in which nothing is asked for."""

    end: int  # after its last token
    clause: SpokenClause  # the things that it speaks of, with its words


class RemarkParser:
    """A reader of remarks.

    Args:
        nouns: the chart of noun phrases.
    """

    def __init__(self, nouns: NounParser) -> None:
        self._nouns = nouns
        self._tokens = nouns.tokens
        self._told = {unit.start: unit for unit in find_units(nouns.spans.tree)}
        self._things: dict[tuple[int, int], list[Phrase]] = {}

    def _parse_whole(self, start: int) -> Iterator[Remark]:
        """Yield "of the things on the shelf,", "from the shelf,": what comes next is of these."""
        place = _OUT_OF.find_end(self._tokens, start)
        for end, phrase in self._nouns.parse_phrases(place) if place > start else ():
            if self._nouns.get_text(end) != ",":
                continue
            uses = (
                self._nouns.describe_use(start, place, WordRole.FILLER),
                *list_phrase_uses(phrase),
            )
            degree = phrase.degree
            if isinstance(phrase, NounPhrase) and not phrase.plural:
                if self._get(place - 1) == "of" or phrase.determiner is not Determiner.THE:
                    continue
                there = Predication(None, {PLACE: phrase}, THEME, "from", source=True)
                every = Determiner.ALL
                phrase = NounPhrase(place, end, Reference.THING, every, None, True, (there,))
            said = Predication(None, {THEME: phrase})
            yield Remark(end + 1, SpokenClause(Act.REMARK, (said,), uses=uses, degree=degree))

    def parse_remarks(self, start: int) -> Iterator[Remark]:
        """Yield the remarks of all forms that begin at a token."""
        begins = start == 0 or self._get(start - 1) in SENTENCE_ENDS
        yield from self._parse_called(start, begins)
        if begins or self._get(start - 1) in _CLAUSE_STARTS:
            yield from self._parse_telling(start)
        if begins:
            yield from self._parse_whole(start)
            yield from self._parse_topic(start)

    def _get(self, place: int) -> str:
        return self._nouns.get_text(place)

    def _describe(self, start: int, stop: int) -> WordUse:
        return self._nouns.describe_use(start, stop, WordRole.FILLER, ASIDE)

    def _list_words(self, start: int, stop: int) -> list[str]:
        return [self._get(place) for place in range(start, stop)]

    # --- the forms of remarks

    def _parse_telling(self, start: int) -> Iterator[Remark]:
        """Read "my cat is ill", "that's where I work"."""
        if self._get(start) == "what" and self._get(start + 1) in ("a", "an"):
            stop = start + 2  # "what a shame!"
            while stop < len(self._tokens) and self._tokens[stop].kind is not TokenKind.MARK:
                stop += 1
            if self._is_plain(start, stop):
                yield self._make_remark(start, stop, _PLAIN)
        unit = self._told.get(start) or self._told.get(start + (self._get(start) in _LEAD_INS))
        for stop, form in list_endings(unit) if unit is not None else ():
            yield self._make_remark(start, stop, self._rate_telling(start, stop, form))

    def _parse_called(self, start: int, begins: bool) -> Iterator[Remark]:
        """Read a name between commas: "Robbie, put ...", "..., Robbie."."""
        end = self._get(start + 1)
        if not begins and self._get(start - 1) != ",":
            return
        if end not in ((",", "!") if begins else (",", ".", "!", "?", "")):
            return
        if self._is_name(start) and self._get(start + 2) not in ("then", "and", "or"):
            yield self._make_remark(start, start + 1, _CALLED)

    def _parse_topic(self, start: int) -> Iterator[Remark]:
        """Read "the mug and the glass, (I want both on the table)": named first, then spoken of."""
        place = ABOUT.find_end(self._tokens, start)
        marks = (",", ":") if place == start else (",", ":", "?", ".", "!")
        uses = (self._nouns.describe_use(start, place, WordRole.FILLER),) if place > start else ()
        for end, phrase in self._nouns.parse_phrases(place):
            pronoun = isinstance(phrase, NounPhrase) and isinstance(phrase.head, Reference)
            if self._get(end) not in marks or (pronoun and not _names_things(phrase)):
                continue
            said = Predication(None, {THEME: phrase}, uses=list_phrase_uses(phrase))
            clause = SpokenClause(Act.TOPIC, (said,), uses=uses, degree=phrase.degree * _TOPIC)
            yield Remark(end, clause)

    def _is_name(self, place: int) -> bool:
        """Return True for a capital word that names nothing and that is no verb."""
        if place >= len(self._tokens):
            return False
        token = self._tokens[place]
        if token.kind is not TokenKind.WORD or not token.shown[:1].isupper():
            return False
        if (
            token.text in COMMON
            or token.text.endswith("ly")
            or not self._is_plain(place, place + 1)
        ):
            return False
        return not self._nouns.lexicon.find_nouns(self._tokens, place)

    # --- degrees

    def _rate_telling(self, start: int, stop: int, form: Telling) -> float:
        """Return the degree of a statement: how sure it is that it asks for nothing."""
        things = self._list_things(start, stop)
        spans = [find_span(thing) for thing in things]
        inside = {place for first, end in spans for place in range(first, end)}
        verbs = any(self._is_loaded(p) for p in range(start, stop) if p not in inside)
        if not things and not verbs:
            return _PLAIN
        if form is Telling.EXPLANATION:
            return _DESCRIBED
        first = spans[0][0] if spans else stop
        alone = len(things) == 1 and not verbs
        if form is Telling.STATE and alone and first <= start + 1:
            return _DESCRIBED
        if form is Telling.SPEAKER and alone and self._get(first - 1) in _INTO:
            return _DESCRIBED if self._get(start + 1) in ("am", "are", "was", "were") else _LOADED
        person = form is Telling.SPEAKER or self._get(start) in _PERSONS
        return _LOADED if person and not verbs else _DOUBTFUL

    def _is_plain(self, start: int, stop: int) -> bool:
        if self._list_things(start, stop):
            return False
        return not any(self._is_loaded(place) for place in range(start, stop))

    def _make_remark(self, start: int, stop: int, degree: float) -> Remark:
        use = self._describe(start, stop)
        said = tuple(
            Predication(None, {THEME: _make_definite(phrase)}, uses=list_phrase_uses(phrase))
            for phrase in self._list_things(start, stop)
            if isinstance(phrase, Coordination) or phrase.head is not Reference.THING
        )
        return Remark(stop, SpokenClause(Act.REMARK, said, uses=(use,), degree=degree))

    def _is_loaded(self, place: int) -> bool:
        """Return True for a state or a verb of the domain."""
        text = self._get(place)
        if text in FILLERS or (text,) in PREPOSITIONS or text in ("i", "we", "me", "us"):
            return False
        patterns = self._nouns.patterns
        had = self._get(place - 1) in ("have", "having") and text in patterns.remark_words
        if text in patterns.states or had:  # "we'll have soup" belongs to a task
            return True
        stems = set(list_stems(text)) - _COMMON_VERBS
        if text in _COMMON_VERBS:
            return False
        return bool(stems & _VERBS) or any(s in self._nouns.patterns.imperatives for s in stems)

    def _list_things(self, start: int, stop: int) -> list[Phrase]:
        """List the things of the scene that are named, from left to right."""
        if (start, stop) in self._things:
            return self._things[start, stop]
        found: list[Phrase] = []
        self._things[start, stop] = found
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


def _names_things(phrase: Phrase) -> bool:
    """Return True for "the things on the counter"."""
    return (
        isinstance(phrase, NounPhrase) and phrase.head is Reference.THING and bool(phrase.qualities)
    )


def _make_definite(phrase: Phrase) -> Phrase:
    """Make "a mug" the one that is spoken of next."""
    if isinstance(phrase, Coordination):
        return replace(phrase, parts=tuple(map(_make_definite, phrase.parts)))
    loose = phrase.determiner in (Determiner.A, Determiner.BARE) and phrase.number is None
    return replace(phrase, determiner=Determiner.THE) if loose else phrase


def find_span(phrase: Phrase) -> tuple[int, int]:
    """Return the first token of a phrase, and the one behind it."""
    if isinstance(phrase, Coordination):
        return find_span(phrase.parts[0])[0], find_span(phrase.parts[-1])[1]
    return phrase.start, phrase.end


def asks(clause: SpokenClause) -> bool:
    """Return True for a clause that is more than a remark or a topic."""
    return clause.act not in (Act.REMARK, Act.TOPIC)


def rate_following(before: SpokenClause, clause: SpokenClause) -> float:
    """Rate a clause behind a remark or topic by whether it speaks of what is named there."""
    if before.act is Act.TOPIC:
        if not names_pronoun(clause):
            return _NOT_SPOKEN_OF
        phrase = before.predications[0].arguments[THEME]
        several = isinstance(phrase, Coordination) and not phrase.alternative
        return _ONE_OF_SEVERAL if several and names_pronoun(clause, ("it",)) else 1.0
    lost = before.act is Act.REMARK and before.degree == _LOADED and before.predications
    return _DESCRIBED / _LOADED if lost and names_pronoun(clause) else 1.0


def names_pronoun(clause: SpokenClause, pronouns: tuple[str, ...] = _PRONOUNS) -> bool:
    """Return True if a clause speaks of "it" or "them"."""
    return any(
        _is_pronoun(argument, pronouns)
        for said in clause.predications
        for argument in said.arguments.values()
        if not isinstance(argument, int)
    )


def _is_pronoun(argument: Phrase, pronouns: tuple[str, ...]) -> bool:
    if isinstance(argument, Coordination):
        return any(_is_pronoun(part, pronouns) for part in argument.parts)
    return getattr(argument.head, "value", "") in pronouns
