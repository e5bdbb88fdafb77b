# SPDX-License-Identifier: Apache-2.0
"""Transitions to all states that a search of small width finds, for policies of subgoals.

Such a policy is a *sketch*: it says what to reach next, and a search finds the steps (Drexler,
Seipp and Geffner, "Learning sketches for decomposing planning problems into subproblems of bounded
width", ICAPS 2022).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fcp_ros.abstraction.sampling.exploration import SampledSpace
from fcp_ros.abstraction.states.novelty import FactNumbers, NoveltyTable


def add_subgoals(space: SampledSpace, width: int, check: Callable[[], None]) -> SampledSpace:
    """Return the space with a transition from each state to all that a search finds from there."""
    numbers = FactNumbers()
    facts = [numbers.gather(state.list_fluent_facts()) for state in space.states]
    leaving: list[list[int]] = [[] for _ in space.states]
    for transition, source in enumerate(space.sources):
        leaving[source].append(transition)
    sources: list[int] = []
    last: list[int] = []  # the last transition of each search
    for first in range(len(space.states)):
        check()
        table, queue, seen = NoveltyTable(width, facts[first]), [first], {first}
        for state in queue:  # the list grows meanwhile
            for transition in leaving[state]:
                target = space.targets[transition]
                if target not in seen and table.note(facts[state], facts[target]):
                    seen.add(target)
                    queue.append(target)
                    sources.append(first)
                    last.append(transition)
    return replace(
        space,
        sources=tuple(sources),
        targets=tuple([space.targets[transition] for transition in last]),
        steps=tuple([space.steps[transition] for transition in last]),
        places=(0,) * len(last),
    )
