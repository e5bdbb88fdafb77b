# SPDX-License-Identifier: Apache-2.0
"""Representatives of old values that do not matter: the first one that may hold."""

from __future__ import annotations

from fcp_ros.planning.relevance.binding import OPEN
from fcp_ros.planning.relevance.facts import Elements, FactTable
from fcp_ros.planning.relevance.overwriting import Overwriting, Overwritings
from fcp_ros.planning.task.lifted import Trigger

Found = tuple[Trigger, Elements, int]
"""A trigger, its slots but for the old value, and the literal that it is for."""


class OldValues:
    """Binds what rules forget.

    Args:
        facts: what may hold.
        overwritings: the rules.
    """

    def __init__(self, facts: FactTable, overwritings: Overwritings) -> None:
        self._facts = facts
        self._rules = overwritings.rules
        self._waiting: dict[tuple[int, int], list[Found]] = {}

    def completed(self, trigger: Trigger, elements: Elements, purpose: int) -> Elements | None:
        """The slots with the old value; None if there is none yet."""
        found = self._rules.get(trigger.rule.number)
        if found is None or elements[found.slot] != OPEN:
            return elements
        old = self._first(found, elements)
        if old is None:
            key = (found.relation.number, elements[found.moved])
            self._waiting.setdefault(key, []).append((trigger, elements, purpose))
            return None
        return (*elements[: found.slot], old, *elements[found.slot + 1 :])

    def gained(self, fact: int) -> list[Found]:
        """What can go on now that a fact may hold."""
        if not self._waiting:
            return []
        relation, elements = self._facts.relation[fact], self._facts.elements[fact]
        late: list[Found] = []
        for key in relation.keys:
            late += self._waiting.pop((relation.number, elements[key]), ())
        return late

    def _first(self, found: Overwriting, elements: Elements) -> int | None:
        """The first old value that differs from what the rule speaks of; always the same one."""
        bound = ((found.key, elements[found.moved]),)
        other = 1 - found.key
        for there in self._facts.there(found.relation, bound):
            if there[other] not in elements:
                return there[other]
        for fact in self._facts.new(found.relation, bound):
            if self._facts.elements[fact][other] not in elements:
                return self._facts.elements[fact][other]
        return None
