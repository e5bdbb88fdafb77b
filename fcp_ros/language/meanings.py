# SPDX-License-Identifier: Apache-2.0
"""The meanings of the phrases of a domain: conditions over slots."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.domain.expressions.syntax import Atom, Exists, Expression, Not, TypedVariable, Variable
from fcp_ros.domain.model import TEXT, ActionRule, Domain
from fcp_ros.domain.phrase_goals import fill_goal, list_actors, state_effects
from fcp_ros.domain.phrases import (
    ADDRESSEE,
    NUMBER,
    SPEAKER,
    Addition,
    FlatPart,
    PhraseSlot,
    PhraseWord,
    TaskTemplate,
    list_slots,
)


class MeaningSource(Enum):
    """The part of a domain that a meaning is of."""

    RELATION = "relation"
    GRADED = "graded predicate"
    RULE = "rule"
    TASK = "task"


@dataclass(frozen=True)
class Meaning:
    """A condition over slots."""

    name: str  # of the relation, graded predicate, rule or task
    source: MeaningSource
    types: Mapping[str, str]  # slot -> type of the schema, "text" or "number"
    # the condition; its free variables are called as the slots. None for a task.
    goal: Expression | None = None
    task: TaskTemplate | None = None
    addition: Addition | None = None  # a remark beside the task

    @property
    def key(self) -> tuple[str, bool]:
        """Its name, and True for the opposite of a relation."""
        return self.name, isinstance(self.goal, Not)


def list_meanings(domain: Domain) -> Iterator[tuple[Meaning, tuple[FlatPart, ...]]]:
    """Yield every way to say every phrase of a domain, each with what it means."""
    words = domain.words
    for relation in domain.schema.relations:
        meaning = make_relation_meaning(relation.name, dict(relation.legs))
        opposite = make_opposite(meaning)
        for one, phrases in ((meaning, words.relations), (opposite, words.negated)):
            for phrase in phrases.get(relation.name, ()):
                for variant in phrase.variants:
                    yield bind_missing(one, variant), variant
    for name, predicate in domain.graded.items():
        types = {parameter.name: parameter.type for parameter in predicate.parameters}
        degree = make_graded_meaning(name, types)
        for phrase in words.graded.get(name, ()):
            for variant in phrase.variants:
                yield bind_missing(degree, variant), variant
    for rule in domain.rules.values():
        for phrase in words.rules.get(rule.name, ()):
            for variant in phrase.variants:
                effect = make_rule_meaning(rule, list_slots(variant))
                if effect is not None:
                    yield effect, variant
    for task in words.tasks.values():
        whole = make_task_meaning(task)
        for phrase in task.phrases:
            for variant in phrase.variants:
                yield whole, variant


def list_phrase_words(domain: Domain) -> dict[tuple[str, bool], frozenset[str]]:
    """List the words of all phrases of each meaning, by its `key`."""
    found: dict[tuple[str, bool], set[str]] = {}
    for meaning, variant in list_meanings(domain):
        words = found.setdefault(meaning.key, set())
        words.update(part.text for part in variant if isinstance(part, PhraseWord))
    return {key: frozenset(words) for key, words in found.items()}


def make_relation_meaning(name: str, types: Mapping[str, str]) -> Meaning:
    """Make the meaning "the relation holds" of all its legs."""
    goal = Atom(name, tuple(map(Variable, types)))
    return Meaning(name, MeaningSource.RELATION, types, goal)


def make_graded_meaning(name: str, types: Mapping[str, str]) -> Meaning:
    """Make the meaning of a graded predicate of all its parameters."""
    return replace(make_relation_meaning(name, types), source=MeaningSource.GRADED)


def make_opposite(meaning: Meaning) -> Meaning:
    """Make the meaning that a relation does not hold."""
    goal = meaning.goal
    assert goal is not None
    return replace(meaning, goal=goal.body if isinstance(goal, Not) else Not(goal))


def bind_missing(meaning: Meaning, variant: Sequence[FlatPart], subject: str = "") -> Meaning:
    """Let anything of its type stand in each slot of a relation that a phrase does not name.

    The first slot of an imperative stays open where it is for who is spoken to: "hold {item}".
    """
    if meaning.goal is None or meaning.source in (MeaningSource.TASK, MeaningSource.RULE):
        return meaning
    kept = {subject, *list_slots(variant)}
    first = next(iter(meaning.types), "")
    acting = not subject and bool(variant) and not isinstance(variant[0], PhraseSlot)
    if acting and meaning.types.get(first) in ("robot", "agent"):
        kept.add(first)
    return _bind(meaning, meaning.goal, kept)


def _bind(meaning: Meaning, goal: Expression, kept: Collection[str]) -> Meaning:
    missing = tuple(TypedVariable(s, type_) for s, type_ in meaning.types.items() if s not in kept)
    if not missing:
        return meaning
    bound = Not(Exists(missing, goal.body)) if isinstance(goal, Not) else Exists(missing, goal)
    types = {slot: type_ for slot, type_ in meaning.types.items() if slot in kept}
    return replace(meaning, types=types, goal=bound)


def make_rule_meaning(rule: ActionRule, named: Sequence[str]) -> Meaning | None:
    """Make the meaning of a phrase of a rule (`state_effects`); its actor is always a slot.

    `fcp validate` checks the same effects.
    """
    goal = state_effects(rule, named)
    if goal is None:
        return None
    types = {parameter.name: parameter.type for parameter in rule.parameters}
    slots = {slot: types[slot] for slot in (*named, *list_actors(rule)) if slot in types}
    return Meaning(rule.name, MeaningSource.RULE, slots, goal)


def make_task_meaning(task: TaskTemplate) -> Meaning:
    """Make the meaning of a task; it has a goal if that needs no numbers, words or labels."""
    plain = not any(type_ in (NUMBER, TEXT) for type_ in task.parameters.values())
    labels = [d for d in task.defaults.values() if d not in (SPEAKER, ADDRESSEE)]
    goal = None
    if plain and not labels and not task.additions:
        goal = fill_goal(task, {slot: Variable(slot) for slot in task.parameters})
    return Meaning(task.name, MeaningSource.TASK, dict(task.parameters), goal, task)
