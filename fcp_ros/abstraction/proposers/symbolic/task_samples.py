# SPDX-License-Identifier: Apache-2.0
"""The state spaces of training tasks that a policy is learned on; they grow by what it fails at."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from fcp_ros.abstraction.policy.execution import Execution
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.runner import PolicyRunner
from fcp_ros.abstraction.proposers.symbolic.assembly import LearnedAbstraction
from fcp_ros.abstraction.proposers.symbolic.small_tasks import SmallTasks
from fcp_ros.abstraction.sampling.exploration import SampledSpace
from fcp_ros.abstraction.sampling.restriction import PlannedElements
from fcp_ros.abstraction.sampling.sample import TransitionSample, join_spaces
from fcp_ros.abstraction.sampling.travel import TravelRule
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.abstraction.states.vocabulary import read_vocabulary

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
        check: Callable[[], None],
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
        """Count the states."""
        return sum(len(space.states) for space in self._spaces)

    def join(self, begins_anywhere: bool = False) -> TransitionSample:
        """Return all spaces as one sample.

        `begins_anywhere`: True if a policy must begin in all states, not only in initial ones.
        """
        sample = join_spaces(self._spaces)
        return replace(sample, initial=sample.distances > 0) if begins_anywhere else sample

    def list_failures(self, learned: LearnedAbstraction) -> list[tuple[int, Execution]]:
        """List the numbers of the tasks that a policy does not solve, with its runs.

        Each task is tried with its elements in several orders, until a run fails.
        """
        failures = []
        policy = make_policy(learned)
        for number, small in enumerate(self._small):
            runner = PolicyRunner(policy, small.task.domain)
            states = itertools.chain(
                (small.state.copy(),), (small.shuffle() for _ in range(ORDERS))
            )
            for state in states:
                execution = runner.run_state(state, small.task.goal, check=self._check)
                if not execution.reached:
                    failures.append((number, execution))
                    break
        return failures

    def grow(self, failures: Sequence[tuple[int, Execution]]) -> bool:
        """Add parts of failed tasks; False if none is new, or there are enough states.

        First what is left to do at the end of a run, then parts with one or two goals, some of them
        with what the last steps of the run touched, some with others.
        """
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
