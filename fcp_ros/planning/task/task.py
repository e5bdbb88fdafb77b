# SPDX-License-Identifier: Apache-2.0
"""The compiled task: facts as integers, operators as tuples of them (DESIGN section 1, idea 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fcp_ros.cset import Fact, Instance, Schema
from fcp_ros.domain.model import ActionRule, Domain, Resource
from fcp_ros.planning.task.patterns import FactSource

FactKey = tuple[str, int, str]
"""A functional leg at one element: relation, leg number, element name."""


@dataclass(frozen=True, slots=True)
class GroundEffect:
    """What an operator does besides, where all of `pre` hold and none of `absent` does.

    All conditions are read in the state before the operator; what anything adds stays, even where
    another effect deletes it.
    """

    pre: tuple[int, ...]
    absent: tuple[int, ...]
    add: tuple[int, ...]
    delete: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """A rule with its parameters bound.

    Attributes:
        rule: the rule.
        arguments: element names, in the order of the rule's parameters.
        pre: changing facts that must hold (static ones were checked when compiling).
        add: facts that hold afterwards.
        delete: facts that don't hold afterwards; none of them is in `add`.
        effects: conditional effects, over changing facts.
        forgets: number of the parameter of which this is one value among all that may be there, for
            which the operator stands (see overwriting.py); -1 if it stands for itself.
    """

    rule: ActionRule
    arguments: tuple[str, ...]
    pre: tuple[int, ...]
    add: tuple[int, ...]
    delete: tuple[int, ...]
    effects: tuple[GroundEffect, ...] = ()
    forgets: int = -1

    def __str__(self) -> str:
        return f"{self.rule.name}({', '.join(self.arguments)})"


@dataclass(frozen=True, slots=True)
class Absence:
    """A condition that none of some facts holds, except perhaps one.

    Attributes:
        facts: the facts that must be false.
        key: set when they are all the facts of one functional leg: of those at most one holds at
            any time.
        unless: the one of them that may hold, because the operator adds it anyway: where it does,
            the others can't, and nothing is in the way.
    """

    facts: tuple[int, ...]
    key: FactKey | None = None
    unless: int | None = None

    def holds(self, state: frozenset[int]) -> bool:
        """Whether the condition holds in a state (of which functional legs are what they say)."""
        return self.unless in state or state.isdisjoint(self.facts)


@dataclass(frozen=True, slots=True)
class Block:
    """An operator may not newly complete a constraint's pattern.

    Not applicable where all of `rest` hold, none of `absent` does, and not all of `completes` do
    already. `constraint` is its name; empty where a functional leg is what is kept.
    """

    rest: tuple[int, ...]
    completes: tuple[int, ...]
    constraint: str = ""
    absent: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Demand:
    """Why an operator was made: it makes a fact true (`holds`) or false that matters so."""

    fact: Fact
    holds: bool

    def __str__(self) -> str:
        return str(self.fact) if self.holds else f"not {self.fact}"


@dataclass(frozen=True)
class Task:
    """A planning task for one domain and state; goals come on top.

    Attributes:
        domain: what it was compiled from.
        instance: the state it starts in.
        facts: the changing facts that are reachable if nothing is ever deleted (compiled on demand:
            those that matter); index = id.
        fact_ids: their ids.
        initial: ids of the facts that hold at first.
        operators: the operators that are reachable if nothing is ever deleted (compiled on demand:
            those that matter).
        store: all those facts and the static ones, indexed.
        fluents: names of the relations that some rule changes.
        resources: the domain's resources; index = number of the resource.
        adders: for each fact the operators that add it.
        deleters: for each fact the operators that delete it.
        keys: for each fact the functional legs that it occupies.
        broken: functional legs that several facts share in the start state (a flawed scene).
        complete: whether nothing that can matter for the goal was left out: what is unsolvable in
            a complete task is unsolvable.
        demands: for each operator what it was made for; None if that was a resource, an open
            condition, or nothing particular.
        together: facts of which at most one holds at a time, as was proven; legs that the schema
            calls functional are not among them.
    """

    domain: Domain
    instance: Instance
    facts: Sequence[Fact]
    fact_ids: dict[Fact, int]
    initial: frozenset[int]
    operators: Sequence[Operator]
    store: FactSource
    fluents: frozenset[str]
    resources: tuple[Resource, ...]
    adders: Sequence[Sequence[int]]
    deleters: Sequence[Sequence[int]]
    keys: Sequence[tuple[FactKey, ...]]
    broken: frozenset[FactKey]
    complete: bool = True
    demands: Sequence[Demand | None] = ()
    together: Sequence[tuple[int, ...]] = ()

    def is_fluent(self, relation: str) -> bool:
        """Whether some rule changes the relation."""
        return relation in self.fluents

    def keys_of(self, fact: int) -> tuple[FactKey, ...]:
        """The functional legs that the fact occupies."""
        return self.keys[fact]

    def names(self, facts: Iterable[int]) -> str:
        """The facts in words, sorted."""
        return ", ".join(sorted(str(self.facts[fact]) for fact in facts))


def functional_positions(schema: Schema) -> dict[str, tuple[int, ...]]:
    """For each relation the numbers of its functional legs."""
    return {
        relation.name: tuple(
            position
            for position, (leg, _) in enumerate(relation.legs)
            if leg in relation.functional
        )
        for relation in schema.relations
    }
