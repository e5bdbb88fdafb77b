# SPDX-License-Identifier: Apache-2.0
"""The samples to learn from: training tasks, parts of them with small spaces, what failed."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.runner import Execution, ExecutionLimits, PolicyRunner
from fcp_ros.abstraction.proposers.assembly import LearnedAbstraction
from fcp_ros.abstraction.proposers.exploration import (
    SampledSpace,
    TransitionSample,
    explore,
    join_spaces,
)
from fcp_ros.abstraction.proposers.task_variants import (
    PlannedElements,
    choose_facts,
    restrict_goal,
    restrict_state,
)
from fcp_ros.abstraction.proposers.travel import TravelRule
from fcp_ros.abstraction.states.building import GoalAtoms, GoalTest, build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.novelty import FactNumbers, NoveltyTable
from fcp_ros.abstraction.states.state import RelationalState, list_bits, list_forms, read_vocabulary
from fcp_ros.foundation.stopping import Check


def add_subgoals(space: SampledSpace, width: int, check: Check) -> SampledSpace:
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


ORDERS = 3  # of the elements of a task besides its own
GROWING = 2  # failed tasks whose parts are added at once
MOST_STATES = 3_000  # of all spaces of steps or journeys
MOST_SUBGOAL_STATES = 6_000  # of all spaces of subgoals


class TaskSamples:
    """Spaces of steps, of journeys, or of subgoals."""

    def __init__(
        self,
        planned: Sequence[PlannedElements],  # tasks of one domain, with the elements of plans
        travel: tuple[TravelRule, ...],  # the rules that travel, for journeys; empty for steps
        width: int,  # of searches, for subgoals; 0 for steps or journeys
        seed: int,
        draws: int,  # parts of each task with things that the goal says nothing about
        check: Check,
    ) -> None:
        source = random.Random(seed)
        self._check = check
        self._most = MOST_SUBGOAL_STATES if width else MOST_STATES
        self._small = [SmallTasks(one, travel, width, source) for one in planned]
        tasks = [one.task for one in planned]
        asked = {fact.relation for task in tasks for fact in task.goal}
        self.vocabulary = read_vocabulary(tasks[0].domain, sorted(asked))
        # the initial states of the tasks
        self.firsts: tuple[RelationalState, ...] = tuple(small.state for small in self._small)
        drawn = [small.draw(2, (), check) for small in self._small]
        for _ in range(draws):
            drawn += [small.draw(1, small.choose_others(), check) for small in self._small]
        self._spaces = [space for space in drawn if space is not None]

    @property
    def states(self) -> int:
        return sum(len(space.states) for space in self._spaces)

    def join(self, begins_anywhere: bool = False) -> TransitionSample:
        """Return all spaces as one sample.

        `begins_anywhere`: True if a policy must begin in all states, not only in initial ones.
        """
        sample = join_spaces(self._spaces)
        return replace(sample, initial=sample.distances > 0) if begins_anywhere else sample

    def list_failures(self, learned: LearnedAbstraction) -> list[tuple[int, Execution]]:
        """List the numbers of the tasks that a policy does not solve, with its runs."""
        # Each task is tried with its elements in several orders, until a run fails.
        failures = []
        policy, limits = make_policy(learned), ExecutionLimits(clock=time.process_time)
        for number, small in enumerate(self._small):
            runner = PolicyRunner(policy, small.task.domain)
            states = itertools.chain(
                (small.state.copy(),), (small.shuffle() for _ in range(ORDERS))
            )
            for state in states:
                execution = runner.run_state(state, small.task.goal, limits, self._check)
                if not execution.reached:
                    failures.append((number, execution))
                    break
        return failures

    def grow(self, failures: Sequence[tuple[int, Execution]]) -> bool:
        """Add parts of failed tasks; False if none is new, or there are enough states."""
        # First what is left to do at the end of a run, then parts with one or two goals, some of
        # them with what the last steps of the run touched, some with others.
        before = self.states
        for number, run in failures[:GROWING]:
            small = self._small[number]
            extra = small.list_last(run)
            for left in small.follow(run, self._check):
                self._add(left)
            parts = ((1, extra), (2, extra), (2, ()), (1, small.choose_others()))
            for goals, others in (*parts, (2, small.choose_others())):
                self._add(small.draw(goals, others, self._check))
        return self.states > before

    def _add(self, space: SampledSpace | None) -> None:
        if space is not None and self.states + len(space.states) <= self._most:
            self._spaces.append(space)


def make_policy(learned: LearnedAbstraction) -> GeneralPolicy:
    """Make a policy to be run; nobody reads its name."""
    return GeneralPolicy("learned", "", "", (), learned.qnp, learned.policy, learned.refinement)


SPACE_STATES = 250  # of one space of steps or journeys
SPACE_SUBGOAL_STATES = 1_000  # of one space of subgoals: few features, so that more are looked at
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
        self._forms = list_forms(task.domain.schema)
        self._travel = travel
        self._width = width
        self._random = random_source
        self._drawn: set[frozenset[str]] = set()
        self._too_large: list[frozenset[str]] = []
        self._followed: set[int] = set()
        self._is_used = False

    def draw(self, goals: int, extra: Collection[str], check: Check) -> SampledSpace | None:
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

    def follow(self, run: Execution, check: Check) -> Iterator[SampledSpace]:
        """Yield spaces from a late state of a run that failed; none from one that was followed."""
        # It is the last state from which the goal can be reached, or one a little earlier, so that
        # the step that led astray is among the transitions. Where too much is left to do for the
        # whole task, a part of it is taken, with what the last steps touched.
        back = 0
        while back <= len(run.steps):
            state = self._replay(run, len(run.steps) - back)
            if state.key() in self._followed:
                return
            is_goal = self._test(self.task.goal, state).holds
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

    def _test(self, goal: GoalAtoms, state: RelationalState) -> GoalTest:
        return GoalTest(self._forms, goal, state)

    def _follow_parts(
        self, state: RelationalState, run: Execution, check: Check
    ) -> Iterator[SampledSpace]:
        goal = self.task.goal
        still_open = tuple(fact for fact in goal if not self._test((fact,), state).holds(state))
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
        self, goal: GoalAtoms, goals: int, extra: Collection[str], check: Check
    ) -> frozenset[str] | None:
        """Choose elements for some facts of a goal; None if no plan was found for them."""
        planned = self._planned.find(choose_facts(goal, goals, self._random), self._random, check)
        if planned is None:
            return None
        return planned.intersection(self.state.positions).union(extra)

    def _is_too_large(self, kept: frozenset[str]) -> bool:
        return any(large <= kept for large in self._too_large)

    def shuffle(self) -> RelationalState:
        """Return the initial state with its elements in another order."""
        # Where a policy leaves a choice, the order decides: a policy must be right in each.
        names = self._random.sample(self.state.objects, len(self.state.objects))
        return restrict_state(self.state, names)

    def choose_others(self) -> list[str]:
        """Choose an element of each kind, and what these are related to by what rules change."""
        # They stand for all that the goal says nothing about: a policy must not take them up.
        # Closed cupboards are another kind than open ones.
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
        check: Check,
        beginning: RelationalState | None = None,
    ) -> SampledSpace | None:
        names = [name for name in self.state.objects if name in kept]
        state = restrict_state(beginning or self.state, names)
        goal = restrict_goal(self.task.goal, self.state, kept)
        is_goal = self._test(goal, state).holds
        most = SPACE_SUBGOAL_STATES if self._width else SPACE_STATES
        space = self._explore_state(state, is_goal, most, check)
        if space is None and beginning is None:
            self._too_large.append(kept)
        return space

    def _explore_state(
        self,
        state: RelationalState,
        is_goal: Callable[[RelationalState], bool],
        most_states: int,
        check: Check,
    ) -> SampledSpace | None:
        space = explore(self.engine, state, is_goal, self._travel, most_states, check)
        if space is None or not self._width:
            return space
        return add_subgoals(space, self._width, check)
