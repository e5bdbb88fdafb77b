# SPDX-License-Identifier: Apache-2.0
"""Which of very many elements are tried first: those met already, those nearby, of each type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from fcp_ros.planning.relevance.facts import FactTable
from fcp_ros.planning.task.lifted import LiftedDomain

ELEMENTS = 8
"""How many elements are tried at first."""
NEIGHBOURS = 64
"""How many elements nearby are looked at."""
MET = 2
"""How many elements of each type that operators speak of come first."""
NEARBY = 4
"""How many elements nearby come first."""


class Candidates:
    """Chooses elements.

    Args:
        lifted: the domain.
        facts: the scene.
    """

    def __init__(self, lifted: LiftedDomain, facts: FactTable) -> None:
        self._instance = facts.instance
        self._facts = facts
        self._below = lifted.below
        self._links = tuple(r for r in lifted.relations.values() if not r.changes)
        self._met: set[int] = set()
        self._touched: dict[str, list[int]] = {}

    def touch(self, elements: Iterable[int]) -> None:
        """Say that an operator speaks of the elements."""
        for element in elements:
            if element not in self._met:
                self._met.add(element)
                self._touched.setdefault(self._instance.type_of(element), []).append(element)

    def some(
        self,
        type_: str,
        limit: int,
        centres: Sequence[int],
        nearest_first: bool,
        may_be: Callable[[int], bool],
    ) -> Some:
        """A few elements of a type.

        Args:
            type_: the type.
            limit: factor on how many.
            centres: elements near which others are looked for.
            nearest_first: whether those come before all others.
            may_be: tells which elements are of any use.
        """
        below = self._below[type_]
        met = tuple(
            chain.from_iterable(
                islice(self._touched[own], limit * MET)
                for own in sorted(below & self._touched.keys())
            )
        )
        near = islice(self._nearby(centres, below), limit * NEARBY)
        first = chain(near, met) if nearest_first else chain(met, near)
        elements = self._instance.elements
        kinds = [elements(own, subtypes=False) for own in sorted(below)]
        return Some(first, kinds, limit, self._instance.count(type_), may_be)

    def _nearby(self, centres: Sequence[int], below: frozenset[str]) -> Iterator[int]:
        """Elements one or two static links away from what is bound."""
        for centre in dict.fromkeys(centres):
            for middle in islice(self._linked(centre), NEIGHBOURS):
                for end in chain((middle,), islice(self._linked(middle), NEIGHBOURS)):
                    if end != centre and self._instance.type_of(end) in below:
                        yield end

    def _linked(self, element: int) -> Iterator[int]:
        own = self._instance.type_of(element)
        for relation in self._links:
            for position, kinds in enumerate(relation.kinds):
                if own in kinds:
                    for elements in self._facts.there(relation, ((position, element),)):
                        yield from (other for other in elements if other != element)


class Some:
    """A few elements, each once.

    Args:
        first: elements that come first.
        kinds: all elements, by type; of each type some are taken.
        limit: factor on how many.
        count: how many there are in all.
        may_be: tells which elements are of any use.
    """

    def __init__(
        self,
        first: Iterable[int],
        kinds: Sequence[Sequence[int]],
        limit: int,
        count: int,
        may_be: Callable[[int], bool],
    ) -> None:
        self._first = first
        self._kinds = kinds
        self._limit = limit
        self._count = count
        self._may_be = may_be
        self._seen: set[int] = set()

    def __iter__(self) -> Iterator[int]:
        each = (islice(filter(self._is_new, kind), self._limit) for kind in self._kinds)
        found = chain(filter(self._is_new, self._first), chain.from_iterable(each))
        return islice(found, ELEMENTS * self._limit)

    @property
    def left_out(self) -> bool:
        """Whether there are elements that were not looked at."""
        return len(self._seen) < self._count

    def _is_new(self, element: int) -> bool:
        if element in self._seen:
            return False
        self._seen.add(element)
        return self._may_be(element)
