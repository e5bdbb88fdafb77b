# SPDX-License-Identifier: Apache-2.0
"""Statements of what shall be so, or is so: "the book should end up on the table"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.clauses.verb_phrases import VerbPhrase, read_verb_phrase
from fcp_ros.language.parsing.noun_phrases.head_parser import (
    list_argument_uses,
    list_phrase_uses,
)
from fcp_ros.language.parsing.trees import (
    PERSON,
    THEME,
    Act,
    Determiner,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
)
from fcp_ros.language.reading import WordRole
from fcp_ros.language.spoken.chunks import WORD, ClauseChunk, cut_chunks, list_rows, rate_row
from fcp_ros.language.spoken.clause_tree import ClauseNode
from fcp_ros.language.spoken.core_reader import CoreReader
from fcp_ros.language.spoken.cores import Core
from fcp_ros.language.spoken.span_phrases import SpanPhrases

_UNFIT = 0.01
"""Degree of a state that something can't be in: said, and refused with a reason."""
_REMARKED = 0.9
_VERBLESS = 0.75
"""Degree of a wish without a verb."""
_WANTED = 0.9
_WISHED_FOR = ("want", "need", "like", "prefer", "love", "have")
_HINTING = ("look", "be", "fit", "go", "do", "suit", "stand", "work", "feel")
_SPEAKERS = ("i", "we")


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens from `start` up to before `end`."""

    start: int
    end: int


class StatementReader:
    """A reader of statements.

    Args:
        phrases: of the sentence.
        cores: reads what passives ask for.
    """

    def __init__(self, phrases: SpanPhrases, cores: CoreReader) -> None:
        self._phrases = phrases
        self._nouns = phrases.nouns
        self._cores = cores

    def read(self, node: ClauseNode, wanted: bool = False) -> list[Core]:
        """Read a clause with a subject, best first.

        Args:
            node: the clause.
            wanted: somebody wants it to be so.
        """
        subject = node.find_subject()
        if subject is None:
            return []
        found = list(self._read(node, find_span(node, subject.place), wanted))
        found.sort(key=lambda core: -core.clause.degree)
        return found[:4]

    def _read(self, node: ClauseNode, subject: Span, wanted: bool) -> Iterator[Core]:
        get, end = self._nouns.get_text, find_end(node)
        verb = read_verb_phrase(get, subject.end)
        if get(subject.start) == "there":
            yield from self._read_existence(verb, end, wanted)
            return
        asked = verb.demanded or wanted
        if node.verb.tag in ("VBN", "VBD") and (asked or verb.end > subject.end):
            passive = ClauseChunk("", "", subject.start, subject.start, subject.end)
            for core in self._cores.read(node, passive) if asked else ():
                clause = replace(core.clause, negated=verb.negated)
                yield replace(core, clause=self._add_verb(clause, verb, subject))
        if get(subject.end) in ("would", "could") and not asked:
            yield from self._read_hint(node, subject)
        if verb.end == subject.end and not wanted:
            return
        act = Act.KEEP if verb.stays else Act.STATE if asked else Act.REMARK
        for theme in self._phrases.read(subject.start, subject.end):
            for after, said in self._nouns.parse_modifiers(verb.end):
                if after > end or said.source or (said.preposition == "to" and not asked):
                    continue
                if wanted and said.meaning and said.meaning.source is MeaningSource.GRADED:
                    continue  # "I want them to change places" is no purpose
                clause = self.say(theme, said, act)
                degree = clause.degree * (1.0 if asked else _REMARKED)
                clause = replace(clause, negated=verb.negated, degree=degree)
                rest = (ClauseChunk(WORD, "", after, after, end),) if after < end else ()
                yield Core(self._add_verb(clause, verb, subject), rest)

    def _read_hint(self, node: ClauseNode, subject: Span) -> Iterator[Core]:
        """Read "the vase would look nicer on the tv stand": it may be meant to be there."""
        if node.verb.token < 0 or node.verb.lemma not in _HINTING:
            return
        hint = self._nouns.describe_use(subject.end, node.verb.token + 1, WordRole.FILLER, "a wish")
        chunks = cut_chunks(node, self._nouns, node.verb.token + 1)
        for place in chunks:
            if place.marker not in ("in", "on", "at", "near", "under", "behind"):
                continue
            beside = tuple(c for c in chunks if c is not place and c.marker != WORD)
            words = [c for c in chunks if c.marker == WORD]
            uses = [self._nouns.describe_use(c.start, c.end, WordRole.FILLER) for c in words]
            for theme in self._phrases.read(subject.start, subject.end):
                for end, said in self._nouns.parse_modifiers(place.start):
                    if end == place.end and said.preposition and not said.source:
                        clause = self.say(theme, said, Act.STATE)
                        degree = clause.degree * Confidence.LIKELY.degree
                        full = replace(clause, uses=(hint, *uses, *clause.uses), degree=degree)
                        yield Core(full, beside)

    def _add_verb(self, clause: SpokenClause, verb: VerbPhrase, subject: Span) -> SpokenClause:
        if verb.end == subject.end:
            return clause
        role = WordRole.LIMIT if verb.negated else WordRole.FILLER
        meaning = "not" if verb.negated else ""
        use = self._nouns.describe_use(subject.end, verb.end, role, meaning)
        return replace(clause, uses=(use, *clause.uses))

    def say(self, theme: Phrase, said: Predication, act: Act) -> SpokenClause:
        """Make the clause that something is so."""
        uses = (*said.uses, *list_argument_uses(said), *list_phrase_uses(theme))
        degree = said.degree * theme.degree
        if said.preposition:
            arguments = {THEME: theme, **said.arguments}
        else:
            arguments = {said.subject: theme, **said.arguments}
            type_ = said.meaning.types.get(said.subject, "") if said.meaning else ""
            degree *= max(self._nouns.fit(theme, type_), _UNFIT)
        full = replace(said, arguments=arguments, subject="", degree=degree, uses=())
        return SpokenClause(act, (full,), uses=uses, degree=degree)

    def _read_existence(self, verb: VerbPhrase, end: int, wanted: bool) -> Iterator[Core]:
        """Read "there should be two mugs on the table"."""
        use = self._nouns.describe_use(max(0, verb.end - 1), verb.end, WordRole.FILLER)
        asked = verb.demanded or wanted
        for after, theme in self._nouns.parse_phrases(verb.end):
            for stop, said in self._nouns.parse_modifiers(after):
                if said.source or stop > end or not (asked or verb.negated):
                    continue
                act = Act.KEEP if verb.stays else Act.STATE
                clause = self.say(theme, said, act)
                clause = replace(clause, negated=verb.negated, uses=(use, *clause.uses))
                rest = (ClauseChunk(WORD, "", stop, stop, end),) if stop < end else ()
                yield Core(clause, rest)

    # --- wishes

    def read_wish(self, node: ClauseNode) -> list[Core]:
        """Read "I want the mug on the table", "I need a mug"."""
        subject = node.tree.find_child(node.verb.place, "nsubj")
        lemma = node.verb.lemma
        speaks = subject is not None and subject.text in _SPEAKERS
        told = lemma == "have" and (subject is None or subject.is_inserted or subject.text == "us")
        given = lemma == "have" and subject is not None and subject.text in ("me", "us")
        if lemma not in _WISHED_FOR or not (speaks or told or given):
            return []
        start = node.verb.token + 1
        for below in node.list_nodes_below():
            if below.verb.role == "xcomp" and below.verb.lemma in ("have", "see", "get"):
                node, start = below, below.verb.token + 1
        found = list(self._read_wanted(start, find_end(node), told))
        found += self._read_placed(node, start)
        found.sort(key=lambda core: -core.clause.degree)
        return found[:4]

    def _read_wanted(self, start: int, end: int, told: bool) -> Iterator[Core]:
        use = self._nouns.describe_use(start - 1, start, WordRole.ACTION, "shall be so")
        for after, theme in self._nouns.parse_phrases(start):
            if after > end:
                continue
            for stop, said in self._nouns.parse_modifiers(after):
                graded = said.meaning and said.meaning.source is MeaningSource.GRADED
                if said.source or graded or stop > end:
                    continue
                clause = self.say(theme, said, Act.STATE)
                rest = (ClauseChunk(WORD, "", stop, stop, end),) if stop < end else ()
                yield Core(replace(clause, verb="want", uses=(use, *clause.uses)), rest)
            nothing = isinstance(theme, NounPhrase) and theme.determiner is Determiner.NO
            if told or nothing:
                continue
            speaker = NounPhrase(start, start, Reference.SPEAKER, Determiner.THE)
            degree = theme.degree * _WANTED * self._rate_wanted(theme)
            said = Predication(None, {THEME: theme, PERSON: speaker}, degree=degree)
            uses = (use, *list_phrase_uses(theme))
            rest = (ClauseChunk(WORD, "", after, after, end),) if after < end else ()
            clause = SpokenClause(Act.BRING, (said,), verb="want", uses=uses, degree=degree)
            yield Core(clause, rest)

    def _read_placed(self, node: ClauseNode, start: int) -> Iterator[Core]:
        """Read "have it (ready) on the table": the object and a place apart from it."""
        use = self._nouns.describe_use(start - 1, start, WordRole.ACTION, "shall be so")
        for row in list_rows(cut_chunks(node, self._nouns, start)):
            bare = [chunk for chunk in row if not chunk.marker]
            if len(bare) != 1:
                continue
            for place in row:
                if place.marker not in ("in", "on", "at", "near", "under", "behind"):
                    continue
                rest = tuple(c for c in row if c is not bare[0] and c is not place)
                for theme in self._phrases.read(bare[0].inner, bare[0].end):
                    for end, said in self._nouns.parse_modifiers(place.start):
                        if end != place.end or not said.preposition or said.source:
                            continue
                        clause = self.say(theme, said, Act.STATE)
                        degree = clause.degree * rate_row(row)
                        uses = (use, *clause.uses)
                        full = replace(clause, verb="want", uses=uses, degree=degree)
                        yield Core(full, rest)

    def _rate_wanted(self, theme: Phrase) -> float:
        """Rate lower that "the mug on the table" is wanted here: it may be wanted there."""
        placed = isinstance(theme, NounPhrase) and any(
            said.preposition and not said.source for said in theme.qualities
        )
        return 0.8 if placed else 1.0

    def read_verbless(self, node: ClauseNode) -> list[Core]:
        """Read "two cups on the table", "apple to the table, milk to the fridge"."""
        words = node.list_words()
        if not words:
            return []
        end = words[-1].token + 1
        return self._read_pairs(words[0].token, end)[:4]

    def _read_pairs(self, start: int, end: int) -> list[Core]:
        """Read things, each with its place or state behind it."""
        found = []
        for after, theme in self._nouns.parse_phrases(start):
            if isinstance(theme, NounPhrase) and isinstance(theme.head, Reference):
                continue
            after = self._skip_polite(after)
            for stop, said in self._nouns.parse_modifiers(after):
                if said.source or stop > end:
                    continue
                clause = self.say(theme, said, Act.STATE)
                clause = replace(clause, degree=clause.degree * _VERBLESS)
                following = self._read_next(stop, end)
                if following is not None:
                    more = (following.clause, *following.following)
                    found.append(Core(clause, following.rest, more))
                    continue
                rest = (ClauseChunk(WORD, "", stop, stop, end),) if stop < end else ()
                found.append(Core(clause, rest))
        found.sort(key=lambda core: (len(core.rest), -core.clause.degree))
        return found

    def _skip_polite(self, place: int) -> int:
        while self._nouns.get_text(place) in (",", ":", "please"):
            place += 1
        return place

    def _read_next(self, place: int, end: int) -> Core | None:
        """Read the next pair behind a comma or "and"."""
        start = place
        while self._nouns.get_text(start) in (",", "and", ";"):
            start += 1
        if place < start < end:
            return next(iter(self._read_pairs(start, end)), None)
        return None

    def read_topic(self, node: ClauseNode) -> list[Core]:
        """Read what is said of a thing in words that the domain lacks: it is spoken of."""
        subject = node.find_subject()
        words = node.list_words()
        if subject is None or not words:
            return []
        span = find_span(node, subject.place)
        found = []
        for theme in self._phrases.read(span.start, span.end):
            said = Predication(None, {THEME: theme}, degree=theme.degree)
            uses = [
                self._nouns.describe_use(w.token, w.token + 1, WordRole.FILLER, "a remark")
                for w in words
                if not span.start <= w.token < span.end
            ]
            degree = theme.degree * Confidence.LIKELY.degree
            uses += list_phrase_uses(theme)
            found.append(Core(SpokenClause(Act.TOPIC, (said,), uses=tuple(uses), degree=degree)))
        return found[:2]


def find_span(node: ClauseNode, place: int) -> Span:
    """Return the tokens of a word of a clause and of all that belongs to it."""
    words = [node.tree.words[p] for p in node.tree.list_subtree(place)]
    tokens = [word.token for word in words if word.token >= 0]
    return Span(min(tokens), max(tokens) + 1)


def find_end(node: ClauseNode) -> int:
    """Return the place after the last token of a clause."""
    return max((word.token for word in node.list_words()), default=-1) + 1
