# SPDX-License-Identifier: Apache-2.0
"""The indexes of a graph, on tables that keep their order and share their common parts."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Hashable,
    ItemsView,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    ValuesView,
)
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from fcp_ros.foundation.persistent_map import (
    Bucket,
    PersistentMap,
    add_to,
    evolve,
    group_ids,
    take_from,
)
from fcp_ros.scene.graph.elements import Layer, RelationKey, SceneNode, SceneRelation

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class OrderedTable(Mapping[K, V], Generic[K, V]):
    """An immutable mapping with cheap changed copies.

    Later entries have greater ranks, and an entry whose value is replaced keeps its rank. Indexes
    over the table hold ranks, so their answers are in the table's order. The table is a dict until
    its first changed copy is made; from then on it is two persistent maps. Iterating over a changed
    table takes linear time, reading one entry does not.
    """

    __slots__ = ("_key", "_next", "_plain", "_ranks", "_values")

    def __init__(self, entries: dict[K, V], key: Callable[[V], K]) -> None:
        """Make a table over `entries`, which it takes over: nobody may change that dict."""
        self._key = key
        self._plain: dict[K, V] | None = entries
        self._ranks: PersistentMap[K, int] | None = None
        self._values: PersistentMap[int, V] | None = None
        self._next = len(entries)

    def with_changes(self, put: Iterable[V], gone: Iterable[K]) -> OrderedTable[K, V]:
        """Return a table without the keys `gone` (KeyError), and then with the values `put`."""
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
        return self._entries().items()

    def values(self) -> ValuesView[V]:
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


# --- the indexes of a scene graph ---

_MANY = 8  # Where more than one entry in this many is wanted, a scan of the table is faster


class Index(Generic[K, V]):
    """The ranks of a table's values by each of their keys; made on first use."""

    __slots__ = ("_entries", "_keys_of", "_table")

    def __init__(
        self,
        table: OrderedTable[RelationKey, V] | OrderedTable[str, V],
        keys_of: Callable[[V], Iterable[K]],
        entries: MutableMapping[K, Bucket] | None = None,
    ) -> None:
        self._table = table
        self._keys_of = keys_of
        self._entries = entries

    def at(self, key: K) -> tuple[V, ...]:
        """Return the values with a key, in the table's order."""
        entries = self._entries
        ranks = (self.entries() if entries is None else entries).get(key, ())
        values = self._table.by_rank()
        if not isinstance(ranks, tuple) and len(ranks) * _MANY > len(values):
            keys_of = self._keys_of
            return tuple([value for value in self._table.values() if key in keys_of(value)])
        return tuple([values[rank] for rank in ranks])

    def entries(self) -> MutableMapping[K, Bucket]:
        if self._entries is None:
            keys_of = self._keys_of
            self._entries = group_ids(
                (key, rank)
                for rank, value in self._table.by_rank().items()
                for key in keys_of(value)
            )
        return self._entries

    def with_changes(
        self,
        table: OrderedTable[RelationKey, V] | OrderedTable[str, V],
        gone: Iterable[tuple[int, V]],
        put: Iterable[tuple[int, V | None, V]],
    ) -> Index[K, V]:
        """Return the index of a changed table.

        `gone` has (rank, value), `put` (rank, value before or None, value now) of each entry.
        """
        if self._entries is None:
            return Index(table, self._keys_of)
        entries = evolve(self._entries)
        for rank, value in gone:
            for key in self._keys_of(value):
                take_from(entries, key, rank)
        for rank, older, value in put:
            keys = tuple(self._keys_of(value))
            known = () if older is None else tuple(self._keys_of(older))
            for key in known:
                if key not in keys:
                    take_from(entries, key, rank)
            for key in keys:
                if key not in known:
                    add_to(entries, key, rank)
        return Index(table, self._keys_of, entries)


@dataclass(frozen=True)
class TableChange(Generic[K, V]):
    """The difference of a table from the one before."""

    gone: tuple[tuple[int, V], ...]  # (rank, value) of each entry that was removed
    # (rank, value before or None, value now) of each entry that is new or replaced
    put: tuple[tuple[int, V | None, V], ...]


def change_table(
    table: OrderedTable[K, V], put: Iterable[tuple[K, V]], gone: Iterable[K]
) -> tuple[OrderedTable[K, V], TableChange[K, V]]:
    """Return the table after a change (each key once), and its difference; KeyError as above."""
    put, gone = list(put), list(gone)
    lost = tuple([(table.rank(key), table[key]) for key in gone])
    left = set(gone)
    older = {key: None if key in left else table.get(key) for key, _ in put}
    after = table.with_changes([value for _, value in put], gone)
    new = tuple([(after.rank(key), older[key], value) for key, value in put])
    return after, TableChange(lost, new)


class GraphIndexes:
    """The indexes of one graph; each is made on first use and updated with each change."""

    __slots__ = ("by_element", "by_layer", "by_name", "by_parent")

    def __init__(
        self,
        nodes: OrderedTable[str, SceneNode],
        relations: OrderedTable[RelationKey, SceneRelation],
    ) -> None:
        self.by_element: Index[str, SceneRelation] = Index(relations, _elements)
        self.by_name: Index[str, SceneRelation] = Index(relations, _name)
        self.by_parent: Index[str, SceneNode] = Index(nodes, _parents)
        self.by_layer: Index[Layer, SceneNode] = Index(nodes, _layer)

    def prepare(self) -> None:
        for index in (self.by_element, self.by_name):
            index.entries()
        self.by_parent.entries()
        self.by_layer.entries()

    def with_changes(
        self,
        nodes: OrderedTable[str, SceneNode],
        of_nodes: TableChange[str, SceneNode],
        relations: OrderedTable[RelationKey, SceneRelation],
        of_relations: TableChange[RelationKey, SceneRelation],
    ) -> GraphIndexes:
        after = GraphIndexes.__new__(GraphIndexes)
        # A relation that replaces one has its key, and a node its id: these indexes stay.
        gone = of_relations.gone
        fresh = [entry for entry in of_relations.put if entry[1] is None]
        after.by_element = self.by_element.with_changes(relations, gone, fresh)
        after.by_name = self.by_name.with_changes(relations, gone, fresh)
        lost, new = of_nodes.gone, of_nodes.put
        moved = [e for e in new if e[1] is None or e[1].parents != e[2].parents]
        after.by_parent = self.by_parent.with_changes(nodes, lost, moved)
        raised = [e for e in new if e[1] is None or e[1].layer is not e[2].layer]
        after.by_layer = self.by_layer.with_changes(nodes, lost, raised)
        return after


def _elements(relation: SceneRelation) -> Iterable[str]:
    return dict.fromkeys(relation.elements)


def _name(relation: SceneRelation) -> Iterable[str]:
    return (relation.name,)


def _parents(node: SceneNode) -> Iterable[str]:
    return dict.fromkeys(node.parents)


def _layer(node: SceneNode) -> Iterable[Layer]:
    return (node.layer,)
