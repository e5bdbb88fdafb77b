# SPDX-License-Identifier: Apache-2.0
"""What must be absent: negated conditions and functional legs, as patterns that facts match.

Many operators share a pattern (an empty hand), so each is kept once, with the facts that match it
and may hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fcp_ros.planning.relevance.facts import Bound, Elements, FactTable
from fcp_ros.planning.task.lifted import LiftedAtom, LiftedRelation

Same = tuple[tuple[int, int], ...]
"""Pairs of legs that must have the same element."""


@dataclass(eq=False, slots=True)
class Pattern:
    """Facts of a relation with given elements in some legs.

    Attributes:
        relation, bound, same: which facts.
        facts: those that may hold, as far as is known.
        blocked: those that hold at first.
        hard: whether a negated condition asks for it, not only a functional leg.
        active: whether some operator asks for it.
    """

    relation: LiftedRelation
    bound: Bound
    same: Same
    facts: list[int] = field(default_factory=list)
    blocked: list[int] = field(default_factory=list)
    hard: bool = False
    active: bool = False

    def fits(self, elements: Elements) -> bool:
        """Whether a fact of the relation matches."""
        return all(elements[p] == element for p, element in self.bound) and all(
            elements[one] == elements[other] for one, other in self.same
        )


class Patterns:
    """All patterns, found by the facts that match them."""

    def __init__(self, facts: FactTable) -> None:
        self._facts = facts
        self._patterns: dict[tuple[int, Bound, Same], Pattern] = {}
        self._kinds: dict[int, dict[tuple[tuple[int, ...], Same], None]] = {}

    def of_atom(self, atom: LiftedAtom, binding: Elements) -> tuple[Pattern, bool]:
        """The pattern of a negated condition, and whether it is new."""
        relation, slots = atom
        bound = tuple([(p, binding[slot]) for p, slot in enumerate(slots) if slot >= 0])
        pattern, new = self._pattern(relation, bound, _same(slots))
        pattern.hard = True
        return pattern, new

    def of_key(self, relation: LiftedRelation, position: int, element: int) -> tuple[Pattern, bool]:
        """The pattern of a functional leg, and whether it is new."""
        return self._pattern(relation, ((position, element),), ())

    def matching(self, fact: int) -> Iterator[Pattern]:
        """The patterns that a fact matches."""
        relation, elements = self._facts.relation[fact], self._facts.elements[fact]
        for positions, same in tuple(self._kinds.get(relation.number, ())):
            bound = tuple([(p, elements[p]) for p in positions])
            pattern = self._patterns.get((relation.number, bound, same))
            if pattern is not None and (not same or pattern.fits(elements)):
                yield pattern

    def _pattern(self, relation: LiftedRelation, bound: Bound, same: Same) -> tuple[Pattern, bool]:
        key = (relation.number, bound, same)
        found = self._patterns.get(key)
        if found is not None:
            return found, False
        pattern = self._patterns[key] = Pattern(relation, bound, same)
        positions = tuple([position for position, _ in bound])
        self._kinds.setdefault(relation.number, {}).setdefault((positions, same))
        facts = self._facts
        for elements in facts.there(relation, bound):
            if not same or pattern.fits(elements):
                pattern.blocked.append(facts.number(relation, elements))
        pattern.facts.extend(pattern.blocked)
        for fact in facts.new(relation, bound):
            if not same or pattern.fits(facts.elements[fact]):
                pattern.facts.append(fact)
        return pattern, True


def _same(slots: tuple[int, ...]) -> Same:
    first: dict[int, int] = {}
    return tuple(
        (first[slot], position)
        for position, slot in enumerate(slots)
        if slot < 0 and first.setdefault(slot, position) != position
    )
