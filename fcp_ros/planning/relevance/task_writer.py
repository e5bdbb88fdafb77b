# SPDX-License-Identifier: Apache-2.0
"""What is left of a closure, as a task: facts and operators by names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from fcp_ros.cset import Fact
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.mutexes.pairs import Place
from fcp_ros.planning.relevance.facts import FactTable, Pattern
from fcp_ros.planning.relevance.operators import Match, Node
from fcp_ros.planning.relevance.overwriting import Overwritings
from fcp_ros.planning.relevance.reduction import Reduced
from fcp_ros.planning.task.lifted import LiftedDomain
from fcp_ros.planning.task.patterns import SceneFacts
from fcp_ros.planning.task.task import FactKey, GroundEffect, GroundOperator, OperatorPurpose, Task


class TaskWriter:
    """Writes tasks.

    Args:
        lifted: the domain.
        facts: the facts of the closure.
        matches: for each fact the matches of constraints that it is part of.
        overwritings: rules of which representatives were made.
        groups: places of which an element has at most one fact at a time.
        watch: checked all the time.
    """

    def __init__(
        self,
        lifted: LiftedDomain,
        facts: FactTable,
        matches: dict[int, list[Match]],
        overwritings: Overwritings,
        groups: Sequence[Sequence[Place]],
        watch: Watch,
    ) -> None:
        self._lifted = lifted
        self._table = facts
        self._matches = matches
        self._forgotten = {n: found.slot for n, found in overwritings.rules.items()}
        self._groups = groups
        self._watch = watch
        self._facts: list[Fact] = []
        self._ids: dict[int, int] = {}
        self._listed: set[Pattern] = set()  # patterns of which all facts have an id
        self._name_of = facts.instance.name_of

    def write(self, reduced: Reduced, wanted: Iterable[int], complete: bool) -> Task:
        """The task with the operators that are left.

        Args:
            reduced: what is left.
            wanted: facts that get an id even if no operator speaks of them, if they may ever hold.
            complete: whether nothing that can matter was left out.
        """
        table = self._table
        possible = reduced.possible
        for fact in wanted:
            if table.initial[fact] or fact in possible:
                self._id(fact)
        operators = []
        for node in reduced.operators:
            self._watch.check()
            operators.append(self._operator(node, reduced))
            for fact in self._beside(node, reduced):
                self._id(fact)
        initial = frozenset(id_ for fact, id_ in self._ids.items() if table.initial[fact])
        keys = [self._keys(fact) for fact in self._ids]
        adders: list[list[int]] = [[] for _ in self._facts]
        deleters: list[list[int]] = [[] for _ in self._facts]
        for index, operator in enumerate(operators):
            for fact in _changed(operator.add, [effect.add for effect in operator.effects]):
                adders[fact].append(index)
            for fact in _changed(operator.delete, [effect.delete for effect in operator.effects]):
                deleters[fact].append(index)
        store = SceneFacts(table.instance, self._lifted.fluents)
        for relation, arguments in self._facts:
            store.add(relation, arguments)
        domain = self._lifted.domain
        return Task(
            domain,
            table.instance,
            self._facts,
            {fact: id_ for id_, fact in enumerate(self._facts)},
            initial,
            operators,
            store,
            self._lifted.fluents,
            tuple(domain.resources.values()),
            adders,
            deleters,
            keys,
            frozenset(self._broken(keys)),
            complete,
            tuple(self._demand(node) for node in reduced.operators),
            tuple(self._together()),
        )

    def _together(self) -> Iterator[tuple[int, ...]]:
        """Facts of which at most one holds at a time, whatever the schema says."""
        found: dict[tuple[int, str], list[int]] = {}
        for group, places in enumerate(self._groups):
            legs: dict[str, list[int]] = {}
            for name, leg in places:
                legs.setdefault(name, []).append(leg)
            for id_, fact in enumerate(self._facts):
                for leg in legs.get(fact.relation, ()):
                    found.setdefault((group, fact.arguments[leg]), []).append(id_)
        return (tuple(facts) for facts in found.values() if len(facts) > 1)

    def _operator(self, node: Node, reduced: Reduced) -> GroundOperator:
        assert node.rule.action is not None
        id_, name_of = self._id, self._name_of
        return GroundOperator(
            node.rule.action,
            tuple([name_of(element) for element in node.arguments]),
            tuple([id_(fact) for fact in node.pre]),
            tuple([id_(fact) for fact in node.add]),
            tuple([id_(fact) for fact in node.delete]),
            tuple([self._effect(e, reduced) for e in node.effects if e in reduced.effects])
            if node.effects
            else (),
            self._forgotten.get(node.rule.number, -1),
        )

    def _effect(self, effect: Node, reduced: Reduced) -> GroundEffect:
        absent = [
            self._id(fact)
            for pattern, _ in effect.absent
            for fact in pattern.facts
            if self._may_hold(fact, reduced)
        ]
        return GroundEffect(
            tuple(map(self._id, effect.pre)),
            tuple(dict.fromkeys(absent)),
            tuple(map(self._id, effect.add)),
            tuple(map(self._id, effect.delete)),
        )

    def _beside(self, operator: Node, reduced: Reduced) -> Iterator[int]:
        """Facts that matter for an operator and its effects besides those that they name."""
        effects = (effect for effect in operator.effects if effect in reduced.effects)
        for node in (operator, *effects):
            for pattern in (*(p for p, _ in node.absent), *(p for _, p in node.guarded)):
                if pattern not in self._listed:
                    self._listed.add(pattern)
                    yield from (f for f in pattern.facts if self._may_hold(f, reduced))
            for fact in node.add:
                for match in self._matches.get(fact, ()):
                    if all(self._may_hold(member, reduced) for member in match):
                        yield from match

    def _may_hold(self, fact: int, reduced: Reduced) -> bool:
        return self._table.initial[fact] or fact in reduced.possible

    def _id(self, fact: int) -> int:
        found = self._ids.get(fact)
        if found is None:
            found = self._ids[fact] = len(self._facts)
            self._facts.append(self._named(fact))
        return found

    def _named(self, fact: int) -> Fact:
        known = self._ids.get(fact)
        if known is not None and known < len(self._facts):
            return self._facts[known]
        elements = tuple(map(self._name_of, self._table.elements[fact]))
        return Fact(self._table.relation[fact].name, elements)

    def _keys(self, fact: int) -> tuple[FactKey, ...]:
        relation = self._table.relation[fact]
        arguments = self._facts[self._ids[fact]].arguments
        return tuple([(relation.name, p, arguments[p]) for p in relation.keys])

    def _broken(self, keys: list[tuple[FactKey, ...]]) -> Iterator[FactKey]:
        """Functional legs that several facts share at first."""
        table, seen = self._table, set()
        for fact, of_fact in zip(self._ids, keys, strict=True):
            relation, elements = table.relation[fact], table.elements[fact]
            for position, key in zip(relation.keys, of_fact, strict=True):
                if key not in seen:
                    seen.add(key)
                    there = table.there(relation, ((position, elements[position]),))
                    if sum(1 for _ in there) > 1:
                        yield key

    def _demand(self, node: Node) -> OperatorPurpose | None:
        purposes = node.purposes or [
            purpose for effect in node.effects for purpose in effect.purposes
        ]
        if not purposes:
            return None
        return OperatorPurpose(self._named(purposes[0] >> 1), not purposes[0] & 1)


def _changed(own: tuple[int, ...], others: list[tuple[int, ...]]) -> Iterable[int]:
    """What an operator and its effects add or delete, each once."""
    return dict.fromkeys(chain(own, *others)) if others else own
