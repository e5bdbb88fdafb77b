# SPDX-License-Identifier: Apache-2.0
"""Copies: what D has over each element of G while a final pullback complement is made."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.schema.schema import PathEquation

Choice = Mapping[str, int]


class Copies:
    """The elements of D over those of G, and their function values.

    Copies have provisional ids, which no element of G has; the first copy of an element is the
    element itself.

    Attributes:
        original: the element of G that a provisional id is a copy of.
        changed: (function, id) with its value in D, where the id is new or the value is.
    """

    def __init__(self, state: Instance) -> None:
        """Everything has one copy, itself."""
        self._state = state
        self._copies: dict[int, tuple[int, ...]] = {}
        self._next = state.next_id()
        self.original: dict[int, int] = {}
        self.changed: dict[tuple[str, int], int] = {}

    def of(self, element: int) -> tuple[int, ...]:
        """The elements of D over an element of G."""
        return self._copies.get(element, (element,))

    def make(self, element: int, count: int) -> tuple[int, ...]:
        """Give an element so many copies."""
        fresh = tuple(range(self._next, self._next + max(0, count - 1)))
        self._next += len(fresh)
        self.original.update(dict.fromkeys(fresh, element))
        self._copies[element] = (element, *fresh)[:count]
        return self._copies[element]

    def value(self, function: str, copy: int) -> int:
        """The value of a function in D."""
        found = self.changed.get((function, copy))
        return self._state.function_table(function).values[copy] if found is None else found

    def set(self, function: str, copy: int, value: int) -> None:
        """Let a function have a value in D."""
        if self._state.function_table(function).values.get(copy) != value:
            self.changed[function, copy] = value

    def choices(
        self, originals: Mapping[str, int], equations: Sequence[PathEquation]
    ) -> list[dict[str, int]]:
        """All ways of choosing copies of what an element or tuple outside of L refers to.

        Args:
            originals: what it refers to in G, by function or leg.
            equations: those that start at it.

        Returns:
            For each way the copies, by function or leg; the originals first, if they are one.
        """
        ways = (
            dict(zip(originals, chosen, strict=True))
            for chosen in product(*(self.of(element) for element in originals.values()))
        )
        return [way for way in ways if all(self._agree(way, equation) for equation in equations)]

    def _agree(self, way: Choice, equation: PathEquation) -> bool:
        if not equation.left or not equation.right:
            # A path leads back to where it starts, so that all of it is inside of L, or in a cycle.
            return True
        return self._follow(way, equation.left) == self._follow(way, equation.right)

    def _follow(self, way: Choice, path: Sequence[str]) -> int:
        first, *rest = path
        place = way[first]
        for function in rest:
            place = self.value(function, place)
        return place

    def gone(self) -> Iterator[int]:
        """The elements of G that have no copy."""
        return (element for element, copies in self._copies.items() if not copies)
