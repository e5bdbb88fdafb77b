# SPDX-License-Identifier: Apache-2.0
"""Parts of an instruction beside its requests: remarks, companions, things named first.

Also lists behind a colon, what is carried along, and conditions on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from fcp_ros.language.english.function_words import AS_LONG_AS, EARLIER, UNTIL, WHENEVER, WHILE
from fcp_ros.language.english.remark_words import ABOUT
from fcp_ros.language.english.tokens import Token
from fcp_ros.language.english.verbs import BRING_VERBS
from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.clause_parser import ClauseParser
from fcp_ros.language.parsing.clauses.remarks import RemarkParser, asks
from fcp_ros.language.parsing.clauses.timing_parser import read_longest_time
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Determiner,
    Link,
    Listed,
    NounPhrase,
    Phrase,
    Predication,
    Proviso,
    ProvisoKind,
    Reference,
    Sentence,
    SpokenClause,
    TimeKind,
    TimeLimit,
    list_heads,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole, WordUse

_HAVE = frozenset(["have", "are", "were", "had", "done"])
_ACTIVITY = 0.7
"""Degree of "while" with something that is done: only what it brings about is known."""
_SINCE = PhraseSet("(after|of)", "from (when|the moment|the time)")


class ProvisoParser:
    """A reader of clauses that say under which condition on the way another one speaks.

    Args:
        nouns: the chart of noun phrases.
    """

    def __init__(self, nouns: NounParser, clauses: ClauseParser) -> None:
        self._nouns = nouns
        self._clauses = clauses
        self._tokens = nouns.tokens

    def read_behind(self, place: int, clause: SpokenClause) -> Iterator[tuple[int, SpokenClause]]:
        """Yield a clause with the proviso that stands behind it."""
        place += self._nouns.get_text(place) == ","
        lasting = clause.negated or clause.act in (Act.KEEP, Act.STAY)
        for kind, start in self._list_beginnings(place):
            if kind is not ProvisoKind.WHENEVER and not lasting:
                continue
            yield from self._add(place, start, kind, clause)
        if not lasting:
            start = AS_LONG_AS.find_end(self._tokens, place)
            if start > place and clause.act is not Act.ACHIEVE:
                yield from self._add(place, start, ProvisoKind.WHILE, clause)
        if clause.permitted:
            start = EARLIER.find_end(self._tokens, place)
            if start > place:
                yield from self._add(place, start, ProvisoKind.UNTIL, clause)
        if clause.time is not None and clause.time.kind is TimeKind.WITHIN:
            start = _SINCE.find_end(self._tokens, place)
            if start > place:
                yield from self._add(place, start, ProvisoKind.WHENEVER, clause)

    def read_before(self, place: int) -> Iterator[tuple[int, Proviso, TimeLimit | None]]:
        """Yield the proviso that stands before a clause, with a time if one is said."""
        for kind, start in self._list_beginnings(place):
            for end, proviso in self._read(place, start, kind):
                yield end, replace(proviso, ahead=True), None
        longest = read_longest_time(self._tokens, place)
        if longest is not None:
            start = _SINCE.find_end(self._tokens, longest[0])
            if start > longest[0]:
                for end, proviso in self._read(place, start, ProvisoKind.WHENEVER):
                    yield end, replace(proviso, ahead=True), longest[1]

    def is_fit(self, clause: SpokenClause, proviso: Proviso) -> bool:
        """Return True if a clause may stand behind a proviso."""
        lasting = clause.negated or clause.act in (Act.KEEP, Act.STAY)
        if proviso.kind is ProvisoKind.UNTIL:
            return lasting
        return lasting or proviso.kind is ProvisoKind.WHENEVER or clause.act is Act.STATE

    def _list_beginnings(self, place: int) -> Iterator[tuple[ProvisoKind, int]]:
        for kind, phrases in (
            (ProvisoKind.UNTIL, UNTIL),
            (ProvisoKind.WHILE, WHILE),
            (ProvisoKind.WHENEVER, WHENEVER),
        ):
            start = phrases.find_end(self._tokens, place)
            if start > place:
                yield kind, start

    def _add(
        self, place: int, start: int, kind: ProvisoKind, clause: SpokenClause
    ) -> Iterator[tuple[int, SpokenClause]]:
        use = self._nouns.describe_use(place, start, WordRole.ORDER, kind.value)
        alike = (
            (end, Proviso(kind, other, (use,)))
            for end, other in self._clauses.parse_alike(start, clause)
            if self._nouns.ends_clause(end)
        )
        for end, proviso in chain(self._read(place, start, kind), alike):
            degree = clause.degree * proviso.clause.degree
            yield end, replace(clause, provisos=(*clause.provisos, proviso), degree=degree)

    def _read(self, place: int, start: int, kind: ProvisoKind) -> Iterator[tuple[int, Proviso]]:
        use = self._nouns.describe_use(place, start, WordRole.ORDER, kind.value)
        for end, clause in self._clauses.parse_statements(start):
            yield end, Proviso(kind, clause, (use,))
        after, skipped = self._skip_actor(start)
        for end, clause in self._clauses.parse_clauses(after):
            if clause.act is Act.REMARK:
                continue
            if kind is ProvisoKind.WHILE:  # "while you wipe it" is no state
                clause = replace(clause, degree=clause.degree * _ACTIVITY)
            yield end, Proviso(kind, clause, (use, *skipped))

    def _skip_actor(self, start: int) -> tuple[int, list[WordUse]]:
        """Skip "you have" before what is done."""
        place = start
        if self._nouns.get_text(place) in ("you", "we", "having"):
            place += 1
            while self._nouns.get_text(place) in _HAVE:
                place += 1
        uses = [self._nouns.describe_use(start, place, WordRole.FILLER)] if place > start else []
        return place, uses


WAITING = PhraseSet("(when|as soon as|the moment)")
"""Words before a state that is waited for."""


def _asks_for(clause: SpokenClause, state: SpokenClause) -> bool:
    """Return True if a clause asks for a state: it isn't done when that is so."""
    asked, awaited = ([p.meaning for p in one.predications] for one in (clause, state))
    return asked == awaited


