# SPDX-License-Identifier: Apache-2.0
"""Tools named first: "use the sponge to wipe the table" for "wipe it with the sponge"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.domain.phrases import PhraseSlot, PhraseWord
from fcp_ros.language.english.inflection import write_gerund
from fcp_ros.language.parsing.meanings import FlatPart, PatternTable

_WITH = ("with", "using")


def add_instruments(table: PatternTable) -> None:
    """Add "use the sponge to wipe the table" where a domain has "wipe the table with it"."""
    known = [pattern for listed in table.imperatives.values() for pattern in listed]
    said = set[tuple[FlatPart, ...]]()
    for pattern in known:
        for parts in _turn_round(pattern.parts):
            if parts not in said:
                said.add(parts)
                table.add_imperative(replace(pattern, parts=parts))


def _turn_round(parts: tuple[FlatPart, ...]) -> Iterator[tuple[FlatPart, ...]]:
    """Yield the other ways to say a phrase that ends with an instrument."""
    if len(parts) < 4 or not isinstance(parts[-1], PhraseSlot):
        return
    *core, preposition, instrument = parts
    verb, *rest = core
    if not isinstance(preposition, PhraseWord) or preposition.text not in _WITH:
        return
    if not isinstance(verb, PhraseWord):
        return
    for use in ("use", "take"):
        yield PhraseWord(use), instrument, PhraseWord("to"), *core
    gerund = PhraseWord(write_gerund(verb.text))
    yield PhraseWord("use"), instrument, PhraseWord("for"), gerund, *rest
