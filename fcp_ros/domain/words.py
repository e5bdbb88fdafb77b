# SPDX-License-Identifier: Apache-2.0
"""The words of a domain as values: what people say about its relations, actions and tasks.

`phrase_goals` says which goal a phrase stands for. Phrases with slots are in `phrases`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fcp_ros.domain.phrases import Phrase

NUMBER = "number"
"""The type of a parameter of a task that takes a whole number."""

SPEAKER = "me"
"""A default of a slot: the element that speaks."""
ADDRESSEE = "you"
"""A default of a slot: the robot that is spoken to."""

Phrases = Mapping[str, tuple[Phrase, ...]]
"""The phrases of each relation, rule or graded predicate, by its name."""


@dataclass(frozen=True, slots=True)
class Addition:
    """A remark beside a task that asks for more: "we'll have soup"."""

    phrases: tuple[Phrase, ...]  # said within or beside the phrases of the task
    parameters: Mapping[str, str]  # name -> type, besides those of the task
    # what is asked for in addition, over both kinds of parameters; empty for a remark that only
    # gives parameters of the task their values: "we are {n}"
    goal: str


@dataclass(frozen=True, slots=True)
class TaskTemplate:
    """A task that has a name of its own in everyday language: "set the table for {n}"."""

    name: str
    phrases: tuple[Phrase, ...]  # ways to ask for it
    parameters: Mapping[str, str]  # name -> type: a type of the schema, "text", or "number"
    goal: str  # a text of the goal language with `{slot}`s for the parameters; `{2n}` is twice n
    description: str = ""
    # values of parameters that are not said: a number, words, or for an element a label (any such
    # element), SPEAKER or ADDRESSEE
    defaults: Mapping[str, str] = field(default_factory=dict)
    additions: tuple[Addition, ...] = ()  # remarks that ask for more
    # the goal for each of several things that are asked for at once, where that is another one; ""
    # where it is the same
    several: str = ""

    def of_several(self) -> TaskTemplate:
        """Return the task with the goal that holds for each of several things."""
        return replace(self, goal=self.several, several="") if self.several else self


@dataclass(frozen=True, slots=True)
class SetExtension:
    """More things that belong to a set if that is said: "a computer with accessories"."""

    # words before or behind the noun, or beside the clause; without slots
    phrases: tuple[Phrase, ...]
    members: tuple[str, ...]  # labels or types, normalised


@dataclass(frozen=True, slots=True)
class ThingSet:
    """Things that belong together, one of each kind: the parts of a computer, a place setting."""

    name: str
    words: tuple[str, ...]  # nouns for the whole, normalised
    # nouns for any of its parts, normalised; English has some for all sets ("parts")
    parts: tuple[str, ...]
    members: tuple[str, ...]  # labels or types, normalised: the kinds of its parts
    more: tuple[SetExtension, ...] = ()  # what else belongs to it if that is said


@dataclass(frozen=True, slots=True)
class DomainWords:
    """Everything that a domain says about language; all of it is optional."""

    # phrases for "it holds". Slots are legs; a leg that is not named may be anything.
    relations: Phrases = field(default_factory=dict)
    negated: Phrases = field(default_factory=dict)  # phrases for "it does not hold", by relation
    # by relation, what an instruction that it shall no longer hold asks for besides
    removed: Mapping[str, TaskTemplate] = field(default_factory=dict)
    rules: Phrases = field(default_factory=dict)  # phrases for "do it"; slots are parameters
    # phrases for "it fits well"; slots are parameters
    graded: Phrases = field(default_factory=dict)
    tasks: Mapping[str, TaskTemplate] = field(default_factory=dict)
    # nouns that stand for several labels or types, all normalised
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # things that belong together, by the name of the set
    sets: Mapping[str, ThingSet] = field(default_factory=dict)
    # words without a meaning here, as `" ".join(split_words(...))`
    ignorable: frozenset[str] = frozenset()
