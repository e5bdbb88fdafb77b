# SPDX-License-Identifier: Apache-2.0
"""Programs of learned actions: a step, a search, or a journey to where a step is to be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fcp_ros.abstraction.features.enumeration import FeaturePool
from fcp_ros.abstraction.features.expressions import (
    AllConcept,
    AndConcept,
    AnyFeature,
    ConceptExpression,
    DescriptionExpression,
    DistanceFeature,
    SameConcept,
    list_parts,
    measure_complexity,
)
from fcp_ros.abstraction.policy.programs import (
    ConcreteStep,
    FeatureTest,
    IfBranch,
    LowerLoop,
    NoveltySearch,
    Program,
    ProgramStatement,
)
from fcp_ros.abstraction.proposers.exploration import TransitionSample
from fcp_ros.abstraction.proposers.travel import TravelRule

RARE_WEIGHT = 2  # `all` and `same` cost more: true of what has nothing to do with the role
MOST_PLACES = 4  # concepts that together say where an action is to be done


class NoProgram(Exception):
    """No program is known for some good transitions."""


class ProgramWriter(Protocol):
    """Writes programs for good transitions of one rule."""

    def write(self, rule: str, transitions: Sequence[int]) -> tuple[Program, ...]:
        """Return programs to be tried in their order.

        `rule`: of the last step of the transitions. `transitions`: indices in the sample; all good
        ones that change the features alike. Raises NoProgram if there is none.
        """
        ...


class StepWriter:
    """The rule alone, with any objects."""

    def write(self, rule: str, transitions: Sequence[int]) -> tuple[Program, ...]:
        return ((ConcreteStep(rule),),)


@dataclass(frozen=True)
class SearchWriter:
    """A search for the effect of the action."""

    width: int

    def write(self, rule: str, transitions: Sequence[int]) -> tuple[Program, ...]:
        return ((NoveltySearch(self.width),),)


class JourneyWriter:
    """Travel to an object of a concept that leads to good places only, and then the rule.

    `pool`: concepts with their members in the states of the sample.
    """

    def __init__(
        self, sample: TransitionSample, pool: FeaturePool, travel: Sequence[TravelRule]
    ) -> None:
        self._sample = sample
        self._pool = pool
        self._travel = {rule.name: rule for rule in travel}
        self._order = order_concepts(pool.concepts)

    def write(self, rule: str, transitions: Sequence[int]) -> tuple[Program, ...]:
        """Return a program for each way to travel and each concept that is needed.

        Raises NoProgram if no few concepts of the pool lead to good places in all states.
        """
        sample = self._sample
        good: dict[int, int] = {}
        for number in transitions:
            source = int(sample.sources[number])
            good[source] = good.get(source, 0) | sample.places[number]
        step = () if rule in self._travel else (ConcreteStep(rule),)
        places = self._find_places(list(good), list(good.values()))
        return tuple(
            (_travel_to(travel, place), *step)
            for place in places
            for travel in self._travel.values()
        )

    def _find_places(self, states: list[int], good: list[int]) -> list[ConceptExpression]:
        """Find concepts without bad places, one of which has a good place in each state."""
        wanted = self._pool.batch.pack_sets(good)
        if not self._order:
            raise NoProgram
        members = self._pool.members[np.ix_(self._order, states)]
        safe = ~np.any(members & ~wanted, axis=(1, 2))
        telling: NDArray[np.bool_] = np.any(members, axis=2) & safe[:, None]
        left = np.ones(len(states), dtype=bool)
        chosen: list[ConceptExpression] = []
        while left.any():
            counts = (telling & left).sum(axis=1)
            best = int(counts.argmax())
            if not counts[best] or len(chosen) == MOST_PLACES:
                raise NoProgram
            chosen.append(self._pool.concepts[self._order[best]])
            left &= ~telling[best]
        return chosen


def order_concepts(concepts: Sequence[ConceptExpression]) -> list[int]:
    """Return the numbers of concepts, simplest first: they hold beyond the sample more often."""
    weights = [measure_complexity(c) + RARE_WEIGHT * count_rare(c) for c in concepts]
    return sorted(range(len(concepts)), key=weights.__getitem__)


def count_rare(expression: DescriptionExpression) -> int:
    """Count `all` and `same`."""
    inner = sum(map(count_rare, list_parts(expression)))
    return inner + isinstance(expression, AllConcept | SameConcept)


def _travel_to(travel: TravelRule, place: ConceptExpression) -> ProgramStatement:
    if travel.role is not None:
        distance = DistanceFeature(travel.position, travel.role, place)
        return LowerLoop(distance, (ConcreteStep(travel.name),))
    is_there = FeatureTest(((AnyFeature(AndConcept(travel.position, place)), False),))
    return IfBranch(is_there, (ConcreteStep(travel.name, {travel.destination: place}),))
