# SPDX-License-Identifier: Apache-2.0
"""The use of each word of an instruction in a goal that a model wrote.

A model does not say which words led to which part of its text. So the words are aligned with the
names in the goal of that text, by equal stems and by the phrases of the domain. A word without a
counterpart is UNREAD, unless English uses it to join others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Preference,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    atoms,
    children,
)
from fcp_ros.domain.model import IS_A, Domain
from fcp_ros.domain.phrases import PhraseWord
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.language.english.function_words import FILLERS
from fcp_ros.language.english.number_words import NUMBERS
from fcp_ros.language.english.turning_words import EXCEPTIONS, NEGATIVES, NOTHINGS, SEQUENCE_WORDS
from fcp_ros.language.english.verbs import (
    BRING_VERBS,
    GO_VERBS,
    HOLD_VERBS,
    KEEP_VERBS,
    PUT_VERBS,
)
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.model_reader.names import find_stem
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import WordRole, WordUse

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_QUANTITIES = NUMBERS.keys() | gather_words(
    "all every each both most least many few no none everything exactly possible only rest other "
    "others"
)
_LIMITS = NEGATIVES | NOTHINGS | EXCEPTIONS | gather_words("don't dont avoid unless")
_ORDERS = SEQUENCE_WORDS | gather_words(
    "before first next finally afterwards later again always back"
)
_ACTIONS = PUT_VERBS | BRING_VERBS | HOLD_VERBS | KEEP_VERBS | GO_VERBS | {"find"}
"""Verbs of moving things, which every domain means by its relations of place."""


@dataclass(frozen=True, slots=True)
class _Name:
    """A name in a goal, with the words that people may use for it."""

    meaning: str
    words: frozenset[str]
    role: WordRole


def align_words(instruction: str, goal: Expression, context: ReadingContext) -> tuple[WordUse, ...]:
    """Align the words of an instruction, from left to right, with the names in a checked goal."""
    denies = any(word in _LIMITS for word in instruction.lower().replace("\u2019", "'").split())
    names = list(_list_names(goal, context, both_signs=denies))
    forms = set(_list_forms(goal))
    return tuple(
        _use_word(match[0].lower().replace("\u2019", "'"), match.span(), names, forms)
        for match in _WORD.finditer(instruction)
    )


def _use_word(word: str, span: tuple[int, int], names: Sequence[_Name], forms: set[str]) -> WordUse:
    stem = find_stem(word)
    found = [name for name in names if stem in name.words]
    things = dict.fromkeys(name.meaning for name in found if name.role is WordRole.THING)
    if things:
        return WordUse(*span, WordRole.THING, " and ".join(things))
    for words, role in ((_LIMITS, WordRole.LIMIT), (_ORDERS, WordRole.ORDER)):
        if word in words and role.value in forms:
            return WordUse(*span, role, role.value)
    if (word in _QUANTITIES or word.isdigit()) and WordRole.QUANTITY.value in forms:
        return WordUse(*span, WordRole.QUANTITY, "quantity")
    if word in _ACTIONS and "place" in forms:
        return WordUse(*span, WordRole.ACTION, "so that it holds")
    if word in FILLERS:
        return WordUse(*span, WordRole.FILLER)
    if found:
        return WordUse(*span, found[0].role, found[0].meaning)
    return WordUse(*span, WordRole.UNREAD, degree=0.0)


def _list_names(goal: Expression, context: ReadingContext, *, both_signs: bool) -> Iterator[_Name]:
    """List the names in a goal, each once.

    Words for "it holds" don't stand for an absence: who says "open" does not mean "closed". With
    `both_signs` they do, as in "don't close it".
    """
    domain, instance = context.domain, context.instance
    signs = set(_list_signs(goal, True))
    seen: set[str] = set()
    for variable in _list_typed(goal):
        if variable.type not in seen:
            seen.add(variable.type)
            # A type that `check_goal` found for a label is said by the label.
            yield _Name(f"any {variable.type}", _split(variable.type), WordRole.THING)
    for atom in atoms(goal):
        if atom.predicate not in seen and atom.predicate != IS_A:
            seen.add(atom.predicate)
            signed = [s for s in (True, False) if both_signs or (atom.predicate, s) in signs]
            words = _find_predicate_words(atom.predicate, domain, signed)
            yield _Name(atom.predicate, words, WordRole.ACTION)
        for term in atom.arguments:
            if isinstance(term, Text) and f'"{term.value}' not in seen:
                seen.add(f'"{term.value}')
                yield _Name(f'"{term.value}"', _split(term.value), WordRole.THING)
            elif isinstance(term, Constant) and term.name not in seen:
                seen.add(term.name)
                yield _describe_element(term.name, instance, context)


def _describe_element(name: str, instance: Instance, context: ReadingContext) -> _Name:
    id_ = instance.id_of(name)
    category = instance.attribute(id_, "category")
    words = _split(name) | _split(str(category or "")) | _split(instance.type_of(id_))
    # "The kitchen counter": what nobody can change about it may be said to name it.
    for relation in instance.schema.relations:
        rows = instance.tuples(relation.name).values() if relation.static else ()
        for row in rows:
            if row[0] == id_ and len(row) == 2:
                words |= _split(instance.name_of(row[1]))
    if name == context.speaker:
        return _Name(name, words | {"me", "my", "i", "us"}, WordRole.THING)
    is_robot = name == context.robot or (not context.robot and "robot" in words)
    if is_robot:
        return _Name(name, words | {"you", "your"}, WordRole.THING)
    return _Name(name, words, WordRole.THING)


def _find_predicate_words(
    predicate: str, domain: Domain, signs: Sequence[bool] = (True, False)
) -> frozenset[str]:
    """Collect the words for a predicate (True) and for its absence (False).

    These are its name, its phrases, and the names and phrases of actions that bring it about.
    """
    told = domain.words
    words = set(_split(predicate))
    phrases = list(told.graded.get(predicate, ()))
    if True in signs:
        phrases += told.relations.get(predicate, ())
    if False in signs:
        phrases += told.negated.get(predicate, ())
    for rule in domain.rules.values():
        ends = [*(rule.add if True in signs else ()), *(rule.delete if False in signs else ())]
        if any(atom.predicate == predicate for atom in ends):
            words |= _split(rule.name)
            phrases += told.rules.get(rule.name, ())
    for phrase in phrases:
        for variant in phrase.variants:
            words |= {find_stem(part.text) for part in variant if isinstance(part, PhraseWord)}
    return frozenset(words)


def _list_signs(goal: Expression, sign: bool) -> Iterator[tuple[str, bool]]:
    """List the predicates of a goal, each with True where it shall hold, False where it shall not.

    What was initially so has both signs.
    """
    if isinstance(goal, Atom):
        yield goal.predicate, sign
    for part in children(goal):
        if isinstance(goal, Initially):
            yield from _list_signs(part, not sign)
        yield from _list_signs(part, not sign if isinstance(goal, Not) else sign)


def _list_typed(goal: Expression) -> Iterator[TypedVariable]:
    yield from getattr(goal, "variables", ())
    for part in children(goal):
        yield from _list_typed(part)


def list_kinds(goal: Expression) -> Iterator[str]:
    """List the kinds of things in a goal: the types of variables, and labels."""
    yield from (variable.type for variable in _list_typed(goal))
    for atom in atoms(goal):
        if atom.predicate == IS_A:
            yield from (term.value for term in atom.arguments if isinstance(term, Text))


def _list_forms(goal: Expression) -> Iterator[str]:
    """List what a goal has besides names: quantities, limits, orders, relations."""
    no_one = isinstance(goal, Not) and isinstance(goal.body, Exists)
    if isinstance(goal, (Forall, Count)) or no_one:
        yield WordRole.QUANTITY.value
    if isinstance(goal, Not):
        yield WordRole.LIMIT.value
    if isinstance(goal, (TrajectoryConstraint, Initially)):
        yield WordRole.ORDER.value
        yield WordRole.LIMIT.value
    if isinstance(goal, Preference):
        yield WordRole.QUANTITY.value
    if isinstance(goal, Atom) and goal.predicate != IS_A and len(goal.arguments) > 1:
        yield "place"
    for part in children(goal):
        yield from _list_forms(part)


def list_words_for_things(instance: Instance) -> frozenset[str]:
    """List the stems of the words for kinds of things of a scene: a "mug", which is a "cup"."""
    kinds = {
        kind
        for id_ in instance.all_elements()
        for kind in (str(instance.attribute(id_, "category") or ""), instance.type_of(id_))
    }
    return frozenset(chain.from_iterable(map(_split, kinds)))


def _split(name: str) -> frozenset[str]:
    return frozenset(find_stem(word) for word in normalise_label(name).split(" ") if word)
