# SPDX-License-Identifier: Apache-2.0
"""The qstates from which a policy keeps the goal reachable, as a greatest fixpoint.

A policy is strong-cyclic if from every qstate that it may lead to, it may lead to the goal. Every
solution of a QNP is strong-cyclic, so what is lost here is lost for good: a cheap refutation.
Strong-cyclic policies that need not terminate remain.
"""

from __future__ import annotations

from fcp_ros.abstraction.qnp.state_space import QnpWatch, StateSpace

FAR = 1 << 60
"""Distance of qstates from which the goal can't be reached."""


class StrongCyclicRegion:
    """The greatest set of qstates that a strong-cyclic policy can stay in.

    A move is allowed if all its targets are in the set. Raises QnpLimitReached if the time is up.
    """

    def __init__(self, space: StateSpace, watch: QnpWatch) -> None:
        self._space = space
        self._watch = watch
        self.kept = bytearray(b"\1" * len(space.states))  # by qstate, 1 if it is in the set
        self.allowed = bytearray(b"\1" * len(space.source))  # by move, 1 if it is allowed
        # by qstate, the least number of allowed moves to a goal, if all goes well
        self.distance: list[int] = []
        self._left = [len(moves) for moves in space.moves]
        self._shrink()

    @property
    def lost_initial(self) -> list[int]:
        """Initial qstates without a strong-cyclic policy."""
        return [number for number in self._space.initial if not self.kept[number]]

    def find_nearest_moves(self) -> dict[int, int]:
        """Find, for each qstate in the set, an allowed move that may lead nearest to a goal."""
        space = self._space
        return {
            state: min(
                (move for move in space.moves[state] if self.allowed[move]),
                key=lambda move: min(self.distance[target] for target in space.targets[move]),
            )
            for state, kept in enumerate(self.kept)
            if kept and not space.is_goal[state]
        }

    def _shrink(self) -> None:
        while True:
            self.distance = self._measure_distances()
            lost = [
                state
                for state, distance in enumerate(self.distance)
                if distance == FAR and self.kept[state]
            ]
            if not lost:
                return
            self._drop(lost)

    def _drop(self, states: list[int]) -> None:
        """Take out qstates, the moves that may lead to them, and qstates without moves left."""
        space, allowed, kept = self._space, self.allowed, self.kept
        for state in states:
            kept[state] = 0
        queue = list(states)
        for state in queue:  # the list grows meanwhile
            self._watch.tick()
            for move in space.moves[state]:
                allowed[move] = 0
            for move in space.entering[state]:
                if not allowed[move]:
                    continue
                allowed[move] = 0
                source = space.source[move]
                self._left[source] -= 1
                if not self._left[source] and kept[source]:
                    kept[source] = 0
                    queue.append(source)

    def _measure_distances(self) -> list[int]:
        """Return the distance of each qstate to the nearest goal over allowed moves."""
        space, allowed = self._space, self.allowed
        distance = [FAR] * len(space.states)
        queue = [
            state for state, is_goal in enumerate(space.is_goal) if is_goal and self.kept[state]
        ]
        for state in queue:
            distance[state] = 0
        for state in queue:  # the list grows meanwhile
            self._watch.tick()
            further = distance[state] + 1
            for move in space.entering[state]:
                if allowed[move] and distance[space.source[move]] == FAR:
                    distance[space.source[move]] = further
                    queue.append(space.source[move])
        return distance
