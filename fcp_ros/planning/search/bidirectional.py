# SPDX-License-Identifier: Apache-2.0
"""Bidirectional search on a flat task: optimal, resumable, with a proof if there is no plan.

Forward halves carry the loss so far, backward halves partial states with a requirement (the largest
loss that may come before them; docs/design.md). A plan is found when a forward state belongs to a
partial state, keeps its requirement, and leaves the resources and the time that it needs.

Until there is a plan, halves near the other side are expanded first; then those with the least key,
on the side with less work left. The best plan is optimal when no plan could be made of parts as bad
as the best open half of each side (Pohl 1971; with labels, the argument holds for each state of the
plan).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from fcp_ros.foundation.stopping import Check
from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.builder import Stepper
from fcp_ros.planning.flat.task import FlatTask, count_variables
from fcp_ros.planning.heuristics.evaluate import HeuristicCode, evaluate
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace, make_workspace, relax
from fcp_ros.planning.search.best_first import SpentCallback, ignore_spent
from fcp_ros.planning.search.half_plans import (
    PER_WHOLE,
    UNIT,
    WORST,
    BackwardHalf,
    ForwardHalf,
    Frontier,
    Interval,
    Key,
    Resources,
    Scale,
    contains,
    count_units,
    measure_distance,
)
from fcp_ros.planning.search.partial_states import (
    MaskedOperator,
    PartialState,
    PartialStateIndex,
    Regression,
    StateTable,
    explain_unsuitable,
    holds,
    implies,
    read_goal,
    read_operators,
)
from fcp_ros.planning.search.settings import (
    FlatPlan,
    Objective,
    SearchOutcome,
    SearchReport,
    make_plan,
)

BY_KEY = 4
"""One expansion in BY_KEY goes by key even while there is no plan."""

Estimate = Callable[[tuple[int, ...]], tuple[float, float]]
"""Lower bounds of the loss and of the cost from a state to the goal; infinite at a dead end."""


class BidirectionalSearch:
    """A search from both ends in one flat task."""

    def __init__(
        self,
        task: FlatTask,
        objective: Objective,
        max_labels: int = 2_000_000,
        seed: int = 0,
        # lower bounds, which prune states that lead to no better plan once there is one. The proof
        # then goes forward only; without it, both ways.
        estimate: Estimate | None = None,
        incumbent: FlatPlan | None = None,
        # called for every operator that is tried, and with the counts of every expansion. What it
        # raises goes through; the search can go on afterwards.
        spent: SpentCallback = ignore_spent,
        improved: Callable[[FlatPlan], None] | None = None,
    ) -> None:
        if reason := explain_unsuitable(task):
            raise ValueError(reason)
        self._task = task
        self._objective = objective
        self._max_labels = max_labels
        self._estimate = estimate
        self._spent = spent
        self._improved = improved
        self._random = random.Random(seed)
        self._generated = 0
        self._scale = Scale(task, objective)
        self._best = incumbent
        self._best_key = WORST if incumbent is None else self._scale.key_of(incumbent.operators)
        operators, resources = read_operators(task), Resources(task)
        self._forward = ForwardSide(task, operators, self._scale, resources)
        self._backward = BackwardSide(task, operators, self._scale, resources)
        goal, start = self._backward.goal, self._forward.start
        if goal is not None and self._is_promising(goal.loss, goal.cost):
            self._backward.frontier.beacons.append(goal)
            self._add_backward(goal)
        self._forward.frontier.beacons.append(start)
        self._add_forward(start)

    def run(self, allowance: int) -> SearchReport:
        """Go on until the answer is known or so many states and partial states are expanded."""
        target = self.effort + allowance
        while self.effort < target and not self._is_through():
            if self._count_kept() >= self._max_labels:
                return self._report(SearchOutcome.OUT_OF_MEMORY)
            expanded, kept = self.effort, self._count_kept()
            self._spent(0, 0)
            self._expand()
            self._spent(self.effort - expanded, self._count_kept() - kept)
        return self.report()

    def report(self) -> SearchReport:
        if not self._is_through():
            return self._report(SearchOutcome.PAUSED)
        return self._report(
            SearchOutcome.EXHAUSTED if self._best is None else SearchOutcome.OPTIMAL
        )

    @property
    def effort(self) -> int:
        """States and partial states expanded so far."""
        return self._forward.frontier.expanded + self._backward.frontier.expanded

    @property
    def is_exact(self) -> bool:
        """True if the best plan is proven to be optimal in both criteria."""
        return self._best is not None and self._is_through()

    def _is_through(self) -> bool:
        return self._compute_bound() >= self._best_key

    def _count_kept(self) -> int:
        return self._forward.frontier.kept + self._backward.frontier.kept

    def _compute_bound(self) -> Key:
        """The lower bound of the plans not found yet."""
        forward, backward = self._forward.frontier, self._backward.frontier
        return self._scale.combine_bounds(forward.least_key(), backward.least_key())

    def _report(self, outcome: SearchOutcome) -> SearchReport:
        return SearchReport(
            outcome,
            self._best,
            self._compute_bound()[0] / PER_WHOLE,
            self.effort,
            self._generated,
            self._count_kept(),
        )

    # --- expansion

    def _expand(self) -> None:
        """Expand the most promising half."""
        forward, backward = self._forward.frontier, self._backward.frontier
        if self._best is None and self.effort % BY_KEY:
            reached, needed = forward.nearest(), backward.nearest()
            ahead = reached is not None and (needed is None or reached.distance <= needed.distance)
        else:
            reached, needed = forward.least(), backward.least()
            ahead = self._estimate is not None or forward.work() <= backward.work()
        if reached is not None and ahead:
            if self._is_hopeless(reached):
                forward.close(reached)
            else:
                self._expand_forward(reached)
        elif needed is not None:
            self._expand_backward(needed)

    def _is_hopeless(self, half: ForwardHalf) -> bool:
        """Return True if the estimate shows that a half leads to no plan better than the best."""
        if self._best is None or self._estimate is None:
            return False
        loss, cost = self._estimate(half.state)
        loss = self._scale.compose(half.loss, loss / UNIT)
        key = self._scale.key(loss, half.cost + count_units(cost))
        return self._scale.rules_out(key, self._best_key)

    def _check(self) -> None:
        self._spent(0, 0)

    def _expand_forward(self, half: ForwardHalf) -> None:
        for new in self._forward.expand(half, self._is_promising, self._check):
            self._generated += 1
            self._add_forward(new)
        self._forward.frontier.finish(half)

    def _expand_backward(self, half: BackwardHalf) -> None:
        for new in self._backward.expand(half, self._is_promising, self._check):
            self._generated += 1
            self._add_backward(new)
        self._backward.frontier.finish(half)

    def _add_forward(self, half: ForwardHalf) -> None:
        if not self._forward.keep(half):
            return
        for needed in self._backward.find_matching(half.state):
            self._meet(half, needed)
        beacons = self._backward.frontier.beacons
        half.distance = min((measure_distance(half, needed) for needed in beacons), default=0.0)
        self._forward.frontier.add(half, self._random.random())

    def _add_backward(self, half: BackwardHalf) -> None:
        if not self._backward.keep(half):
            return
        for reached in self._forward.find_matching(half.partial_state):
            self._meet(reached, half)
        beacons = self._forward.frontier.beacons
        half.distance = min((measure_distance(reached, half) for reached in beacons), default=0.0)
        self._backward.frontier.add(half, self._random.random())

    def _is_promising(self, loss: float, cost: float) -> bool:
        """Return True if a half may belong to a plan within the budgets and better than the best.

        A backward half over the loss budget has an infeasible requirement.
        """
        return (
            self._scale.room(loss) >= 0
            and cost <= self._scale.cost_budget
            and self._scale.key(loss, cost) < self._best_key
        )

    # --- meetings

    def _meet(self, reached: ForwardHalf, needed: BackwardHalf) -> None:
        """Take the plan of two halves if they fit and it is better than the best so far."""
        loss = self._scale.compose(reached.loss, needed.loss)
        cost = reached.cost + needed.cost
        if not self._is_promising(loss, cost):
            return
        if measure_distance(reached, needed):
            return
        operators = (*reached.steps(), *needed.steps())
        if self._forward.stepper.is_plan(operators):
            self._best = make_plan(self._task, operators, self._objective.composition)
            self._best_key = self._scale.key(loss, cost)
            if self._improved is not None:
                self._improved(self._best)


class LowerBounds:
    """The LM-cut bounds of a task, as an `Estimate`; the relaxations are built at first use."""

    def __init__(self, task: FlatTask, composition: Composition) -> None:
        self._task = task
        self._composition = composition

    def __call__(self, state: tuple[int, ...]) -> tuple[float, float]:
        """Lower bounds of the loss and of the cost from a state; infinite at a dead end."""
        values = np.array(state, np.int32)
        # For a member of the enumeration, evaluate would be compiled again.
        code = int(HeuristicCode.LM_CUT)
        loss, cost = (evaluate(code, *relaxed, values) for relaxed in self._relaxed)
        return loss, cost

    @cached_property
    def _relaxed(self) -> tuple[tuple[RelaxedTask, Workspace], ...]:
        made = (
            relax(self._task, self._task.loss, self._composition),
            relax(self._task, self._task.cost),
        )
        return tuple((relaxed, make_workspace(relaxed)) for relaxed in made)


# --- the labels of each direction: forward states with losses, partial states with requirements
#
# On both sides, a label is dropped if another one is at least as good: no worse in loss and cost,
# with resources that allow as much, in the same state (or in a partial state that contains its
# own).


PromisingTest = Callable[[float, float], bool]
"""True if a half with that loss and cost may belong to a plan that is still wanted."""


class ForwardSide:
    """The forward direction: reached states, with the losses and resources on the way."""

    def __init__(
        self,
        task: FlatTask,
        operators: Sequence[MaskedOperator],
        scale: Scale,
        resources: Resources,
    ) -> None:
        self.stepper = Stepper(task)
        self._scale = scale
        self._resources = resources
        self._applicable = PartialStateIndex()
        for number, operator in enumerate(operators):
            if operator.needs is not None:
                self._applicable.add(number, operator.needs)
        self._table = StateTable(count_variables(task))
        self._halves: dict[tuple[int, ...], list[ForwardHalf]] = {}
        self.frontier: Frontier[ForwardHalf] = Frontier()
        self.start = ForwardHalf(
            0, 0, scale.key(0, 0), -1, tuple(task.initial.tolist()), resources.initial, None
        )

    def expand(
        self, half: ForwardHalf, is_promising: PromisingTest, check: Check
    ) -> Iterator[ForwardHalf]:
        """Yield the halves with one more operator; `check` is called for each operator."""
        for number in self._applicable.find_in_state(half.state):
            check()
            loss = self._scale.compose(half.loss, self._scale.loss[number])
            cost = half.cost + self._scale.cost[number]
            after = self.stepper.apply((half.state, half.amounts), number)
            if after is not None and is_promising(loss, cost):
                yield ForwardHalf(loss, cost, self._scale.key(loss, cost), number, *after, half)

    def keep(self, half: ForwardHalf) -> bool:
        """Keep a half and drop those that it dominates; return False if it is dominated itself."""
        others = self._halves.get(half.state)
        if others is None:
            others = self._halves[half.state] = []
            self._table.add(half.state)
        if any(self._dominates(other, half) for other in others):
            return False
        needless = [other for other in others if self._dominates(half, other)]
        for other in needless:
            others.remove(other)
        self.frontier.drop(needless)
        others.append(half)
        return True

    def find_matching(self, partial: PartialState) -> Iterator[ForwardHalf]:
        """Find the halves whose state belongs to a partial state."""
        for state in self._table.find_matching(partial):
            yield from self._halves[self._table.states[state]]

    def _dominates(self, half: ForwardHalf, other: ForwardHalf) -> bool:
        """Return True if a half makes another one in the same state needless."""
        return self._scale.is_no_worse(half, other) and self._resources.is_as_good(
            half.amounts, other.amounts
        )


class BackwardSide:
    """The backward direction: partial states that lead to the goal, and their requirements."""

    def __init__(
        self,
        task: FlatTask,
        operators: Sequence[MaskedOperator],
        scale: Scale,
        resources: Resources,
    ) -> None:
        self._scale = scale
        self._resources = resources
        self._regression = Regression(task, operators)
        self._index = PartialStateIndex()
        self._numbers: dict[PartialState, int] = {}
        self._partial_states: list[PartialState] = []
        self._halves: list[list[BackwardHalf]] = []
        self._pumps = frozenset(resources.pumps)
        self.frontier: Frontier[BackwardHalf] = Frontier()
        goal = read_goal(task)
        self.goal = None if goal is None else self._make(0, 0, -1, goal, resources.anything, None)
        """The half without operators; None if the goal contradicts itself."""

    def expand(
        self, half: BackwardHalf, is_promising: PromisingTest, check: Check
    ) -> Iterator[BackwardHalf]:
        """Yield the halves with one more operator in front; `check` is called for each operator.

        None has an infeasible requirement, which `is_promising` refuses.
        """
        achievers = self._regression.find_achievers(half.partial_state)
        for number in sorted(achievers | self._pumps):
            check()
            intervals = self._resources.before(half.intervals, number)
            loss = self._scale.compose(half.loss, self._scale.loss[number])
            cost = half.cost + self._scale.cost[number]
            if intervals is None or not is_promising(loss, cost):
                continue
            idle = number in self._pumps
            for partial in self._regression.regress(half.partial_state, number, idle=idle):
                yield self._make(loss, cost, number, partial, intervals, half)

    def keep(self, half: BackwardHalf) -> bool:
        """Keep a half and drop those that it dominates; return False if it is dominated itself."""
        for number in self._index.find_implied(half.partial_state):
            if implies(half.partial_state, self._partial_states[number]) and any(
                self._dominates(other, half) for other in self._halves[number]
            ):
                return False
        number = self._numbers.setdefault(half.partial_state, len(self._halves))
        if number == len(self._halves):
            self._halves.append([])
            self._partial_states.append(half.partial_state)
            self._index.add(number, half.partial_state)
        others = self._halves[number]
        needless = [other for other in others if self._dominates(half, other)]
        for other in needless:
            others.remove(other)
        self.frontier.drop(needless)
        others.append(half)
        return True

    def find_matching(self, state: Sequence[int]) -> Iterator[BackwardHalf]:
        """Find the halves whose partial state a state belongs to."""
        for number in self._index.find_in_state(state):
            if holds(self._partial_states[number], state):
                yield from self._halves[number]

    def _make(
        self,
        loss: float,
        cost: float,
        operator: int,
        partial: PartialState,
        intervals: tuple[Interval, ...],
        parent: BackwardHalf | None,
    ) -> BackwardHalf:
        key, room = self._scale.key(loss, cost), self._scale.room(loss)
        return BackwardHalf(loss, cost, key, operator, partial, intervals, room, parent)

    def _dominates(self, half: BackwardHalf, other: BackwardHalf) -> bool:
        """Return True if a half makes another one needless whose partial state implies its own."""
        return self._scale.is_no_worse(half, other) and contains(half.intervals, other.intervals)
