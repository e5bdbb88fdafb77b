# SPDX-License-Identifier: Apache-2.0
"""The facts that grounding on demand has met, as numbers; all others are looked up in the scene.

Elements are the ids of the instance. A *literal* is a fact and a polarity: 2 * fact for "it holds",
2 * fact + 1 for "it does not hold".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from fcp_ros.cset import Instance
from fcp_ros.planning.task.lifted import LiftedAtom, LiftedRelation

Elements = tuple[int, ...]
Bound = tuple[tuple[int, int], ...]
"""(position of a leg, element in it)."""


class FactTable:
    """Facts by number, with what is known of each.

    Attributes:
        relation, elements: what each fact says.
        initial: whether it holds at first.
        gained: whether an operator that may become applicable adds it.
        lost: whether an operator that may become applicable deletes it.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.relation: list[LiftedRelation] = []
        self.elements: list[Elements] = []
        self.initial: list[bool] = []
        self.gained: list[bool] = []
        self.lost: list[bool] = []
        self._numbers: dict[tuple[int, Elements], int] = {}
        self._index: dict[tuple[int, int, int], list[int]] = {}
        self._new: dict[int, list[int]] = {}
        self._there: dict[tuple[int, Bound], Collection[Elements]] = {}

    def __len__(self) -> int:
        return len(self.relation)

    def number(self, relation: LiftedRelation, elements: Elements) -> int:
        """The number of a fact, which is met now if it was not before."""
        key = (relation.number, elements)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.relation)
            self.relation.append(relation)
            self.elements.append(elements)
            self.initial.append(self.instance.find_tuple(relation.name, elements) is not None)
            self.gained.append(False)
            self.lost.append(False)
        return found

    def gain(self, fact: int) -> None:
        """Say that the fact may come to hold."""
        self.gained[fact] = True
        if not self.initial[fact]:
            relation = self.relation[fact].number
            self._new.setdefault(relation, []).append(fact)
            for position, element in enumerate(self.elements[fact]):
                self._index.setdefault((relation, position, element), []).append(fact)

    def possible(self, fact: int) -> bool:
        """Whether the fact holds at some time, as far as is known."""
        return self.initial[fact] or self.gained[fact]

    def may_hold(self, relation: LiftedRelation, elements: Elements) -> bool:
        """The same for a fact that may not have been met."""
        found = self._numbers.get((relation.number, elements))
        if found is None:
            return self.instance.find_tuple(relation.name, elements) is not None
        return self.initial[found] or self.gained[found]

    def there(self, relation: LiftedRelation, bound: Bound) -> Collection[Elements]:
        """The tuples that hold at first and have the bound elements, looked up by index."""
        if len(bound) == len(relation.legs):
            elements = tuple(element for _, element in bound)
            found = self.instance.find_tuple(relation.name, elements) is not None
            return (elements,) if found else ()
        key = (relation.number, bound)
        known = self._there.get(key)
        if known is None:
            known = self._there[key] = self._looked_up(relation, bound)
        return known

    def _looked_up(self, relation: LiftedRelation, bound: Bound) -> Collection[Elements]:
        rows = self.instance.tuples(relation.name)
        if not bound:
            return rows.values()
        position, element = self._best(relation, bound)
        at = self.instance.tuples_at(relation.name, relation.legs[position], element)
        if len(bound) == 1:
            return [rows[row] for row in at]
        return [legs for row in at if _agrees(legs := rows[row], bound)]

    def new(self, relation: LiftedRelation, bound: Bound) -> Iterator[int]:
        """The facts that do not hold at first, may come to hold, and have the bound elements."""
        if not bound:
            yield from tuple(self._new.get(relation.number, ()))
            return
        lists: list[list[int]] = [
            self._index.get((relation.number, p, element), []) for p, element in bound
        ]
        shortest = min(lists, key=lambda found: len(found))
        for fact in tuple(shortest):
            if len(bound) == 1 or _agrees(self.elements[fact], bound):
                yield fact

    @staticmethod
    def _best(relation: LiftedRelation, bound: Bound) -> tuple[int, int]:
        for position, element in bound:
            if position in relation.keys:
                return position, element
        return bound[0]


def _agrees(elements: Elements, bound: Bound) -> bool:
    return all(elements[position] == element for position, element in bound)


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
