# SPDX-License-Identifier: Apache-2.0
"""Which facts hold after some steps: a state and what has changed since, looked up by element."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fcp_ros.cset import Fact, Instance


class FactView:
    """The facts of a state, with some added and some taken away.

    Only what is asked for is looked up, so that a large state costs nothing.

    Arguments:
        instance: the state at the start.
        added: facts that hold besides.
    """

    def __init__(self, instance: Instance, added: Iterable[Fact] = ()) -> None:
        self.instance = instance
        self._changed: dict[Fact, bool] = {}
        self._by_relation: dict[str, set[Fact]] = {}
        for fact in added:
            self.set(fact, True)

    def holds(self, fact: Fact) -> bool:
        """Whether the fact holds now."""
        known = self._changed.get(fact)
        return self.initially(fact) if known is None else known

    def initially(self, fact: Fact) -> bool:
        """Whether the fact holds in the state at the start."""
        legs = tuple(self.instance.id_of(name) for name in fact.arguments)
        return self.instance.find_tuple(fact.relation, legs) is not None

    def set(self, fact: Fact, holds: bool) -> None:
        """Let a fact hold from now on, or not."""
        self._changed[fact] = holds
        self._by_relation.setdefault(fact.relation, set()).add(fact)

    def matching(self, relation: str, bound: Mapping[int, str]) -> Iterator[Fact]:
        """The facts of a relation that hold and have these elements at these legs."""
        changed = self._by_relation.get(relation, ())
        for fact in changed:
            if self._changed[fact] and all(fact.arguments[p] == e for p, e in bound.items()):
                yield fact
        for fact in self._rows(relation, bound):
            if fact not in changed:
                yield fact

    def _rows(self, relation: str, bound: Mapping[int, str]) -> Iterator[Fact]:
        """The facts of the start that fit."""
        instance = self.instance
        rows = instance.tuples(relation)
        legs = instance.schema.relation(relation).legs
        ids = {position: instance.id_of(name) for position, name in bound.items()}
        choices = [instance.tuples_at(relation, legs[p][0], id_) for p, id_ in ids.items()]
        for row in min(choices, key=len) if choices else rows:
            if all(rows[row][position] == id_ for position, id_ in ids.items()):
                yield Fact(relation, tuple(instance.name_of(leg) for leg in rows[row]))
