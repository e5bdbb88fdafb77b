# SPDX-License-Identifier: Apache-2.0
"""Operators and their conditional effects while the closure grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fcp_ros.planning.relevance.absence import Pattern
from fcp_ros.planning.relevance.facts import Elements
from fcp_ros.planning.task.lifted import LiftedRule

Absent = tuple[Pattern, int]
"""A pattern that must match nothing, except perhaps one fact (-1: no exception)."""


@dataclass(eq=False, slots=True)
class Node:
    """A ground operator, or one of its ground effects.

    Attributes:
        rule: the rule.
        arguments: elements of the rule's parameters; of an effect also those of its variables.
        effect: number of the effect; -1 for the operator.
        parent: the operator of an effect.
        pre: facts that must hold (of an effect: besides the operator's).
        absent: what must not.
        add, delete: the changes.
        guarded: (fact, others): where functional legs are broken from the start, and for what
            effects add, others that must not hold when the fact comes to hold.
        missing: how many of its conditions can't come true yet.
        fired: whether all of them can.
        purposes: literals that it was made for.
        effects: its ground effects.
    """

    rule: LiftedRule
    arguments: Elements
    effect: int
    parent: Node | None
    pre: tuple[int, ...]
    absent: tuple[Absent, ...]
    add: tuple[int, ...]
    delete: tuple[int, ...]
    guarded: tuple[tuple[int, Pattern], ...] = ()
    missing: int = 0
    fired: bool = False
    purposes: list[int] = field(default_factory=list)
    effects: list[Node] = field(default_factory=list)

    def waits_for(self, pattern: Pattern, unless: int, initial: Sequence[bool]) -> Iterator[int]:
        """Facts that hold at first and must be lost before the node can be applied.

        An exception that holds at first is a leg that is as it should be. What shares a leg with
        something that is added may be lost by an effect of the operator itself.
        """
        if unless < 0 or not (self.rule.effects or initial[unless]):
            for fact in pattern.blocked:
                if fact != unless:
                    yield fact


@dataclass(eq=False, slots=True)
class Need:
    """A literal that matters.

    Attributes:
        literal: 2 * fact + polarity.
        root: whether it matters whatever else happens.
        consumers: operators of chains (moves from room to room) that need it.
        level: how far the search for ways to achieve it has gone.
        queued: whether it is about to be looked at.
    """

    literal: int
    root: bool = False
    consumers: list[Node] = field(default_factory=list)
    level: int = 0
    queued: bool = False
