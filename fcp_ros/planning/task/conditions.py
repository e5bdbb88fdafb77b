# SPDX-License-Identifier: Apache-2.0
"""The negative conditions of operators: negated literals, functional legs, constraints.

They range over the facts of the task only, so that a condition on anything else costs nothing. They
are computed on demand and kept: most operators are never asked about.

Constraints forbid sets of facts. What holds, what the operator adds and what its conditional
effects add may complete a set in any mixture. Each mixture with an effect is a block of its own: it
bites if the effects in it happen and the rest of the set holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from fcp_ros.cset import Fact
from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.model import ActionRule, Constraint
from fcp_ros.planning.task.patterns import (
    AtomPattern,
    PatternJoin,
    bind_terms,
    make_pattern,
    matches_atom,
)
from fcp_ros.planning.task.task import Absence, Block, FactKey, GroundEffect, GroundOperator, Task

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
