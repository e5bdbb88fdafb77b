# SPDX-License-Identifier: Apache-2.0
"""The compiled task, and its conditions over facts.

They range over the facts of the task only, so that a condition on anything else costs nothing. They
are computed on demand and kept: most operators are never asked about.

Constraints forbid sets of facts. What holds, what the operator adds and what its conditional
effects add may complete a set in any mixture. Each mixture with an effect is a block of its own: it
bites if the effects in it happen and the rest of the set holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.model import ActionRule, Constraint, Domain, Resource
from fcp_ros.planning.task.patterns import (
    AtomPattern,
    FactSource,
    PatternJoin,
    bind_terms,
    make_pattern,
    matches_atom,
)

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


Forbidden = tuple[frozenset[int], str]
"""Facts that must not newly hold together, and the name of the constraint; "" for a leg."""


class Conditions:
    """The negative side of a task's operators."""

    def __init__(self, task: Task) -> None:
        self._task = task
        groups: dict[FactKey, list[int]] = {}
        for fact in range(len(task.facts)):
            for key in task.keys_of(fact):
                groups.setdefault(key, []).append(fact)
        self._by_key = {key: tuple(group) for key, group in groups.items()}
        self._guards = tuple(_Guard(constraint, task) for constraint in task.domain.constraints)
        self._negative = {
            name: [atom for atom in rule.negative() if task.is_fluent(atom.predicate)]
            for name, rule in task.domain.rules.items()
        }
        self._absences: dict[int, tuple[Absence, ...] | None] = {}
        self._blocks: dict[int, tuple[Block, ...]] = {}

    def find_absences(self, operator: int) -> tuple[Absence, ...] | None:
        """Find the facts that must be absent for an operator; None if it is never applicable."""
        if operator not in self._absences:
            self._absences[operator] = self._compute_absences(self._task.operators[operator])
        return self._absences[operator]

    def find_blocks(self, operator: int) -> tuple[Block, ...]:
        """Find the conditions under which an operator would newly violate a constraint."""
        if operator not in self._blocks:
            ground = self._task.operators[operator]
            if not (self._guards or self._task.broken or ground.effects):
                self._blocks[operator] = ()
                return ()
            found = dict.fromkeys(
                block for guard in self._guards for block in guard.find_blocks(ground)
            )
            found.update(dict.fromkeys(self._guard_broken_legs(ground)))
            if ground.effects:
                found.update(
                    dict.fromkeys(_find_effect_blocks(ground, self._find_forbidden(ground)))
                )
            self._blocks[operator] = tuple(found)
        return self._blocks[operator]

    def _compute_absences(self, operator: GroundOperator) -> tuple[Absence, ...] | None:
        found = [
            self._ground_negated(atom, operator) for atom in self._negative[operator.rule.name]
        ]
        found.extend(Absence((fact,)) for fact in operator.absent)
        if found and any(self._concerns(a, fact) for a in found for fact in operator.pre):
            return None
        keys_of, broken = self._task.keys_of, self._task.broken
        lost = {key for fact in operator.delete for key in keys_of(fact)}
        kept = set(operator.pre).difference(operator.delete)
        there = kept.union(operator.add)
        for fact in operator.add:
            # A deleted fact of the same leg was the only one there.
            for key in set(keys_of(fact)) - lost - broken:
                if any(other != fact and key in keys_of(other) for other in there):
                    return None
                if fact not in kept and len(self._by_key[key]) > 1:
                    found.append(self._require_alone(fact, key, operator))
        return tuple(absence for absence in found if absence.facts)

    def _require_alone(self, fact: int, key: FactKey, operator: GroundOperator) -> Absence:
        """Require that no other fact of a leg holds, unless an effect surely deletes it."""
        group = self._by_key[key]
        if not operator.effects:
            return Absence(group, key, fact)
        left = tuple(other for other in group if not _is_surely_deleted(operator, other))
        if len(left) == len(group):
            return Absence(group, key, fact)
        return Absence(tuple(other for other in left if other != fact), None, fact)

    def _find_forbidden(self, operator: GroundOperator) -> Iterator[Forbidden]:
        for effect in operator.effects:
            for fact in effect.add:
                for guard in self._guards:
                    yield from guard.find_forbidden(fact)
                for key in self._task.keys_of(fact):
                    for other in self._by_key[key]:
                        if other != fact:
                            yield frozenset((fact, other)), ""

    def _concerns(self, absence: Absence, fact: int) -> bool:
        if absence.key is not None:
            return absence.key in self._task.keys_of(fact)
        return fact in absence.facts

    def _guard_broken_legs(self, operator: GroundOperator) -> Iterator[Block]:
        """Yield a block for each pair of facts of a leg that several facts share initially."""
        for fact in operator.add:
            for key in self._task.broken.intersection(self._task.keys_of(fact)):
                for other in self._by_key[key]:
                    if other != fact and not _is_surely_deleted(operator, other):
                        yield Block((other,), (fact,))

    def _ground_negated(self, atom: Atom, operator: GroundOperator) -> Absence:
        bound = bind_terms(atom, operator.rule, operator.arguments)
        key = self._key_of(atom, operator.rule, bound)
        if key is not None and key not in self._task.broken:
            return Absence(self._by_key.get(key, ()), key)
        matching = self._task.store.matching(atom.predicate, list(bound.items()))
        return Absence(
            tuple(
                self._task.fact_ids[Fact(atom.predicate, arguments)]
                for arguments in matching
                if matches_atom(arguments, atom, bound)
            )
        )

    def _key_of(self, atom: Atom, rule: ActionRule, bound: dict[int, str]) -> FactKey | None:
        """Return the functional leg that a negated atom empties, if it binds nothing else."""
        shape = self._task.domain.schema.relation(atom.predicate)
        open_ = [t.name for i, t in enumerate(atom.arguments) if i not in bound]  # type: ignore[union-attr]
        if len(bound) != 1 or len(set(open_)) != len(open_):
            return None
        ((position, element),) = bound.items()
        if shape.legs[position][0] not in shape.functional:
            return None
        return (atom.predicate, position, element)


