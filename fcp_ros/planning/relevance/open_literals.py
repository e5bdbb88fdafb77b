# SPDX-License-Identifier: Apache-2.0
"""The literals that matter, in a queue, and their relaxed reachability."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fcp_ros.planning.relevance.facts import AbsencePattern, AbsencePatterns, FactTable
from fcp_ros.planning.relevance.operators import OperatorNode

DONE = 1000
"""The level of a literal that needs no further look."""


@dataclass(eq=False, slots=True)
class OpenLiteral:
    """A literal that matters."""

    literal: int
    root: bool = False  # True if it matters in any case
    # operators of chains (moves from room to room) that need it
    consumers: list[OperatorNode] = field(default_factory=list)
    level: int = 0  # level that the search for achievers has reached
    queued: bool = False


class OpenLiterals:
    """The literals that matter; those that still lack an achiever wait in a queue."""

    def __init__(self, facts: FactTable, patterns: AbsencePatterns) -> None:
        self.unwanted: set[int] = set()  # facts that the goal or a constraint wants to be absent
        # facts that matter since the last look, in order; taken out by the closure
        self.fresh: deque[int] = deque()
        # patterns that nothing may match, likewise
        self.fresh_patterns: deque[AbsencePattern] = deque()
        self._facts = facts
        self._patterns = patterns
        self._needs: dict[int, OpenLiteral] = {}
        self._queue: list[tuple[int, int, OpenLiteral]] = []
        self._queued = 0
        self._losers: dict[int, list[OperatorNode]] = {}

    def needs(self) -> list[OpenLiteral]:
        """Return all literals that matter, in the order in which they came."""
        return list(self._needs.values())

    def need(self, literal: int, consumer: OperatorNode | None = None) -> None:
        """Say that a literal matters: for one link of a chain, or in any case."""
        need = self._needs.get(literal)
        if need is None:
            need = self._needs[literal] = OpenLiteral(literal)
            if literal ^ 1 not in self._needs:
                self.fresh.append(literal >> 1)
        if consumer is None:
            need.root = True
        else:
            need.consumers.append(consumer)
        self.push(need)

    def need_absent(self, pattern: AbsencePattern) -> None:
        """Say that it matters that nothing matches a pattern."""
        if not pattern.active:
            pattern.active = True
            self.fresh_patterns.append(pattern)
            for fact in pattern.facts:
                self.need(2 * fact + 1)

    def guard(self, match: Iterable[int], full: bool) -> None:
        """Say that not all facts of a constraint's pattern may come to hold together."""
        for fact in match:
            if self._facts.gained[fact]:
                if full:
                    self.need(2 * fact)
                for other in match:
                    if other != fact:
                        self.unwanted.add(other)
                        self.need(2 * other + 1)

    def reconsider(self, literal: int) -> None:
        """Look again at a literal that may have become false, or that matters for more."""
        need = self._needs.get(literal)
        if need is not None:
            self.push(need)

    def note_loser(self, fact: int, node: OperatorNode) -> None:
        """Note an operator that may become applicable and deletes a fact."""
        self._losers.setdefault(fact, []).append(node)

    def push(self, need: OpenLiteral) -> None:
        """Queue a need by its level, unless its literal holds or nothing more can be done."""
        if not need.queued and need.level < DONE and self.active(need.literal):
            need.queued = True
            self._queued += 1
            heapq.heappush(self._queue, (need.level, self._queued, need))

    def pop(self) -> OpenLiteral | None:
        """Take the literal to look at next; None if the queue is empty."""
        if not self._queue:
            return None
        need = heapq.heappop(self._queue)[2]
        need.queued = False
        return need

    # --- what is known of literals

    def active(self, literal: int) -> bool:
        """Return True if the literal may be false, so that it must be achieved."""
        fact, facts = literal >> 1, self._facts
        if literal & 1:
            return facts.initial[fact] or facts.gained[fact]
        return not facts.initial[fact] or facts.lost[fact]

    def is_own(self, literal: int) -> bool:
        """Return True if what should be absent is there only because an operator adds it."""
        return bool(literal & 1) and not self._facts.initial[literal >> 1]

    def pressing(self, need: OpenLiteral) -> bool:
        """Return True if it matters for more than moves that lead where others lead already."""
        return need.root or any(
            not self.is_achieved(purpose)
            for consumer in need.consumers
            for purpose in consumer.purposes
        )

    def is_achieved(self, literal: int) -> bool:
        """Return True if an operator that may become applicable achieves it for good."""
        fact = literal >> 1
        if literal & 1:
            return not all(map(self._puts_back, self._losers.get(fact, ())))
        return self._facts.gained[fact]

    def _puts_back(self, node: OperatorNode) -> bool:
        """Return True if it restores something that is in the way initially."""
        return any(
            self._facts.initial[fact]
            and (
                fact in self.unwanted
                or any(pattern.hard for pattern in self._patterns.find_matching(fact))
            )
            for fact in node.add
        )


