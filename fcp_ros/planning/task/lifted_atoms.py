# SPDX-License-Identifier: Apache-2.0
"""The relations of a domain as grounding reads them, and atoms over numbered slots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import Atom, Variable


@dataclass(frozen=True, eq=False, slots=True)
class LiftedRelation:
    """A relation."""

    number: int
    name: str
    legs: tuple[str, ...]
    # for each leg the types that an element there may have as its own
    kinds: tuple[frozenset[str], ...]
    keys: tuple[int, ...]  # positions of the functional legs
    changes: bool
    moves: bool  # whether some rule replaces one of its facts by another (a robot's place)


LiftedAtom = tuple[LiftedRelation, tuple[int, ...]]
"""A relation and the slot of each leg; -1, -2, ... are existential, inside one negation."""


def lift_atom(
    atom: Atom, slots: Mapping[str, int], relations: Mapping[str, LiftedRelation]
) -> LiftedAtom:
    """Replace the variables of an atom by slots; those without one become existential."""
    open_: dict[str, int] = {}
    found = []
    for term in atom.arguments:
        if not isinstance(term, Variable):
            raise TypeError(f"{atom.predicate} in a rule takes parameters, not {term}")
        slot = slots.get(term.name)
        found.append(open_.setdefault(term.name, -1 - len(open_)) if slot is None else slot)
    return (relations[atom.predicate], tuple(found))
