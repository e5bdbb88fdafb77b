# SPDX-License-Identifier: Apache-2.0
"""Operators over facts to operators over variables: conditions and effects.

Facts that never change are evaluated; an operator with a condition that never holds is dropped.

A condition is a conjunction of values and excluded values. Disjunctions that relevance did not
expand into operators of their own are clauses. Each becomes blocks, which heuristics do not see.

The requirements of an operator on variables are put together. A condition "none of these facts,
except the one that is added anyway" makes two operators if the variable is either empty or has that
value already: one with each as its precondition.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator

from fcp_ros.planning.encoding.variables import Variables
from fcp_ros.planning.flat.builder import Assignment, Body, FlatBlock, FlatEffect
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.task.invariants import LegMutexes
from fcp_ros.planning.task.task import (
    Absence,
    Block,
    Conditions,
    FactKey,
    GroundClause,
    GroundEffect,
    GroundOperator,
    Task,
)

MAX_VARIANTS = 4
"""At most this many variants of one operator; beyond that values are excluded by conditions."""


class Impossible(Exception):
    """A condition that never holds."""


class Requirements:
    """The requirements of an operator on variables."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self.pre: dict[int, int] = {}
        self.unequal: dict[int, set[int]] = {}
        self.either: dict[int, set[int]] = {}

    def require(self, variable: int, value: int) -> None:
        if self.pre.setdefault(variable, value) != value:
            raise Impossible

    def exclude(self, variable: int, values: Iterable[int]) -> None:
        """Require that the variable has none of the values."""
        self.unequal.setdefault(variable, set()).update(values)

    def settle(self) -> None:
        if not self.unequal:
            return
        for variable, values in list(self.unequal.items()):
            fixed = self.pre.get(variable)
            if fixed is not None:
                if fixed in values:
                    raise Impossible
                del self.unequal[variable]
                continue
            size = len(self._variables.values[variable])
            if size - len(values) > 2:
                continue
            left = set(range(size)) - values
            if not left:
                raise Impossible
            if len(left) == 1:
                self.pre[variable] = left.pop()
                del self.unequal[variable]
            elif len(values) > 1:
                self.either[variable] = left
                del self.unequal[variable]

    def make_variants(self) -> Iterator[tuple[dict[int, int], list[Assignment]]]:
        """Yield the preconditions and excluded values of each variant."""
        if not self.unequal and not self.either:
            yield self.pre, []
            return
        excluded = [(var, value) for var, values in self.unequal.items() for value in values]
        if not self.either:
            yield self.pre, sorted(excluded)
            return
        choices = dict(self.either)
        while 2 ** len(choices) > MAX_VARIANTS:
            variable, left = choices.popitem()
            size = len(self._variables.values[variable])
            excluded.extend((variable, value) for value in range(size) if value not in left)
        for chosen in itertools.product(*(sorted(left) for left in choices.values())):
            yield {**self.pre, **dict(zip(choices, chosen, strict=True))}, sorted(excluded)


MAX_BLOCKS = 1_000
"""A clause becomes at most this many blocks."""


