# SPDX-License-Identifier: Apache-2.0
"""Attempts with more names, features and samples until all training tasks are solved."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.abstraction.features.enumeration import PoolLimits, enumerate_features
from fcp_ros.abstraction.features.expressions import collect_names
from fcp_ros.abstraction.policy.execution import Execution, ExecutionStatus
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.runner import PolicyRunner
from fcp_ros.abstraction.proposers.separation.conflict import find_conflict
from fcp_ros.abstraction.proposers.symbolic.assembly import LearnedAbstraction
from fcp_ros.abstraction.proposers.symbolic.attempt import (
    AttemptSettings,
    adapt_abstraction,
    attempt_abstraction,
    state_problem,
)
from fcp_ros.abstraction.proposers.symbolic.small_tasks import SmallTasks
from fcp_ros.abstraction.sampling.exploration import SampledSpace
from fcp_ros.abstraction.sampling.journeys import confirm_travel
from fcp_ros.abstraction.sampling.sample import join_spaces
from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.abstraction.sampling.travel import TravelRule, find_travel_rules
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.abstraction.states.vocabulary import GOAL, StateVocabulary

LAG = 2  # complexities that policies for reached states alone lag behind
CONFLICT_SECONDS = 10.0
ROUNDS = 6  # of a sample that grows, with one pool
LAST_STEPS = 2  # of a run that failed: what they touch is sampled


ReportCallback = Callable[[str], None]
"""Is told in a sentence what was tried."""


def ignore_report(sentence: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class SymbolicOptions:
    """Bounds of the symbolic proposer.

    Attributes:
        seconds: for everything.
        least_complexity: of the features that are tried first.
        most_complexity: of features.
        attempt_seconds: for one selection.
        seed: of all draws.
    """

    seconds: float = 120.0
    least_complexity: int = 4
    most_complexity: int = 9
    attempt_seconds: float = 20.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """What is looked for.

    Attributes:
        complexity: of features.
        begins_anywhere: True for a policy for all states from which the goal can be reached; such
            policies are more general. False: for the states that it reaches from the initial ones;
            where much can go wrong, only such may exist.
        travel: rules that travel, for a policy of journeys, each of which comes nearer to the goal;
            empty for one of single steps.
    """

    complexity: int
    begins_anywhere: bool
    travel: tuple[TravelRule, ...] = ()

    @property
    def words(self) -> str:
        """Say it for reports."""
        return (
            f"policy of {'journeys' if self.travel else 'steps'} with features of complexity "
            f"{self.complexity} for {'all' if self.begins_anywhere else 'reached'} states"
        )


class SymbolicLearning:
    """One search for an abstraction of some training tasks.

    Attributes:
        states: number of states in the last sample.
    """

    def __init__(
        self,
        tasks: Sequence[TrainingTask],
        options: SymbolicOptions,
        check: Callable[[], None],
        report: ReportCallback,
    ) -> None:
        source = random.Random(options.seed)
        self._small = [SmallTasks(task, source) for task in tasks]
        self._options = options
        self._check = check
        self._report = report
        self._deadline = time.monotonic() + options.seconds
        self.states = 0
        drawn = [task.draw(2, (), check) for task in self._small]
        drawn += [task.draw(1, task.choose_others(), check) for task in self._small]
        self._spaces = [space for space in drawn if space is not None]
        travel = find_travel_rules(tasks[0].domain)
        self._travel = confirm_travel(join_spaces(self._spaces), travel) if self._spaces else ()

    def learn(self) -> LearnedAbstraction | None:
        """Return an abstraction that solves all tasks; None if none was found."""
        vocabulary = self._small[0].state.vocabulary
        vocabularies = tuple(list_vocabularies(vocabulary))
        unplaced = tuple(list_vocabularies(leave_out_position(vocabulary, self._travel)))
        for stage in list_stages(self._options, self._travel):
            for vocabulary in unplaced if stage.travel else vocabularies:
                if time.monotonic() > self._deadline:
                    return None
                learned = self._try_pool(stage, vocabulary)
                if learned is not None:
                    return learned
        return None

    def find_conflicting_states(self) -> tuple[RelationalState, RelationalState] | None:
        """Find two states that no feature allowed tells apart as needed; None if there are none."""
        if not self._spaces:
            return None
        sample = join_spaces(self._spaces)
        limits = PoolLimits(self._options.most_complexity, time_limit=CONFLICT_SECONDS)
        vocabulary = self._small[0].state.vocabulary
        pool = enumerate_features(vocabulary, sample.states, limits, self._check)
        conflict = find_conflict(state_problem(pool.features, pool.values, sample))
        if conflict is None:
            return None
        first, second = sample.sources[[conflict.needed, conflict.refused]].tolist()
        return sample.states[first], sample.states[second]

    def _try_pool(self, stage: Stage, vocabulary: StateVocabulary) -> LearnedAbstraction | None:
        """Let the sample grow by what fails until a selection solves all tasks, or there is none.

        Args:
            stage: what is looked for.
            vocabulary: the names that features may use.
        """
        learned: LearnedAbstraction | None = None
        spaces = list(self._spaces)
        for _ in range(ROUNDS):
            now = time.monotonic()
            settings = AttemptSettings(
                stage.complexity,
                min(20.0, max(self._deadline - now, 0.1)),
                min(self._deadline, now + self._options.attempt_seconds),
                self._options.seed,
                stage.travel,
            )
            firsts = [task.state for task in self._small]
            sample = join_spaces(spaces)
            self.states = len(sample.states)
            if stage.begins_anywhere:
                sample = replace(sample, initial=sample.distances > 0)
            try:
                if learned is not None:
                    learned = adapt_abstraction(
                        learned, sample, vocabulary, firsts, settings, self._check
                    )
                if learned is None:
                    learned = attempt_abstraction(
                        "learned", sample, vocabulary, firsts, settings, self._check
                    )
            except TimeoutError:
                learned = None
            self._report(
                f"{'found' if learned else 'no'} {stage.words} among {self.states:,} in "
                f"{time.monotonic() - now:.1f} s"
            )
            if learned is None:
                return None
            failed = self._list_failed(learned)
            if not failed:
                return learned
            drawn = list(self._draw_around(failed))
            if not drawn:
                return None
            spaces += drawn
        return None

    def _list_failed(self, learned: LearnedAbstraction) -> list[tuple[SmallTasks, Execution]]:
        """List the tasks that the policy does not solve, with its runs."""
        runs = [(task, run_learned(learned, task)) for task in self._small]
        return [run for run in runs if run[1].status is not ExecutionStatus.REACHED]

    def _draw_around(
        self, failed: Sequence[tuple[SmallTasks, Execution]]
    ) -> Iterator[SampledSpace]:
        """Draw parts of failed tasks: one with what the last steps touched, one with two goals."""
        for task, run in failed:
            last = [name for _, names in run.steps[-LAST_STEPS:] for name in names]
            extra = [name for name in dict.fromkeys(last) if name in task.state.positions]
            drawn = (task.draw(1, extra, self._check), task.draw(2, (), self._check))
            yield from (space for space in drawn if space is not None)


def run_learned(learned: LearnedAbstraction, small: SmallTasks) -> Execution:
    """Run a learned policy on a task."""
    policy = GeneralPolicy("learned", "", "", (), learned.qnp, learned.policy, learned.refinement)
    runner = PolicyRunner(policy, small.task.domain)
    return runner.run_state(small.state.copy(), small.task.goal)


def list_stages(options: SymbolicOptions, travel: tuple[TravelRule, ...]) -> Iterator[Stage]:
    """Yield the stages in their order.

    Policies of journeys come first: they have fewer features, and are simpler. Policies of single
    steps for the states that they reach alone are tried with simpler features: with those of the
    same complexity there are many, most of which fit a small sample alone.
    """
    least, most = options.least_complexity, options.most_complexity
    for complexity in range(least, most + LAG + 1):
        if complexity <= most and travel:
            yield Stage(complexity, False, travel)
        if complexity <= most:
            yield Stage(complexity, True)
        if complexity - LAG >= least:
            yield Stage(complexity - LAG, False)


def leave_out_position(
    vocabulary: StateVocabulary, travel: tuple[TravelRule, ...]
) -> StateVocabulary:
    """Leave out where the thing that travels is, unless the goal says where it shall be.

    Wherever it is, a journey begins there: what there is to do does not depend on it.
    """
    names = frozenset[str]().union(*(collect_names(rule.position) for rule in travel))
    if any(GOAL + name in (*vocabulary.roles, *vocabulary.concepts) for name in names):
        return vocabulary
    return replace(
        vocabulary,
        concepts=tuple(name for name in vocabulary.concepts if name not in names),
        roles=tuple(name for name in vocabulary.roles if name not in names),
    )


def list_vocabularies(vocabulary: StateVocabulary) -> Iterator[StateVocabulary]:
    """Yield vocabularies with more and more of the roles that no rule changes.

    What most of them say, such as the order of floors, no policy needs; the fewer names, the more
    states are alike and the fewer features there are.
    """
    static = [
        role
        for role in vocabulary.roles
        if role not in vocabulary.fluent and not role.startswith(GOAL)
    ]
    for size in range(len(static) + 1):
        for kept in itertools.combinations(static, size):
            roles = tuple(role for role in vocabulary.roles if role not in static or role in kept)
            yield replace(vocabulary, roles=roles)
