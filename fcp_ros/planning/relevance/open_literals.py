# SPDX-License-Identifier: Apache-2.0
"""What matters, and what of it is to be looked at next."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable

from fcp_ros.planning.relevance.absence import Pattern, Patterns
from fcp_ros.planning.relevance.facts import FactTable
from fcp_ros.planning.relevance.nodes import Need, Node

DONE = 1000
"""The level of a need that is not to be looked at again."""
LEVEL_LATER, FAR_LATER, OWN_LATER = 2, 4, 3
"""What a level, a level beyond links, and being one's own doing add to the place in the queue."""


class Agenda:
    """Needs by literal, and those that lack a way to be achieved in a queue.

    Attributes:
        unwanted: facts that the goal or a constraint wants to be absent.
        fresh: facts that matter, in the order in which they came to; taken out by the closure.

    Args:
        facts: the facts.
        patterns: what must be absent for operators.
    """

    def __init__(self, facts: FactTable, patterns: Patterns) -> None:
        self.unwanted: set[int] = set()
        self.fresh: deque[int] = deque()
        self._facts = facts
        self._patterns = patterns
        self._needs: dict[int, Need] = {}
        self._queue: list[tuple[int, int, Need]] = []
        self._queued = 0
        self._losers: dict[int, list[Node]] = {}

    def needs(self) -> list[Need]:
        """Everything that matters, in order."""
        return list(self._needs.values())

    def need(self, literal: int, consumer: Node | None = None) -> None:
        """Say that a literal matters: for one link of a chain, or in any case."""
        need = self._needs.get(literal)
        if need is None:
            need = self._needs[literal] = Need(literal)
            if literal ^ 1 not in self._needs:
                self.fresh.append(literal >> 1)
        if consumer is None:
            need.root = True
        else:
            need.consumers.append(consumer)
        self.push(need)

    def need_absent(self, pattern: Pattern) -> None:
        """Say that it matters that nothing matches a pattern."""
        if not pattern.active:
            pattern.active = True
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

    def changed(self, literal: int) -> None:
        """Look again at a literal that may have become false, or that matters for more."""
        need = self._needs.get(literal)
        if need is not None:
            self.push(need)

    def lost_by(self, fact: int, node: Node) -> None:
        """Note an operator that may become applicable and deletes a fact."""
        self._losers.setdefault(fact, []).append(node)

    def push(self, need: Need) -> None:
        """Queue a need, unless its literal holds anyway or nothing more can be done."""
        if not need.queued and need.level < DONE and self.active(need.literal):
            need.queued = True
            self._queued += 1
            heapq.heappush(self._queue, (self._urgency(need), self._queued, need))

    def pop(self) -> Need | None:
        """The need to be looked at next."""
        if not self._queue:
            return None
        need = heapq.heappop(self._queue)[2]
        need.queued = False
        return need

    def _urgency(self, need: Need) -> int:
        """Lower is earlier: things as they are, links, what is in the way later, things far away.

        What is in the way only because an operator made it so is mostly put right by what is made
        anyway.
        """
        far = FAR_LATER * (need.level > 1)
        return LEVEL_LATER * need.level + far + OWN_LATER * self.is_own(need.literal)

    # --- what is known of literals

    def active(self, literal: int) -> bool:
        """Whether the literal may be false, so that it must be achieved."""
        fact, facts = literal >> 1, self._facts
        if literal & 1:
            return facts.initial[fact] or facts.gained[fact]
        return not facts.initial[fact] or facts.lost[fact]

    def is_own(self, literal: int) -> bool:
        """Whether what should not hold is there only because an operator brings it about."""
        return bool(literal & 1) and not self._facts.initial[literal >> 1]

    def pressing(self, need: Need) -> bool:
        """Whether it matters for more than moves that lead where others lead already."""
        return need.root or any(
            not self.achieved(purpose)
            for consumer in need.consumers
            for purpose in consumer.purposes
        )

    def achieved(self, literal: int) -> bool:
        """Whether some operator that may become applicable achieves it, and for good."""
        fact = literal >> 1
        if literal & 1:
            return not all(map(self._puts_back, self._losers.get(fact, ())))
        return self._facts.gained[fact]

    def _puts_back(self, node: Node) -> bool:
        """Whether it restores something that is in the way at first."""
        return any(
            self._facts.initial[fact]
            and (
                fact in self.unwanted
                or any(pattern.hard for pattern in self._patterns.matching(fact))
            )
            for fact in node.add
        )
