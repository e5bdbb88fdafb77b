# SPDX-License-Identifier: Apache-2.0
"""What may come true: operators wait for what they need, and fire when all of it is possible."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from fcp_ros.planning.relevance.absence import Patterns
from fcp_ros.planning.relevance.facts import FactTable
from fcp_ros.planning.relevance.nodes import Node
from fcp_ros.planning.relevance.open_literals import Agenda

NOTED = 2
"""How many operators are remembered that make something true, or use it."""


class Progress:
    """Delete-relaxed reachability of both polarities, by counting what is missing.

    Args:
        facts: the facts.
        patterns: what must be absent for operators.
        agenda: told of what matters.
        full: whether nothing that can matter may be left out.
    """

    def __init__(self, facts: FactTable, patterns: Patterns, agenda: Agenda, full: bool) -> None:
        self._facts = facts
        self._patterns = patterns
        self._agenda = agenda
        self._full = full
        self._ready: deque[Node] = deque()
        self._waiting: dict[int, list[Node]] = {}
        self._sources: dict[int, list[Node]] = {}  # operators that add a fact
        self._users: dict[int, list[Node]] = {}  # operators that need a fact and keep it

    def pop(self) -> Node | None:
        """An operator or effect that may become applicable."""
        return self._ready.popleft() if self._ready else None

    def ask(self, node: Node) -> None:
        """What an operator needs matters; it, or an effect, waits for what can't be true yet."""
        facts, agenda = self._facts, self._agenda
        chains = node.rule.chains
        for fact in node.pre:
            if node.parent is None:
                agenda.need(2 * fact, node if facts.relation[fact].name in chains else None)
            if not facts.initial[fact] and fact not in node.delete:
                _note(self._users, fact, node)
            if not facts.possible(fact):
                self._wait(node, 2 * fact)
        for pattern, unless in node.absent:
            if node.parent is None:
                agenda.need_absent(pattern)
            for fact in node.waits_for(pattern, unless, facts.initial):
                if not facts.lost[fact]:
                    self._wait(node, 2 * fact + 1)
        for fact, pattern in node.guarded:
            if self._full:
                agenda.need(2 * fact)
            agenda.need_absent(pattern)
        if node.missing == 0 and (node.parent is None or node.parent.fired):
            self._ready.append(node)

    def fire(self, node: Node) -> Iterator[tuple[int, bool]]:
        """What the node changes is possible from now on.

        Returns:
            each fact that is added for the first time, and whether it did not hold at first.
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
            self._agenda.lost_by(fact, node)
            if not facts.lost[fact]:
                facts.lost[fact] = True
                self._go_on(2 * fact + 1)
                self._agenda.changed(2 * fact)
        for effect in node.effects:
            if effect.missing == 0 and not effect.fired:
                self._ready.append(effect)

    def has_users(self, fact: int) -> bool:
        """Whether some operator needs the fact and keeps it."""
        return fact in self._users

    def contexts(self, fact: int) -> list[tuple[int, ...]]:
        """What is known to hold when the fact has just come to hold, or has just been of use."""
        found: list[tuple[int, ...]] = [()] if self._facts.initial[fact] else []
        for node in (*self._sources.get(fact, ()), *self._users.get(fact, ())):
            parent = node.parent or node
            kept = tuple(f for f in parent.pre if f not in parent.delete)
            found.append((*parent.add, *kept))
        return found

    def _wait(self, node: Node, literal: int) -> None:
        node.missing += 1
        self._waiting.setdefault(literal, []).append(node)

    def _gain(self, fact: int) -> None:
        self._go_on(2 * fact)
        for pattern in self._patterns.matching(fact):
            pattern.facts.append(fact)
            if pattern.active:
                self._agenda.need(2 * fact + 1)
        self._agenda.changed(2 * fact + 1)

    def _go_on(self, literal: int) -> None:
        for node in self._waiting.pop(literal, ()):
            node.missing -= 1
            if node.missing == 0 and (node.parent is None or node.parent.fired):
                self._ready.append(node)


def _note(nodes: dict[int, list[Node]], fact: int, node: Node) -> None:
    noted = nodes.setdefault(fact, [])
    if len(noted) < NOTED:
        noted.append(node)