NOTED = 2
"""Number of operators remembered for each fact that add it, or use it."""


class Reachability:
    """Delete-relaxed reachability of both polarities, by counting what is missing."""

    def __init__(
        self, facts: FactTable, patterns: AbsencePatterns, open_literals: OpenLiterals, full: bool
    ) -> None:
        self._facts = facts
        self._patterns = patterns
        self._open_literals = open_literals
        self._full = full
        self._ready: deque[OperatorNode] = deque()
        self._waiting: dict[int, list[list[OperatorNode]]] = {}  # lists emptied when one comes true
        self._sources: dict[int, list[OperatorNode]] = {}  # operators that add a fact
        self._users: dict[int, list[OperatorNode]] = {}  # operators that need a fact and keep it

    def pop(self) -> OperatorNode | None:
        """Take an operator or effect that may become applicable; None if there is none."""
        return self._ready.popleft() if self._ready else None

    def ask(self, node: OperatorNode) -> None:
        """Need the conditions of an operator or effect; let it wait for those not possible yet."""
        facts, open_literals = self._facts, self._open_literals
        chains = node.rule.chains
        for fact in node.pre:
            if node.parent is None:
                open_literals.need(2 * fact, node if facts.relation[fact].name in chains else None)
            if not facts.initial[fact] and fact not in node.delete:
                _note(self._users, fact, node)
            if not facts.is_possible(fact):
                self._wait(node, (2 * fact,))
        for pattern, unless in node.absent:
            if node.parent is None:
                open_literals.need_absent(pattern)
            for fact in node.find_obstacles(pattern, unless, facts.initial):
                if not facts.lost[fact]:
                    self._wait(node, (2 * fact + 1,))
        for clause in node.clauses:
            for literal in clause:
                open_literals.need(literal)
            if not any(map(self._may_be_met, clause)):
                self._wait(node, clause)
        for fact, pattern in node.guarded:
            if self._full:
                open_literals.need(2 * fact)
            open_literals.need_absent(pattern)
        if node.missing == 0 and (node.parent is None or node.parent.fired):
            self._ready.append(node)

    def fire(self, node: OperatorNode) -> Iterator[tuple[int, bool]]:
        """Make the changes of a node possible from now on.

        Returns:
            each fact that is added for the first time, and True if it did not hold initially.
        """
        facts = self._facts
        node.fired = True
        for fact in node.add:
            _note(self._sources, fact, node)
            if not facts.gained[fact]:
                new = not facts.initial[fact]
                facts.gain(fact)
                if new:
                    self._gain(fact)
                yield fact, new
        for fact in node.delete:
            self._open_literals.note_loser(fact, node)
            if not facts.lost[fact]:
                facts.lost[fact] = True
                self._go_on(2 * fact + 1)
                self._open_literals.reconsider(2 * fact)
        for effect in node.effects:
            if effect.missing == 0 and not effect.fired:
                self._ready.append(effect)

    def has_users(self, fact: int) -> bool:
        """Return True if some operator needs the fact and keeps it."""
        return fact in self._users

    def contexts(self, fact: int) -> list[tuple[int, ...]]:
        """List the facts known to hold when the fact has just been added or used."""
        found: list[tuple[int, ...]] = [()] if self._facts.initial[fact] else []
        for node in (*self._sources.get(fact, ()), *self._users.get(fact, ())):
            parent = node.parent or node
            kept = tuple(f for f in parent.pre if f not in parent.delete)
            found.append((*parent.add, *kept))
        return found

    def _may_be_met(self, literal: int) -> bool:
        fact, facts = literal >> 1, self._facts
        if literal & 1:
            return not facts.initial[fact] or facts.lost[fact]
        return facts.is_possible(fact)

    def _wait(self, node: OperatorNode, literals: Iterable[int]) -> None:
        """Let a node wait until one of some literals may come true."""
        node.missing += 1
        entry = [node]
        for literal in literals:
            self._waiting.setdefault(literal, []).append(entry)

    def _gain(self, fact: int) -> None:
        self._go_on(2 * fact)
        for pattern in self._patterns.find_matching(fact):
            pattern.facts.append(fact)
            if pattern.active:
                self._open_literals.need(2 * fact + 1)
        self._open_literals.reconsider(2 * fact + 1)

    def _go_on(self, literal: int) -> None:
        for entry in self._waiting.pop(literal, ()):
            if not entry:
                continue
            node = entry.pop()
            node.missing -= 1
            if node.missing == 0 and (node.parent is None or node.parent.fired):
                self._ready.append(node)


def _note(nodes: dict[int, list[OperatorNode]], fact: int, node: OperatorNode) -> None:
    noted = nodes.setdefault(fact, [])
    if len(noted) < NOTED:
        noted.append(node)
