# SPDX-License-Identifier: Apache-2.0
"""Values by key in insertion order; changed copies share almost everything."""

from __future__ import annotations

from collections.abc import Callable, Hashable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Any, Generic, TypeVar

from fcp_ros.foundation.persistent_map import PersistentMap

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class OrderedTable(Mapping[K, V], Generic[K, V]):
    """An immutable mapping with cheap changed copies.

    Each entry has a rank: later entries have greater ranks, and an entry whose value is replaced
    keeps its rank. Indexes over the table hold ranks, so their answers are in the table's order.

    The table is a dict until its first changed copy is made; from then on it is two persistent
    maps. Iterating over a changed table takes linear time, reading one entry does not.
    """

    __slots__ = ("_key", "_next", "_plain", "_ranks", "_values")

    def __init__(self, entries: dict[K, V], key: Callable[[V], K]) -> None:
        """Make a table over `entries`, which it takes over: nobody may change that dict any more.

        Args:
            entries: values by key, in order.
            key: returns the key of a value.
        """
        self._key = key
        self._plain: dict[K, V] | None = entries
        self._ranks: PersistentMap[K, int] | None = None
        self._values: PersistentMap[int, V] | None = None
        self._next = len(entries)

    def with_changes(self, put: Iterable[V], gone: Iterable[K]) -> OrderedTable[K, V]:
        """Return a table without the keys `gone`, and then with the values `put`.

        Raises:
            KeyError: a key of `gone` is missing.
        """
        ranks, values = self._maps()
        ranks, values, free = ranks.copy(), values.copy(), self._next
        for key in gone:
            del values[ranks[key]]
            del ranks[key]
        for value in put:
            key = self._key(value)
            rank = ranks.get(key)
            if rank is None:
                ranks[key] = rank = free
                free += 1
            values[rank] = value
        table: OrderedTable[K, V] = OrderedTable.__new__(OrderedTable)
        table._key, table._plain, table._next = self._key, None, free
        table._ranks, table._values = ranks, values
        return table

    def rank(self, key: K) -> int:
        """Return the rank of an entry; KeyError without one."""
        return self._maps()[0][key]

    def by_rank(self) -> Mapping[int, V]:
        """Return the values by rank, ranks ascending."""
        return self._maps()[1]

    def prepare(self) -> None:
        """Do the linear work of the first changed copy now, so that no change waits for it."""
        self._maps()

    def _maps(self) -> tuple[PersistentMap[K, int], PersistentMap[int, V]]:
        if self._ranks is None or self._values is None:
            assert self._plain is not None
            self._ranks = PersistentMap(dict(zip(self._plain, range(self._next), strict=True)))
            self._values = PersistentMap(dict(enumerate(self._plain.values())), ascending=True)
        return self._ranks, self._values

    def _entries(self) -> dict[K, V]:
        if self._plain is None:
            self._plain = {self._key(value): value for value in self._maps()[1].values()}
        return self._plain

    def __getitem__(self, key: K) -> V:
        if self._plain is not None:
            return self._plain[key]
        ranks, values = self._maps()
        return values[ranks[key]]

    def get(self, key: K, default: Any = None) -> Any:
        """Return the value at `key`, or `default`."""
        plain = self._plain
        if plain is not None:
            return plain.get(key, default)
        ranks, values = self._maps()
        rank = ranks.get(key)
        return default if rank is None else values[rank]

    def __contains__(self, key: object) -> bool:
        return key in (self._maps()[0] if self._plain is None else self._plain)

    def __len__(self) -> int:
        return len(self._maps()[0] if self._plain is None else self._plain)

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries())

    def items(self) -> ItemsView[K, V]:
        """Return all entries, in order."""
        return self._entries().items()

    def values(self) -> ValuesView[V]:
        """Return all values, in order."""
        return self._maps()[1].values() if self._plain is None else self._plain.values()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, OrderedTable):
            return self._entries() == other._entries()
        return self._entries() == other

    def __reduce__(self) -> tuple[Any, ...]:
        return (OrderedTable, (dict(self._entries()), self._key))

    def __repr__(self) -> str:
        return repr(self._entries())
