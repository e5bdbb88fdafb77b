# SPDX-License-Identifier: Apache-2.0
"""Training tasks, and parts of them, whose state spaces are small."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection

from fcp_ros.abstraction.sampling.exploration import SampledSpace, explore, make_goal_test
from fcp_ros.abstraction.sampling.restriction import (
    choose_elements,
    restrict_goal,
    restrict_state,
)
from fcp_ros.abstraction.sampling.subgoals import add_subgoals
from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.abstraction.sampling.travel import TravelRule
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import RelationalState, list_bits

MOST_STATES = 250  # of one space
DRAWS = 4  # of parts of one task, before none is taken


class SmallTasks:
    """State spaces of one task: of the task as a whole if it is small, else of drawn parts.

    Args:
        task: the task.
        travel: the rules that travel, for spaces of journeys; empty for those of steps.
        width: of searches, for spaces of subgoals; 0 for those of steps or journeys.
        random_source: draws.
    """

    def __init__(
        self,
        task: TrainingTask,
        travel: tuple[TravelRule, ...],
        width: int,
        random_source: random.Random,
    ) -> None:
        self.task = task
        self.state = build_state(task.domain, task.instance, task.goal)
        self.engine = RuleEngine(task.domain)
        self._travel = travel
        self._width = width
        self._random = random_source
        self._drawn: set[frozenset[str]] = set()
        self._is_used = False

    def draw(
        self, goals: int, extra: Collection[str], check: Callable[[], None]
    ) -> SampledSpace | None:
        """Return a state space that was not returned before; None if none is found.

        Args:
            goals: number of goal facts of a part.
            extra: elements of a part besides those that a plan for these needs.
            check: called often; may raise to stop.
        """
        if not self._is_used:
            self._is_used = True
            whole = self._explore(frozenset(self.state.objects), check)
            if whole is not None:
                return whole
        for _ in range(DRAWS):
            kept = choose_elements(self.task, self.state, goals, extra, self._random, check)
            if kept is None or kept in self._drawn:
                continue
            self._drawn.add(kept)
            space = self._explore(kept, check)
            if space is not None and space.distances[0] > 0:
                return space
        return None

    def shuffle(self) -> RelationalState:
        """Return the initial state with its elements in another order.

        Where a policy leaves a choice, the order decides: a policy must be right in each.
        """
        names = self._random.sample(self.state.objects, len(self.state.objects))
        return restrict_state(self.state, names)

    def choose_others(self) -> list[str]:
        """Choose an element of each kind, and what these are related to by what rules change.

        They stand for all that the goal says nothing about: a policy must not take them up. Closed
        cupboards are another kind than open ones.
        """
        state = self.state
        bits = list(range(len(state.objects)))
        self._random.shuffle(bits)
        names = state.vocabulary.concepts
        kinds = {tuple(state.concepts[name] >> bit & 1 for name in names): bit for bit in bits}
        chosen = set(kinds.values())
        for role in state.vocabulary.roles:
            if role in state.vocabulary.fluent:
                for bit in kinds.values():
                    chosen.update(list_bits(state.roles[role][bit]))
        return [state.objects[bit] for bit in sorted(chosen)]

    def _explore(self, kept: frozenset[str], check: Callable[[], None]) -> SampledSpace | None:
        names = [name for name in self.state.objects if name in kept]
        state = restrict_state(self.state, names)
        goal = restrict_goal(self.task.goal, self.state, kept)
        is_goal = make_goal_test(self.task.domain, goal, state)
        space = explore(self.engine, state, is_goal, self._travel, MOST_STATES, check)
        if space is None or not self._width:
            return space
        return add_subgoals(space, self._width, check)
