# SPDX-License-Identifier: Apache-2.0
"""Partial states: sets of states as conjunctions of clauses, operators over them, regression.

A literal says that a variable has one of some values. Those are a bit mask: bit v is set if the
value v is allowed. So `x = 2` is the mask 4, and `x != 2` is all bits but that. A unit is a literal
that must hold; a clause is a disjunction of two or more literals on different variables. Blocks of
operators and conditional effects that must not happen are clauses.

Two indexes find the partial states that contain a state, and the states in a partial state.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.builder import Assignment, FlatBlock, read_body
from fcp_ros.planning.flat.task import FlatTask, count_operators, has_axioms

Literal = tuple[int, int]
"""A variable and the mask of its allowed values."""
Clause = tuple[Literal, ...]
"""At least one of the literals holds; sorted by variable."""


class PartialState(NamedTuple):
    """The states in which all units and all clauses hold; made by `conjoin` only."""

    # one literal for each variable that is restricted, sorted by variable
    units: tuple[Literal, ...]
    clauses: frozenset[Clause]  # none of them is decided by the units


def holds(partial: PartialState, state: Sequence[int]) -> bool:
    for variable, mask in partial.units:
        if not mask >> state[variable] & 1:
            return False
    return all(
        any(mask >> state[variable] & 1 for variable, mask in clause) for clause in partial.clauses
    )


def conjoin(units: Mapping[int, int], clauses: Iterable[Clause]) -> PartialState | None:
    """Conjoin units (variable -> mask) and clauses; return None if no state can fulfil them.

    Clauses that the units decide are taken out, those of one literal become units. This finds every
    contradiction of units, but not every one of clauses: that would be a search of its own.
    """
    allowed = dict(units)
    left = list(clauses)
    changed = True
    while changed:
        if 0 in allowed.values():
            return None
        changed = False
        undecided = []
        for clause in left:
            literals = _reduce(clause, allowed)
            if literals is None:
                continue
            if len(literals) > 1:
                undecided.append(literals)
            elif literals:
                allowed[literals[0][0]] = literals[0][1]
                changed = True
            else:
                return None
        left = undecided
    return PartialState(tuple(sorted(allowed.items())), frozenset(left))


def _reduce(clause: Clause, allowed: Mapping[int, int]) -> Clause | None:
    """Reduce a clause to the literals that the units do not refute; None if they fulfil it."""
    left = []
    for variable, mask in clause:
        known = allowed.get(variable)
        if known is None:
            left.append((variable, mask))
        elif known & ~mask == 0:
            return None
        elif known & mask:
            left.append((variable, known & mask))
    return tuple(left)


def implies(strong: PartialState, weak: PartialState) -> bool:
    """Return True if `weak` holds wherever `strong` does; may be False if that is hard to see."""
    allowed = dict(strong.units)
    for variable, mask in weak.units:
        known = allowed.get(variable)
        if known is None or known & ~mask:
            return False
    for clause in weak.clauses:
        if clause in strong.clauses:
            continue
        literals = _reduce(clause, allowed)
        if literals is not None and literals not in strong.clauses:
            return False
    return True


class PartialStateIndex:
    """Numbered partial states, found by a state in them or by a partial state that implies them.

    Each one is filed under one variable = value that it needs (the one with the fewest others), or
    in a list of its own if it needs none.
    """

    def __init__(self) -> None:
        self._by_value: dict[tuple[int, int], list[int]] = {}
        self._others: list[int] = []

    def add(self, number: int, partial: PartialState) -> None:
        keys = [unit for unit in partial.units if unit[1] & (unit[1] - 1) == 0]
        if not keys:
            self._others.append(number)
            return
        best = min(keys, key=lambda key: len(self._by_value.get(key, ())))
        self._by_value.setdefault(best, []).append(number)

    def find_in_state(self, state: Sequence[int]) -> Iterator[int]:
        """Find a superset of the partial states that contain a state."""
        yield from self._others
        for variable, value in enumerate(state):
            yield from self._by_value.get((variable, 1 << value), ())

    def find_implied(self, partial: PartialState) -> Iterator[int]:
        """Find a superset of the partial states that hold wherever `partial` does."""
        yield from self._others
        for unit in partial.units:
            yield from self._by_value.get(unit, ())


class StateTable:
    """The states of the forward side, one row of values for each variable."""

    def __init__(self, variables: int) -> None:
        self.states: list[tuple[int, ...]] = []
        self._values = np.empty((variables, 64), np.int32)

    def add(self, state: tuple[int, ...]) -> int:
        number = len(self.states)
        if number == self._values.shape[1]:
            self._values = np.concatenate([self._values, np.empty_like(self._values)], axis=1)
        self._values[:, number] = state
        self.states.append(state)
        return number

    def find_matching(self, partial: PartialState) -> list[int]:
        count = len(self.states)
        among = np.arange(count)
        for variable, mask in partial.units:
            if mask & (mask - 1) == 0:
                among = among[self._values[variable, among] == mask.bit_length() - 1]
        return [number for number in among.tolist() if holds(partial, self.states[number])]


# --- the operators of a flat task as values that both directions use


CASES = 256
"""Most combinations of outcomes of the conditional effects of one operator."""


@dataclass(frozen=True, slots=True)
class Write:
    """variable := value, if all of `when` hold; always without any."""

    variable: int
    value: int
    when: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class MaskedOperator:
    """One operator."""

    # the states in which it is applicable, resources and windows aside; None: in none
    needs: PartialState | None
    # its effects, in order; conditions are read in the state before, later ones win
    writes: tuple[Write, ...]


def read_operators(task: FlatTask) -> list[MaskedOperator]:
    return [_read_operator(task, number) for number in range(count_operators(task))]


def read_goal(task: FlatTask) -> PartialState | None:
    """Read the goal of a task; None if it contradicts itself."""
    units: dict[int, int] = {}
    for variable, value in zip(task.goal_var.tolist(), task.goal_val.tolist(), strict=True):
        units[variable] = units.get(variable, full_mask(task, variable)) & 1 << value
    return conjoin(units, ())


def explain_unsuitable(task: FlatTask) -> str:
    """Explain in one sentence why a task cannot be searched backwards; "" if it can.

    An operator with conditional effects regresses into one partial state for each combination of
    their outcomes. If those are too many, search forward. What an axiom needs is not written by
    operators, so they don't regress at all.
    """
    if has_axioms(task):
        return "the task has axioms: search forward"
    for number in range(count_operators(task)):
        ways: dict[int, int] = {}
        for effect in read_body(task, number).effects:
            if effect.is_conditional:
                ways[effect.variable] = ways.get(effect.variable, 1) + 1
        if math.prod(ways.values()) > CASES:
            return (
                f"operator {number} has conditional effects that may come out in "
                f"{math.prod(ways.values())} ways, more than {CASES}: search forward"
            )
    return ""


def full_mask(task: FlatTask, variable: int) -> int:
    return (1 << int(task.domain[variable])) - 1


def negate(task: FlatTask, literals: Sequence[Literal]) -> Clause | None:
    """Make the clause that not all of the literals hold; None if that is always so."""
    masks: dict[int, int] = {}
    for variable, mask in literals:
        full = full_mask(task, variable)
        masks[variable] = masks.get(variable, 0) | (full & ~mask)
        if masks[variable] == full:
            return None
    return tuple(sorted((variable, mask) for variable, mask in masks.items() if mask))


def _read_operator(task: FlatTask, number: int) -> MaskedOperator:
    body = read_body(task, number)
    units: dict[int, int] = {}
    for variable, mask in _read_literals(task, body.pre, body.unequal):
        units[variable] = units.get(variable, mask) & mask
    clauses = [clause for block in body.blocks for clause in _read_block(task, block)]
    writes = (
        Write(one.variable, one.value, _read_literals(task, one.equal, one.unequal))
        for one in body.effects
    )
    return MaskedOperator(conjoin(units, clauses), tuple(writes))


def _read_block(task: FlatTask, block: FlatBlock) -> list[Clause]:
    """Read a block, "not all of rest, or all of done", as a clause for each literal of done."""
    clauses = [negate(task, _read_literals(task, block.rest, (done,))) for done in block.done]
    return [clause for clause in clauses if clause is not None]


def _read_literals(
    task: FlatTask, equal: Sequence[Assignment], unequal: Sequence[Assignment]
) -> tuple[Literal, ...]:
    return (
        *((variable, 1 << value) for variable, value in equal),
        *((variable, full_mask(task, variable) & ~(1 << value)) for variable, value in unequal),
    )


# --- regression: the states from which an operator leads into a partial state (Rintanen 2008)
#
# For an operator without conditional effects they are one partial state. With conditional effects
# there is one for each combination of outcomes of those that matter; together they are exact.


class EffectCase(NamedTuple):
    """One outcome of an operator for one variable, and its conditions."""

    value: int | None  # the value written; None: none
    units: tuple[Literal, ...]  # literals that must hold for it in the state before
    clauses: tuple[Clause, ...]  # clauses that must hold for it in the state before


class Regression:
    """Regresses partial states through the operators of one task."""

    def __init__(self, task: FlatTask, operators: Sequence[MaskedOperator]) -> None:
        self._operators = operators
        self._cases = [_find_cases(task, operator) for operator in operators]
        self._writers: dict[int, list[tuple[int, int]]] = {}
        for number, operator in enumerate(operators):
            if operator.needs is None:
                continue
            for variable, value in {(write.variable, write.value) for write in operator.writes}:
                self._writers.setdefault(variable, []).append((value, number))

    def find_achievers(self, partial: PartialState) -> set[int]:
        """Find the operators that may make a literal of a partial state true."""
        literals = [*partial.units, *(literal for clause in partial.clauses for literal in clause)]
        return {
            number
            for variable, mask in literals
            for value, number in self._writers.get(variable, ())
            if mask >> value & 1
        }

    def regress(
        self, partial: PartialState, number: int, *, idle: bool = False
    ) -> Iterator[PartialState]:
        """Yield the partial states from which an operator leads into `partial`.

        Args:
            idle: yield also the cases in which it makes no literal true (they need more than
                `partial` itself, and are of use for resources only).
        """
        needs = self._operators[number].needs
        if needs is None:
            return
        restricted = {variable for variable, _ in partial.units}
        restricted.update(variable for clause in partial.clauses for variable, _ in clause)
        written = [
            [(variable, case) for case in cases]
            for variable, cases in self._cases[number].items()
            if variable in restricted
        ]
        for choice in product(*written):
            found = _regress(partial, needs, dict(choice), idle)
            if found is not None:
                yield found


def _find_cases(task: FlatTask, operator: MaskedOperator) -> dict[int, list[EffectCase]]:
    by_variable: dict[int, list[Write]] = {}
    for write in operator.writes:
        by_variable.setdefault(write.variable, []).append(write)
    return {
        variable: _find_variable_cases(task, writes) for variable, writes in by_variable.items()
    }


def _find_variable_cases(task: FlatTask, writes: Sequence[Write]) -> list[EffectCase]:
    found = []
    later: list[Clause] = []
    for write in reversed(writes):
        found.append(EffectCase(write.value, write.when, tuple(later)))
        if not write.when:
            return found
        clause = negate(task, write.when)
        if clause is not None:
            later.append(clause)
    found.append(EffectCase(None, (), tuple(later)))
    return found


def _regress(
    partial: PartialState, needs: PartialState, cases: dict[int, EffectCase], idle: bool
) -> PartialState | None:
    """Regress a partial state through an operator in one case of each variable that it writes."""
    written = {variable: case.value for variable, case in cases.items() if case.value is not None}
    clauses = [*needs.clauses]
    units = dict(needs.units)
    achieves = idle

    def require(variable: int, mask: int) -> None:
        units[variable] = units.get(variable, mask) & mask

    for variable, mask in partial.units:
        if variable not in written:
            require(variable, mask)
        elif mask >> written[variable] & 1:
            achieves = True
        else:
            return None
    for clause in partial.clauses:
        if any(variable in written and mask >> written[variable] & 1 for variable, mask in clause):
            achieves = True
        else:
            clauses.append(tuple(literal for literal in clause if literal[0] not in written))
    if not achieves:
        return None
    for case in cases.values():
        for variable, mask in case.units:
            require(variable, mask)
        clauses.extend(case.clauses)
    return conjoin(units, clauses)
