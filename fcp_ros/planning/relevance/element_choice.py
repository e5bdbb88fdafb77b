# SPDX-License-Identifier: Apache-2.0
"""The choice of a few elements of a type: those met already, those nearby, some of each type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from fcp_ros.planning.relevance.facts import FactTable
from fcp_ros.planning.task.lifted import LiftedDomain

ELEMENTS = 8
"""Number of elements that are tried initially."""
NEIGHBOURS = 64
"""Number of nearby elements that are looked at."""
MET = 2
"""Number of elements of each type that come first because operators mention them."""
NEARBY = 4
"""Number of nearby elements that come first."""


class ElementChoice:
    """Chooses elements."""

    def __init__(self, lifted: LiftedDomain, facts: FactTable) -> None:
        self._instance = facts.instance
        self._facts = facts
        self._below = lifted.below
        self._links = tuple(r for r in lifted.relations.values() if not r.changes)
        self._linked: dict[int, tuple[int, ...]] = {}
        self._near: dict[tuple[int, str], _Replay] = {}
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
    ) -> _ElementSample:
        """A few elements of a type."""
        below = self._below(type_)
        met = tuple(
            chain.from_iterable(
                islice(self._touched[own], limit * MET)
                for own in sorted(below & self._touched.keys())
            )
        )
        near = islice(self._nearby(centres, type_), limit * NEARBY)
        first = chain(near, met) if nearest_first else chain(met, near)
        elements = self._instance.elements
        kinds = [elements(own, subtypes=False) for own in sorted(below)]
        return _ElementSample(first, kinds, limit, may_be)

    def _nearby(self, centres: Iterable[int], type_: str) -> Iterator[int]:
        """Elements of a type that are one or two static links away from what is bound."""
        for centre in dict.fromkeys(centres):
            near = self._near.get((centre, type_))
            if near is None:
                near = self._near[centre, type_] = _Replay(self._find_near(centre, type_))
            yield from near

    def _find_near(self, centre: int, type_: str) -> Iterator[int]:
        below = self._below(type_)
        for middle in self._list_linked(centre):
            for end in chain((middle,), self._list_linked(middle)):
                if end != centre and self._instance.type_of(end) in below:
                    yield end

    def _list_linked(self, element: int) -> tuple[int, ...]:
        found = self._linked.get(element)
        if found is None:
            found = tuple(islice(self._find_linked(element), NEIGHBOURS))
            self._linked[element] = found
        return found

    def _find_linked(self, element: int) -> Iterator[int]:
        own = self._instance.type_of(element)
        for relation in self._links:
            for position, kinds in enumerate(relation.kinds):
                if own in kinds:
                    for elements in self._facts.find_initial(relation, ((position, element),)):
                        yield from (other for other in elements if other != element)


class _Replay:
    """An iterator that can be read again: each value is computed once, when it is first needed.

    Mostly few values are read; but where nothing near is of the type, all ends of thousands of
    links are looked at to find none, for each of thousands of bindings (agricola, IPC-2018).
    """

    def __init__(self, values: Iterator[int]) -> None:
        self._known: list[int] = []
        self._rest = values

    def __iter__(self) -> Iterator[int]:
        number = 0
        while True:
            # Another reader may have gone further meanwhile.
            while number < len(self._known):
                yield self._known[number]
                number += 1
            for value in self._rest:
                self._known.append(value)
                break
            else:
                return


class _ElementSample:
    """A few elements, each once."""

    def __init__(
        self,
        first: Iterable[int],
        kinds: Sequence[Sequence[int]],
        limit: int,
        may_be: Callable[[int], bool],
    ) -> None:
        self._first = first
        self._kinds = kinds
        self._limit = limit
        self._may_be = may_be
        self._seen: set[int] = set()

    def __iter__(self) -> Iterator[int]:
        each = (islice(filter(self._is_new, kind), self._limit) for kind in self._kinds)
        found = chain(filter(self._is_new, self._first), chain.from_iterable(each))
        return islice(found, ELEMENTS * self._limit)

    def _is_new(self, element: int) -> bool:
        if element in self._seen:
            return False
        self._seen.add(element)
        return self._may_be(element)
