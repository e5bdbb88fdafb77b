# SPDX-License-Identifier: Apache-2.0
"""Clauses as a chart: imperatives, wishes and statements with what belongs to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.remark_words import WANTS
from fcp_ros.language.english.verbs import (
    BRING_VERBS,
    CLEAR_VERBS,
    GO_VERBS,
    GOING,
    HOLD_VERBS,
    KEEP_VERBS,
    MAKE_VERBS,
    PUT_VERBS,
    REMOVE_VERBS,
)
from fcp_ros.language.english.wholes import MAKING_VERBS, WHOLE_VERBS
from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.adverbial_parser import DEEPEST_CLAUSE
from fcp_ros.language.parsing.clauses.companions import CompanionParser
from fcp_ros.language.parsing.clauses.exception_parser import leave_out
from fcp_ros.language.parsing.clauses.former_places import match_former_place
from fcp_ros.language.parsing.statement_parser import GENERAL, MOVING, limit, make_brought
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Determiner,
    NounPhrase,
    Predication,
    Reference,
    SpokenClause,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole

_SOMEWHERE = 0.9
"""Degree of parts that shall be together, without a word about where."""
_WHERE_IT_IS = PhraseSet(
    "(where|as) (it is|they are) [now]", "(alone|untouched|as is|in place|in its place)"
)
_LEFT_ALONE = {"leave": 0.8, "keep": Confidence.LIKELY.degree}
"""Degrees of "leave the mug", "keep the mug" as that it stays where it is."""
_KEPT = PhraseSet("[on] (holding|carrying) [on to]", "[a] hold of", "hold on to")


class ClauseParser(CompanionParser):
    """A chart of the clauses of one sentence."""

    def parse_clauses(self, start: int, depth: int = 0) -> list[tuple[int, SpokenClause]]:
        """Return the clauses that begin at a token, best first."""
        key = (start, depth)
        if start >= len(self._tokens) or depth > DEEPEST_CLAUSE:
            return []
        if key not in self._clauses:
            self._clauses[key] = []
            found: list[tuple[int, SpokenClause]] = []
            for place, opened in self._read_openings(start):
                wished = self.parse_statements(place) if opened.preferred else ()
                for end, clause in chain(self._parse_core(place, depth), wished):
                    merged = replace(
                        clause,
                        negated=clause.negated != opened.negated,
                        preferred=clause.preferred or opened.preferred,
                        time=clause.time or opened.time,
                        sometime=clause.sometime or opened.sometime,
                        uses=(*opened.uses, *clause.uses),
                        degree=clause.degree * opened.degree,
                    )
                    if clause.act is Act.HOLD and clause.negated and merged.negated:
                        merged = _release(merged)
                    if opened.excluded:
                        fewer = leave_out(merged, opened.excluded)
                        if fewer is None:
                            continue
                        merged = fewer
                    found += self._read_adverbials(end, merged)
            found.sort(key=lambda pair: (-pair[1].degree, -pair[0]))
            self._clauses[key] = limit(found)
        return self._clauses[key]

    def _parse_core(self, start: int, depth: int) -> Iterator[tuple[int, SpokenClause]]:
        if start >= len(self._tokens):
            return
        yield from self._parse_patterns(start)
        stems = list_stems(self._get(start))
        for stem in stems:
            yield from self._parse_verb(start, stem)
        yield from self._parse_motion(start)
        yield from self._parse_ensured(start, depth)
        yield from self._parse_verbless(start)
        yield from self._parse_statement(start)
        yield from self._parse_places_first(start, depth)

    def _parse_patterns(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read an imperative by the phrases of the domain."""
        table = self._patterns.imperatives
        word = self._get(start)
        stems = [stem for stem in list_stems(word) if stem in table]
        if not stems:
            near = self._nouns.lexicon.is_near_phrase_word(word)
            stems = [stem for stem in list_stems(near) if stem in table] if near else []
        wanted = WANTS.find_end(self._tokens, start) > start
        for stem in (*stems, ""):
            for pattern, match in self._nouns.match_phrases(
                self._patterns.find_imperatives(stem), start, 0
            ):
                said = Predication(
                    pattern.meaning,
                    match.arguments,
                    degree=pattern.degree * match.degree,
                    uses=match.uses,
                )
                act = Act.KEEP if stem in KEEP_VERBS else Act.ACHIEVE
                degree = said.degree
                for last in list(match.arguments.values())[-1:] if wanted else ():
                    if not isinstance(last, int):
                        degree *= self.rate_wanted(last)
                verb = "want" if wanted else stem
                yield match.end, SpokenClause(act, (said,), verb=verb, degree=degree)

    def _parse_verb(self, start: int, verb: str) -> Iterator[tuple[int, SpokenClause]]:
        """Read an imperative by a verb of English in general."""
        after = start + 1
        use = self._nouns.describe_use(start, after, WordRole.ACTION, verb)
        found: list[tuple[int, SpokenClause]] = []
        if verb in PUT_VERBS or verb in MAKE_VERBS or verb in KEEP_VERBS:
            found += self._parse_put(after, verb)
        if verb in BRING_VERBS:
            found += self._parse_bring(after)
        if verb in HOLD_VERBS:
            found += self._parse_hold(after, verb)
        if verb in ("keep", "stay", "continue"):
            found += self._parse_kept(after)
        if verb in GO_VERBS:
            found += self._parse_go(after)
        going = self._match_any(start, GOING)
        if going > start:
            for end, clause in self._parse_go(going):
                way = self._nouns.describe_use(after, going, WordRole.FILLER)
                found.append((end, replace(clause, uses=(way, *clause.uses))))
        if verb in CLEAR_VERBS:
            found += self._parse_clear(after)
        if verb in ("put", "set", "lay", "let"):
            found += self._parse_released(after, verb)
        found += self._parse_whole(after, verb)
        if verb in MOVING:
            for end, theme in self._nouns.parse_phrases(after):
                said = Predication(None, {THEME: theme}, degree=theme.degree)
                found.append(
                    (end, SpokenClause(Act.STAY, (said,), True, degree=theme.degree * 0.96))
                )
        for end, clause in found:
            yield end, replace(clause, uses=(use, *clause.uses), degree=clause.degree * GENERAL)

    def _parse_put(self, start: int, verb: str) -> Iterator[tuple[int, SpokenClause]]:
        down = 1 if self._get(start) == "down" else 0
        for end, theme in self._nouns.parse_phrases(start + down):
            place = end + 1 if self._get(end) in ("down", "over", "away") else end
            if verb in KEEP_VERBS:
                said = Predication(None, {THEME: theme}, degree=theme.degree)
                uses, degree = list_phrase_uses(theme), theme.degree * _LEFT_ALONE[verb]
                yield end, SpokenClause(Act.STAY, (said,), uses=uses, degree=degree)
                after = self._match_any(place, _WHERE_IT_IS)
                if after > place:
                    use = self._nouns.describe_use(place, after, WordRole.ACTION, "stays")
                    said = Predication(None, {THEME: theme}, uses=(use,), degree=theme.degree)
                    yield after, SpokenClause(Act.STAY, (said,), degree=theme.degree)
            elif verb in PUT_VERBS:
                after = match_former_place(self._get, place)
                if after > place and not self._reads_on(after):
                    use = self._nouns.describe_use(place, after, WordRole.ACTION, "as initially")
                    said = Predication(None, {THEME: theme}, uses=(use,), degree=theme.degree)
                    yield after, SpokenClause(Act.RETURN, (said,), verb=verb, degree=theme.degree)
            if verb in ("have", "get"):
                yield from self._parse_passive(place, theme)
            if self._get(place) == "to" and self._get(place + 1) == "be":
                place += 2
            for after, said in self._nouns.parse_modifiers(place):
                if said.preposition and not said.source:
                    if verb in PUT_VERBS or verb in KEEP_VERBS or verb in ("want", "need"):
                        placed = self._make_placed(theme, said, verb)
                        aside = self._nouns.list_uses(range(end, place), WordRole.FILLER)
                        yield after, replace(placed, uses=(*placed.uses, *aside))
                elif said.source and verb in REMOVE_VERBS | MAKE_VERBS:
                    placed = self._make_placed(theme, said, verb)
                    negated = replace(
                        placed.predications[0], negated=True, preposition="from", source=False
                    )
                    act = Act.KEEP if verb == "keep" else Act.ACHIEVE
                    yield after, replace(placed, predications=(negated,), act=act)
                elif verb in MAKE_VERBS and said.subject:
                    yield after, replace(self._make_said(theme, said, _act_of(verb)), verb=verb)

    def _parse_released(self, start: int, verb: str) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(don't) put it down", "(don't) let go of it": it is held."""
        particle = "go" if verb == "let" else "down"
        ahead = start + (self._get(start) == particle)
        ahead += ahead > start and self._get(ahead) == "of"
        for end, theme in self._nouns.parse_phrases(ahead):
            after = end + (ahead == start and self._get(end) == particle)
            if ahead == start and after == end:
                continue
            use = self._nouns.describe_use(start, after, WordRole.ACTION, "held")
            said = Predication(None, {THEME: theme}, degree=theme.degree)
            uses = (use, *list_phrase_uses(theme))
            held = SpokenClause(Act.HOLD, (said,), True, verb="keep", uses=uses)
            yield after, replace(held, degree=theme.degree)

    def _parse_kept(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "(keep) holding it", "(keep) hold of it": it is still held."""
        place = _KEPT.find_end(self._tokens, start)
        if place == start:
            return
        use = self._nouns.describe_use(start, place, WordRole.ACTION, "held")
        for end, theme in self._nouns.parse_phrases(place):
            said = Predication(None, {THEME: theme}, degree=theme.degree)
            uses = (use, *list_phrase_uses(theme))
            held = SpokenClause(Act.HOLD, (said,), verb="keep", uses=uses, degree=theme.degree)
            yield end, held

    def _parse_whole(self, start: int, verb: str) -> Iterator[tuple[int, SpokenClause]]:
        """Read "build a shed in the garden", "put a shed together", "gather all its parts"."""
        particle = MAKING_VERBS.get(verb, "")
        before = bool(particle) and self._get(start) == particle
        skipped = [start] if before or self._get(start) in ("me", "us") else []
        begun = particle or verb in WHOLE_VERBS
        for end, theme in self._nouns.parse_phrases(start + len(skipped)) if begun else ():
            behind = bool(particle) and self._get(end) == particle
            whole = isinstance(theme, NounPhrase) and theme.set_name
            if not whole or not (before or behind or verb in WHOLE_VERBS):
                continue
            after = end + behind
            words = [*skipped, *range(end, after)]
            uses = self._nouns.list_uses(words, WordRole.ACTION, verb)
            somewhere = NounPhrase(after, after, Reference.THING, Determiner.A)
            together = Predication(None, {PLACE: somewhere}, THEME, "on", degree=_SOMEWHERE)
            for stop, said in (*self._nouns.parse_modifiers(after), (after, together)):
                if said.preposition and not said.source:
                    clause = self._make_placed(theme, said, verb)
                    yield stop, replace(clause, uses=(*uses, *clause.uses))

    def _reads_on(self, place: int) -> bool:
        """Return True if a preposition follows: "put it back on the table"."""
        return any(p != "for" for _, p in self._nouns.match_preposition(place))

    def _parse_bring(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        """Read "me the book", "the book to me", "the book here"."""
        for end, person in self._nouns.parse_simple(start):
            if person.head is Reference.SPEAKER or self._is_person(person):
                for after, theme in self._nouns.parse_phrases(end):
                    yield after, make_brought(theme, person)
        for end, theme in self._nouns.parse_phrases(start):
            place = end + 1 if self._get(end) == "over" else end
            if self._get(place) in ("to", "for"):
                for after, person in self._nouns.parse_simple(place + 1):
                    if person.head is Reference.SPEAKER or self._is_person(person):
                        yield after, make_brought(theme, person)
            if self._get(place) in ("here", "over"):
                use = self._nouns.describe_use(place, place + 1, WordRole.THING, "here")
                speaker = NounPhrase(
                    place, place + 1, Reference.SPEAKER, Determiner.THE, uses=(use,)
                )
                yield place + 1, make_brought(theme, speaker)

    def _is_person(self, phrase: NounPhrase) -> bool:
        return self._nouns.fits_person(phrase)

    def _parse_hold(self, start: int, verb: str) -> Iterator[tuple[int, SpokenClause]]:
        if verb == "hold" and self._get(start) == "on":
            return
        up = self._get(start) == "up"
        weak = 0.8 if verb in ("get", "fetch", "take", "collect", "gather") else 1.0
        for end, theme in self._nouns.parse_phrases(start + up):
            after = end + 1 if self._get(end) == "up" else end
            said = Predication(None, {THEME: theme}, degree=theme.degree * weak)
            yield (
                after,
                SpokenClause(
                    Act.HOLD,
                    (said,),
                    verb=verb,
                    uses=list_phrase_uses(theme),
                    degree=theme.degree * weak,
                ),
            )

    def _parse_clear(self, start: int) -> Iterator[tuple[int, SpokenClause]]:
        skip = 1 if self._get(start) in ("up", "off", "out", "from") else 0
        for end, phrase in self._nouns.parse_phrases(start + skip):
            theme = NounPhrase(start, start, Reference.THING, Determiner.NO)
            uses = list_phrase_uses(phrase)
            if skip:
                uses = (self._nouns.describe_use(start, start + 1, WordRole.FILLER), *uses)
            for preposition in ("on", "in"):
                said = Predication(
                    None,
                    {THEME: theme, PLACE: phrase},
                    preposition=preposition,
                    degree=phrase.degree,
                )
                yield (end, SpokenClause(Act.STATE, (said,), uses=uses, degree=phrase.degree))


def _release(clause: SpokenClause) -> SpokenClause:
    """Read "put it down" as that it is held no more, which is no ban of holding it."""
    said = tuple(replace(one, negated=True) for one in clause.predications)
    return replace(clause, negated=False, predications=said, verb="put")


def _act_of(verb: str) -> Act:
    return Act.KEEP if verb in KEEP_VERBS else Act.STATE
