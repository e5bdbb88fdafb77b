# SPDX-License-Identifier: Apache-2.0
"""The proposer that learns from sampled transitions alone: attempts until all tasks are solved."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fcp_ros.abstraction.features.enumeration import FeaturePool, PoolLimits, enumerate_features
from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import ConceptExpression, collect_names
from fcp_ros.abstraction.policy.programs import ConcreteStep, Program, RefinementMapping
from fcp_ros.abstraction.policy.refining import has_effect
from fcp_ros.abstraction.proposers.assembly import LearnedAbstraction
from fcp_ros.abstraction.proposers.attempt import (
    AttemptSettings,
    attempt_abstraction,
    state_problem,
)
from fcp_ros.abstraction.proposers.exploration import TransitionSample
from fcp_ros.abstraction.proposers.faults import (
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
    AbstractionLayer,
    ProposerStopped,
    describe_facts,
)
from fcp_ros.abstraction.proposers.program_writers import order_concepts
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal, TrainingTask
from fcp_ros.abstraction.proposers.separation import find_conflict
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.abstraction.proposers.task_samples import TaskSamples
from fcp_ros.abstraction.proposers.task_variants import PlannedElements
from fcp_ros.abstraction.proposers.travel import TravelRule, confirm_travel, find_travel_rules
from fcp_ros.abstraction.qnp.problem import encode_values
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import GOAL, RelationalState, StateVocabulary
from fcp_ros.foundation.stopping import Check


def guard_steps(
    learned: LearnedAbstraction, sample: TransitionSample, pool: FeaturePool, engine: RuleEngine
) -> LearnedAbstraction:
    """Put guarded programs in front of those of single steps, where the pool has concepts.

    `pool`: of the states of the sample.
    """
    guards = _StepGuards(learned, sample, pool)
    programs: dict[str, tuple[Program, ...]] = {}
    for action, known in learned.refinement.programs.items():
        guarded = (
            (ConcreteStep(step.rule, concepts),)
            for step in _list_single_steps(known)
            if (concepts := guards.find(action, step.rule, engine.parameters(step.rule)))
        )
        programs[action] = (*guarded, *known)
    features = learned.refinement.features
    return replace(learned, refinement=RefinementMapping(features, programs))


def _list_single_steps(programs: Sequence[Program]) -> Iterator[ConcreteStep]:
    for program in programs:
        if len(program) == 1 and isinstance(program[0], ConcreteStep):
            yield program[0]


class _StepGuards:
    """The steps of the sample with the policy's features before and after them."""

    def __init__(
        self, learned: LearnedAbstraction, sample: TransitionSample, pool: FeaturePool
    ) -> None:
        self._learned = learned
        self._sample = sample
        self._pool = pool
        self._order = order_concepts(pool.concepts)
        evaluator = FeatureEvaluator(learned.refinement.features.values())
        self._values = [evaluator.evaluate(state) for state in sample.states]
        self._effects = {
            action.name: tuple(action.effects.get(name) for name in learned.qnp.variables)
            for action in learned.qnp.actions
        }

    def find(
        self, action: str, rule: str, parameters: Sequence[str]
    ) -> Mapping[str, ConceptExpression]:
        """Find a concept for each parameter that decides about the effect of an action."""
        good, every = self._collect(action, rule, len(parameters))
        found: dict[str, ConceptExpression] = {}
        for place, parameter in enumerate(parameters):
            concept = self._tell_apart(
                list(good), [row[place] for row in good.values()], [every[s][place] for s in good]
            )
            if concept is not None:
                found[parameter] = concept
        return found

    def _collect(
        self, action: str, rule: str, width: int
    ) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Collect per state and parameter the objects (bitset) of good steps, and of all steps."""
        sample, policy = self._sample, self._learned.policy
        good: dict[int, list[int]] = {}
        every: dict[int, list[int]] = {}
        pairs = zip(sample.sources.tolist(), sample.targets.tolist(), strict=True)
        for (name, binding), (source, target) in zip(sample.steps, pairs, strict=True):
            before = self._values[source]
            if name != rule or action not in policy.get(encode_values(before), ()):
                continue
            tables = [every]
            if has_effect(self._effects[action], before, self._values[target]):
                tables.append(good)
            for table in tables:
                row = table.setdefault(source, [0] * width)
                for place, element in enumerate(binding):
                    row[place] |= 1 << element
        return good, every

    def _tell_apart(
        self, states: list[int], good: list[int], every: list[int]
    ) -> ConceptExpression | None:
        """Return the simplest concept with good objects in each state, and no other of a step."""
        if good == every or not self._order:
            return None
        members = self._pool.members[np.ix_(self._order, states)]
        pack = self._pool.batch.pack_sets
        wanted = members & pack(good)
        refused = members & pack([a & ~b for a, b in zip(every, good, strict=True)])
        telling = np.all(np.any(wanted, axis=2), axis=1) & ~np.any(refused, axis=(1, 2))
        places = np.flatnonzero(telling)
        return self._pool.concepts[self._order[int(places[0])]] if len(places) else None


LAG = 2  # in complexity, of the stages that `list_stages` tries with simpler features
SUBGOAL_LAG = 1  # of those of subgoals, which have few features
CONFLICT_SECONDS = 10.0
GUARD_COMPLEXITY = 6  # of the features whose concepts say which objects a step is about
GUARD_SECONDS = 5.0
ROUNDS = 6  # of a sample that grows, with one pool


ReportCallback = Callable[[str], None]
"""Is told in a sentence what was tried."""


def ignore_report(sentence: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class SymbolicOptions:
    """Bounds of the symbolic proposer."""

    seconds: float = 120.0
    least_complexity: int = 4  # of the features that are tried first
    most_complexity: int = 9
    attempt_seconds: float = 20.0
    seed: int = 0
    # parts of each task with things that the goal says nothing about; the more, the less a policy
    # rests on chance
    draws: int = 2


@dataclass(frozen=True, slots=True)
class LearningStage:
    """The kind of policy that is looked for at one time."""

    complexity: int
    # True for a policy for all states from which the goal can be reached; such policies are more
    # general. False: for the states that it reaches from the initial ones; where much can go wrong,
    # only such may exist.
    begins_anywhere: bool
    # rules that travel, for a policy of journeys; empty for one of single steps
    travel: tuple[TravelRule, ...] = ()
    width: int = 0  # of the searches of a policy of subgoals; 0 for one of steps or journeys
    only_nearer: bool = False  # True if each transition must come nearer to the goal

    @property
    def words(self) -> str:
        """Say it for reports."""
        kind = f"subgoals of width {self.width}" if self.width else "steps"
        return (
            f"policy of {'straight ' if self.only_nearer else ''}"
            f"{'journeys' if self.travel else kind} with features of complexity "
            f"{self.complexity} for {'all' if self.begins_anywhere else 'reached'} states"
        )


class SymbolicLearning:
    """One search for an abstraction of some training tasks."""

    def __init__(
        self,
        tasks: Sequence[TrainingTask],
        options: SymbolicOptions,
        check: Check,
        report: ReportCallback,  # told in a sentence what was tried
        begin: int = 0,  # number of the first stage to try
    ) -> None:
        self._tasks = tasks
        self._planned = [PlannedElements(task) for task in tasks]
        self._options = options
        self._check = check
        self._report = report
        self._deadline = time.monotonic() + options.seconds
        self._samples: dict[tuple[tuple[TravelRule, ...], int], TaskSamples] = {}
        self.states = 0  # number of states in the last sample
        self.stage = begin  # number of the last stage that was tried

    def learn(self) -> LearnedAbstraction | None:
        """Return an abstraction that solves all tasks; None if none was found."""
        stages = list_stages(self._options, find_common_travel(self._tasks))
        for number, stage in enumerate(stages):
            if number < self.stage:
                continue
            self.stage = number
            samples = self._draw(stage.travel, stage.width)
            allowed = leave_out_position(samples.vocabulary, stage.travel)
            for vocabulary in list_vocabularies(allowed):
                if time.monotonic() > self._deadline:
                    return None
                learned = self._try_pool(stage, samples, vocabulary)
                if learned is not None:
                    return learned
        return None

    def find_conflicting_states(self) -> tuple[RelationalState, RelationalState] | None:
        """Find two states that no feature allowed tells apart as needed; None if there are none."""
        samples = self._draw(())
        if not samples.states:
            return None
        sample = samples.join()
        limits = PoolLimits(self._options.most_complexity, time_limit=CONFLICT_SECONDS)
        pool = enumerate_features(samples.vocabulary, sample.states, limits, self._check)
        conflict = find_conflict(state_problem(pool.features, pool.values, sample))
        if conflict is None:
            return None
        first, second = sample.sources[[conflict.needed, conflict.refused]].tolist()
        return sample.states[first], sample.states[second]

    def _draw(self, travel: tuple[TravelRule, ...], width: int = 0) -> TaskSamples:
        """Return the samples of steps, journeys or subgoals, which are drawn once."""
        if (travel, width) not in self._samples:
            options = self._options
            self._samples[travel, width] = TaskSamples(
                self._planned, travel, width, options.seed, options.draws, self._check
            )
        return self._samples[travel, width]

    def _try_pool(
        self, stage: LearningStage, samples: TaskSamples, vocabulary: StateVocabulary
    ) -> LearnedAbstraction | None:
        """Let the samples grow by what fails until a selection solves all tasks, or there is none.

        `vocabulary`: the names that features may use.
        """
        for _ in range(ROUNDS):
            if not samples.states:
                return None
            now, began = time.process_time(), time.monotonic()
            settings = AttemptSettings(
                stage.complexity,
                min(20.0, max(self._deadline - began, 0.1)),
                now + min(self._deadline - began, self._options.attempt_seconds),
                self._options.seed,
                stage.travel,
                stage.width,
                stage.only_nearer,
            )
            sample, firsts = samples.join(stage.begins_anywhere), samples.firsts
            self.states = len(sample.states)
            try:
                learned = attempt_abstraction(
                    "learned", sample, vocabulary, firsts, settings, self._check
                )
            except TimeoutError:
                learned = None
            self._report(
                f"{'found' if learned else 'no'} {stage.words} among {self.states:,} in "
                f"{time.process_time() - now:.1f} s"
            )
            if learned is None:
                return None
            failures = samples.list_failures(learned)
            if not failures:
                return self._guard(stage, samples, vocabulary, learned)
            if not samples.grow(failures):
                return None
        return None

    def _guard(
        self,
        stage: LearningStage,
        samples: TaskSamples,
        vocabulary: StateVocabulary,
        learned: LearnedAbstraction,
    ) -> LearnedAbstraction:
        """Say which objects the steps of a policy are about, if it then still solves all tasks."""
        if stage.travel or stage.width:
            return learned
        sample = samples.join(stage.begins_anywhere)
        limits = PoolLimits(min(stage.complexity, GUARD_COMPLEXITY), time_limit=GUARD_SECONDS)
        pool = enumerate_features(vocabulary, sample.states, limits, self._check)
        guarded = guard_steps(learned, sample, pool, RuleEngine(self._tasks[0].domain))
        return learned if samples.list_failures(guarded) else guarded


def find_common_travel(tasks: Sequence[TrainingTask]) -> tuple[TravelRule, ...]:
    """Find the rules that travel in all tasks; without their roles if all do so directly."""
    rules = find_travel_rules(tasks[0].domain)
    found = []
    for task in tasks:
        state = build_state(task.domain, task.instance, task.goal)
        found.append(confirm_travel(RuleEngine(task.domain), state, rules))
    if not all(found):
        return ()
    return next((one for one in found if one == rules), found[0])


def list_stages(
    options: SymbolicOptions, travel: tuple[TravelRule, ...]
) -> Iterator[LearningStage]:
    """Yield the stages in their order.

    Policies of journeys come first: they have fewer features, and are simpler. Tried with simpler
    features are policies of subgoals, whose runs search; policies that may go astray on their way;
    and policies of single steps for the states that they reach alone. With features of the same
    complexity there are many of these, most of which are worse, or fit a small sample alone.
    """
    least, most = options.least_complexity, options.most_complexity
    for complexity in range(least, most + LAG + 1):
        if complexity <= most:
            if travel:
                yield LearningStage(complexity, False, travel, only_nearer=True)
            yield LearningStage(complexity, True)
        if least <= complexity - SUBGOAL_LAG <= most:
            yield LearningStage(complexity - SUBGOAL_LAG, True, width=1)
        if complexity - LAG >= least:
            if travel:
                yield LearningStage(complexity - LAG, False, travel)
            yield LearningStage(complexity - LAG, False)


def leave_out_position(
    vocabulary: StateVocabulary, travel: tuple[TravelRule, ...]
) -> StateVocabulary:
    """Leave out where the thing that travels is, unless the goal says where it shall be."""
    # Wherever it is, a journey begins there: what there is to do does not depend on it.
    names = frozenset[str]().union(*(collect_names(rule.position) for rule in travel))
    if any(GOAL + name in (*vocabulary.roles, *vocabulary.concepts) for name in names):
        return vocabulary
    return replace(
        vocabulary,
        concepts=tuple(name for name in vocabulary.concepts if name not in names),
        roles=tuple(name for name in vocabulary.roles if name not in names),
    )


def list_vocabularies(vocabulary: StateVocabulary) -> Iterator[StateVocabulary]:
    """Yield vocabularies with more and more of the roles that no rule changes."""
    # What most of them say, such as the order of floors, no policy needs; the fewer names, the more
    # states are alike and the fewer features there are.
    static = [
        role
        for role in vocabulary.roles
        if role not in vocabulary.fluent and not role.startswith(GOAL)
    ]
    for size in range(len(static) + 1):
        for kept in itertools.combinations(static, size):
            roles = tuple(role for role in vocabulary.roles if role not in static or role in kept)
            yield replace(vocabulary, roles=roles)


# --- the proposer of abstractions that are learned from sampled transitions alone


class SymbolicProposer:
    """Learns an abstraction; after faults it learns again from another, larger sample.

    Kinds of policies that the first tasks had none of are left out then: there are more tasks now.
    `report`: told in a sentence what was tried.
    """

    def __init__(
        self, options: SymbolicOptions | None = None, report: ReportCallback = ignore_report
    ) -> None:
        self._options = options or SymbolicOptions()
        self._report = report
        self._round = 0
        self._stage = 0

    @property
    def name(self) -> str:
        """The word for it on the command line."""
        return "symbolic"

    def propose(
        self,
        training: tuple[TrainingTask, ...],
        feedback: tuple[AbstractionError, ...],
        check: Check,
    ) -> AbstractionProposal:
        """Learn an abstraction that solves all training tasks.

        Raises ProposerStopped if NO_COMMON_POLICY with the conflicting states, or LIMIT.
        """
        options = replace(
            self._options,
            seed=self._options.seed + self._round,
            draws=self._options.draws + self._round,
        )
        self._round += 1
        tasks = [task for task in training if not task.is_done]
        learning = SymbolicLearning(tasks, options, check, self._report, self._stage)
        learned = learning.learn()
        self._stage = learning.stage
        if learned is not None:
            remark = f"learned from {learning.states:,} states of the training tasks"
            return AbstractionProposal(learned.qnp, learned.refinement, learned.policy, (remark,))
        pair = learning.find_conflicting_states()
        if pair is None:
            sentence = (
                f"no policy was found with features of complexity {options.most_complexity} in "
                f"{options.seconds:g} s"
            )
            raise ProposerStopped(GeneralizationStatus.LIMIT, sentence)
        sentence = (
            "no feature allowed tells two states apart: in the first one a step is needed that "
            "must not be taken in the second one"
        )
        states = tuple(map(describe_facts, pair))
        error = AbstractionError(
            AbstractionCheck.ASC,
            AbstractionFault.CONFLICTING_STATES,
            sentence,
            states=states,
            layer=AbstractionLayer.FEATURES,
        )
        raise ProposerStopped(GeneralizationStatus.NO_COMMON_POLICY, sentence, (error,))
