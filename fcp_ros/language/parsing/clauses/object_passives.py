# SPDX-License-Identifier: Apache-2.0
"""Statements about objects that are words of phrases: "the table has to be set for two"."""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.parsing.clauses.verb_phrases import read_verb_phrase
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.trees import Act, Predication, SpokenClause
from fcp_ros.language.reading import WordRole


def parse_object_passives(
    nouns: NounParser, start: int, wanted: bool
) -> Iterator[tuple[int, SpokenClause]]:
    """Yield the clauses that say of an object what shall be done to it.

    Args:
        nouns: the chart of noun phrases.
        start: the first token of the object.
        wanted: words before it say that it shall be so ("I want").
    """
    for spoken, found in nouns.match_phrases(nouns.patterns.find_objects(), start, 0, False):
        verb = read_verb_phrase(nouns.get_text, found.end)
        if not (wanted or verb.demanded):
            continue
        said = nouns.get_text(verb.end)
        if spoken.verb not in list_stems(said) or (said == spoken.verb and not said.endswith("t")):
            continue
        after = verb.end + 1
        use = nouns.describe_use(verb.end, after, WordRole.ACTION, spoken.verb)
        uses = [*found.uses, use]
        if verb.end > found.end:
            uses.append(nouns.describe_use(found.end, verb.end, WordRole.FILLER))
        for pattern, match in nouns.match_phrases(spoken.rest, after, 0, False):
            arguments = {**found.arguments, **match.arguments}
            degree = pattern.degree * found.degree * match.degree
            predication = Predication(
                pattern.meaning, arguments, degree=degree, uses=(*uses, *match.uses)
            )
            yield (
                match.end,
                SpokenClause(Act.ACHIEVE, (predication,), verb.negated, degree=degree),
            )
