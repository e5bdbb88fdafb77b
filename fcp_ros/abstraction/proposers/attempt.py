# SPDX-License-Identifier: Apache-2.0
"""One attempt at a policy: features that separate the moves, and a number that falls with each.

Where nothing is lost by a wrong turn, a policy may take all transitions that improve the first
feature of the order that they change. Then no pairs of transitions are to be told apart, and all
orders of simple features can be tried: each is dropped at the first state that it fails at, and
those that pass a part of the states are tried on all of them. For blocks with any goals this takes
seconds for 3,899 states and 1,658 features, where the program for clingo isn't even written.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fcp_ros.abstraction.features.enumeration import PoolLimits, enumerate_features
from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import DistanceFeature, Feature
from fcp_ros.abstraction.proposers.assembly import LearnedAbstraction, assemble_abstraction
from fcp_ros.abstraction.proposers.exploration import TransitionSample
from fcp_ros.abstraction.proposers.feature_selection import (
    Selector,
    improves_order,
    list_goal_clauses,
    widen_good,
)
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
from fcp_ros.abstraction.qnp.state_space import EndlessComponent, build_policy_graph, sieve
from fcp_ros.abstraction.states.state import RelationalState, StateVocabulary
from fcp_ros.foundation.stopping import Check

MOST_WEIGHT = 12  # of all features of an order, which has three at most
FIRST = 24  # states that all orders are tried on
ADDED = 2  # states to be tried first from now on, of those that an order failed at
PAIRS = 50_000  # orders that are tried at once: bounds the memory


@dataclass(frozen=True)
class _Columns:
    """Features with a direction; the first one is none, and stands for the end of an order."""

    features: np.ndarray
    directions: np.ndarray
    weights: np.ndarray


class DescentSearch:
    """A search for the cheapest order of features for one problem.

    `problem`: one whose policy begins in all states from which the goal can be reached; there is no
    answer to others. `seed`: draws the states that are tried first.
    """

    def __init__(self, problem: SeparationProblem, seed: int = 0) -> None:
        self._problem = problem
        self._columns = _list_columns(problem)
        alive = problem.alive & ~problem.goal & problem.expanded
        self._open = np.flatnonzero(alive)
        self._bad = ~problem.alive[problem.targets] | problem.refused
        order = np.argsort(problem.sources, kind="stable")
        bounds = np.searchsorted(problem.sources[order], np.arange(len(problem.goal) + 1))
        self._leaving = [order[a:b] for a, b in itertools.pairwise(bounds)]
        drawn = np.random.default_rng(seed).permutation(self._open)[:FIRST]
        self._changes: list[tuple[np.ndarray, np.ndarray]] = []
        self._tried: set[int] = set()
        self._try_first(drawn.tolist())

    def find(self, check: Check, deadline: float = float("inf")) -> Selection | None:
        """Return the cheapest order whose features tell the goal; None if there is none.

        `deadline`: by `time.process_time`.
        """
        if not len(self._open) or not self._problem.initial[self._open].all():
            return None
        for weight in range(1, MOST_WEIGHT + 1):
            for order in self._list_passing(weight, check, deadline):
                selection = self._describe(order, weight)
                if selection is not None:
                    return selection
        return None

    def _list_passing(
        self, weight: int, check: Check, deadline: float
    ) -> Iterator[tuple[int, int, int]]:
        """Yield the orders (columns) of one weight that pass the states that are tried first."""
        weights = self._columns.weights
        for first in np.flatnonzero((weights > 0) & (weights <= weight)).tolist():
            rest = weight - int(weights[first])
            if not self._may_begin(first):
                continue
            for second, third in _pair_columns(weights, rest):
                check()
                if time.process_time() > deadline:
                    return
                for place in range(0, len(second), PAIRS):
                    part = slice(place, place + PAIRS)
                    yield from self._filter(first, second[part], third[part])

    def _may_begin(self, first: int) -> bool:
        """Return False if some state can't do without making the first feature worse."""
        for changes, bad in self._changes:
            change = changes[:, first]
            if not (change[~bad] <= 0).any() or (change[bad] < 0).any():
                return False
        return True

    def _filter(
        self, first: int, second: np.ndarray, third: np.ndarray
    ) -> Iterator[tuple[int, int, int]]:
        for changes, bad in self._changes:
            if not len(second):
                return
            passing = _improve(changes, bad, first, second, third)
            second, third = second[passing], third[passing]
        for one, other in zip(second.tolist(), third.tolist(), strict=True):
            yield first, one, other

    def _describe(self, order: tuple[int, int, int], weight: int) -> Selection | None:
        """Return the selection of an order; None if some state shows that it is wrong."""
        problem, used = self._problem, [column for column in order if column]
        features = self._columns.features[used].tolist()
        ranked = tuple(zip(features, self._columns.directions[used].tolist(), strict=True))
        nothing = np.zeros(len(problem.sources), dtype=bool)
        selection = Selection(tuple(sorted(set(features))), nothing, ranked, weight, True)
        live = (problem.alive & ~problem.goal)[problem.sources]
        good = live & improves_order(problem, selection, np.arange(len(problem.sources)))
        failing = np.ones(len(problem.goal), dtype=bool)
        failing[problem.sources[good]] = False
        failing[problem.sources[good & self._bad]] = True
        wrong = self._open[failing[self._open]]
        if len(wrong):
            self._try_first(wrong[:ADDED].tolist())
            return None
        if not all(list_goal_clauses(problem, np.array(selection.features))):
            return None
        return replace(selection, good=good)

    def _try_first(self, states: list[int]) -> None:
        """Try all orders on some states before others."""
        problem, columns = self._problem, self._columns
        for state in states:
            if state in self._tried:
                continue
            self._tried.add(state)
            leaving = self._leaving[state]
            before = problem.values[state].astype(np.int64)
            changes = np.sign(problem.values[problem.targets[leaving]] - before)
            directed = changes[:, columns.features[1:]] * columns.directions[1:]
            directed = np.insert(directed, 0, 0, axis=1)
            bad = self._bad[leaving]
            _, kept = np.unique(np.column_stack([directed, bad]), axis=0, return_index=True)
            self._changes.insert(0, (directed[kept].astype(np.int8), bad[kept]))


