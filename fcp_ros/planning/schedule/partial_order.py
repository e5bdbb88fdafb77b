# SPDX-License-Identifier: Apache-2.0
"""Finite partial orders of the numbers 0 .. n-1: which steps of a sequence must precede which."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random


class OrderError(ValueError):
    """Pairs that order nothing: out of range, or in a cycle."""


@dataclass(frozen=True)
class PartialOrder:
    """A partial order, given by its transitive reduction.

    Attributes:
        predecessors: for each number the ones that come *immediately* before it (make an order of
            arbitrary pairs with `of`).
    """

    predecessors: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, size: int, pairs: Iterable[tuple[int, int]]) -> "PartialOrder":
        """The least partial order of `size` numbers with these (before, after) pairs.

        Raises:
            OrderError: a number is out of range, or the pairs form a cycle.
        """
        direct: list[set[int]] = [set() for _ in range(size)]
        for before, after in pairs:
            if not (0 <= before < size and 0 <= after < size):
                raise OrderError(f"({before}, {after}) orders numbers outside 0 .. {size - 1}")
            direct[after].add(before)
        below = _closure(direct)
        # A predecessor is immediate when it is below no other predecessor.
        return cls(
            tuple(
                frozenset(b for b in befores if not any(below[c] >> b & 1 for c in befores))
                for befores in direct
            )
        )

    @property
    def size(self) -> int:
        """How many numbers are ordered."""
        return len(self.predecessors)

    def precedes(self, before: int, after: int) -> bool:
        """Whether `before` comes before `after` in every linear extension."""
        return bool(self._below[after] >> before & 1)

    def are_independent(self, first: int, second: int) -> bool:
        """Whether two different numbers may come in either order."""
        return first != second and not (
            self.precedes(first, second) or self.precedes(second, first)
        )

    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The (before, after) pairs of the transitive reduction, sorted."""
        found = [
            (before, after) for after, befores in enumerate(self.predecessors) for before in befores
        ]
        return tuple(sorted(found))

    def admits(self, order: Sequence[int]) -> bool:
        """Whether a sequence is a linear extension: every number once, none before its time."""
        position = {number: index for index, number in enumerate(order)}
        return (
            len(order) == self.size
            and position.keys() == set(range(self.size))
            and all(position[before] < position[after] for before, after in self.pairs())
        )

    def linear_extensions(self) -> Iterator[tuple[int, ...]]:
        """Every order that the partial order admits, lexicographically, lazily."""
        chosen: list[int] = []
        choices = [self._ready(chosen)]
        while choices:
            if choices[-1]:
                chosen.append(choices[-1].pop())
                choices.append(self._ready(chosen))
                if len(chosen) == self.size:
                    yield tuple(chosen)
            else:
                choices.pop()
                del chosen[-1:]
        if not self.size:
            yield ()

    def sample(self, random: Random) -> tuple[int, ...]:
        """A linear extension, drawn by choosing among what is ready (not uniformly)."""
        chosen: list[int] = []
        while len(chosen) < self.size:
            chosen.append(random.choice(self._ready(chosen)))
        return tuple(chosen)

    def _ready(self, chosen: Sequence[int]) -> list[int]:
        """What may come next, largest first."""
        done = set(chosen)
        return [
            number
            for number in reversed(range(self.size))
            if number not in done and done >= self.predecessors[number]
        ]

    @cached_property
    def _below(self) -> list[int]:
        return _closure(self.predecessors)


def _closure(predecessors: Sequence[Iterable[int]]) -> list[int]:
    """For each number the set of all that precede it, as the bits of an integer."""
    below: dict[int, int] = {}
    for root in range(len(predecessors)):
        path = [root]
        while path:
            number = path[-1]
            if number in below:
                path.pop()
                continue
            waiting = [before for before in predecessors[number] if before not in below]
            if waiting:
                if waiting[0] in path:
                    shown = " < ".join(map(str, path[path.index(waiting[0]) :]))
                    raise OrderError(f"no partial order: cycle {shown} (each after the next)")
                path.append(waiting[0])
                continue
            bits = 0
            for before in predecessors[number]:
                bits |= below[before] | 1 << before
            below[number] = bits
            path.pop()
    return [below[number] for number in range(len(predecessors))]
