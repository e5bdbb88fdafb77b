# SPDX-License-Identifier: Apache-2.0
"""Training tasks, and parts of them, whose state spaces are small."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator

from fcp_ros.abstraction.policy.execution import Execution
from fcp_ros.abstraction.sampling.exploration import SampledSpace, explore, make_goal_test
from fcp_ros.abstraction.sampling.restriction import (
    PlannedElements,
    choose_facts,
    restrict_goal,
    restrict_state,
)
from fcp_ros.abstraction.sampling.subgoals import add_subgoals
from fcp_ros.abstraction.sampling.travel import TravelRule
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.goal_atoms import GoalAtoms
from fcp_ros.abstraction.states.state import RelationalState, list_bits

MOST_STATES = 250  # of one space of steps or journeys
MOST_SUBGOAL_STATES = 1_000  # of one space of subgoals: few features, so that more are looked at
MOST_LEFT = 1_000  # of one space from a late state of a run
LAST_STEPS = 2  # of a run that failed: what they touch is sampled
DRAWS = 4  # of parts of one task, before none is taken


class SmallTasks:
    """State spaces of one task: of the task as a whole if it is small, else of drawn parts."""

    def __init__(
        self,
        planned: PlannedElements,
        # the rules that travel, for spaces of journeys; empty for those of steps
        travel: tuple[TravelRule, ...],
        width: int,  # of searches, for spaces of subgoals; 0 for those of steps or journeys
        random_source: random.Random,
    ) -> None:
        self.task = task = planned.task
        self._planned = planned
        self.state = build_state(task.domain, task.instance, task.goal)
        self.engine = RuleEngine(task.domain)
        self._travel = travel
        self._width = width
        self._random = random_source
        self._drawn: set[frozenset[str]] = set()
        self._too_large: list[frozenset[str]] = []
        self._followed: set[int] = set()
        self._is_used = False

    def draw(
        self, goals: int, extra: Collection[str], check: Callable[[], None]
    ) -> SampledSpace | None:
        """Return a state space that was not returned before; None if none is found.

        `goals`: number of goal facts of a part. `extra`: elements of a part besides those that a
        plan for these needs.
        """
        if not self._is_used:
            self._is_used = True
            whole = self._explore(frozenset(self.state.objects), check)
            if whole is not None:
                return whole
        for _ in range(DRAWS):
            kept = self._choose_elements(self.task.goal, goals, extra, check)
            if kept is None or kept in self._drawn or self._is_too_large(kept):
                continue
            self._drawn.add(kept)
            space = self._explore(kept, check)
            if space is not None and space.distances[0] > 0:
                return space
        return None

    def follow(self, run: Execution, check: Callable[[], None]) -> Iterator[SampledSpace]:
        """Yield spaces from a late state of a run that failed; none from one that was followed.

        It is the last state from which the goal can be reached, or one a little earlier, so that
        the step that led astray is among the transitions. Where too much is left to do for the
        whole task, a part of it is taken, with what the last steps touched.
        """
        back = 0
        while back <= len(run.steps):
            state = self._replay(run, len(run.steps) - back)
            if state.key() in self._followed:
                return
            is_goal = make_goal_test(self.task.domain, self.task.goal, state)
            whole = self._explore_state(state, is_goal, MOST_LEFT, check)
            if whole is None or whole.distances[0] > 0:
                self._followed.add(state.key())
                yield from [whole] if whole is not None else self._follow_parts(state, run, check)
                return
            back = 2 * back + 1

    def list_last(self, run: Execution) -> list[str]:
        """List the elements that the last steps of a run touched."""
        names = (name for _, elements in run.steps[-LAST_STEPS:] for name in elements)
        return [name for name in dict.fromkeys(names) if name in self.state.positions]

    def _follow_parts(
        self, state: RelationalState, run: Execution, check: Callable[[], None]
    ) -> Iterator[SampledSpace]:
        domain, goal = self.task.domain, self.task.goal
        still_open = tuple(
            fact for fact in goal if not make_goal_test(domain, (fact,), state)(state)
        )
        for goals in (1, 2):
            kept = self._choose_elements(still_open, goals, self.list_last(run), check)
            space = None if kept is None else self._explore(kept, check, state)
            if space is not None and space.distances[0] > 0:
                yield space

    def _replay(self, run: Execution, count: int) -> RelationalState:
        state = self.state.copy()
        for rule, elements in run.steps[:count]:
            binding = self.engine.read_step(rule, elements, state)
            assert binding is not None, "the run is one of this task"
            self.engine.apply(rule, binding, state)
        return state

    def _choose_elements(
        self, goal: GoalAtoms, goals: int, extra: Collection[str], check: Callable[[], None]
    ) -> frozenset[str] | None:
        """Choose elements for some facts of a goal; None if no plan was found for them."""
        planned = self._planned.find(choose_facts(goal, goals, self._random), self._random, check)
        if planned is None:
            return None
        return planned.intersection(self.state.positions).union(extra)

    def _is_too_large(self, kept: frozenset[str]) -> bool:
        return any(large <= kept for large in self._too_large)

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

    def _explore(
        self,
        kept: frozenset[str],
        check: Callable[[], None],
        beginning: RelationalState | None = None,
    ) -> SampledSpace | None:
        names = [name for name in self.state.objects if name in kept]
        state = restrict_state(beginning or self.state, names)
        goal = restrict_goal(self.task.goal, self.state, kept)
        is_goal = make_goal_test(self.task.domain, goal, state)
        most = MOST_SUBGOAL_STATES if self._width else MOST_STATES
        space = self._explore_state(state, is_goal, most, check)
        if space is None and beginning is None:
            self._too_large.append(kept)
        return space

    def _explore_state(
        self,
        state: RelationalState,
        is_goal: Callable[[RelationalState], bool],
        most_states: int,
        check: Callable[[], None],
    ) -> SampledSpace | None:
        space = explore(self.engine, state, is_goal, self._travel, most_states, check)
        if space is None or not self._width:
            return space
        return add_subgoals(space, self._width, check)
