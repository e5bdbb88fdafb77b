# SPDX-License-Identifier: Apache-2.0
"""Finite partial orders of the numbers 0 .. n-1, such as the steps of a sequence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class OrderError(ValueError):
    """Pairs that order nothing: out of range, or in a cycle."""


@dataclass(frozen=True)
class PartialOrder:
    """A partial order, given by its transitive reduction."""

    # for each number the ones that come *immediately* before it (make an order of arbitrary pairs
    # with `of`)
    predecessors: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, size: int, pairs: Iterable[tuple[int, int]]) -> PartialOrder:
        """Make the least partial order of `size` numbers with these (before, after) pairs."""
        direct: list[set[int]] = [set() for _ in range(size)]
        for before, after in pairs:
            if not (0 <= before < size and 0 <= after < size):
                raise OrderError(f"({before}, {after}) orders numbers outside 0 .. {size - 1}")
            direct[after].add(before)
        below = find_all_predecessors(direct)
        # A predecessor is immediate if it is below no other predecessor.
        return cls(
            tuple(
                frozenset(b for b in befores if not any(below[c] >> b & 1 for c in befores))
                for befores in direct
            )
        )

    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Return the (before, after) pairs of the transitive reduction, sorted."""
        found = [
            (before, after) for after, befores in enumerate(self.predecessors) for before in befores
        ]
        return tuple(sorted(found))


def find_all_predecessors(predecessors: Sequence[Iterable[int]]) -> list[int]:
    """Return for each number the set of all that precede it, as the bits of an integer."""
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
