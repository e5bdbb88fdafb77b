# SPDX-License-Identifier: Apache-2.0
"""The journeys of a sample: any number of travel steps, then another step, as one transition."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import InverseRole, SomeConcept
from fcp_ros.abstraction.sampling.exploration import Step, measure_distances
from fcp_ros.abstraction.sampling.sample import TransitionSample
from fcp_ros.abstraction.sampling.travel import TravelRule

MOST_JOURNEYS = 300_000  # bounds the memory


def confirm_travel(sample: TransitionSample, rules: Sequence[TravelRule]) -> tuple[TravelRule, ...]:
    """Look how the rules travel in the states of a sample.

    Returns:
        The rules, without their roles if one step leads to every place that can be reached; none
        if some step along a role can't be done: a shortest way need not be one then.
    """
    if not rules:
        return ()
    travel = {rule.name for rule in rules}
    evaluator, position = FeatureEvaluator(()), rules[0].position
    places = [evaluator.evaluate_concept(position, state) for state in sample.states]
    ways: list[list[int]] = [[] for _ in sample.states]
    reached: dict[tuple[int, str], int] = {}
    for number, (name, _) in enumerate(sample.steps):
        if name in travel:
            source, target = int(sample.sources[number]), int(sample.targets[number])
            ways[source].append(target)
            reached[source, name] = reached.get((source, name), 0) | places[target]
    is_direct = True
    for state in np.flatnonzero(~sample.goal).tolist():
        here = places[state]
        if here.bit_count() != 1:
            return ()
        for rule in rules:
            if rule.role is not None:
                next_ = SomeConcept(InverseRole(rule.role), position)
                wanted = evaluator.evaluate_concept(next_, sample.states[state]) & ~here
                if wanted & ~reached.get((state, rule.name), 0):
                    return ()
        near = here
        for target in ways[state]:
            near |= places[target]
        far = [places[target] & ~near for target in _list_reached(state, ways)]
        is_direct = is_direct and not any(far)
    if is_direct:
        return tuple(replace(rule, role=None) for rule in rules)
    return tuple(rules) if all(rule.role is not None for rule in rules) else ()


def list_journeys(sample: TransitionSample, travel: Collection[str]) -> TransitionSample | None:
    """Return a sample whose transitions are the journeys of another one.

    A travel step into a goal state is the last step of a journey, too. Distances count journeys.

    Args:
        sample: all transitions of its states.
        travel: names of the rules that only move something.

    Returns:
        The journeys; None if there are too many.
    """
    ways: list[list[int]] = [[] for _ in sample.states]
    leaving: list[list[int]] = [[] for _ in sample.states]
    ends = zip(sample.sources.tolist(), sample.targets.tolist(), strict=True)
    for number, (source, target) in enumerate(ends):
        if sample.steps[number][0] in travel and not sample.goal[target]:
            ways[source].append(target)
        else:
            leaving[source].append(number)
    sources: list[int] = []
    arrivals: list[int] = []
    last: list[int] = []
    for state in np.flatnonzero(~sample.goal).tolist():
        for arrival in _list_reached(state, ways):
            last += leaving[arrival]
            arrivals += [arrival] * len(leaving[arrival])
        sources += [state] * (len(last) - len(sources))
        if len(last) > MOST_JOURNEYS:
            return None
    targets = sample.targets[last]
    steps: tuple[Step, ...] = tuple([sample.steps[number] for number in last])
    goal = sample.goal.tolist()
    distances = measure_distances(len(goal), sources, targets.tolist(), goal)
    return replace(
        sample,
        sources=np.array(sources, dtype=np.int64),
        targets=targets,
        arrivals=np.array(arrivals, dtype=np.int64),
        steps=steps,
        distances=np.array(distances, dtype=np.int64),
    )


def _list_reached(state: int, ways: list[list[int]]) -> list[int]:
    """List the states that travel alone reaches, the given one first."""
    reached, seen = [state], {state}
    for current in reached:  # the list grows meanwhile
        for target in ways[current]:
            if target not in seen:
                seen.add(target)
                reached.append(target)
    return reached
