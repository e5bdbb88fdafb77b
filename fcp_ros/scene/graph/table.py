# SPDX-License-Identifier: Apache-2.0
"""Values by key, in the order in which they came; changed copies share almost everything."""

from __future__ import annotations

from collections.abc import Callable, Hashable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Any, Generic, TypeVar

from fcp_ros.cset.instance.persistent_map import PersistentMap

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Table(Mapping[K, V], Generic[K, V]):
    """A mapping that never changes, with cheap changed copies.

    Each entry has a rank: later entries have greater ones, and an entry whose value is replaced
    keeps its own. Indexes hold ranks, so what they give is in the table's order.

    The table is a dict until it is changed for the first time; a changed one is two persistent
    maps. Going through all of a changed table takes linear time, looking at one entry does not.
    """

    __slots__ = ("_key", "_next", "_plain", "_ranks", "_values")

    def __init__(self, entries: dict[K, V], key: Callable[[V], K]) -> None:
        """A table over ``entries``, which it takes over: nobody may change that dict any more.

        Args:
            entries: Values by key, in order.
            key: The key of a value.
        """
        self._key = key
        self._plain: dict[K, V] | None = entries
        self._ranks: PersistentMap[K, int] | None = None
        self._values: PersistentMap[int, V] | None = None
        self._next = len(entries)

    def changed(self, put: Iterable[V], gone: Iterable[K]) -> Table[K, V]:
        """A table without the keys ``gone``, and then with the values ``put``.

        Raises:
            KeyError: A key that is to go is not there.
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
        table: Table[K, V] = Table.__new__(Table)
        table._key, table._plain, table._next = self._key, None, free
        table._ranks, table._values = ranks, values
        return table

    def rank(self, key: K) -> int:
        """Where an entry stands; KeyError without one."""
        return self._maps()[0][key]

    def by_rank(self) -> Mapping[int, V]:
        """The values by rank, ranks ascending."""
        return self._maps()[1]

    def prepare(self) -> None:
        """Do now what the first changed copy would: linear work, so that none waits for it."""
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
        """The value at ``key``, or ``default``."""
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
        """All entries, in order."""
        return self._entries().items()

    def values(self) -> ValuesView[V]:
        """All values, in order."""
        return self._maps()[1].values() if self._plain is None else self._plain.values()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Table):
            return self._entries() == other._entries()
        return self._entries() == other

    def __reduce__(self) -> tuple[Any, ...]:
        return (Table, (dict(self._entries()), self._key))

    def __repr__(self) -> str:
        return repr(self._entries())
