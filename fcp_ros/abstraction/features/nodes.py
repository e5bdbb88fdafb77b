# SPDX-License-Identifier: Apache-2.0
"""Values that are computed from one another, again only as far as a state changed.

A node is a value; the nodes that it is made of have smaller indexes. It is computed again if a name
that it reads has another version than at the last call, or if the value of a part is another one. A
node that is made of roles row by row is only *revised* where nothing but some rows changed: a step
changes one or two of them, whatever the number of objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from fcp_ros.abstraction.states.state import RelationalState

Compute: TypeAlias = Callable[[RelationalState, list[Any]], Any]
"""Computes a node from the state and the values of all nodes."""
Revise: TypeAlias = Callable[[RelationalState, list[Any], Any, Iterable[int]], Any]
"""Computes a node from the state, the values of all nodes, its old value, and the changed rows."""


class NodeSource(NamedTuple):
    """The nodes that a value is computed from, and the names of the state that it reads."""

    parts: tuple[int, ...] = ()  # indexes of nodes whose value is taken as a whole
    names: frozenset[str] = frozenset()
    # indexes of nodes that stand for rows; bit i of the value, or its i-th row, needs only their
    # i-th rows
    tables: tuple[int, ...] = ()

    def join(self, *others: NodeSource) -> NodeSource:
        """Return this and other sources together."""
        every = (self, *others)
        return NodeSource(
            tuple(part for source in every for part in source.parts),
            frozenset[str]().union(*(source.names for source in every)),
            tuple(table for source in every for table in source.tables),
        )


class _Node(NamedTuple):
    """A value and its place; `parts` and `tables` are bitsets of places."""

    place: int
    compute: Compute
    revise: Revise | None
    source: NodeSource
    parts: int
    tables: int
    names: frozenset[str]
    role: tuple[str, bool] | None


class NodeTable:
    """Nodes, and their values in the state last seen."""

    def __init__(self) -> None:
        self._by_key: dict[object, int] = {}
        self._nodes: list[_Node] = []
        self._values: list[Any] = []
        self._versions: dict[str, Any] = {}
        self._plans: dict[int, list[tuple[_Node, bool]]] = {}
        self._watched: list[tuple[int, str]] = []
        self._objects: tuple[str, ...] | None = None

    def add(
        self,
        key: object,
        compute: Compute,
        source: NodeSource,
        # gives the value from the old one, if only rows of the tables changed
        revise: Revise | None = None,
        # the role whose rows the node stands for (True: the predecessors' rows)
        role: tuple[str, bool] | None = None,
    ) -> int:
        """Add a node, unless there is one already; return its index."""
        index = self._by_key.get(key)
        if index is None:
            index = self._by_key[key] = len(self._nodes)
            used = (self._nodes[part].names for part in source.parts + source.tables)
            node = _Node(
                index,
                compute,
                revise,
                source,
                sum({1 << part for part in source.parts}),
                sum({1 << table for table in source.tables}),
                source.names.union(*used),
                role,
            )
            self._nodes.append(node)
            self._forget()
        return index

    def add_role(self, name: str, backward: bool) -> int:
        """Add a node that stands for the rows of a role; its value is the role's version.

        `backward`: True for the rows of predecessors.
        """
        source = NodeSource(names=frozenset([name]))
        key = ("role", name, backward)
        return self.add(key, lambda state, _: state.versions.get(name), source, None, key[1:])

    def update(self, state: RelationalState) -> list[Any]:
        """Return the values of all nodes in a state."""
        changed = 0
        before: dict[str, Any] = {}
        versions, seen = state.versions, self._versions
        for bit, name in self._watched:
            version = versions.get(name)
            if version != seen[name]:
                before[name] = seen[name]
                seen[name] = version
                changed |= bit
        if state.objects is not self._objects:
            self._objects = state.objects
            values = self._values = [None] * len(self._nodes)
            for node in self._nodes:
                values[node.place] = node.compute(state, values)
        elif changed:
            self._recompute(state, changed, before)
        return self._values

    def _recompute(self, state: RelationalState, changed: int, before: dict[str, Any]) -> None:
        plan = self._plans.get(changed)
        if plan is None:
            plan = self._plans[changed] = self._make_plan(frozenset(before))
        values = self._values
        rows_of: dict[int, set[int] | None] = {}  # by table that changed; None: any rows
        dirty = 0
        for node, is_read in plan:
            if not is_read and not dirty & (node.parts | node.tables):
                continue
            index, rows = node.place, None
            if node.role is not None:
                rows = _list_rows(state, node.role, before)
            elif node.revise is not None and not is_read and not dirty & node.parts:
                rows = _join_rows([rows_of.get(t, ()) for t in node.source.tables])
            if rows is None or node.revise is None:
                value = node.compute(state, values)
            else:
                value = node.revise(state, values, values[index], rows)
            # A list may be the same one, changed in place.
            if value != values[index] or value.__class__ is list:
                values[index] = value
                rows_of[index] = rows
                dirty |= 1 << index

    def _make_plan(self, names: frozenset[str]) -> list[tuple[_Node, bool]]:
        """List the nodes that depend on names, and for each, if it reads one of them itself."""
        return [
            (node, not names.isdisjoint(node.source.names))
            for node in self._nodes
            if not names.isdisjoint(node.names)
        ]

    def _forget(self) -> None:
        used = sorted(frozenset[str]().union(*(node.source.names for node in self._nodes)))
        self._watched = [(1 << place, name) for place, name in enumerate(used)]
        self._versions = dict.fromkeys(used)
        self._plans = {}
        self._objects = None


def _list_rows(
    state: RelationalState, role: tuple[str, bool], before: dict[str, Any]
) -> set[int] | None:
    """Return the rows of a role that may have changed; None if that isn't known."""
    name, backward = role
    after = state.versions.get(name)
    if after is None or before[name] is None:
        return None
    pairs = state.list_changed_pairs(before[name], after)
    return None if pairs is None else {pair[backward] for pair in pairs}


def _join_rows(parts: list[Any]) -> set[int] | None:
    """Return the rows that changed in any of some tables; None if that isn't known."""
    return None if None in parts else set().union(*parts)
