# SPDX-License-Identifier: Apache-2.0
"""Two indexes: the partial states that contain a state, and the states in a partial state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fcp_ros.planning.search.bidirectional.partial_state import PartialState, holds


class PartialStateIndex:
    """Numbered partial states, found by a state in them or by a partial state that implies them.

    Each one is filed under one variable = value that it needs (the one with the fewest others), or
    in a list of its own if it needs none.
    """

    def __init__(self) -> None:
        self._by_value: dict[tuple[int, int], list[int]] = {}
        self._others: list[int] = []

    def add(self, number: int, partial: PartialState) -> None:
        """Add a partial state."""
        keys = [unit for unit in partial.units if unit[1] & (unit[1] - 1) == 0]
        if not keys:
            self._others.append(number)
            return
        best = min(keys, key=lambda key: len(self._by_value.get(key, ())))
        self._by_value.setdefault(best, []).append(number)

    def find_in_state(self, state: Sequence[int]) -> Iterator[int]:
        """Find a superset of the partial states that contain a state."""
        yield from self._others
        for variable, value in enumerate(state):
            yield from self._by_value.get((variable, 1 << value), ())

    def find_implied(self, partial: PartialState) -> Iterator[int]:
        """Find a superset of the partial states that hold wherever `partial` does."""
        yield from self._others
        for unit in partial.units:
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
        """Add a state and return its number."""
        number = len(self.states)
        if number == self._values.shape[1]:
            self._values = np.concatenate([self._values, np.empty_like(self._values)], axis=1)
        self._values[:, number] = state
        self.states.append(state)
        return number

    def find_matching(self, partial: PartialState) -> list[int]:
        """Find the numbers of the states in a partial state."""
        count = len(self.states)
        among = np.arange(count)
        for variable, mask in partial.units:
            if mask & (mask - 1) == 0:
                among = among[self._values[variable, among] == mask.bit_length() - 1]
        return [number for number in among.tolist() if holds(partial, self.states[number])]
