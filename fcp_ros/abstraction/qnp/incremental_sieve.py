# SPDX-License-Identifier: Apache-2.0
"""SIEVE on a policy that grows and shrinks by one choice at a time.

Before a qstate has its move, it has no edges, so all cycles that a choice closes run through it. A
set of edges can be run through for ever if it is strongly connected and increases whatever it
decreases. As long as there was none before, a new one contains the new qstate, and at each level of
SIEVE it lies in the component of that qstate: the others need not be looked at again.

Most choices are settled before, by actions alone: a number that no chosen action increases can't be
decreased for ever, whatever the graph.
"""

from __future__ import annotations

from functools import cache

from fcp_ros.abstraction.qnp.semantics import BitAction
from fcp_ros.abstraction.qnp.state_space import StateSpace

NONE = -1
"""The chosen move of a qstate without one."""


class IncrementalSieve:
    """The chosen moves, none of which can go on for ever.

    Args:
        space: the qstates and moves.

    Attributes:
        chosen: by qstate, its chosen move, or `NONE`.
    """

    def __init__(self, space: StateSpace) -> None:
        self.chosen = [NONE] * len(space.states)
        self._space = space
        self._actions = space.code.actions
        self._uses = [0] * len(self._actions)
        self._used = 0
        self._find_lasting = cache(self._compute_lasting)

    def add(self, move: int) -> tuple[int, ...]:
        """Choose a move for its qstate, which has none.

        Returns:
            The qstates of a component that could be run through for ever with it, and then the move
            isn't chosen; empty if there is none.
        """
        state, action = self._space.source[move], self._space.action[move]
        self.chosen[state] = move
        self._uses[action] += 1
        self._used |= 1 << action
        endless = self._find_endless(state)
        if endless:
            self.remove(state)
        return endless

    def remove(self, state: int) -> None:
        """Take back the choice of a qstate."""
        action = self._space.action[self.chosen[state]]
        self.chosen[state] = NONE
        self._uses[action] -= 1
        if not self._uses[action]:
            self._used &= ~(1 << action)

    def _compute_lasting(self, used: int) -> int:
        """Return the actions among `used` that could be taken for ever, by their changes alone."""
        while True:
            left = [one for one in range(len(self._actions)) if used >> one & 1]
            falling, rising = _join_changes([self._actions[one] for one in left])
            falling &= ~rising
            kept = sum(1 << one for one in left if not self._actions[one].decreased & falling)
            if kept == used:
                return kept
            used = kept

    def _find_endless(self, state: int) -> tuple[int, ...]:
        """Return the component through a qstate that can be run through for ever, if any."""
        lasting = self._find_lasting(self._used)
        space, chosen, actions = self._space, self.chosen, self._actions
        edges = self._collect_edges(state, lasting)
        while True:
            component = _find_component(state, edges)
            if not component:
                return ()
            inner = {
                one: [target for target in edges[one] if target in component] for one in component
            }
            falling, rising = _join_changes(
                [actions[number] for number in {space.action[chosen[one]] for one in component}]
            )
            falling &= ~rising
            if not falling:
                return tuple(sorted(component))
            edges = {
                one: targets
                for one, targets in inner.items()
                if not actions[space.action[chosen[one]]].decreased & falling
            }

    def _collect_edges(self, state: int, lasting: int) -> dict[int, list[int]]:
        """Return the edges of lasting actions that can be reached from a qstate."""
        space, chosen = self._space, self.chosen
        edges: dict[int, list[int]] = {}
        queue = [state]
        for one in queue:  # the list grows meanwhile
            move = chosen[one]
            if one in edges or move == NONE or not lasting >> space.action[move] & 1:
                continue
            edges[one] = list(space.targets[move])
            queue += space.targets[move]
        return edges


def _join_changes(actions: list[BitAction]) -> tuple[int, int]:
    """Return the numbers that some action decreases, and those that some action increases."""
    falling = rising = 0
    for action in actions:
        falling |= action.decreased
        rising |= action.increased
    return falling, rising


def _find_component(state: int, edges: dict[int, list[int]]) -> set[int]:
    """Return the strongly connected component of a qstate; empty if no cycle runs through it."""
    if state not in edges:
        return set()
    reached: set[int] = set()
    entering: dict[int, list[int]] = {}
    stack = [state]
    while stack:
        one = stack.pop()
        if one in reached or one not in edges:
            continue
        reached.add(one)
        for target in edges[one]:
            entering.setdefault(target, []).append(one)
            stack.append(target)
    component: set[int] = set()
    stack = list(entering.get(state, ()))
    while stack:
        one = stack.pop()
        if one not in component:
            component.add(one)
            stack += entering.get(one, ())
    return component