class _Guard:
    """A constraint over the facts of a task."""

    def __init__(self, constraint: Constraint, task: Task) -> None:
        self._task = task
        self._name = constraint.name
        names = tuple(variable.name for variable in constraint.variables)
        types = tuple(variable.type for variable in constraint.variables)
        self._pattern: AtomPattern = make_pattern(names, types, constraint.never, task.instance)
        self._joins = tuple(
            (relation, PatternJoin(self._pattern, index))
            for index, (relation, _) in enumerate(self._pattern.atoms)
            if task.is_fluent(relation)
        )

    def find_blocks(self, operator: GroundOperator) -> Iterator[Block]:
        """Yield a block for each match of the pattern that an operator may complete."""
        add, delete = set(operator.add), set(operator.delete)
        surely = set(operator.pre) - delete
        for fact in operator.add:
            relation, arguments = self._task.facts[fact]
            for trigger, join in self._joins:
                if trigger != relation:
                    continue
                for match in join.matches(self._task.store, arguments):
                    needed = self._select_fluents(match)
                    completes = needed & add
                    if completes <= surely or needed & delete:
                        continue
                    if not any(_is_surely_deleted(operator, gone) for gone in needed - add):
                        yield Block(
                            tuple(sorted(needed - add)), tuple(sorted(completes)), self._name
                        )

    def find_forbidden(self, fact: int) -> Iterator[Forbidden]:
        relation, arguments = self._task.facts[fact]
        for trigger, join in self._joins:
            if trigger == relation:
                for match in join.matches(self._task.store, arguments):
                    yield frozenset(self._select_fluents(match)), self._name

    def _select_fluents(self, match: tuple[str, ...]) -> set[int]:
        return {
            self._task.fact_ids[Fact(relation, tuple(match[slot] for slot in slots))]
            for relation, slots in self._pattern.atoms
            if self._task.is_fluent(relation)
        }


# --- conditional effects


def _is_surely_deleted(
    operator: GroundOperator, fact: int, effects: Iterable[GroundEffect] = ()
) -> bool:
    """Return True if an operator surely deletes a fact that holds, given that some effects happen.

    It does so itself, or by an effect that has no further condition.
    """
    given = {fact, *operator.pre}
    without: set[int] = set()
    for effect in effects:
        given.update(effect.pre)
        without.update(effect.absent)
    if fact in operator.add or any(fact in effect.add for effect in operator.effects):
        return False
    return fact in operator.delete or any(
        fact in effect.delete and given.issuperset(effect.pre) and without.issuperset(effect.absent)
        for effect in operator.effects
    )


def _find_effect_blocks(
    operator: GroundOperator, forbidden: Iterable[Forbidden]
) -> Iterator[Block]:
    """Yield the blocks under which effects of an operator newly complete a forbidden set."""
    for facts, name in forbidden:
        needed = sorted(facts)
        for sources in product(*(_list_sources(operator, fact) for fact in needed)):
            block = _make_block(operator, needed, sources, name)
            if block is not None:
                yield block


_BY_OPERATOR = -1
_HELD = -2


def _list_sources(operator: GroundOperator, fact: int) -> list[int]:
    """List the sources of a fact: numbers of effects, _BY_OPERATOR, _HELD."""
    if fact in operator.add:
        return [_BY_OPERATOR]
    effects = [number for number, effect in enumerate(operator.effects) if fact in effect.add]
    return effects if fact in operator.delete else [_HELD, *effects]


def _make_block(
    operator: GroundOperator, needed: Sequence[int], sources: Sequence[int], name: str
) -> Block | None:
    numbers = sorted({source for source in sources if source >= 0})
    effects = [operator.effects[number] for number in numbers]
    held = [fact for fact, source in zip(needed, sources, strict=True) if source == _HELD]
    if not effects or any(_is_surely_deleted(operator, fact, effects) for fact in held):
        return None
    rest = {*held, *(fact for effect in effects for fact in effect.pre)}
    absent = {fact for effect in effects for fact in effect.absent}
    fresh = tuple(fact for fact in needed if fact not in rest)
    if not fresh or not rest.isdisjoint(absent):
        return None
    return Block(tuple(sorted(rest)), fresh, name, tuple(sorted(absent)))
