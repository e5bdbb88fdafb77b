# SPDX-License-Identifier: Apache-2.0
"""What is wanted, met with what has come to be possible: a symmetric hash join.

To step back into a room, the robot must be at something in it. Whoever wants it in the room would
have to wait for each of these things. But who is at a thing knows which room that is: where a
changing condition of a rule determines all the rest, its facts are led to what they give as soon as
they come to be possible, and kept there for whoever asks.
"""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.planning.relevance.binding import OPEN, Matcher, Run
from fcp_ros.planning.relevance.binding_plans import Join
from fcp_ros.planning.relevance.facts import Elements, FactTable
from fcp_ros.planning.task.lifted import Trigger

Found = tuple[Trigger, Elements, int]
"""A trigger, its bound slots, and the literal that they achieve."""


class Joins:
    """Bindings by what they give, and who asked for that.

    Args:
        facts: what is known of changing facts.
        matcher: binds slots.
    """

    def __init__(self, facts: FactTable, matcher: Matcher) -> None:
        self._facts = facts
        self._matcher = matcher
        self._joins: dict[int, list[Join]] = {}
        self._known: set[Join] = set()
        self._given: dict[tuple[Trigger, Elements], list[Elements]] = {}
        self._asked: dict[tuple[Trigger, Elements], int] = {}

    def wanted(self, join: Join, literal: int) -> Iterator[Found]:
        """What achieves a literal with facts that are possible; asks for later ones, too."""
        facts, trigger = self._facts, join.trigger
        if join not in self._known:
            self._known.add(join)
            self._joins.setdefault(join.relation.number, []).append(join)
            for fact in facts.new(join.relation, ()):
                for found in self._bindings(join, facts.elements[fact]):
                    self._give(join, found)
        elements = facts.elements[literal >> 1]
        element_of = dict(zip(trigger.slots, elements, strict=True))
        bound = tuple([(p, element_of[s]) for p, s in enumerate(join.slots) if s in element_of])
        key = (trigger, elements)
        self._asked[key] = literal
        for there in facts.there(join.relation, bound):
            for found in self._bindings(join, there):
                if _of(trigger, found) == elements:
                    yield trigger, found, literal
        for found in tuple(self._given.get(key, ())):
            yield trigger, found, literal

    def gained(self, fact: int) -> Iterator[Found]:
        """What a fact that has come to be possible gives of what was asked for."""
        for join in self._joins.get(self._facts.relation[fact].number, ()):
            for found in self._bindings(join, self._facts.elements[fact]):
                literal = self._asked.get(self._give(join, found))
                if literal is not None:
                    yield join.trigger, found, literal

    def _give(self, join: Join, found: Elements) -> tuple[Trigger, Elements]:
        key = (join.trigger, _of(join.trigger, found))
        self._given.setdefault(key, []).append(found)
        return key

    def _bindings(self, join: Join, elements: Elements) -> Iterator[Elements]:
        binding = [OPEN] * len(join.trigger.types)
        if self._matcher.fits(join.plan, binding, zip(join.slots, elements, strict=True)):
            yield from self._matcher.bindings(Run(join.plan, OPEN), binding)


def _of(trigger: Trigger, binding: Elements) -> Elements:
    return tuple([binding[slot] for slot in trigger.slots])
