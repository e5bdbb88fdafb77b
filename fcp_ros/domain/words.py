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
    """A remark beside a task that asks for more: "we'll have soup".

    Attributes:
        phrases: said within or beside the phrases of the task.
        parameters: name -> type, besides those of the task.
        goal: what is asked for in addition, over both kinds of parameters; empty for a remark that
            only gives parameters of the task their values: "we are {n}".
    """

    phrases: tuple[Phrase, ...]
    parameters: Mapping[str, str]
    goal: str


@dataclass(frozen=True, slots=True)
class TaskTemplate:
    """A task that has a name of its own in everyday language: "set the table for {n}".

    Attributes:
        phrases: ways to ask for it.
        parameters: name -> type: a type of the schema, "text", or "number".
        goal: a text of the goal language with `{slot}`s for the parameters; `{2n}` is twice n.
        several: the goal for each of several things that are asked for at once, where that is
            another one; "" where it is the same.
        defaults: values of parameters that are not said: a number, words, or for an element a label
            (any such element), SPEAKER or ADDRESSEE.
        additions: remarks that ask for more.
    """

    name: str
    phrases: tuple[Phrase, ...]
    parameters: Mapping[str, str]
    goal: str
    description: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict)
    additions: tuple[Addition, ...] = ()
    several: str = ""

    def of_several(self) -> TaskTemplate:
        """Return the task with the goal that holds for each of several things."""
        return replace(self, goal=self.several, several="") if self.several else self


@dataclass(frozen=True, slots=True)
class SetExtension:
    """More things that belong to a set if that is said: "a computer with accessories".

    Attributes:
        phrases: words before or behind the noun, or beside the clause; without slots.
        members: labels or types, normalised.
    """

    phrases: tuple[Phrase, ...]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThingSet:
    """Things that belong together, one of each kind: the parts of a computer, a place setting.

    Attributes:
        words: nouns for the whole, normalised.
        parts: nouns for any of its parts, normalised; English has some for all sets ("parts").
        members: labels or types, normalised: the kinds of its parts.
        more: what else belongs to it if that is said.
    """

    name: str
    words: tuple[str, ...]
    parts: tuple[str, ...]
    members: tuple[str, ...]
    more: tuple[SetExtension, ...] = ()


@dataclass(frozen=True, slots=True)
class DomainWords:
    """Everything that a domain says about language; all of it is optional.

    Attributes:
        relations: phrases for "it holds". Slots are legs; a leg that is not named may be anything.
        negated: phrases for "it does not hold", by relation.
        removed: by relation, what an instruction that it shall no longer hold asks for besides.
        rules: phrases for "do it"; slots are parameters.
        graded: phrases for "it fits well"; slots are parameters.
        kinds: nouns that stand for several labels or types, all normalised.
        sets: things that belong together, by the name of the set.
        ignorable: words without a meaning here, as `" ".join(split_words(...))`.
    """

    relations: Phrases = field(default_factory=dict)
    negated: Phrases = field(default_factory=dict)
    removed: Mapping[str, TaskTemplate] = field(default_factory=dict)
    rules: Phrases = field(default_factory=dict)
    graded: Phrases = field(default_factory=dict)
    tasks: Mapping[str, TaskTemplate] = field(default_factory=dict)
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sets: Mapping[str, ThingSet] = field(default_factory=dict)
    ignorable: frozenset[str] = frozenset()
