# SPDX-License-Identifier: Apache-2.0
"""Partial orders with all sequences that they admit, for tests that try them."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from random import Random

from fcp_ros.planning.step_order import PartialOrder, find_all_predecessors


class ExploredOrder(PartialOrder):
    """A partial order that can be asked for its linear extensions."""

    @property
    def size(self) -> int:
        """The number of elements."""
        return len(self.predecessors)

    def precedes(self, before: int, after: int) -> bool:
        """Whether `before` comes before `after` in every linear extension."""
        return bool(self._below[after] >> before & 1)

    def are_independent(self, first: int, second: int) -> bool:
        """Whether two different numbers may come in either order."""
        return first != second and not (
            self.precedes(first, second) or self.precedes(second, first)
        )

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
        return find_all_predecessors(self.predecessors)
