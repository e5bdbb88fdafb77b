# SPDX-License-Identifier: Apache-2.0
"""What of a closure is left when only that counts which both can come true and matters.

The closure is generous: it makes operators before it knows whether they can ever be applied, and
follows demands that turn out not to count. Here the two filters, delete-relaxed reachability and
relevance (as in `relevance.py`), are applied in turn until neither drops anything. Both are
monotone, so the result is the largest set of operators that both leave alone: the same for every
closure that contains it.

Reachability has both polarities: a fact must be able to come true, and what must be absent and is
there at first must be able to go away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.facts import FactTable, Pattern
from fcp_ros.planning.relevance.operators import Match, Node


@dataclass(frozen=True)
class Reduced:
    """What is left.

    Attributes:
        operators: in the order in which they were made.
        effects: their effects that are left.
        needed: facts whose truth or absence matters.
        possible: facts that hold at first or may come to hold.
    """

    operators: Sequence[Node]
    effects: frozenset[Node]
    needed: frozenset[int]
    possible: frozenset[int]


class Reduction:
    """Filters the nodes of a closure.

    Args:
        facts: its facts.
        matches: for each fact the matches of constraints that it is part of.
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

    def run(self, operators: Sequence[Node]) -> Reduced:
        """The largest set of operators, and of effects, that both filters leave alone."""
        nodes = [node for operator in operators for node in (operator, *operator.effects)]
        nodes = [node for node in nodes if node.fired]
        while True:
            relevance = _Relevance(self._facts, self._matches, self._mixed, nodes, self._watch)
            kept = relevance.run(self._positive, self._negative)
            reached = _reached(self._facts, kept, self._watch)
            if len(reached) == len(nodes):
                return Reduced(
                    [node for node in reached if node.parent is None],
                    frozenset(node for node in reached if node.parent is not None),
                    frozenset(relevance.true | relevance.false),
                    frozenset(relevance.added),
                )
            nodes = reached


def _reached(facts: FactTable, nodes: Sequence[Node], watch: Watch) -> list[Node]:
    """The nodes that can be applied if nothing that was reached is ever lost, in order."""
    missing: dict[Node, int] = {}
    waiting: dict[int, list[Node]] = {}
    ready: list[Node] = []
    initial = facts.initial
    present = set(nodes)
    for node in nodes:
        watch.check()
        count = 0
        for fact in node.pre:
            if not initial[fact]:
                count += 1
                waiting.setdefault(2 * fact, []).append(node)
        for pattern, unless in node.absent:
            for fact in node.waits_for(pattern, unless, initial):
                count += 1
                waiting.setdefault(2 * fact + 1, []).append(node)
        missing[node] = count
        if count == 0 and node.parent is None:
            ready.append(node)
    done: set[Node] = set()

    def now(literal: int) -> None:
        for node in waiting.pop(literal, ()):
            missing[node] -= 1
            if missing[node] == 0 and (node.parent is None or node.parent in done):
                ready.append(node)

    while ready:
        node = ready.pop()
        done.add(node)
        for fact in node.add:
            now(2 * fact)
        for fact in node.delete:
            now(2 * fact + 1)
        for effect in node.effects:
            if effect in present and missing[effect] == 0 and effect not in done:
                ready.append(effect)
    return [node for node in nodes if node in done]


class _Relevance:
    """The closure of `relevance.py` over nodes, conditional effects included."""

    def __init__(
        self,
        facts: FactTable,
        matches: dict[int, list[Match]],
        mixed: frozenset[str],
        nodes: Sequence[Node],
        watch: Watch,
    ) -> None:
        self._facts = facts
        self._matches = matches
        self._mixed = mixed
        self._nodes = nodes
        self._watch = watch
        self._adders: dict[int, list[Node]] = {}
        self._deleters: dict[int, list[Node]] = {}
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
        self._patterns: set[Pattern] = set()
        self._kept: set[Node] = set()
        self._judged: set[Node] = set()
        self._pending: list[Node] = []
        self._spent: set[str] = set()

    def run(self, positive: Iterable[int], negative: Iterable[int]) -> list[Node]:
        """The operators that matter, with their effects that do, in order."""
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

    def _wake(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            operator = node.parent or node
            if operator not in self._kept:
                self._kept.add(operator)
                self._pending.append(operator)

    def _take(self, node: Node) -> None:
        self._need_true(node.pre)
        for pattern, unless in node.absent:
            if pattern not in self._patterns:
                holding = list(self._holding(pattern))
                if holding != [unless] and not _is_pointless_otherwise(node, unless, holding):
                    self._patterns.add(pattern)
                    self._need_false(holding)
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

    def _change(self, node: Node) -> None:
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

    def _guard(self, node: Node) -> None:
        """Constraints and broken functional legs that the operator must not complete."""
        add, delete = set(node.add), set(node.delete)
        surely = set(node.pre) - delete
        for fact in node.add:
            for match in self._matches.get(fact, ()):
                if not delete.isdisjoint(match) or not all(map(self._possible, match)):
                    continue
                completes = add.intersection(match)
                if not completes <= surely:
                    self._need_true(completes)
                    self._need_false(f for f in match if f not in add)
        for fact, pattern in node.guarded:
            others = [f for f in self._holding(pattern) if f != fact and f not in delete]
            if others:
                self._need_true((fact,))
                self._need_false(others)

    def _judge(self, nodes: Iterable[Node]) -> None:
        """Effects that do something that matters, or may forbid their operator: they may do good
        or harm, so that their conditions matter both ways."""
        for node in nodes:
            if node.parent is None or node.parent not in self._kept or node in self._judged:
                continue
            changed = (*node.add, *node.delete)
            matters = not (self.true.isdisjoint(changed) and self.false.isdisjoint(changed))
            if matters or self._forbids(node):
                self._judged.add(node)
                absent = [fact for pattern, _ in node.absent for fact in self._holding(pattern)]
                self._need_true((*node.pre, *absent))
                self._need_false((*node.pre, *absent))
                self._guard(node)

    def _forbids(self, effect: Node) -> bool:
        """Whether what it adds may break a constraint or a functional leg."""
        return any(
            all(map(self._possible, match))
            for fact in effect.add
            for match in self._matches.get(fact, ())
        ) or any(
            other != fact and self._possible(other)
            for fact, pattern in effect.guarded
            for other in pattern.facts
        )

    def _holding(self, pattern: Pattern) -> Iterator[int]:
        return (fact for fact in pattern.facts if self._possible(fact))

    def _possible(self, fact: int) -> bool:
        return self._facts.initial[fact] or fact in self.added


def _is_pointless_otherwise(node: Node, unless: int, holding: Sequence[int]) -> bool:
    """Whether all that must be absent is what the node adds, and it does nothing else.

    See the function of that name in `relevance.py`.
    """
    action = node.rule.action
    assert action is not None
    alone = not (node.delete or node.rule.effects or action.uses)
    return alone and unless < 0 and tuple(holding) == node.add
