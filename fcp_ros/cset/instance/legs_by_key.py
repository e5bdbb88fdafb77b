# SPDX-License-Identifier: Apache-2.0
"""Tuples found by their elements, through the index of a functional leg."""

from collections.abc import Iterator, Mapping
from typing import Any

from fcp_ros.foundation.persistent_map import Bucket

Legs = tuple[int, ...]


class LegsByKey(Mapping[Legs, int]):
    """The id of each tuple by its elements.

    At most one tuple, or a few in a draft, have the same element in a functional leg: it is soon
    found which of them is meant. So there is no map to be copied whenever a tuple changes.
    """

    __slots__ = ("_index", "_position", "_rows")

    def __init__(
        self, rows: Mapping[int, Legs], index: Mapping[int, Bucket], position: int
    ) -> None:
        """A view of `rows`, through the index of the leg at `position`."""
        self._rows = rows
        self._index = index
        self._position = position

    def get(self, legs: Legs, default: Any = None) -> Any:
        """The id of the tuple with these elements, or `default`."""
        for row in self._index.get(legs[self._position], ()):
            if self._rows[row] == legs:
                return row
        return default

    def __getitem__(self, legs: Legs) -> int:
        found: int | None = self.get(legs)
        if found is None:
            raise KeyError(legs)
        return found

    def __contains__(self, legs: object) -> bool:
        return isinstance(legs, tuple) and self.get(legs) is not None

    def __iter__(self) -> Iterator[Legs]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)
