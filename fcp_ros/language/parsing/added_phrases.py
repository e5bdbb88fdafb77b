# SPDX-License-Identifier: Apache-2.0
"""Phrases that a domain doesn't have itself: other verbs for what it says, and tools named first.

"Use the sponge to wipe the table" for "wipe the table with the sponge".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.domain.phrases import PhraseSlot, PhraseWord
from fcp_ros.language.english.inflection import write_gerund
from fcp_ros.language.english.states import SAME_STATES, STATE_VERBS
from fcp_ros.language.english.verbs import SAME_VERBS
from fcp_ros.language.parsing.meanings import FlatPart, PatternTable, SpokenPattern
from fcp_ros.language.parsing.pattern_building import vary_particle

_WITH = ("with", "using")
_SYNONYM = 0.95
"""Degree of a phrase with another verb than the domain's."""
_STATE = 0.96
"""Degree of a verb for a state that only a relation of the domain names."""


def add_verbs(table: PatternTable) -> None:
    """Add the verbs that a domain does not have itself, where it has their meaning."""
    own = {_write_shape(p.parts) for listed in table.imperatives.values() for p in listed}
    known = {first: tuple(listed) for first, listed in table.imperatives.items()}
    for said, meant in SAME_VERBS.items():
        words = tuple(map(PhraseWord, said.split()))
        for verb in meant:
            first = tuple(map(PhraseWord, verb.split()))
            for pattern in known.get(first[0].text, ()):
                if pattern.parts[: len(first)] != first:
                    continue
                parts: tuple[FlatPart, ...] = (*words, *pattern.parts[len(first) :])
                _add(table, parts, pattern, _SYNONYM, own)
    for verb, state in STATE_VERBS.items():
        found = table.states.get(SAME_STATES.get(state, state)) or table.states.get(state)
        if found is None:
            continue
        parts = (*map(PhraseWord, verb.split()), PhraseSlot(found.subject))
        _add(table, parts, found, _STATE, own)


def _add(
    table: PatternTable,
    parts: tuple[FlatPart, ...],
    meant: SpokenPattern,
    degree: float,
    own: set[tuple[str, ...]],
) -> None:
    """Add a phrase with its variants unless the domain has one like it."""
    shape = _write_shape(parts)
    if shape in own:
        return
    own.add(shape)
    for variant in vary_particle(parts):
        table.add_imperative(SpokenPattern(variant, meant.meaning, meant.degree * degree))


def _write_shape(parts: tuple[FlatPart, ...]) -> tuple[str, ...]:
    """Return the words of a phrase, with one sign for any slot."""
    return tuple(part.text if isinstance(part, PhraseWord) else "{}" for part in parts)


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
