# SPDX-License-Identifier: Apache-2.0
"""One pool of features on one sample."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.abstraction.features.enumeration import FeaturePool, PoolLimits, enumerate_features
from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import DistanceFeature, Feature
from fcp_ros.abstraction.proposers.assembly import LearnedAbstraction, assemble_abstraction
from fcp_ros.abstraction.proposers.descent import DescentSearch
from fcp_ros.abstraction.proposers.exploration import TransitionSample
from fcp_ros.abstraction.proposers.feature_selection import Selector, widen_good
from fcp_ros.abstraction.proposers.program_writers import (
    RARE_WEIGHT,
    JourneyWriter,
    NoProgram,
    ProgramWriter,
    SearchWriter,
    StepWriter,
    count_rare,
)
from fcp_ros.abstraction.proposers.separation import Selection, SeparationProblem
from fcp_ros.abstraction.proposers.travel import TravelRule
from fcp_ros.abstraction.qnp.policy_graph import EndlessComponent, build_policy_graph, sieve
from fcp_ros.abstraction.states.state import RelationalState, StateVocabulary

DISTANCE_WEIGHT = 1  # a distance costs this much more than its complexity
MOST_REFUSALS = 30  # selections that need not terminate, before an attempt is given up


@dataclass(frozen=True)
class AttemptSettings:
    """Bounds of one attempt."""

    complexity: int
    pool_seconds: float
    deadline: float  # of the selection, by `time.process_time`
    seed: int = 0  # decides between equally good selections
    # rules that travel, for a policy of journeys; empty for one of single steps
    travel: tuple[TravelRule, ...] = ()
    width: int = 0  # of searches, for a policy of subgoals; 0 for one of steps or journeys
    only_nearer: bool = False  # True if each good transition must come nearer to the goal


def attempt_abstraction(
    name: str,
    sample: TransitionSample,
    vocabulary: StateVocabulary,  # the names that features may use
    firsts: Sequence[RelationalState],  # initial states of the training tasks
    settings: AttemptSettings,
    check: Callable[[], None],
) -> LearnedAbstraction | None:
    """Learn an abstraction of a sample; None if the pool has none.

    Raises TimeoutError if no selection was found until the deadline.
    """
    pool = _enumerate(sample, vocabulary, settings, check)
    return _select(name, pool.features, pool.values, pool, sample, firsts, settings, check)


def adapt_abstraction(
    learned: LearnedAbstraction,
    sample: TransitionSample,
    vocabulary: StateVocabulary,
    firsts: Sequence[RelationalState],
    settings: AttemptSettings,
    check: Callable[[], None],
) -> LearnedAbstraction | None:
    """Learn another policy with the features of an abstraction; None if they don't suffice."""
    features = tuple(learned.refinement.features.values())
    evaluator = FeatureEvaluator(features)
    values = np.array([evaluator.evaluate(state) for state in sample.states])
    pool = _enumerate(sample, vocabulary, settings, check) if settings.travel else None
    return _select(learned.qnp.name, features, values, pool, sample, firsts, settings, check)


def _enumerate(
    sample: TransitionSample,
    vocabulary: StateVocabulary,
    settings: AttemptSettings,
    check: Callable[[], None],
) -> FeaturePool:
    limits = PoolLimits(max_complexity=settings.complexity, time_limit=settings.pool_seconds)
    return enumerate_features(vocabulary, sample.states, limits, check)


def _select(
    name: str,
    features: Sequence[Feature],
    values: NDArray[np.int32],
    pool: FeaturePool | None,
    sample: TransitionSample,
    firsts: Sequence[RelationalState],
    settings: AttemptSettings,
    check: Callable[[], None],
) -> LearnedAbstraction | None:
    writer: ProgramWriter = SearchWriter(settings.width) if settings.width else StepWriter()
    if settings.travel and pool is not None:
        writer = JourneyWriter(sample, pool, settings.travel)
    problem = state_problem(features, values, sample, settings.only_nearer)

    def assemble(selection: Selection) -> LearnedAbstraction:
        chosen = sorted(selection.features, key=lambda place: not features[place].is_boolean)
        selected = [features[place] for place in chosen]
        evaluator = FeatureEvaluator(selected)
        return assemble_abstraction(
            name,
            selected,
            values[:, chosen],
            [(chosen.index(place), direction) for place, direction in selection.order],
            widen_good(problem, selection),
            sample,
            np.array([evaluator.evaluate(state) for state in firsts]),
            writer,
        )

    if settings.width:
        half = (time.process_time() + settings.deadline) / 2
        descent = DescentSearch(problem, settings.seed).find(check, half)
        if descent is not None:
            learned = assemble(descent)
            if not find_endless(learned):
                return learned
    selector = Selector(problem, settings.seed)
    for _ in range(MOST_REFUSALS):
        selection = selector.select(check, settings.deadline)
        if selection is None:
            return None
        try:
            learned = assemble(selection)
        except NoProgram:
            return None
        endless = find_endless(learned)
        if not endless:
            return learned
        selector.refuse(selection, list_examples(learned, endless[0]))
    raise TimeoutError


def find_endless(learned: LearnedAbstraction) -> tuple[EndlessComponent, ...]:
    """Find the parts of the policy that need not terminate."""
    graph = build_policy_graph(learned.qnp, learned.policy, learned.initial)
    return tuple(sieve(graph))


def list_examples(learned: LearnedAbstraction, component: EndlessComponent) -> list[int]:
    """List a good transition for each abstract step of a component."""
    steps = dict.fromkeys((edge.source, edge.action) for edge in component.edges)
    return [learned.examples[step] for step in steps if step in learned.examples]


def weigh_feature(feature: Feature) -> int:
    """Return the cost of selecting a feature: simple ones hold beyond the sample more often."""
    rare = sum(map(count_rare, feature.parts))
    return (
        feature.complexity
        + RARE_WEIGHT * rare
        + DISTANCE_WEIGHT * isinstance(feature, DistanceFeature)
    )


def state_problem(
    features: Sequence[Feature],
    values: NDArray[np.int32],  # (states, features)
    sample: TransitionSample,
    only_nearer: bool = False,  # transitions that do not come nearer to the goal are refused
) -> SeparationProblem:
    """State the problem of a sample whose features have these values."""
    farther = sample.distances[sample.targets] >= sample.distances[sample.sources]
    weights = [weigh_feature(feature) for feature in features]
    return SeparationProblem(
        values=values,
        weights=np.array(weights, dtype=np.int64),
        boolean=np.array([feature.is_boolean for feature in features], dtype=bool),
        sources=sample.sources,
        targets=sample.targets,
        goal=sample.goal,
        alive=sample.distances >= 0,
        expanded=np.ones(len(sample.states), dtype=bool),
        initial=sample.initial,
        refused=farther & only_nearer,
    )
