# SPDX-License-Identifier: Apache-2.0
"""The reachable qstates of a QNP and the moves between them, as flat tables.

A move is a qstate with an action that applies in it. Qstates and moves are numbered, in the order
in which a breadth-first search meets them. A goal qstate has no moves: a policy stops there. So the
reachable qstates are those that some run meets up to and including its first goal qstate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from fcp_ros.abstraction.qnp.problem import Qnp, QState
from fcp_ros.abstraction.qnp.semantics import EncodedQnp

ASK_EVERY = 0.005
"""Seconds between two calls of the caller's check, which may take a lock."""


class QnpLimitReached(Exception):
    """A limit of the solver was reached; the message says which one and what to do."""


@dataclass(frozen=True, slots=True)
class QnpLimits:
    """Limits of the solver."""

    states: int = 500_000
    moves: int = 10_000_000  # pairs of a reachable qstate and a successor of it under some action
    seconds: float = 60.0


class QnpWatch:
    """Interrupts the solver at its time limit, or when the caller wants so."""

    def __init__(self, limits: QnpLimits, check: Callable[[], None] = lambda: None) -> None:
        self.limits = limits
        self._check = check
        self._start = time.monotonic()
        self._next = self._start

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    def tick(self) -> None:
        """Look at the clock; called at each step of a loop.

        Raises QnpLimitReached if the time is up.
        """
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + ASK_EVERY
        self._check()
        if now - self._start > self.limits.seconds:
            raise QnpLimitReached(
                f"the QNP isn't solved within {self.limits.seconds:g} s: allow more time, or "
                "use fewer variables"
            )


class StateSpace:
    """The reachable qstates and moves of a QNP.

    Raises QnpLimitReached if there are too many qstates or moves, or the time is up.
    """

    def __init__(self, qnp: Qnp, watch: QnpWatch) -> None:
        self.code = EncodedQnp(qnp)  # the problem as bit masks
        self.states: list[QState] = []
        self.number: dict[QState, int] = {}
        self.is_goal = bytearray()  # by qstate, 1 for goals
        self.moves: list[range] = []
        self.source: list[int] = []
        self.action: list[int] = []
        # by move, the numbers of the qstates that it may lead to
        self.targets: list[tuple[int, ...]] = []
        self._most = watch.limits.states
        self.initial = [self._visit(state) for state in self.code.list_initial()]
        self._explore(watch)
        self.entering: list[list[int]] = [[] for _ in self.states]
        for move, targets in enumerate(self.targets):
            for target in targets:
                self.entering[target].append(move)

    def _visit(self, state: QState) -> int:
        """Return the number of a qstate, a new one if it wasn't met before."""
        number = self.number.get(state)
        if number is None:
            number = len(self.states)
            if number == self._most:
                raise QnpLimitReached(
                    f"more than {self._most} qstates can be reached: use fewer variables, or allow "
                    "more qstates"
                )
            self.number[state] = number
            self.states.append(state)
            self.is_goal.append(self.code.goal.holds(state))
        return number

    def _explore(self, watch: QnpWatch) -> None:
        # For speed, a precondition is compared without a call.
        actions = [
            (number, action, action.when.care, action.when.value)
            for number, action in enumerate(self.code.actions)
        ]
        edges, most = 0, watch.limits.moves
        for number, state in enumerate(self.states):  # the list grows meanwhile
            watch.tick()
            first = len(self.source)
            if not self.is_goal[number]:
                for place, action, care, value in actions:
                    if state & care != value:
                        continue
                    self.source.append(number)
                    self.action.append(place)
                    targets = tuple([self._visit(after) for after in action.successors(state)])
                    self.targets.append(targets)
                    edges += len(targets)
            if edges > most:
                raise QnpLimitReached(
                    f"there are more than {most} moves between qstates: use fewer actions, or "
                    "allow more moves"
                )
            self.moves.append(range(first, len(self.source)))
