# SPDX-License-Identifier: Apache-2.0
"""The facts that grounding on demand has met, as numbers; all others are looked up in the scene.

Elements are the ids of the instance. A *literal* is a fact and a polarity: 2 * fact for "it holds",
2 * fact + 1 for "it does not hold".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from fcp_ros.cset import Instance
from fcp_ros.planning.task.lifted import LiftedRelation

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
