# SPDX-License-Identifier: Apache-2.0
"""Reduction of a closure to the operators that both are reachable and matter.

The closure is generous: it makes operators before it knows that they are ever applicable, and
follows demands that turn out not to matter. Here two filters, delete-relaxed reachability and
relevance (as in `encoding.selection`), are applied in turn until neither drops anything. Both are
monotone, so the result is the largest set of operators that both keep: the same for every closure
that contains it.

Reachability has both polarities: a fact must be able to come true, and a fact that must be absent
and holds initially must be able to become false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.facts import AbsencePattern, FactTable
from fcp_ros.planning.relevance.operators import Match, OperatorNode


@dataclass(frozen=True)
class ReducedClosure:
    """The operators that are left.

    Attributes:
        operators: the operators that are left, in the order in which they were made.
        effects: their effects that are left.
        needed: facts whose truth or absence matters.
        possible: facts that hold initially or may come to hold.
        made: number of operators before.
    """

    operators: Sequence[OperatorNode]
    effects: frozenset[OperatorNode]
    needed: frozenset[int]
    possible: frozenset[int]
    made: int


class Reduction:
    """Filters the nodes of a closure.

    Args:
        facts: its facts.
        matches: for each fact the matches of constraints that it is in.
        mixed: resources that are both gained and spent.
        positive, negative: facts that are wanted.
        watch: checked all the time.
    """

    def __init__(
        self,
        facts: FactTable,
        matches: dict[int, list[Match]],
        mixed: frozenset[str],
        positive: Iterable[int],
        negative: Iterable[int],
        watch: Watch,
    ) -> None:
        self._facts = facts
        self._matches = matches
        self._mixed = mixed
        self._positive = tuple(positive)
        self._negative = tuple(negative)
        self._watch = watch

    def run(self, operators: Sequence[OperatorNode]) -> ReducedClosure:
        """Compute the largest set of operators and effects that both filters keep."""
        nodes = [node for operator in operators for node in (operator, *operator.effects)]
        nodes = [node for node in nodes if node.fired]
        while True:
            relevance = _Relevance(self._facts, self._matches, self._mixed, nodes, self._watch)
            kept = relevance.run(self._positive, self._negative)
            reached = _keep_reachable(self._facts, kept, self._watch)
            if len(reached) == len(nodes):
                return ReducedClosure(
                    [node for node in reached if node.parent is None],
                    frozenset(node for node in reached if node.parent is not None),
                    frozenset(relevance.true | relevance.false),
                    frozenset(relevance.added),
                    len(operators),
                )
            nodes = reached


def _keep_reachable(
    facts: FactTable, nodes: Sequence[OperatorNode], watch: Watch
) -> list[OperatorNode]:
    """Keep the nodes that are applicable if nothing that was reached is ever lost, in order."""
    missing: dict[OperatorNode, int] = {}
    waiting: dict[int, list[list[OperatorNode]]] = {}  # lists emptied when one literal comes true
    ready: list[OperatorNode] = []
    initial = facts.initial
    present = set(nodes)
    for node in nodes:
        watch.check()
        count = 0
        for fact in node.pre:
            if not initial[fact]:
                count += 1
                waiting.setdefault(2 * fact, []).append([node])
        for pattern, unless in node.absent:
            for fact in node.find_obstacles(pattern, unless, initial):
                count += 1
                waiting.setdefault(2 * fact + 1, []).append([node])
        for clause in node.clauses:
            if not any(initial[literal >> 1] is not bool(literal & 1) for literal in clause):
                count += 1
                entry = [node]
                for literal in clause:
                    waiting.setdefault(literal, []).append(entry)
        missing[node] = count
        if count == 0 and node.parent is None:
            ready.append(node)
    done: set[OperatorNode] = set()

    def satisfy(literal: int) -> None:
        for entry in waiting.pop(literal, ()):
            if not entry:
                continue
            node = entry.pop()
            missing[node] -= 1
            if missing[node] == 0 and (node.parent is None or node.parent in done):
                ready.append(node)

    while ready:
        node = ready.pop()
        done.add(node)
        for fact in node.add:
            satisfy(2 * fact)
        for fact in node.delete:
            satisfy(2 * fact + 1)
        for effect in node.effects:
            if effect in present and missing[effect] == 0 and effect not in done:
                ready.append(effect)
    return [node for node in nodes if node in done]


class _Relevance:
    """The closure of `encoding.selection` over nodes, conditional effects included."""

    def __init__(
        self,
        facts: FactTable,
        matches: dict[int, list[Match]],
        mixed: frozenset[str],
        nodes: Sequence[OperatorNode],
        watch: Watch,
    ) -> None:
        self._facts = facts
        self._matches = matches
        self._mixed = mixed
        self._nodes = nodes
        self._watch = watch
        self._adders: dict[int, list[OperatorNode]] = {}
        self._deleters: dict[int, list[OperatorNode]] = {}
        for node in nodes:
            for fact in node.add:
                self._adders.setdefault(fact, []).append(node)
            for fact in node.delete:
                self._deleters.setdefault(fact, []).append(node)
        self._present = set(nodes)
        self.true: set[int] = set()
        self.false: set[int] = set()
        self.added: set[int] = set(self._adders)
        self._may_be_true: set[int] = set()
        self._may_be_false: set[int] = set()
        self._patterns: set[AbsencePattern] = set()
        self._kept: set[OperatorNode] = set()
        self._judged: set[OperatorNode] = set()
        self._pending: list[OperatorNode] = []
        self._spent: set[str] = set()

    def run(self, positive: Iterable[int], negative: Iterable[int]) -> list[OperatorNode]:
        """Keep the operators and effects that matter, in order."""
        # What follows does so by itself, whatever matters.
        self._wake(node for node in self._nodes if node.rule.derives and node.parent is None)
        self._need_true(positive)
        self._need_false(negative)
        while self._pending:
            self._watch.check()
            self._take(self._pending.pop())
        return [node for node in self._nodes if node in self._kept or node in self._judged]

    def _need_true(self, facts: Iterable[int]) -> None:
        for fact in facts:
            if fact not in self.true:
                self.true.add(fact)
                self._wake_adders(fact)
                self._judge(self._adders.get(fact, ()))
                self._judge(self._deleters.get(fact, ()))

    def _need_false(self, facts: Iterable[int]) -> None:
        for fact in facts:
            if fact not in self.false:
                self.false.add(fact)
                self._wake_deleters(fact)
                self._judge(self._adders.get(fact, ()))
                self._judge(self._deleters.get(fact, ()))

    def _wake_adders(self, fact: int) -> None:
        if not self._facts.initial[fact] or fact in self._may_be_false:
            self._wake(self._adders.get(fact, ()))

    def _wake_deleters(self, fact: int) -> None:
        if self._facts.initial[fact] or fact in self._may_be_true:
            self._wake(self._deleters.get(fact, ()))

    def _wake(self, nodes: Iterable[OperatorNode]) -> None:
        for node in nodes:
            operator = node.parent or node
            if operator not in self._kept:
                self._kept.add(operator)
                self._pending.append(operator)

    def _take(self, node: OperatorNode) -> None:
        self._need_true(node.pre)
        for pattern, unless in node.absent:
            if pattern not in self._patterns:
                holding = list(self._find_possible(pattern))
                if holding != [unless] and not _is_pointless_otherwise(node, unless, holding):
                    self._patterns.add(pattern)
                    self._need_false(holding)
        for clause in node.clauses:
            self._need_true(literal >> 1 for literal in clause if not literal & 1)
            self._need_false(literal >> 1 for literal in clause if literal & 1)
        self._guard(node)
        self._change(node)
        for effect in node.effects:
            if effect in self._present:
                self._change(effect)
                self._judge((effect,))
        assert node.rule.action is not None
        for resource in node.rule.action.uses:
            if resource in self._mixed and resource not in self._spent:
                self._spent.add(resource)
                self._wake(
                    other
                    for other in self._nodes
                    if other.parent is None
                    and other.rule.action is not None
                    and other.rule.action.uses.get(resource, 0.0) != 0.0
                )

    def _change(self, node: OperatorNode) -> None:
        for fact in node.add:
            if fact not in self._may_be_true:
                self._may_be_true.add(fact)
                if fact in self.false:
                    self._wake_deleters(fact)
        for fact in node.delete:
            if fact not in self._may_be_false:
                self._may_be_false.add(fact)
                if fact in self.true:
                    self._wake_adders(fact)

    def _guard(self, node: OperatorNode) -> None:
        """Need what constraints and broken functional legs forbid the operator to complete."""
        add, delete = set(node.add), set(node.delete)
        surely = set(node.pre) - delete
        for fact in node.add:
            for match in self._matches.get(fact, ()):
                if not delete.isdisjoint(match) or not all(map(self._is_possible, match)):
                    continue
                completes = add.intersection(match)
                if not completes <= surely:
                    self._need_true(completes)
                    self._need_false(f for f in match if f not in add)
        for fact, pattern in node.guarded:
            others = [f for f in self._find_possible(pattern) if f != fact and f not in delete]
            if others:
                self._need_true((fact,))
                self._need_false(others)

    def _judge(self, nodes: Iterable[OperatorNode]) -> None:
        """Keep effects that change something that matters or that may forbid their operator.

        They may help or harm, so their conditions matter both ways.
        """
        for node in nodes:
            if node.parent is None or node.parent not in self._kept or node in self._judged:
                continue
            changed = (*node.add, *node.delete)
            matters = not (self.true.isdisjoint(changed) and self.false.isdisjoint(changed))
            if matters or self._forbids(node):
                self._judged.add(node)
                absent = [
                    fact for pattern, _ in node.absent for fact in self._find_possible(pattern)
                ]
                self._need_true((*node.pre, *absent))
                self._need_false((*node.pre, *absent))
                self._guard(node)

    def _forbids(self, effect: OperatorNode) -> bool:
        """Return True if an effect may violate a constraint or a functional leg."""
        return any(
            all(map(self._is_possible, match))
            for fact in effect.add
            for match in self._matches.get(fact, ())
        ) or any(
            other != fact and self._is_possible(other)
            for fact, pattern in effect.guarded
            for other in pattern.facts
        )

    def _find_possible(self, pattern: AbsencePattern) -> Iterator[int]:
        return (fact for fact in pattern.facts if self._is_possible(fact))

    def _is_possible(self, fact: int) -> bool:
        return self._facts.initial[fact] or fact in self.added


def _is_pointless_otherwise(node: OperatorNode, unless: int, holding: Sequence[int]) -> bool:
    """Return True if a node requires only the absence of what it adds, and does nothing else.

    See the function of that name in `encoding.selection`.
    """
    action = node.rule.action
    assert action is not None
    alone = not (node.delete or node.rule.effects or action.uses)
    return alone and unless < 0 and tuple(holding) == node.add
