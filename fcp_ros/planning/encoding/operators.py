# SPDX-License-Identifier: Apache-2.0
"""Operators over facts -> operators over variables: conditions and effects.

What never changes is worked out; an operator of which a condition never holds is left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fcp_ros.planning.encoding.requirements import Impossible, Requirements
from fcp_ros.planning.encoding.variables import Variables
from fcp_ros.planning.flat.builder import Assignment, FlatBlock, FlatEffect
from fcp_ros.planning.mutexes.ground_mutexes import LegMutexes
from fcp_ros.planning.task.conditions import Conditions
from fcp_ros.planning.task.task import Absence, Block, FactKey, GroundEffect, GroundOperator, Task


@dataclass(frozen=True, slots=True)
class Body:
    """Conditions and effects of a flat operator; see `FlatOperator`."""

    pre: tuple[Assignment, ...]
    unequal: tuple[Assignment, ...]
    effects: tuple[FlatEffect, ...]
    blocks: tuple[FlatBlock, ...]

    @property
    def changes_nothing(self) -> bool:
        """Whether it leaves every state as it is."""
        return all((effect.variable, effect.value) in self.pre for effect in self.effects)


class OperatorEncoder:
    """Encodes the operators of a task.

    Args:
        task: the task.
        conditions: its negative conditions.
        variables: the variables that were chosen for it.
        mutexes: absences that follow from a precondition are not asked for.
    """

    def __init__(
        self, task: Task, conditions: Conditions, variables: Variables, mutexes: LegMutexes
    ) -> None:
        self._task = task
        self._conditions = conditions
        self._variables = variables
        self._mutexes = mutexes
        self._legs: dict[FactKey, dict[int, set[int]] | None] = {}

    def bodies(self, index: int) -> list[Body]:
        """The flat operators that stand for an operator; none where it can never be applied."""
        operator = self._task.operators[index]
        absences = self._conditions.find_absences(index)
        if absences is None:
            return []
        try:
            asked = self._required(operator.pre, ())
            for absence in absences:
                if not self._mutexes.implies(absence, operator.pre):
                    self._absent(absence, asked)
            blocks = self._blocks(index, asked)
            asked.settle()
        except Impossible:
            return []
        return [
            Body(
                tuple(sorted(pre.items())),
                tuple(unequal),
                tuple(self._effects(operator, pre)),
                blocks,
            )
            for pre, unequal in asked.variants()
            if len(pre) < 2 or self._possible(pre)
        ]

    def _possible(self, pre: dict[int, int]) -> bool:
        """Whether the facts behind the preconditions don't exclude each other."""
        values = self._variables.values
        facts = [values[variable][value] for variable, value in pre.items()]
        return self._mutexes.are_compatible([fact for fact in facts if fact is not None])

    def condition(
        self, positive: Iterable[int], negative: Iterable[int]
    ) -> tuple[tuple[Assignment, ...], tuple[Assignment, ...]] | None:
        """(pre, unequal) of facts that must hold and facts that must not; None: it never holds."""
        try:
            asked = self._required(positive, negative)
            asked.settle()
        except Impossible:
            return None
        unequal = [(v, value) for v, values in asked.unequal.items() for value in values]
        for variable, left in asked.either.items():
            size = len(self._variables.values[variable])
            unequal.extend((variable, value) for value in range(size) if value not in left)
        return tuple(sorted(asked.pre.items())), tuple(sorted(unequal))

    def _required(self, positive: Iterable[int], negative: Iterable[int]) -> Requirements:
        place, never = self._variables.place, self._variables.never
        asked = Requirements(self._variables)
        for fact in positive:
            found = place.get(fact)
            if found is not None:
                asked.is_(*found)
            elif fact in never:
                raise Impossible
        for fact in negative:
            found = place.get(fact)
            if found is not None:
                asked.is_not(found[0], found[1:])
            elif fact in self._variables.always:
                raise Impossible
        return asked

    def _absent(self, absence: Absence, asked: Requirements) -> None:
        exception = absence.unless
        if exception in self._variables.always:
            return
        values = self._values_of(absence)
        if values is None:
            raise Impossible
        place = None if exception is None else self._variables.place.get(exception)
        for variable, excluded in values.items():
            if place is not None and place[0] == variable:
                asked.is_not(variable, excluded - {place[1]})
            else:
                asked.is_not(variable, excluded)

    def _values_of(self, absence: Absence) -> dict[int, set[int]] | None:
        """The values that the facts stand for, by variable; None if one of them always holds."""
        if absence.key is None:
            return self._by_variable(absence.facts)
        if absence.key not in self._legs:
            self._legs[absence.key] = self._by_variable(absence.facts)
        return self._legs[absence.key]

    def _by_variable(self, facts: Iterable[int]) -> dict[int, set[int]] | None:
        values: dict[int, set[int]] = {}
        for fact in facts:
            found = self._variables.place.get(fact)
            if found is not None:
                values.setdefault(found[0], set()).add(found[1])
            elif fact in self._variables.always:
                return None
        return values

    # --- constraints

    def _blocks(self, index: int, asked: Requirements) -> tuple[FlatBlock, ...]:
        found: dict[FlatBlock, None] = {}
        for block in self._conditions.find_blocks(index):
            for rest in self._rests(block):
                flat = self._block(rest, block.completes, asked)
                if flat is not None:
                    found.setdefault(flat)
        return tuple(found)

    def _rests(self, block: Block) -> Iterator[tuple[Assignment, ...]]:
        """Values of which all must be there for the block to bite: one of these conjunctions."""
        variables = self._variables
        if not variables.never.isdisjoint(block.rest):
            return
        if not variables.always.isdisjoint(block.absent):
            return
        rest = self._places(block.rest)
        others = [
            [
                (variable, other)
                for other in range(len(variables.values[variable]))
                if other != value
            ]
            for variable, value in self._places(block.absent)
        ]
        for elsewhere in itertools.product(*others):
            conjunction = tuple(dict.fromkeys((*rest, *elsewhere)))
            if len({variable for variable, _ in conjunction}) == len(conjunction):
                yield conjunction  # else it asks for two values of one variable

    def _block(
        self, rest: tuple[Assignment, ...], completes: Iterable[int], asked: Requirements
    ) -> FlatBlock | None:
        """The block, or None where it never bites or was said by a simple condition."""
        variables = self._variables
        done = self._places(fact for fact in completes if fact not in variables.always)
        if not done:
            return None
        if any(asked.pre.get(variable, value) != value for variable, value in rest):
            return None
        rest = tuple(place for place in rest if place[0] not in asked.pre)
        undone = any(asked.pre.get(variable, value) != value for variable, value in done)
        if not undone and rest:
            done = tuple(place for place in done if place[0] not in asked.pre)
            return FlatBlock(rest, done) if done else None
        if not undone:
            for variable, value in done:
                asked.is_(variable, value)
        elif not rest:
            raise Impossible
        elif len(rest) > 1:
            return FlatBlock(rest, done)
        else:
            asked.is_not(rest[0][0], rest[0][1:])
        return None

    def _places(self, facts: Iterable[int]) -> tuple[Assignment, ...]:
        place = self._variables.place
        return tuple(dict.fromkeys(place[fact] for fact in facts if fact in place))

    # --- effects

    def _effects(self, operator: GroundOperator, pre: dict[int, int]) -> Iterator[FlatEffect]:
        """What is deleted first, so that what is added stays."""
        place, none = self._variables.place, self._variables.none
        added = dict([place[fact] for fact in operator.add if fact in place])
        for effect in operator.effects:
            yield from self._happening(effect, pre, effect.delete, added, False)
        for fact in operator.delete:
            if fact in place and place[fact][0] not in added:
                variable = place[fact][0]
                yield FlatEffect(variable, none[variable])
        for variable, value in added.items():
            if pre.get(variable) != value:
                yield FlatEffect(variable, value)
        for effect in operator.effects:
            yield from self._happening(effect, pre, effect.add, added, True)

    def _happening(
        self,
        effect: GroundEffect,
        pre: dict[int, int],
        facts: Iterable[int],
        added: dict[int, int],
        adds: bool,
    ) -> Iterator[FlatEffect]:
        """What a conditional effect adds, or what it deletes."""
        condition = self.condition(effect.pre, effect.absent)
        if condition is None:
            return
        equal = tuple(place for place in condition[0] if place not in pre.items())
        for fact in facts:
            if fact not in self._variables.place:
                continue
            variable, value = self._variables.place[fact]
            if adds:
                if added.get(variable) != value:
                    yield FlatEffect(variable, value, equal, condition[1])
            elif variable not in added:
                there = () if (variable, value) in pre.items() else ((variable, value),)
                yield FlatEffect(
                    variable,
                    self._variables.none[variable],
                    tuple(dict.fromkeys((*equal, *there))),
                    condition[1],
                )
