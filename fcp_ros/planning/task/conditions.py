# SPDX-License-Identifier: Apache-2.0
"""What must be absent for an operator: negated conditions, functional legs, constraints.

All over the facts that are reachable at all, so that a condition on anything else costs nothing.
Computed on demand and remembered: most operators never matter for the goal at hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.cset import Fact
from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.model import ActionRule, Constraint
from fcp_ros.planning.task.effect_conditions import (
    Forbidden,
    effect_blocks,
    surely_deleted,
)
from fcp_ros.planning.task.patterns import Join, Pattern, bound_terms, fits, pattern_of
from fcp_ros.planning.task.task import Absence, Block, FactKey, Operator, Task


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

    def absences(self, operator: int) -> tuple[Absence, ...] | None:
        """What must be absent for the operator; None when it can never apply."""
        if operator not in self._absences:
            self._absences[operator] = self._find_absences(self._task.operators[operator])
        return self._absences[operator]

    def blocks(self, operator: int) -> tuple[Block, ...]:
        """Where the operator would newly complete the pattern of a constraint."""
        if operator not in self._blocks:
            ground = self._task.operators[operator]
            if not (self._guards or self._task.broken or ground.effects):
                self._blocks[operator] = ()
                return ()
            found = dict.fromkeys(block for guard in self._guards for block in guard.blocks(ground))
            found.update(dict.fromkeys(self._on_broken_legs(ground)))
            if ground.effects:
                found.update(dict.fromkeys(effect_blocks(ground, self._forbidden(ground))))
            self._blocks[operator] = tuple(found)
        return self._blocks[operator]

    def _find_absences(self, operator: Operator) -> tuple[Absence, ...] | None:
        found = [self._negated(atom, operator) for atom in self._negative[operator.rule.name]]
        if found and any(self._speaks_of(a, fact) for a in found for fact in operator.pre):
            return None
        keys_of, broken = self._task.keys_of, self._task.broken
        lost = {key for fact in operator.delete for key in keys_of(fact)}
        kept = set(operator.pre).difference(operator.delete)
        there = kept.union(operator.add)
        for fact in operator.add:
            # Where a tuple of the same leg is deleted, it was the only one.
            for key in set(keys_of(fact)) - lost - broken:
                if any(other != fact and key in keys_of(other) for other in there):
                    return None
                if fact not in kept and len(self._by_key[key]) > 1:
                    found.append(self._alone(fact, key, operator))
        return tuple(absence for absence in found if absence.facts)

    def _alone(self, fact: int, key: FactKey, operator: Operator) -> Absence:
        """That no other fact of a leg holds, unless an effect is sure to delete it."""
        group = self._by_key[key]
        if not operator.effects:
            return Absence(group, key, fact)
        left = tuple(other for other in group if not surely_deleted(operator, other))
        if len(left) == len(group):
            return Absence(group, key, fact)
        return Absence(tuple(other for other in left if other != fact), None, fact)

    def _forbidden(self, operator: Operator) -> Iterator[Forbidden]:
        """Sets of facts that effects of the operator might newly complete."""
        for effect in operator.effects:
            for fact in effect.add:
                for guard in self._guards:
                    yield from guard.forbidden(fact)
                for key in self._task.keys_of(fact):
                    for other in self._by_key[key]:
                        if other != fact:
                            yield frozenset((fact, other)), ""

    def _speaks_of(self, absence: Absence, fact: int) -> bool:
        if absence.key is not None:
            return absence.key in self._task.keys_of(fact)
        return fact in absence.facts

    def _on_broken_legs(self, operator: Operator) -> Iterator[Block]:
        """Where several facts share a functional leg from the start, each counts by itself."""
        for fact in operator.add:
            for key in self._task.broken.intersection(self._task.keys_of(fact)):
                for other in self._by_key[key]:
                    if other != fact and not surely_deleted(operator, other):
                        yield Block((other,), (fact,))

    def _negated(self, atom: Atom, operator: Operator) -> Absence:
        bound = bound_terms(atom, operator.rule, operator.arguments)
        key = self._key_of(atom, operator.rule, bound)
        if key is not None and key not in self._task.broken:
            return Absence(self._by_key.get(key, ()), key)
        matching = self._task.store.matching(atom.predicate, list(bound.items()))
        return Absence(
            tuple(
                self._task.fact_ids[Fact(atom.predicate, arguments)]
                for arguments in matching
                if fits(arguments, atom, bound)
            )
        )

    def _key_of(self, atom: Atom, rule: ActionRule, bound: dict[int, str]) -> FactKey | None:
        """The functional leg that a negated atom speaks of, if it binds nothing else."""
        shape = self._task.domain.schema.relation(atom.predicate)
        open_ = [t.name for i, t in enumerate(atom.arguments) if i not in bound]  # type: ignore[union-attr]
        if len(bound) != 1 or len(set(open_)) != len(open_):
            return None
        ((position, element),) = bound.items()
        if shape.legs[position][0] not in shape.functional:
            return None
        return (atom.predicate, position, element)


class _Guard:
    """A constraint over reachable facts."""

    def __init__(self, constraint: Constraint, task: Task) -> None:
        self._task = task
        self._name = constraint.name
        names = tuple(variable.name for variable in constraint.variables)
        types = tuple(variable.type for variable in constraint.variables)
        self._pattern: Pattern = pattern_of(names, types, constraint.never, task.instance)
        self._joins = tuple(
            (relation, Join(self._pattern, index))
            for index, (relation, _) in enumerate(self._pattern.atoms)
            if task.is_fluent(relation)
        )

    def blocks(self, operator: Operator) -> Iterator[Block]:
        """One block for each match of the pattern that the operator may complete."""
        add, delete = set(operator.add), set(operator.delete)
        surely = set(operator.pre) - delete
        for fact in operator.add:
            relation, arguments = self._task.facts[fact]
            for trigger, join in self._joins:
                if trigger != relation:
                    continue
                for match in join.matches(self._task.store, arguments):
                    needed = self._fluents(match)
                    completes = needed & add
                    if completes <= surely or needed & delete:
                        continue
                    if not any(surely_deleted(operator, gone) for gone in needed - add):
                        yield Block(
                            tuple(sorted(needed - add)), tuple(sorted(completes)), self._name
                        )

    def forbidden(self, fact: int) -> Iterator[Forbidden]:
        """The sets of facts with this one that the constraint forbids."""
        relation, arguments = self._task.facts[fact]
        for trigger, join in self._joins:
            if trigger == relation:
                for match in join.matches(self._task.store, arguments):
                    yield frozenset(self._fluents(match)), self._name

    def _fluents(self, match: tuple[str, ...]) -> set[int]:
        return {
            self._task.fact_ids[Fact(relation, tuple(match[slot] for slot in slots))]
            for relation, slots in self._pattern.atoms
            if self._task.is_fluent(relation)
        }
