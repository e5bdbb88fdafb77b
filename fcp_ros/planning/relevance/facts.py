# SPDX-License-Identifier: Apache-2.0
"""The facts that relevance has met, as numbers; all others are looked up in the scene.

Elements are the ids of the instance. A *literal* is a fact and a polarity: 2 * fact for "it holds",
2 * fact + 1 for "it does not hold".

Negated conditions and functional legs require that no fact matches a pattern. Many operators share
a pattern (an empty hand), so each is kept once, with the facts that match it and may hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from fcp_ros.cset import Instance
from fcp_ros.planning.task.lifted import LiftedAtom, LiftedRelation

Elements = tuple[int, ...]
Bound = tuple[tuple[int, int], ...]
"""Pairs of a leg's position and the element in it."""
Positions = tuple[int, ...]


class FactTable:
    """Facts by number, with what is known of each."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.relation: list[LiftedRelation] = []
        self.elements: list[Elements] = []
        self.initial: list[bool] = []  # whether it holds initially
        self.gained: list[bool] = []  # whether an operator that may become applicable adds it
        self.lost: list[bool] = []  # whether an operator that may become applicable deletes it
        self._numbers: dict[tuple[int, Elements], int] = {}
        self._index: dict[tuple[int, int, int], list[int]] = {}
        self._new: dict[int, list[int]] = {}
        self._there: dict[tuple[int, Bound], Collection[Elements]] = {}
        self._scanned: dict[tuple[int, Positions], int] = {}
        self._grouped: dict[tuple[int, Positions], dict[Elements, list[Elements]]] = {}

    def __len__(self) -> int:
        return len(self.relation)

    def number(self, relation: LiftedRelation, elements: Elements) -> int:
        """Return the number of a fact, a new one if it was not met before."""
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
        """Record that a fact may come to hold."""
        self.gained[fact] = True
        if not self.initial[fact]:
            relation = self.relation[fact].number
            self._new.setdefault(relation, []).append(fact)
            for position, element in enumerate(self.elements[fact]):
                self._index.setdefault((relation, position, element), []).append(fact)

    def is_possible(self, fact: int) -> bool:
        """Return True if a fact is known to hold in some state."""
        return self.initial[fact] or self.gained[fact]

    def may_hold(self, relation: LiftedRelation, elements: Elements) -> bool:
        """Return True if a fact, met or not, is known to hold in some state."""
        found = self._numbers.get((relation.number, elements))
        if found is None:
            return self.instance.find_tuple(relation.name, elements) is not None
        return self.initial[found] or self.gained[found]

    def find_initial(self, relation: LiftedRelation, bound: Bound) -> Collection[Elements]:
        if len(bound) == len(relation.legs):
            elements = tuple(element for _, element in bound)
            found = self.instance.find_tuple(relation.name, elements) is not None
            return (elements,) if found else ()
        key = (relation.number, bound)
        known = self._there.get(key)
        if known is None:
            known = self._there[key] = self._look_up(relation, bound)
        return known

    def _look_up(self, relation: LiftedRelation, bound: Bound) -> Collection[Elements]:
        rows = self.instance.tuples(relation.name)
        if not bound:
            return rows.values()
        position, element = self._choose_index(relation, bound)
        if len(bound) == 1:
            at = self.instance.tuples_at(relation.name, relation.legs[position], element)
            return [rows[row] for row in at]
        kind = (relation.number, tuple([position for position, _ in bound]))
        # Tuples with one of the elements are scanned until that has cost as much as an index of
        # all elements together: the whole effort is linear, also where each element has many.
        grouped = self._grouped.get(kind)
        if grouped is None:
            at = self.instance.tuples_at(relation.name, relation.legs[position], element)
            self._scanned[kind] = self._scanned.get(kind, 0) + len(at)
            if self._scanned[kind] <= len(rows):
                return [legs for row in at if _agrees(legs := rows[row], bound)]
            grouped = self._grouped[kind] = _group(rows.values(), kind[1])
        return grouped.get(tuple([element for _, element in bound]), ())

    def find_new(self, relation: LiftedRelation, bound: Bound) -> Iterator[int]:
        """Yield the facts that may newly come to hold and have the bound elements."""
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
    def _choose_index(relation: LiftedRelation, bound: Bound) -> tuple[int, int]:
        for position, element in bound:
            if position in relation.keys:
                return position, element
        return bound[0]


def _agrees(elements: Elements, bound: Bound) -> bool:
    return all(elements[position] == element for position, element in bound)


def _group(rows: Iterable[Elements], positions: Positions) -> dict[Elements, list[Elements]]:
    found: dict[Elements, list[Elements]] = {}
    for row in rows:
        found.setdefault(tuple([row[position] for position in positions]), []).append(row)
    return found


Same = tuple[tuple[int, int], ...]
"""Pairs of legs that must have the same element."""


@dataclass(eq=False, slots=True)
class AbsencePattern:
    """Facts of a relation with given elements in some legs."""

    relation: LiftedRelation
    bound: Bound
    same: Same
    # those of them that are known to hold in some state
    facts: list[int] = field(default_factory=list)
    blocked: list[int] = field(default_factory=list)  # those that hold initially
    # whether a negated condition requires the absence, not only a functional leg
    hard: bool = False
    active: bool = False  # whether some operator requires the absence

    def matches(self, elements: Elements) -> bool:
        return all(elements[p] == element for p, element in self.bound) and all(
            elements[one] == elements[other] for one, other in self.same
        )


class AbsencePatterns:
    """All absence patterns, indexed by the facts that match them."""

    def __init__(self, facts: FactTable) -> None:
        self._facts = facts
        self._patterns: dict[tuple[int, Bound, Same], AbsencePattern] = {}
        self._kinds: dict[int, dict[tuple[tuple[int, ...], Same], None]] = {}

    def make_for_atom(self, atom: LiftedAtom, binding: Elements) -> tuple[AbsencePattern, bool]:
        """Return the pattern of a negated condition, and whether it is new."""
        relation, slots = atom
        bound = tuple([(p, binding[slot]) for p, slot in enumerate(slots) if slot >= 0])
        pattern, new = self._make(relation, bound, _find_same(slots))
        pattern.hard = True
        return pattern, new

    def make_for_leg(
        self, relation: LiftedRelation, position: int, element: int
    ) -> tuple[AbsencePattern, bool]:
        """Return the pattern of a functional leg, and whether it is new."""
        return self._make(relation, ((position, element),), ())

    def find_matching(self, fact: int) -> Iterator[AbsencePattern]:
        relation, elements = self._facts.relation[fact], self._facts.elements[fact]
        for positions, same in tuple(self._kinds.get(relation.number, ())):
            bound = tuple([(p, elements[p]) for p in positions])
            pattern = self._patterns.get((relation.number, bound, same))
            if pattern is not None and (not same or pattern.matches(elements)):
                yield pattern

    def _make(
        self, relation: LiftedRelation, bound: Bound, same: Same
    ) -> tuple[AbsencePattern, bool]:
        key = (relation.number, bound, same)
        found = self._patterns.get(key)
        if found is not None:
            return found, False
        pattern = self._patterns[key] = AbsencePattern(relation, bound, same)
        positions = tuple([position for position, _ in bound])
        self._kinds.setdefault(relation.number, {}).setdefault((positions, same))
        facts = self._facts
        for elements in facts.find_initial(relation, bound):
            if not same or pattern.matches(elements):
                pattern.blocked.append(facts.number(relation, elements))
        pattern.facts.extend(pattern.blocked)
        for fact in facts.find_new(relation, bound):
            if not same or pattern.matches(facts.elements[fact]):
                pattern.facts.append(fact)
        return pattern, True


def _find_same(slots: tuple[int, ...]) -> Same:
    first: dict[int, int] = {}
    return tuple(
        (first[slot], position)
        for position, slot in enumerate(slots)
        if slot < 0 and first.setdefault(slot, position) != position
    )
