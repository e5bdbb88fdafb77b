# SPDX-License-Identifier: Apache-2.0
"""The compiled task: facts as integers, operators as tuples of them (docs/design.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.model import ActionRule, Domain, Resource
from fcp_ros.planning.task.patterns import FactSource

FactKey = tuple[str, int, str]
"""A functional leg at one element: relation, leg number, element name."""


@dataclass(frozen=True, slots=True)
class GroundEffect:
    """A conditional effect of an operator: it happens if all of `pre` hold and none of `absent`.

    Conditions are read in the state before the operator. A fact that anything adds holds
    afterwards, even if another effect deletes it.
    """

    pre: tuple[int, ...]
    absent: tuple[int, ...]
    add: tuple[int, ...]
    delete: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GroundAxiom:
    """A derived fact holds in any state in which all of `pre` hold and none of `absent`."""

    head: int
    pre: tuple[int, ...]
    absent: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GroundClause:
    """A disjunction: one of `present` must hold, or one of `absent` must not."""

    present: tuple[int, ...]
    absent: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GroundOperator:
    """A rule with its parameters bound: an operator of a task.

    A rule with disjunctive conditions may give several operators with the same arguments.

    Attributes:
        opens, closes: it starts and ends between these times (s), and within the rule's window.
    """

    rule: ActionRule
    arguments: tuple[str, ...]  # element names, in the order of the rule's parameters
    pre: tuple[int, ...]  # fluent facts that must hold (static ones were checked when compiling)
    add: tuple[int, ...]  # facts that hold afterwards
    delete: tuple[int, ...]  # facts that do not hold afterwards, disjoint from `add`
    effects: tuple[GroundEffect, ...] = ()
    # number of a parameter of which this is one value that represents all that are possible (see
    # relevance/overwriting.py); -1 if the operator represents only itself
    forgets: int = -1
    # facts that formulas of the rule require not to hold; its negated literals and functional legs
    # come on top (see `conditions`)
    absent: tuple[int, ...] = ()
    clauses: tuple[GroundClause, ...] = ()
    opens: float = 0.0
    closes: float = math.inf

    def __str__(self) -> str:
        return f"{self.rule.name}({', '.join(self.arguments)})"


@dataclass(frozen=True, slots=True)
class Absence:
    """A condition that none of some facts holds, except perhaps one."""

    facts: tuple[int, ...]
    # the functional leg if they are all the facts of one: at most one of those holds at any time
    key: FactKey | None = None
    # the one of them that may hold because the operator adds it anyway: if it does, the others
    # cannot
    unless: int | None = None

    def holds(self, state: frozenset[int]) -> bool:
        """Return True if the condition holds in a state that keeps functional legs."""
        return self.unless in state or state.isdisjoint(self.facts)


@dataclass(frozen=True, slots=True)
class Block:
    """An operator may not newly complete a constraint's pattern.

    Not applicable if all of `rest` hold, none of `absent` does, and not all of `completes` do
    already. `constraint` is its name; empty for the constraint of a functional leg.
    """

    rest: tuple[int, ...]
    completes: tuple[int, ...]
    constraint: str = ""
    absent: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OperatorPurpose:
    """The purpose of an operator: a fact that it makes true (`holds`) or false."""

    fact: Fact
    holds: bool

    def __str__(self) -> str:
        return str(self.fact) if self.holds else f"not {self.fact}"


@dataclass(frozen=True)
class Task:
    """A planning task for one domain and state; goals come on top."""

    domain: Domain
    instance: Instance
    facts: Sequence[Fact]  # the fluent facts that matter; index = id
    fact_ids: dict[Fact, int]
    initial: frozenset[int]
    operators: Sequence[GroundOperator]
    store: FactSource  # those facts and the static ones, indexed
    fluents: frozenset[str]
    resources: tuple[Resource, ...]
    adders: Sequence[Sequence[int]]
    deleters: Sequence[Sequence[int]]
    keys: Sequence[tuple[FactKey, ...]]  # for each fact the functional legs that it occupies
    # functional legs that several facts share in the start state (a flawed scene)
    broken: frozenset[FactKey]
    # whether nothing that can matter for the goal was left out: a goal that is unsolvable in a
    # complete task is unsolvable
    complete: bool = True
    # for each operator the literal it was made for; None if that was a resource, an open condition,
    # or nothing in particular
    purposes: Sequence[OperatorPurpose | None] = ()
    # groups of facts of which at most one holds at a time, proven; legs that the schema calls
    # functional are not among them
    mutex_groups: Sequence[tuple[int, ...]] = ()
    # the axioms of derived facts; one that no axiom can derive never holds
    axioms: Sequence[GroundAxiom] = ()

    @property
    def size(self) -> tuple[int, ...]:
        """Count what it is made of: of two tasks, one within the other, they are equal if it is."""
        operators = self.operators
        effects = [effect for operator in operators for effect in operator.effects]
        clauses = [clause for operator in operators for clause in operator.clauses]
        return (
            len(self.facts),
            len(operators),
            len(effects),
            len(clauses),
            len(self.axioms),
            sum(len(o.pre) + len(o.absent) + len(o.add) + len(o.delete) for o in operators),
            sum(len(e.pre) + len(e.absent) + len(e.add) + len(e.delete) for e in effects),
            sum(len(clause.present) + len(clause.absent) for clause in clauses),
            sum(len(axiom.pre) + len(axiom.absent) for axiom in self.axioms),
        )

    def is_derived(self, fact: int) -> bool:
        """Return True if the fact follows from others, and no operator changes it."""
        return self.facts[fact].relation in self.domain.derived

    def is_fluent(self, relation: str) -> bool:
        """Return True if some rule changes the relation."""
        return relation in self.fluents

    def keys_of(self, fact: int) -> tuple[FactKey, ...]:
        """Return the functional legs that the fact occupies."""
        return self.keys[fact]

    def describe(self, fact: int) -> str:
        """Describe a fact; one without arguments stands for a trajectory constraint."""
        found = self.facts[fact]
        return str(found) if found.arguments else found.relation

    def names(self, facts: Iterable[int]) -> str:
        """Name the facts in words, sorted."""
        return ", ".join(sorted(map(self.describe, facts)))


def index_changes(
    operators: Sequence[GroundOperator], facts: int
) -> tuple[list[list[int]], list[list[int]]]:
    """List for each of so many facts the operators that may add it and those that may delete it."""
    adders: list[list[int]] = [[] for _ in range(facts)]
    deleters: list[list[int]] = [[] for _ in range(facts)]
    for number, operator in enumerate(operators):
        effects = operator.effects
        for fact in dict.fromkeys(chain(operator.add, *(effect.add for effect in effects))):
            adders[fact].append(number)
        for fact in dict.fromkeys(chain(operator.delete, *(effect.delete for effect in effects))):
            deleters[fact].append(number)
    return adders, deleters
