# SPDX-License-Identifier: Apache-2.0
"""Two indexes: which patterns hold in a state, and in which states a pattern holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fcp_ros.planning.search.bidirectional.pattern import Pattern, holds


class PatternIndex:
    """Numbered patterns, found by a state that they hold in or by a pattern that implies them.

    Each pattern lies under one variable = value that it needs (the one with the fewest others), or
    apart where it needs none.
    """

    def __init__(self) -> None:
        self._by_value: dict[tuple[int, int], list[int]] = {}
        self._apart: list[int] = []

    def add(self, number: int, pattern: Pattern) -> None:
        """Remember a pattern."""
        keys = [unit for unit in pattern.units if unit[1] & (unit[1] - 1) == 0]
        if not keys:
            self._apart.append(number)
            return
        best = min(keys, key=lambda key: len(self._by_value.get(key, ())))
        self._by_value.setdefault(best, []).append(number)

    def in_state(self, state: Sequence[int]) -> Iterator[int]:
        """Patterns that may hold in a state, and all that do."""
        yield from self._apart
        for variable, value in enumerate(state):
            yield from self._by_value.get((variable, 1 << value), ())

    def implied_by(self, pattern: Pattern) -> Iterator[int]:
        """Patterns that may hold wherever `pattern` does, and all that do."""
        yield from self._apart
        for unit in pattern.units:
            yield from self._by_value.get(unit, ())


class StateTable:
    """The states of the forward side, one row of values for each variable.

    Args:
        variables: number of variables.
    """

    def __init__(self, variables: int) -> None:
        self.states: list[tuple[int, ...]] = []
        self._values = np.empty((variables, 64), np.int32)

    def add(self, state: tuple[int, ...]) -> int:
        """Remember a state; its number."""
        number = len(self.states)
        if number == self._values.shape[1]:
            self._values = np.concatenate([self._values, np.empty_like(self._values)], axis=1)
        self._values[:, number] = state
        self.states.append(state)
        return number

    def matching(self, pattern: Pattern) -> list[int]:
        """The states in which a pattern holds."""
        count = len(self.states)
        among = np.arange(count)
        for variable, mask in pattern.units:
            if mask & (mask - 1) == 0:
                among = among[self._values[variable, among] == mask.bit_length() - 1]
        return [number for number in among.tolist() if holds(pattern, self.states[number])]
