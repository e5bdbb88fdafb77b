# SPDX-License-Identifier: Apache-2.0
"""Patterns built from the phrases of a domain, and from its names where it has none.

Other verbs of English for these phrases, and tools named first, are added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.domain.expressions.syntax import list_variables
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.domain.phrase_goals import list_actors
from fcp_ros.domain.phrases import DomainWords, PhraseSlot, PhraseWord, TaskTemplate, list_slots
from fcp_ros.language.english.function_words import PREPOSITIONS
from fcp_ros.language.english.inflection import write_gerund
from fcp_ros.language.english.states import ANTONYMS, SAME_STATES, STATE_VERBS
from fcp_ros.language.english.tokens import tokenise
from fcp_ros.language.english.verbs import PARTICLES, SAME_VERBS
from fcp_ros.language.meanings import (
    Meaning,
    MeaningSource,
    bind_missing,
    list_meanings,
    make_graded_meaning,
    make_opposite,
    make_relation_meaning,
    make_rule_meaning,
)
from fcp_ros.language.parsing.meanings import FlatPart, PatternTable, SpokenPattern
from fcp_ros.language.parsing.set_index import SetIndex

_COPULAS = frozenset(["is", "are", "has", "be"])
_NAME_DEGREE = 0.95
"""Degree of a phrase that was made from a name."""
_WEAK_NAMES = frozenset(["is", "has", "are", "be"])


def build_patterns(domain: Domain) -> PatternTable:
    """Build the patterns of a domain from its words, and from its names where it has none."""
    words: DomainWords = domain.words
    table = PatternTable()
    ways: dict[tuple[MeaningSource, str], list[tuple[Meaning, tuple[FlatPart, ...]]]] = {}
    for meaning, variant in list_meanings(domain):
        ways.setdefault((meaning.source, meaning.name), []).append((meaning, variant))

    def add(source: MeaningSource, name: str) -> bool:
        for meaning, variant in ways.get((source, name), ()):
            _add_variant(table, variant, meaning)
        return (source, name) in ways

    for relation in domain.schema.relations:
        add(MeaningSource.RELATION, relation.name)
        _add_name(table, make_relation_meaning(relation.name, dict(relation.legs)))
    for name, predicate in domain.graded.items():
        if not add(MeaningSource.GRADED, name):
            types = {parameter.name: parameter.type for parameter in predicate.parameters}
            _add_name(table, make_graded_meaning(name, types))
    for rule in domain.rules.values():
        if not add(MeaningSource.RULE, rule.name):
            _add_rule(table, rule)
    for task in words.tasks.values():
        add(MeaningSource.TASK, task.name)
        _add_remarks(table, task)
    _add_opposites(table)
    table.sets = SetIndex(words.sets.values())
    table.vocabulary |= table.sets.vocabulary
    return table


# --- relations and graded predicates


def _add_name(table: PatternTable, meaning: Meaning) -> None:
    for parts, subject in _derive_modifiers(meaning):
        bound = bind_missing(meaning, parts, subject)
        table.add_modifier(SpokenPattern(parts, bound, _NAME_DEGREE, subject))


def _add_variant(
    table: PatternTable, variant: tuple[FlatPart, ...], meaning: Meaning, degree: float = 1.0
) -> None:
    """Add one way to say a meaning: a modifier if it begins with a slot, else an imperative."""
    variant = _split_contractions(variant)
    first = variant[0]
    if isinstance(first, PhraseSlot) and len(variant) > 1 and isinstance(variant[1], PhraseWord):
        copula = variant[1].text in _COPULAS
        parts = variant[2:] if copula else variant[1:]
        finite = not copula and (variant[1].text,) not in PREPOSITIONS
        table.add_modifier(SpokenPattern(parts, meaning, degree, first.name, finite))
        return
    for parts in vary_particle(variant):
        table.add_imperative(SpokenPattern(parts, meaning, degree))


def _split_contractions(variant: tuple[FlatPart, ...]) -> tuple[FlatPart, ...]:
    """Write words as the tokens of sentences are: "we'll" as "we will"."""
    parts: list[FlatPart] = []
    for part in variant:
        if isinstance(part, PhraseWord) and "'" in part.text:
            parts += [PhraseWord(token.text) for token in tokenise(part.text)]
        else:
            parts.append(part)
    return tuple(parts)


def vary_particle(variant: tuple[FlatPart, ...]) -> Iterator[tuple[FlatPart, ...]]:
    """Yield a variant, and with its particle on the other side of the object."""
    yield variant
    if len(variant) < 3:
        return
    verb, second, third, *rest = variant
    if not isinstance(verb, PhraseWord):
        return
    if isinstance(second, PhraseWord) and isinstance(third, PhraseSlot):
        if second.text in PARTICLES:
            yield (verb, third, second, *rest)
    elif isinstance(second, PhraseSlot) and isinstance(third, PhraseWord):
        ends = not rest or isinstance(rest[0], PhraseWord)
        if third.text in PARTICLES and ends and third.text not in ("in", "on"):
            yield (verb, third, second, *rest)


def _derive_modifiers(meaning: Meaning) -> Iterator[tuple[tuple[FlatPart, ...], str]]:
    """Yield what may be said of the first leg, from the name of a predicate."""
    words = [w for w in meaning.name.replace("-", "_").lower().split("_") if w]
    while len(words) > 1 and words[0] in _WEAK_NAMES:
        words = words[1:]
    legs = list(meaning.types)
    if not legs or not words:
        return
    spoken = tuple(map(PhraseWord, words))
    if len(legs) == 1:
        yield spoken, legs[0]
        if len(words) == 2:  # dirty_floor(room): a dirty room
            yield spoken[:1], legs[0]
        return
    if len(legs) > 2:
        return
    if len(words) > 1 and words[-1] in (legs[1], meaning.types[legs[1]]):
        words = words[:-1]  # in_room(fixture, room): in the room
    yield (*map(PhraseWord, words), PhraseSlot(legs[1])), legs[0]


def _add_opposites(table: PatternTable) -> None:
    """Add states that only their opposite is named of: "open" is not "closed"."""
    for said, means in SAME_STATES.items():
        if said not in table.states and means in table.states:
            _add_state(table, said, table.states[means], table.states[means].meaning)
    for pair in ANTONYMS:
        for one, other in (pair, pair[::-1]):
            if one in table.states or other not in table.states:
                continue
            known = table.states[other]
            if known.meaning.goal is None or known.meaning.source is not MeaningSource.RELATION:
                continue
            _add_state(table, one, known, make_opposite(known.meaning))
    for said, means in SAME_STATES.items():
        if said not in table.states and means in table.states:
            _add_state(table, said, table.states[means], table.states[means].meaning)


def _add_state(table: PatternTable, words: str, known: SpokenPattern, meaning: Meaning) -> None:
    parts = tuple(map(PhraseWord, words.split()))
    table.add_modifier(SpokenPattern(parts, meaning, known.degree, known.subject))


# --- rules


def _add_rule(table: PatternTable, rule: ActionRule) -> None:
    for variant in _derive_imperatives(rule):
        meaning = make_rule_meaning(rule, list_slots(variant))
        if meaning is not None:
            _add_variant(table, variant, meaning, _NAME_DEGREE)


def _derive_imperatives(rule: ActionRule) -> Iterator[tuple[FlatPart, ...]]:
    """Yield imperatives from the name of a rule."""
    words = [w for w in rule.name.replace("-", "_").lower().split("_") if w]
    types = {parameter.name: parameter.type for parameter in rule.parameters}
    actors = set(list_actors(rule))
    affected = [v for a in (*rule.add, *rule.delete) for v in list_variables(a) if v not in actors]
    slots = list(dict.fromkeys(affected))
    if not words or not slots:
        return
    verb, *rest = map(PhraseWord, words)
    slot = slots[0]
    if not rest:
        yield verb, PhraseSlot(slot)
        return
    names = {types[slot].split("_")[-1], types[slot], slot}
    if len(rest) == 1 and rest[0].text in names:  # clean_mop(mop): clean the mop
        yield verb, PhraseSlot(slot)
    elif rest[0].text in PARTICLES or (rest[0].text,) in PREPOSITIONS:
        added = [v for a in rule.add for v in list_variables(a) if v not in actors]
        pair = list(dict.fromkeys(added)) or slots
        if rest[0].text in ("to",):  # move_to(room)
            yield verb, rest[0], PhraseSlot(pair[0])
        elif len(pair) > 1 and (rest[0].text,) in PREPOSITIONS:
            yield verb, PhraseSlot(pair[0]), rest[0], PhraseSlot(pair[1])
        else:
            yield verb, *rest, PhraseSlot(pair[0])
    else:  # mop_floor(room)
        yield verb, *rest, PhraseSlot(slot)
        for between in ("of", "in"):
            for article in ((PhraseWord("the"),), ()):
                yield verb, *article, *rest, PhraseWord(between), PhraseSlot(slot)
        yield verb, PhraseSlot(slot)


# --- tasks


def _add_remarks(table: PatternTable, task: TaskTemplate) -> None:
    """Add what may be said beside a task."""
    for addition in task.additions:
        types = {**task.parameters, **addition.parameters}
        remark = Meaning(task.name, MeaningSource.TASK, types, None, task, addition)
        for phrase in addition.phrases:
            for variant in map(_split_contractions, phrase.variants):
                table.remarks.append(SpokenPattern(variant, remark))
                table.vocabulary.update(p.text for p in variant if isinstance(p, PhraseWord))


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
