# SPDX-License-Identifier: Apache-2.0
"""The blame for a fault that a task shows: the layer that has to change, and the steps left.

Both are found by searching breadth first among the concrete states that follow the one of the
fault. What the bound of the search leaves open is left open in the blame, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fcp_ros.abstraction.debugging.checked_task import CheckedTask
from fcp_ros.abstraction.proposers.faults import OUT_OF_REACH, AbstractionLayer
from fcp_ros.abstraction.refinement.refining import has_effect
from fcp_ros.abstraction.states.state import RelationalState

MOST_STATES = 2_000
"""States of one search."""

StateTest = Callable[[RelationalState], bool]


@dataclass(frozen=True, slots=True)
class Blame:
    """The layer to blame and the steps left, as in `AbstractionError`."""

    layer: AbstractionLayer | None = None
    steps_left: int | None = None


class BlameSearch:
    """Blames layers for faults in the present state of a task.

    `task`: its state is that of the fault; it is not changed.
    """

    def __init__(
        self, task: CheckedTask, check: Callable[[], None], most_states: int = MOST_STATES
    ) -> None:
        self._task = task
        self._check = check
        self._most_states = most_states

    def blame(self, layer: AbstractionLayer | None) -> Blame:
        """Blame a layer that is known, and count the steps left."""
        return self._blame(lambda: layer)

    def blame_goal(self) -> Blame:
        """Blame the features or the goal where only the goal of the abstraction holds."""
        # It is the features if they take the same values, but for sizes of numbers, in a state
        # after this one where the goal of the task holds: then no goal over them tells the two
        # apart.
        return self._blame(self._find_goal_layer)

    def blame_refinement(self, actions: tuple[str, ...]) -> Blame:
        """Blame the programs or the abstract actions where none of these has a refinement."""
        # It is the programs if some concrete steps have the effect that one of them states.
        return self._blame(lambda: self._find_action_layer(actions))

    def count_steps(self, test: StateTest) -> int | None:
        """Count the steps to the nearest state that passes.

        Returns their number; OUT_OF_REACH if there is no such state; None if the bound was reached.
        """
        task, first = self._task, self._task.state.copy()
        if test(first):
            return 0
        seen, states, steps = {first.key()}, [first], 0
        while states:
            steps += 1
            before, states = states, []
            for state in before:
                self._check()
                for step in list(task.engine.successors(state)):
                    undo = task.engine.apply(*step, state)
                    key = state.key()
                    if key not in seen:
                        if test(state):
                            return steps
                        if len(seen) >= self._most_states:
                            return None
                        seen.add(key)
                        states.append(state.copy())
                    task.engine.undo(undo, state)
        return OUT_OF_REACH

    def _blame(self, find_layer: Callable[[], AbstractionLayer | None]) -> Blame:
        """Find the layer, unless the run was lost before it came here."""
        left = self.count_steps(self._task.goal.holds)
        return Blame(None if left == OUT_OF_REACH else find_layer(), left)

    def _find_goal_layer(self) -> AbstractionLayer | None:
        task = self._task
        here = task.abstract(task.refiner.evaluate(task.state))
        alike = self.count_steps(
            lambda state: (
                task.goal.holds(state) and task.abstract(task.refiner.evaluate(state)) == here
            )
        )
        if alike is None:
            return None
        return AbstractionLayer.GOAL if alike == OUT_OF_REACH else AbstractionLayer.FEATURES

    def _find_action_layer(self, actions: tuple[str, ...]) -> AbstractionLayer | None:
        counts = [self._count_to_effect(action) for action in actions]
        if any(count is not None and count != OUT_OF_REACH for count in counts):
            return AbstractionLayer.REFINEMENT
        return None if None in counts else AbstractionLayer.ACTIONS

    def _count_to_effect(self, name: str) -> int | None:
        task = self._task
        effects = task.qnp.action(name).effects
        changes = tuple(effects.get(variable) for variable in task.qnp.variables)
        before = task.refiner.evaluate(task.state)
        return self.count_steps(
            lambda state: (
                state.key() != task.state.key()
                and has_effect(changes, before, task.refiner.evaluate(state))
            )
        )
