# SPDX-License-Identifier: Apache-2.0
"""All states that can be reached from one, with distances to the goal, if they are few."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.goal_atoms import GoalAtoms
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.abstraction.states.vocabulary import list_forms
from fcp_ros.domain.model import Domain

DEAD_END = -1

Step = tuple[str, tuple[int, ...]]
"""A rule with its binding."""


@dataclass(frozen=True)
class SampledSpace:
    """States with all steps between them; the initial state comes first.

    Attributes:
        states: each once.
        sources: for each transition the index of the state before.
        targets: for each transition the index of the state after.
        steps: for each transition the rule and its binding.
        goal: for each state True if the goal holds. Steps from there are left out.
        distances: for each state the least number of steps to a goal state; DEAD_END if none.
    """

    states: tuple[RelationalState, ...]
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    steps: tuple[Step, ...]
    goal: tuple[bool, ...]
    distances: tuple[int, ...]


def make_goal_test(
    domain: Domain, goal: GoalAtoms, state: RelationalState
) -> Callable[[RelationalState], bool]:
    """Make a test for the goal in states that have the same elements as the given one."""
    forms = list_forms(domain.schema)
    facts = [
        (forms[fact.relation], tuple(state.positions[fact.arguments[p]] for p in form.positions))
        for fact in goal
        for form in (forms[fact.relation],)
    ]
    return lambda tested: all(tested.holds(form, legs) for form, legs in facts)


def explore(
    engine: RuleEngine,
    initial: RelationalState,
    is_goal: Callable[[RelationalState], bool],
    most_states: int,
    check: Callable[[], None],
) -> SampledSpace | None:
    """Return the state space from a state; None if it has more than `most_states` states."""
    states, number_of = [initial.copy()], {initial.key(): 0}
    goal = [is_goal(initial)]
    sources: list[int] = []
    targets: list[int] = []
    steps: list[Step] = []
    current = 0
    while current < len(states):
        check()
        if not goal[current]:
            state = states[current].copy()
            for step in list(engine.successors(state)):
                undo = engine.apply(*step, state)
                key = state.key()
                target = number_of.setdefault(key, len(states))
                if target == len(states):
                    if target == most_states:
                        return None
                    states.append(state.copy())
                    goal.append(is_goal(state))
                engine.undo(undo, state)
                if target != current:
                    sources.append(current)
                    targets.append(target)
                    steps.append(step)
        current += 1
    return SampledSpace(
        tuple(states),
        tuple(sources),
        tuple(targets),
        tuple(steps),
        tuple(goal),
        tuple(measure_distances(len(states), sources, targets, goal)),
    )


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
