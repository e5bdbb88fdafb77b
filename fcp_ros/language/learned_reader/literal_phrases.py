# SPDX-License-Identifier: Apache-2.0
"""Phrases of the domain that were said word for word: "put detergent in the washer"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from fcp_ros.domain.phrases import PhraseWord
from fcp_ros.language.domain_reader.preparation import ParsedInstruction
from fcp_ros.language.english.function_words import ARTICLES, FILLERS
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.verbs import PARTICLES
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.meanings import SpokenPattern
from fcp_ros.language.parsing.noun_phrases.pattern_matcher import PartsMatch
from fcp_ros.language.parsing.trees import Act, Predication, Sentence, SpokenClause
from fcp_ros.language.parsing.word_uses import collect_uses, list_argument_uses
from fcp_ros.language.reading import WordRole
from fcp_ros.language.syntax.clauses import Mood, ParsedClause


class LiteralReader:
    """A reader of clauses that are phrases of the domain, with words of its own in them."""

    def __init__(self, parsed: ParsedInstruction) -> None:
        self._nouns = parsed.nouns
        self._patterns = parsed.patterns

    def read(self, parsed: ParsedClause, marked: Collection[int]) -> SpokenClause | None:
        """Read an imperative, all of whose words a phrase has; None for another clause.

        Args:
            marked: tokens that are read by themselves.
        """
        tree, verb = parsed.tree, parsed.tree.words[parsed.verb]
        if parsed.mood is not Mood.IMPERATIVE or verb.token < 0:
            return None
        own = [tree.words[p].token for p in tree.list_subtree(verb.place)]
        end = max(token for token in own if token not in marked) + 1
        best: SpokenClause | None = None
        for stem in list_stems(verb.text):
            phrases = self._patterns.find_imperatives(stem)
            for pattern, found in self._nouns.match_phrases(phrases, verb.token, 0):
                if found.end > end or not _has_words(pattern):
                    continue
                clause = self._close(pattern, found, verb.token, end)
                if clause is not None and (best is None or clause.degree > best.degree):
                    best = clause
        return best

    def _close(
        self, pattern: SpokenPattern, found: PartsMatch, start: int, end: int
    ) -> SpokenClause | None:
        behind = range(found.end, end)
        if self._nouns.get_text(found.end) == ",":
            behind = range(0)  # what follows is read by itself
        if any(self._nouns.get_text(place) not in FILLERS for place in behind):
            return None
        fillers = tuple(
            self._nouns.describe_use(place, place + 1, WordRole.FILLER) for place in behind
        )
        said = Predication(
            pattern.meaning,
            found.arguments,
            uses=(*found.uses, *fillers),
            degree=found.degree * pattern.degree,
        )
        uses = (*list_argument_uses(said), *said.uses)
        verb = self._nouns.get_text(start)
        return SpokenClause(Act.ACHIEVE, (said,), verb=verb, uses=uses, degree=said.degree)

    # --- beside tasks

    def add_remarks(self, clauses: Sequence[SpokenClause]) -> Iterator[SpokenClause]:
        """Add to tasks what is said beside them: "(set the table,) we'll have soup"."""
        asked = tuple(c for c in clauses if c.act not in (Act.REMARK, Act.TOPIC))
        uses = [u for u in collect_uses(Sentence(asked)) if u.role is not WordRole.FILLER]
        free = {
            place
            for place, token in enumerate(self._nouns.tokens)
            if not any(use.start <= token.start < use.end for use in uses)
        }
        for clause in clauses:
            found = [self._add(said, free) for said in clause.predications]
            yield replace(clause, predications=tuple(found))

    def _add(self, said: Predication, free: set[int]) -> Predication:
        meaning = said.meaning
        if meaning is None or meaning.source is not MeaningSource.TASK:
            return said
        phrases = self._patterns.find_remarks(meaning.name)
        for start in sorted(free):
            best: tuple[int, Predication] | None = None
            matches = self._nouns.match_phrases(phrases, start, 0) if start in free else ()
            for pattern, found in matches:
                if not free.issuperset(range(start, found.end)):
                    continue
                longer = replace(
                    said,
                    arguments={**said.arguments, **found.arguments},
                    additions=(*said.additions, pattern.meaning),
                    uses=(*said.uses, *found.uses),
                )
                if best is None or found.end > best[0]:
                    best = found.end, longer
            if best is not None:
                free -= set(range(start, best[0]))
                said = best[1]
        return said


def _has_words(pattern: SpokenPattern) -> bool:
    """Return True for a phrase with nouns or adjectives of its own."""
    return any(
        isinstance(part, PhraseWord)
        and part.text not in ARTICLES | PARTICLES
        and (part.text,) not in PREPOSITIONS
        for part in pattern.parts[1:]
    )