class OperatorEncoder:
    """Encodes the operators of a task."""

    def __init__(
        self, task: Task, conditions: Conditions, variables: Variables, mutexes: LegMutexes
    ) -> None:
        self._task = task
        self._conditions = conditions
        self._variables = variables
        self._mutexes = mutexes
        self._legs: dict[FactKey, dict[int, set[int]] | None] = {}

    def encode(self, index: int) -> list[Body]:
        """Encode an operator as flat bodies; none if it is never applicable."""
        operator = self._task.operators[index]
        absences = self._conditions.find_absences(index)
        if absences is None:
            return []
        try:
            required = self._require(operator.pre, ())
            for absence in absences:
                if not self._mutexes.implies(absence, operator.pre):
                    self._require_absence(absence, required)
            clauses = [
                block
                for clause in operator.clauses
                for block in self._encode_clause(clause, required, operator)
            ]
            blocks = (*clauses, *self._encode_blocks(index, required))
            required.settle()
        except Impossible:
            return []
        return [
            Body(
                tuple(sorted(pre.items())),
                tuple(unequal),
                tuple(self._encode_effects(operator, pre)),
                blocks,
            )
            for pre, unequal in required.make_variants()
            if len(pre) < 2 or self._is_possible(pre)
        ]

    def _is_possible(self, pre: dict[int, int]) -> bool:
        values = self._variables.values
        facts = [values[variable][value] for variable, value in pre.items()]
        return self._mutexes.are_compatible([fact for fact in facts if fact is not None])

    def encode_condition(
        self, positive: Collection[int], negative: Iterable[int]
    ) -> tuple[tuple[Assignment, ...], tuple[Assignment, ...]] | None:
        """Encode facts that must and must not hold as (pre, unequal); None if they never do."""
        if not self._mutexes.are_compatible(positive):
            return None
        try:
            required = self._require(positive, negative)
            required.settle()
        except Impossible:
            return None
        unequal = [(v, value) for v, values in required.unequal.items() for value in values]
        for variable, left in required.either.items():
            size = len(self._variables.values[variable])
            unequal.extend((variable, value) for value in range(size) if value not in left)
        return tuple(sorted(required.pre.items())), tuple(sorted(unequal))

    def _require(self, positive: Iterable[int], negative: Iterable[int]) -> Requirements:
        place, never = self._variables.place, self._variables.never
        required = Requirements(self._variables)
        for fact in positive:
            found = place.get(fact)
            if found is not None:
                required.require(*found)
            elif fact in never:
                raise Impossible
        for fact in negative:
            found = place.get(fact)
            if found is not None:
                required.exclude(found[0], found[1:])
            elif fact in self._variables.always:
                raise Impossible
        return required

    def _require_absence(self, absence: Absence, required: Requirements) -> None:
        exception = absence.unless
        if exception in self._variables.always:
            return
        values = self._find_values(absence)
        if values is None:
            raise Impossible
        place = None if exception is None else self._variables.place.get(exception)
        for variable, excluded in values.items():
            if place is not None and place[0] == variable:
                required.exclude(variable, excluded - {place[1]})
            else:
                required.exclude(variable, excluded)

    def _find_values(self, absence: Absence) -> dict[int, set[int]] | None:
        if absence.key is None:
            return self._group_by_variable(absence.facts)
        if absence.key not in self._legs:
            self._legs[absence.key] = self._group_by_variable(absence.facts)
        return self._legs[absence.key]

    def _group_by_variable(self, facts: Iterable[int]) -> dict[int, set[int]] | None:
        values: dict[int, set[int]] = {}
        for fact in facts:
            found = self._variables.place.get(fact)
            if found is not None:
                values.setdefault(found[0], set()).add(found[1])
            elif fact in self._variables.always:
                return None
        return values

    # --- clauses

    def _encode_clause(
        self, clause: GroundClause, required: Requirements, operator: GroundOperator
    ) -> Iterator[FlatBlock]:
        """Yield blocks for all values with which no literal of a clause holds.

        A clause over one variable becomes a simple condition.
        """
        variables = self._variables
        if not (
            variables.always.isdisjoint(clause.present)
            and variables.never.isdisjoint(clause.absent)
        ):
            return
        wrong: dict[int, set[int]] = {}
        for variable, value in self._find_places(clause.present):
            self._list_wrong(wrong, variable).discard(value)
        for variable, value in self._find_places(clause.absent):
            self._list_wrong(wrong, variable).intersection_update((value,))
        for variable in [variable for variable in wrong if variable in required.pre]:
            if required.pre[variable] not in wrong.pop(variable):
                return
        if not all(wrong.values()):
            return
        if not wrong:
            raise Impossible
        if len(wrong) == 1:
            ((variable, values),) = wrong.items()
            required.exclude(variable, values)
            return
        if math.prod(map(len, wrong.values())) > MAX_BLOCKS:
            raise Interrupted(
                PlanStatus.UNSUPPORTED,
                f"A condition of the rule {operator.rule.name} fails in more than {MAX_BLOCKS} "
                "combinations of facts: make several rules of it, or drop a part of the condition.",
            )
        places = [[(variable, value) for value in sorted(wrong[variable])] for variable in wrong]
        for rest in itertools.product(*places):
            variable, value = rest[0]
            yield FlatBlock(rest, ((variable, int(not value)),))  # never done while `rest` holds

    def _list_wrong(self, wrong: dict[int, set[int]], variable: int) -> set[int]:
        return wrong.setdefault(variable, set(range(len(self._variables.values[variable]))))

    # --- constraints

    def _encode_blocks(self, index: int, required: Requirements) -> tuple[FlatBlock, ...]:
        found: dict[FlatBlock, None] = {}
        for block in self._conditions.find_blocks(index):
            for rest in self._expand_rest(block):
                flat = self._encode_block(rest, block.completes, required)
                if flat is not None:
                    found.setdefault(flat)
        return tuple(found)

    def _expand_rest(self, block: Block) -> Iterator[tuple[Assignment, ...]]:
        """Yield the conjunctions of values under each of which a block bites."""
        variables = self._variables
        if not variables.never.isdisjoint(block.rest):
            return
        if not variables.always.isdisjoint(block.absent):
            return
        rest = self._find_places(block.rest)
        others = [
            [
                (variable, other)
                for other in range(len(variables.values[variable]))
                if other != value
            ]
            for variable, value in self._find_places(block.absent)
        ]
        for elsewhere in itertools.product(*others):
            conjunction = tuple(dict.fromkeys((*rest, *elsewhere)))
            if len({variable for variable, _ in conjunction}) == len(conjunction):
                yield conjunction  # else it asks for two values of one variable

    def _encode_block(
        self, rest: tuple[Assignment, ...], completes: Iterable[int], required: Requirements
    ) -> FlatBlock | None:
        variables = self._variables
        done = self._find_places(fact for fact in completes if fact not in variables.always)
        if not done:
            return None
        if any(required.pre.get(variable, value) != value for variable, value in rest):
            return None
        rest = tuple(place for place in rest if place[0] not in required.pre)
        undone = any(required.pre.get(variable, value) != value for variable, value in done)
        if not undone and rest:
            done = tuple(place for place in done if place[0] not in required.pre)
            return FlatBlock(rest, done) if done else None
        if not undone:
            for variable, value in done:
                required.require(variable, value)
        elif not rest:
            raise Impossible
        elif len(rest) > 1:
            return FlatBlock(rest, done)
        else:
            required.exclude(rest[0][0], rest[0][1:])
        return None

    def _find_places(self, facts: Iterable[int]) -> tuple[Assignment, ...]:
        place = self._variables.place
        return tuple(dict.fromkeys(place[fact] for fact in facts if fact in place))

    # --- effects

    def _encode_effects(
        self, operator: GroundOperator, pre: dict[int, int]
    ) -> Iterator[FlatEffect]:
        """Yield the effects, deletions first, so that what is added stays."""
        place, none = self._variables.place, self._variables.none
        added = dict([place[fact] for fact in operator.add if fact in place])
        for effect in operator.effects:
            yield from self._encode_conditional(effect, pre, effect.delete, added, False)
        for fact in operator.delete:
            if fact in place and place[fact][0] not in added:
                variable = place[fact][0]
                yield FlatEffect(variable, none[variable])
        for variable, value in added.items():
            if pre.get(variable) != value:
                yield FlatEffect(variable, value)
        for effect in operator.effects:
            yield from self._encode_conditional(effect, pre, effect.add, added, True)

    def _encode_conditional(
        self,
        effect: GroundEffect,
        pre: dict[int, int],
        facts: Iterable[int],
        added: dict[int, int],
        adds: bool,
    ) -> Iterator[FlatEffect]:
        condition = self.encode_condition(effect.pre, effect.absent)
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
