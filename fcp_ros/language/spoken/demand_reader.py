# SPDX-License-Identifier: Apache-2.0
"""Demands of clauses whose verbs no phrase of the domain has, by the learned model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from fcp_ros.domain.model import Domain
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.demands.clause import (
    OBJECT,
    PREPOSITION,
    RECEIVER,
    DemandClause,
    SpokenArgument,
)
from fcp_ros.language.demands.model import Demand, DemandModel
from fcp_ros.language.parsing.noun_phrases.head_parser import list_phrase_uses
from fcp_ros.language.parsing.trees import Act, Phrase, Predication, SpokenClause
from fcp_ros.language.reading import WordRole
from fcp_ros.language.spoken.chunks import WORD, ClauseChunk, Row
from fcp_ros.language.spoken.span_phrases import SpanPhrases

_LEAST = 0.5
"""Demands of a lower degree are none: "eat the apple" isn't asked about as picking it up (.34), nor
"ignore the rules" as putting rulers away (.26)."""
_SHARPNESS = 0.7
"""Power of the degrees of demands: what is as probable as all others together is likely. No demand
of an unknown verb is plain: "iron the shirt" and "glimp the television" are asked about."""
_UNUSED = 0.8
"""Degree of a demand for each argument that it has no place for."""
_MOST_PHRASES = 2
_PARTICLES = frozenset(["up", "down", "off", "on", "out", "away", "over", "in"])
Spoken = tuple[SpokenClause, Row]


class DemandReader:
    """A reader of clauses by the learned demand model.

    Args:
        model: ranks the meanings of the domain.
        domain: the domain.
    """

    def __init__(self, model: DemandModel, domain: Domain) -> None:
        self._model = model
        self._domain = domain

    def read(
        self, verb: str, row: Row, phrases: SpanPhrases, subject: ClauseChunk | None = None
    ) -> Iterator[Spoken]:
        """Yield what a verb with chunks asks for, and the chunks that are left.

        Args:
            verb: its base form.
            row: the chunks behind it.
            phrases: of the sentence.
            subject: of a passive.
        """
        chunks = [chunk for chunk in row if chunk.marker != WORD]
        if subject is not None:
            chunks = [replace(subject, marker=""), *chunks]
        words = [chunk for chunk in row if chunk.marker == WORD]
        particle = next((w for w in words if w.said in _PARTICLES), None)
        complement = next((w for w in words if w is not particle), None)
        clause = DemandClause(
            verb,
            particle.said if particle else "",
            tuple(self._list_arguments(chunks, phrases)),
            complement.said if complement else "",
        )
        named = {a.noun: c for a, c in zip(clause.arguments, chunks, strict=True)}

        def fit(noun: str, type_: str) -> float:
            chunk = named.get(noun)
            found = phrases.read(chunk.inner, chunk.end) if chunk is not None else ()
            rated = (one.degree * phrases.nouns.fit(one, type_) for one in found)
            return max(rated, default=0.0)

        for demand in self._model.rank(clause, self._domain, fit, 3):
            if demand.degree >= _LEAST:
                yield from self._fill(demand, chunks, words, phrases)

    def _list_arguments(
        self, chunks: list[ClauseChunk], phrases: SpanPhrases
    ) -> Iterator[SpokenArgument]:
        bare = [chunk for chunk in chunks if not chunk.marker]
        for chunk in chunks:
            texts = [phrases.nouns.get_text(place) for place in range(chunk.inner, chunk.end)]
            noun = " ".join(texts)
            if chunk.marker:
                yield SpokenArgument(PREPOSITION + chunk.said, noun)
            elif len(bare) > 1 and chunk is bare[0]:
                yield SpokenArgument(RECEIVER, noun)
            else:
                yield SpokenArgument(OBJECT, noun)

    def _fill(
        self,
        demand: Demand,
        chunks: list[ClauseChunk],
        words: list[ClauseChunk],
        phrases: SpanPhrases,
    ) -> Iterator[Spoken]:
        meaning = demand.meaning
        used = [chunks[place] for place in demand.slots.values()]
        rest = tuple(chunk for chunk in chunks if chunk not in used)
        options = [phrases.read(chunk.inner, chunk.end)[:_MOST_PHRASES] for chunk in used]
        for chosen in product(*options):
            arguments: Mapping[str, Phrase] = dict(zip(demand.slots, chosen, strict=True))
            if not arguments:
                continue
            fits = [
                phrase.degree * phrases.nouns.fit(phrase, meaning.types.get(slot, ""))
                for slot, phrase in arguments.items()
            ]
            if min(fits) <= 0.0:
                continue
            degree = min(demand.degree**_SHARPNESS, Confidence.LIKELY.degree)
            degree *= _UNUSED ** len(rest)
            said = Predication(meaning, arguments, degree=degree)
            uses = [use for phrase in chosen for use in list_phrase_uses(phrase)]
            for chunk in (*used, *words):
                end = chunk.end if chunk.marker == WORD else chunk.inner
                if end > chunk.start:
                    uses.append(
                        phrases.nouns.describe_use(
                            chunk.start, end, WordRole.ACTION, demand.frame.action
                        )
                    )
            clause = SpokenClause(
                Act.ACHIEVE, (said,), verb=demand.frame.verb, uses=tuple(uses), degree=degree
            )
            yield clause, rest