def wait_for_states(sentence: Sentence) -> Sentence:
    """Return a sentence in which what is waited for has to be so before, and isn't asked for."""
    clauses, links = list(sentence.clauses), list(sentence.links)
    for place, awaited in enumerate(sentence.clauses):
        if not awaited.awaited:
            continue
        behind = links[place] is Link.EARLIER
        if behind and place + 1 < len(clauses) and _asks_for(clauses[place - 1], awaited):
            behind = False  # "open it and when it is open close the door"
        main = place - 1 if behind else place + 1
        if not 0 <= main < len(clauses) or clauses[main].negated or clauses[main].provisos:
            continue
        state = replace(awaited, awaited=False)
        waiting = Proviso(ProvisoKind.UNTIL, state, ahead=not behind, awaited=True)
        clauses[place] = replace(clauses[main], negated=True, provisos=(waiting,), uses=())
        links[place] = Link.AND
        if not behind:
            links[main] = Link.AND
    return replace(sentence, clauses=tuple(clauses), links=tuple(links))


BEAM = 8
"""Partial readings that are kept at each token."""
_DANGLING = 0.85
"""Degree of a word of order that no clause follows."""


@dataclass(frozen=True, slots=True)
class PartialSentence:
    """A reading of the tokens up to a place; `pending` links the next clause.

    `after_next` links the one behind it, for clauses that begin with "before".
    """

    sentence: Sentence
    pending: Link = Link.AND
    separated: bool = True
    after_next: Link | None = None
    condition: tuple[Predication, ...] = ()
    proviso: Proviso | None = None
    limit: TimeLimit | None = None
    dangling: bool = False


Steps = Iterator[tuple[int, PartialSentence]]
"""Longer readings, each with the place where it goes on."""


def add_clause(sentence: Sentence, clause: SpokenClause, link: Link) -> Sentence:
    """Return a sentence with one more clause."""
    if clause.order is not None and sentence.clauses:
        link = clause.order
    return replace(
        sentence,
        clauses=(*sentence.clauses, clause),
        links=(*sentence.links, link),
        degree=sentence.degree * clause.degree,
    )


def close_link(partial: PartialSentence) -> PartialSentence:
    """Rate a word of order lower that no clause followed."""
    if not partial.dangling:
        return partial
    sentence = replace(partial.sentence, degree=partial.sentence.degree * _DANGLING)
    return replace(partial, sentence=sentence, dangling=False)


def keep_best(partials: Sequence[PartialSentence]) -> list[PartialSentence]:
    """Keep the best ones, each once."""
    found: list[PartialSentence] = []
    for partial in sorted(partials, key=lambda p: -p.sentence.degree):
        if partial not in found:
            found.append(partial)
        if len(found) == BEAM:
            break
    return found


def begins_sentence(tokens: Sequence[Token], place: int) -> bool:
    """Return True if a sentence begins at a token."""
    return place == 0 or tokens[place - 1].text in (".", "!", "?", ";")


def carry_along(sentence: Sentence) -> Sentence:
    """Make "carry it there and don't put it down" that the robot holds it and goes there."""
    clauses: list[SpokenClause] = []
    links: list[Link] = []
    for number, (clause, link) in enumerate(zip(sentence.clauses, sentence.links, strict=True)):
        links.append(link)
        carried = _carry(clause) if _is_kept(sentence.clauses[number + 1 :]) else None
        if carried is None:
            clauses.append(clause)
        else:
            clauses += carried
            links.append(Link.AND)
    return replace(sentence, clauses=tuple(clauses), links=tuple(links))


def _is_kept(following: tuple[SpokenClause, ...]) -> bool:
    """Return True for "(carry the mug there and) keep holding it"."""
    for clause in following[:1]:
        theme = clause.predications[0].arguments.get(THEME) if clause.predications else None
        again = isinstance(theme, NounPhrase) and theme.head in (Reference.IT, Reference.THEM)
        return again and clause.act is Act.HOLD and clause.verb == "keep"
    return False


