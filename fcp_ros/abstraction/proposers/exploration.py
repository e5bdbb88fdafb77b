# SPDX-License-Identifier: Apache-2.0
"""The state spaces of tasks, with distances to the goal, as one table of transitions."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.proposers.travel import TravelRule
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.foundation.stopping import Check


@dataclass(frozen=True)
class TransitionSample:
    """States of several spaces, with all steps between them."""

    states: tuple[RelationalState, ...]
    spaces: NDArray[np.int64]  # (states,), number of the space of each state
    sources: NDArray[np.int64]  # (transitions,), index of the state before
    targets: NDArray[np.int64]  # (transitions,), index of the state after
    # for each transition the rule and its binding; of a journey the last ones
    steps: tuple[Step, ...]
    places: tuple[int, ...]  # for each journey where (bitset) its last step is; 0 for single steps
    goal: NDArray[np.bool_]  # (states,), True where the goal holds
    distances: NDArray[np.int64]  # (states,), least number of steps to the goal; -1 for dead ends
    initial: NDArray[np.bool_]  # (states,), True for the first state of each space


def join_spaces(spaces: Sequence[SampledSpace]) -> TransitionSample:
    starts = np.cumsum([0, *(len(space.states) for space in spaces)])
    initial = np.zeros(starts[-1], dtype=bool)
    initial[starts[:-1]] = True

    def shift(lists: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        parts = [np.array(part, dtype=np.int64) for part in lists]
        return np.concatenate([part + start for part, start in zip(parts, starts, strict=False)])

    return TransitionSample(
        states=tuple(state for space in spaces for state in space.states),
        spaces=np.repeat(np.arange(len(spaces)), np.diff(starts)),
        sources=shift([space.sources for space in spaces]),
        targets=shift([space.targets for space in spaces]),
        steps=tuple(step for space in spaces for step in space.steps),
        places=tuple(place for space in spaces for place in space.places),
        goal=np.concatenate([np.array(space.goal, dtype=bool) for space in spaces]),
        distances=np.concatenate([np.array(s.distances, dtype=np.int64) for s in spaces]),
        initial=initial,
    )


# --- all states that can be reached from one, with distances to the goal, if they are few
#
# Transitions are the steps of rules, or journeys (see `travel`): any number of travel steps and
# then another one. States on the way of a journey are left out, so there are fewer of them.


DEAD_END = -1

Step = tuple[str, tuple[int, ...]]
"""A rule with its binding."""


@dataclass(frozen=True)
class SampledSpace:
    """States with all steps between them; the initial state comes first."""

    states: tuple[RelationalState, ...]
    sources: tuple[int, ...]  # for each transition the index of the state before
    targets: tuple[int, ...]  # for each transition the index of the state after
    # for each transition the rule and its binding; of a journey the last ones
    steps: tuple[Step, ...]
    # for each journey where (bitset) its last step is done, or leads to if that is a travel step,
    # too; 0 for single steps
    places: tuple[int, ...]
    goal: tuple[bool, ...]  # for each state True if the goal holds. Steps from there are left out.
    # for each state the least number of steps to a goal state; DEAD_END if none
    distances: tuple[int, ...]


Expansion: TypeAlias = Iterator[tuple[Step, int, RelationalState]]
"""Step, place, and the state afterwards, which is only that until the next one is asked for."""


def explore(
    engine: RuleEngine,
    initial: RelationalState,
    is_goal: Callable[[RelationalState], bool],
    travel: Sequence[TravelRule],  # the rules that travel, for journeys; empty for single steps
    most_states: int,
    check: Check,
) -> SampledSpace | None:
    """Return the state space from a state; None if it has more than `most_states` states."""
    states, number_of = [initial.copy()], {initial.key(): 0}
    goal = [is_goal(initial)]
    sources: list[int] = []
    targets: list[int] = []
    steps: list[Step] = []
    places: list[int] = []
    journeys = _Journeys(engine, travel, is_goal) if travel else None
    current = 0
    while current < len(states):
        check()
        if not goal[current]:
            state = states[current].copy()
            for step, place, after in (
                journeys.expand(state) if journeys else _list_steps(engine, state)
            ):
                key = after.key()
                target = number_of.setdefault(key, len(states))
                if target == len(states):
                    if target == most_states:
                        return None
                    states.append(after.copy())
                    goal.append(is_goal(after))
                if target != current:
                    sources.append(current)
                    targets.append(target)
                    steps.append(step)
                    places.append(place)
        current += 1
    return SampledSpace(
        tuple(states),
        tuple(sources),
        tuple(targets),
        tuple(steps),
        tuple(places),
        tuple(goal),
        tuple(measure_distances(len(states), sources, targets, goal)),
    )


def _list_steps(engine: RuleEngine, state: RelationalState) -> Expansion:
    for step in list(engine.successors(state)):
        undo = engine.apply(*step, state)
        yield step, 0, state
        engine.undo(undo, state)


class _Journeys:
    """The journeys from a state."""

    def __init__(
        self,
        engine: RuleEngine,
        travel: Sequence[TravelRule],
        is_goal: Callable[[RelationalState], bool],
    ) -> None:
        self._engine = engine
        self._is_goal = is_goal
        self._names = frozenset(rule.name for rule in travel)
        self._position = travel[0].position
        self._evaluator = FeatureEvaluator(())

    def expand(self, state: RelationalState) -> Expansion:
        """Yield the journeys; a travel step into a goal state is the last one of a journey."""
        reached, seen = [state.copy()], {state.key()}
        for current in reached:  # the list grows meanwhile
            here = self._locate(current)
            for step in list(self._engine.successors(current)):
                undo = self._engine.apply(*step, current)
                if step[0] not in self._names:
                    yield step, here, current
                elif self._is_goal(current):
                    yield step, self._locate(current), current
                elif current.key() not in seen:
                    seen.add(current.key())
                    reached.append(current.copy())
                self._engine.undo(undo, current)

    def _locate(self, state: RelationalState) -> int:
        return self._evaluator.evaluate_concept(self._position, state)


def measure_distances(
    size: int, sources: list[int], targets: list[int], goal: list[bool]
) -> list[int]:
    """Return the least number of transitions from each state to a goal state, or DEAD_END."""
    before: list[list[int]] = [[] for _ in range(size)]
    for source, target in zip(sources, targets, strict=True):
        before[target].append(source)
    distances = [0 if reached else DEAD_END for reached in goal]
    queue = deque(number for number, reached in enumerate(goal) if reached)
    while queue:
        target = queue.popleft()
        for source in before[target]:
            if distances[source] == DEAD_END:
                distances[source] = distances[target] + 1
                queue.append(source)
    return distances
