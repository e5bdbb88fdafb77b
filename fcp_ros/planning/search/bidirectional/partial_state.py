# SPDX-License-Identifier: Apache-2.0
"""Partial states: sets of states, given by a conjunction of clauses over finite-domain variables.

A literal says that a variable has one of some values. Those are a bit mask: bit v is set if the
value v is allowed. So `x = 2` is the mask 4, and `x != 2` is all bits but that. A unit is a literal
that must hold; a clause is a disjunction of two or more literals on different variables. Blocks of
operators and conditional effects that must not happen are clauses.

Two indexes find the partial states that contain a state, and the states in a partial state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

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
    """Return True if a state belongs to a partial state."""
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
        """Add a partial state."""
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
        """Add a state and return its number."""
        number = len(self.states)
        if number == self._values.shape[1]:
            self._values = np.concatenate([self._values, np.empty_like(self._values)], axis=1)
        self._values[:, number] = state
        self.states.append(state)
        return number

    def find_matching(self, partial: PartialState) -> list[int]:
        """Find the numbers of the states in a partial state."""
        count = len(self.states)
        among = np.arange(count)
        for variable, mask in partial.units:
            if mask & (mask - 1) == 0:
                among = among[self._values[variable, among] == mask.bit_length() - 1]
        return [number for number in among.tolist() if holds(partial, self.states[number])]
