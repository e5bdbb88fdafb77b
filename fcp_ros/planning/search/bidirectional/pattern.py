# SPDX-License-Identifier: Apache-2.0
"""Patterns: sets of states, given by a conjunction of clauses over finite-domain variables.

A literal says that a variable has one of some values. Those are a bit mask: bit v is set where the
value v is allowed. So `x = 2` is the mask 4, and `x != 2` is all bits but that. A unit is a literal
that must hold; a clause is a disjunction of two or more literals on different variables. Blocks of
operators and conditional effects that must not happen are clauses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Literal = tuple[int, int]
"""A variable, and the mask of the values that it may have."""
Clause = tuple[Literal, ...]
"""At least one of the literals holds; sorted by variable."""


class Pattern(NamedTuple):
    """The states in which all units and all clauses hold; made by `conjunction` only.

    Attributes:
        units: one literal for each variable that is restricted, sorted by variable.
        clauses: none of them is decided by the units.
    """

    units: tuple[Literal, ...]
    clauses: frozenset[Clause]


EVERYTHING = Pattern((), frozenset())
"""The pattern that holds in every state."""


def holds(pattern: Pattern, state: Sequence[int]) -> bool:
    """Whether a state agrees with the pattern on everything that the pattern speaks of."""
    for variable, mask in pattern.units:
        if not mask >> state[variable] & 1:
            return False
    return all(
        any(mask >> state[variable] & 1 for variable, mask in clause) for clause in pattern.clauses
    )


def conjunction(units: Mapping[int, int], clauses: Iterable[Clause]) -> Pattern | None:
    """The pattern of some units (variable -> mask) and clauses; None where no state can have it.

    Clauses that the units decide are taken out, those of one literal become units. (This finds
    every contradiction of units, and not every one of clauses: that would be a search of its own.)
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
            literals = _undecided(clause, allowed)
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
    return Pattern(tuple(sorted(allowed.items())), frozenset(left))


def _undecided(clause: Clause, allowed: Mapping[int, int]) -> Clause | None:
    """What is left of a clause under the units; None where they fulfil it."""
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


def implies(strong: Pattern, weak: Pattern) -> bool:
    """Whether `weak` holds wherever `strong` does; may say False where that is hard to see."""
    allowed = dict(strong.units)
    for variable, mask in weak.units:
        known = allowed.get(variable)
        if known is None or known & ~mask:
            return False
    for clause in weak.clauses:
        if clause in strong.clauses:
            continue
        literals = _undecided(clause, allowed)
        if literals is not None and literals not in strong.clauses:
            return False
    return True
