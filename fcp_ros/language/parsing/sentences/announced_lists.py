# SPDX-License-Identifier: Apache-2.0
"""Lists behind a colon, which a pronoun before it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fcp_ros.language.parsing.trees import (
    Determiner,
    Listed,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
    list_heads,
)


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