def _carry(clause: SpokenClause) -> tuple[SpokenClause, SpokenClause] | None:
    """Return that something is held and where the robot goes; None if that is not said."""
    if clause.verb not in BRING_VERBS or clause.negated or len(clause.predications) != 1:
        return None
    said = clause.predications[0]
    if len(said.arguments) != 2:
        return None
    theme, place = said.arguments.values()
    if isinstance(theme, int) or isinstance(place, int):
        return None
    held = replace(clause, act=Act.HOLD, predications=(Predication(None, {THEME: theme}),))
    gone = Predication(None, {PLACE: place}, preposition="to", uses=said.uses)
    return held, SpokenClause(Act.GO, (gone,), verb="go")


def find_announced(
    clauses: Sequence[SpokenClause],
) -> tuple[int, Predication, str, NounPhrase] | None:
    """Find the pronoun that a list behind a colon stands for: the last, or "the following"."""
    pronouns = (Reference.IT, Reference.THEM, Reference.THING, Reference.FOLLOWING)
    found = [
        (number, said, slot, argument)
        for number, clause in enumerate(clauses)
        for said in clause.predications
        for slot, argument in said.arguments.items()
        if isinstance(argument, NounPhrase) and argument.head in pronouns
    ]
    announced = [one for one in found if one[3].head is Reference.FOLLOWING]
    first = [one for one in announced or found if one[3].plural]
    for one in first or found[-1:]:
        return one
    return None


def list_after(pronoun: NounPhrase, listed: Phrase) -> Phrase | None:
    """Return what a list means: all of the things, or as many as were announced."""
    parts = tuple(list_heads(listed))
    definite = pronoun.determiner is Determiner.THE
    if definite and pronoun.number is not None:
        return listed if pronoun.number.value == len(parts) else None
    if definite or pronoun.determiner is Determiner.ALL or len(parts) < 2:
        return listed
    heads = tuple(replace(part, uses=()) for part in parts)
    return replace(pronoun, head=Listed(heads), plural=True, uses=())


_TOPIC = 0.95
"""Degree of a thing that is named before the clause about it."""


class AsideReader:
    """A reader of what stands beside the requests of an instruction.

    Args:
        nouns: the chart of noun phrases.
    """

    def __init__(self, nouns: NounParser, clauses: ClauseParser) -> None:
        self._nouns = nouns
        self._clauses = clauses
        self._tokens = nouns.tokens
        self._remarks = RemarkParser(nouns)

    def read_aside(self, place: int, partial: PartialSentence) -> Steps:
        """Yield readings that go on with a remark, a companion or a thing named first."""
        yield from self._read_remark(place, partial)
        yield from self._read_companion(place, partial)
        yield from self._read_topic(place, partial)

    def _read_remark(self, place: int, partial: PartialSentence) -> Steps:
        """Read what nothing is asked by: "I'm thirsty.", "because the news is on"."""
        for remark in self._remarks.parse_remarks(place):
            sentence = add_clause(partial.sentence, remark.clause, Link.AND)
            yield remark.end, replace(partial, sentence=sentence, separated=False)

    def _read_companion(self, place: int, partial: PartialSentence) -> Steps:
        """Read "with the door closed", "(come to me) with it"."""
        sentence = partial.sentence
        if not sentence.clauses or not asks(sentence.clauses[-1]):
            return
        for companion in self._clauses.parse_companions(place, sentence.clauses[-1]):
            if not companion.ahead:
                added = add_clause(sentence, companion.clause, Link.AND)
            else:
                *clauses, last = sentence.clauses
                *links, link = sentence.links
                added = replace(
                    sentence,
                    clauses=(*clauses, companion.clause, last),
                    links=(*links, link, Link.AND),
                    degree=sentence.degree * companion.clause.degree,
                )
            yield companion.end, replace(partial, sentence=added, separated=False)

    def _read_topic(self, place: int, partial: PartialSentence) -> Steps:
        """Read "the mug and the glass, (I want both on the table)": named first, then spoken of."""
        if not begins_sentence(self._tokens, place):
            return
        start = ABOUT.find_end(self._tokens, place)
        marks = (",", ":") if start == place else (",", ":", "?", ".", "!")
        uses: tuple[WordUse, ...] = ()
        if start > place:
            uses = (self._nouns.describe_use(place, start, WordRole.FILLER),)
        for end, phrase in self._nouns.parse_phrases(start):
            if self._nouns.get_text(end) not in marks:
                continue
            pronoun = isinstance(phrase, NounPhrase) and isinstance(phrase.head, Reference)
            if pronoun and not _names_things(phrase):
                continue
            said = Predication(None, {THEME: phrase}, uses=list_phrase_uses(phrase))
            topic = SpokenClause(Act.TOPIC, (said,), uses=uses, degree=phrase.degree * _TOPIC)
            yield (
                end + 1,
                replace(partial, sentence=add_clause(partial.sentence, topic, Link.AND)),
            )


def _names_things(phrase: Phrase) -> bool:
    """Return True for "the things on the counter"."""
    return (
        isinstance(phrase, NounPhrase) and phrase.head is Reference.THING and bool(phrase.qualities)
    )