def _list_columns(problem: SeparationProblem) -> _Columns:
    """List all numbers, which decrease, and all truth values, which are cleared or set."""
    boolean = np.flatnonzero(problem.boolean)
    numbers = np.flatnonzero(~problem.boolean)
    features = np.concatenate([numbers, boolean, boolean])
    directions = np.ones(len(features), dtype=np.int8)
    directions[len(numbers) + len(boolean) :] = -1
    weights = problem.weights[features]
    return _Columns(*(np.insert(one, 0, 0) for one in (features, directions, weights)))


def _pair_columns(weights: np.ndarray, rest: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield all pairs of columns that weigh so much, by the weight of the first one."""
    if rest == 0:
        yield np.zeros(1, int), np.zeros(1, int)
    for weight in range(1, rest + 1):
        one, other = np.flatnonzero(weights == weight), np.flatnonzero(weights == rest - weight)
        if len(one) and len(other):
            yield np.repeat(one, len(other)), np.tile(other, len(one))


def _improve(
    changes: np.ndarray, bad: np.ndarray, first: int, second: np.ndarray, third: np.ndarray
) -> np.ndarray:
    """Return which orders some good transition of a state improves, and no bad one.

    `changes`: (transitions, columns) -1 where improved, 1 where made worse. `bad`: (transitions,).
    """
    begin = changes[:, first]
    improved = np.zeros(len(second), dtype=bool)
    lost = np.zeros(len(second), dtype=bool)
    for row, change, is_bad in zip(changes, begin.tolist(), bad.tolist(), strict=True):
        if change > 0:
            continue
        better: np.ndarray | bool = True
        if change == 0:
            middle = row[second]
            better = (middle < 0) | ((middle == 0) & (row[third] < 0))
        if is_bad:
            lost |= better
        else:
            improved |= better
    return improved & ~lost


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
    check: Check,
) -> LearnedAbstraction | None:
    """Learn an abstraction of a sample; None if the pool has none.

    Raises TimeoutError if no selection was found until the deadline.
    """
    limits = PoolLimits(max_complexity=settings.complexity, time_limit=settings.pool_seconds)
    pool = enumerate_features(vocabulary, sample.states, limits, check)
    features, values = pool.features, pool.values
    writer: ProgramWriter = SearchWriter(settings.width) if settings.width else StepWriter()
    if settings.travel:
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
