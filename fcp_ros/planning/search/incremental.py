# SPDX-License-Identifier: Apache-2.0
"""Better plans by keeping one more preference at a time.

A plan that gives up much is soon found, and best-first searches for a better one are lost among all
orders of serving all preferences at once. Here, each try is an ordinary problem: reach what one
preference that was given up asks for, together with the goal and with what is kept already. Most
tries go on from where the best plan ends, so few steps are missing; others begin from the start,
where too much is done already. The dearest preferences come first; those whose tries fail come
back with more effort. Nothing is proven here.

State machine: `_try` is the try that goes on, None between tries. `_ending` is what is known of the
best plan, None until it was looked at (`_look_at_best`). `_is_through` is set when no try is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fcp_ros.planning.flat.builder import GoalStages, Stepper
from fcp_ros.planning.flat.semantics import Amounts, FlatState
from fcp_ros.planning.flat.task import Floats
from fcp_ros.planning.heuristics.evaluate import Estimator, HeuristicCode
from fcp_ros.planning.model.request import SearchOptions
from fcp_ros.planning.search.best_first import MEMORY, BestFirst, SpentCallback, ignore_spent
from fcp_ros.planning.search.prepared import PreparedTask
from fcp_ros.planning.search.settings import (
    Criterion,
    FlatPlan,
    Objective,
    SearchOutcome,
    SearchReport,
    make_plan,
    step_below,
)

FIRST_EFFORT = 200
"""Effort of the first try for a preference; each later one may take four times as much."""
MOST_TRIES = 7
"""Tries for one preference. Every other one begins from the start."""

Conditions = dict[int, int]
"""Variable -> value."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """The end of a plan in the world."""

    steps: tuple[int, ...]
    state: FlatState
    amounts: Amounts
    paid: float  # what they take of the first criterion
    taken: Mapping[int, int]  # stage -> its operator that leads on from there
    # variable -> the stages whose operators ask something of it
    needing: Mapping[int, Sequence[int]]
    # operators of the goal that save less than they exclude
    hopeless: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Target:
    """An operator of the goal that would save something."""

    operator: int
    gain: float
    goal: Conditions


@dataclass(frozen=True)
class _Try:
    """A search for a target, up to an effort."""

    target: _Target
    steps: tuple[int, ...]
    search: BestFirst
    effort: int


class IncrementalSearch:
    """Improves a plan of a task whose goal has stages."""

    def __init__(
        self,
        prepared: PreparedTask,
        stages: GoalStages,
        objective: Objective,
        options: SearchOptions,
        incumbent: FlatPlan,
        memory: int = MEMORY,
        # called after each slice of some milliseconds. What it raises goes through; the search can
        # go on afterwards.
        spent: SpentCallback = ignore_spent,
        improved: Callable[[FlatPlan], None] = lambda _: None,
    ) -> None:
        self._prepared = prepared
        self._task = prepared.task
        self._stepper = Stepper(prepared.task)
        self._stages = stages
        self._objective = objective
        self._options = options
        self._best = incumbent
        self._memory = memory
        self._spent = spent
        self._improved = improved
        is_loss = objective.order[0] is Criterion.LOSS
        self._prices = (self._task.loss if is_loss else self._task.cost).tolist()
        self._failures: dict[int, int] = {}
        self._ending: _Ending | None = None
        self._try: _Try | None = None
        self._is_through = False
        self._measured: tuple[FlatState, Floats] | None = None
        self._finished_effort = 0

    def run(self, allowance: int) -> SearchReport:
        """Go on until no try is left or so many states are expanded or evaluated."""
        target = self.effort + allowance
        while not self._is_through and self.effort < target:
            if self._try is None:
                self._try = self._begin_try()
                self._is_through = self._try is None
            else:
                self._go_on(self._try, target - self.effort)
        return self.report()

    def know(self, plan: FlatPlan) -> None:
        """Improve this plan from now on; it is better than the one before."""
        if plan.operators != self._best.operators:
            self._best, self._ending = plan, None

    def report(self) -> SearchReport:
        outcome = SearchOutcome.FOUND if self._is_through else SearchOutcome.PAUSED
        return SearchReport(outcome, self._best, 0.0, self.effort, 0, 0)

    @property
    def effort(self) -> int:
        """States expanded and states evaluated so far."""
        running = 0 if self._try is None else self._try.search.effort
        return self._finished_effort + running

    # --- tries

    def _begin_try(self) -> _Try | None:
        """Begin the most promising try; None if none is left."""
        ending = self._ending = self._ending or self._look_at_best()
        for failures, _, stage, operator in sorted(self._list_candidates(ending)):
            self._spent(0, 0)  # there may be thousands
            target = self._join(stage, operator, ending)
            if target is not None:
                return self._open(target, failures, ending)
            ending.hopeless.add(operator)
        return None

    def _open(self, target: _Target, failures: int, ending: _Ending) -> _Try:
        """Open the search of a try: from the end of the best plan, or from the start."""
        goes_on = failures % 2 == 0
        steps = ending.steps if goes_on else ()
        begin = (ending.state, ending.amounts) if goes_on else self._stepper.start
        search = BestFirst(
            self._prepared.aim(*begin, {**target.goal, self._stages.variable: 0}),
            self._limit(target.gain + (0.0 if goes_on else ending.paid)),
            self._options,
            self._memory,
            spent=self._spent,
        )
        return _Try(target, steps, search, FIRST_EFFORT * 4 ** (failures // 2))

    def _limit(self, left: float) -> Objective:
        """Limit the first criterion: steps that take more of it than they save are not worth it."""
        first = step_below(left)
        if self._objective.order[0] is Criterion.LOSS:
            return replace(self._objective, loss_budget=first, cost_budget=math.inf)
        return replace(self._objective, cost_budget=first)

    def _go_on(self, current: _Try, allowance: int) -> None:
        """Go on with a try; take its plan if it ends."""
        report = current.search.run(min(current.effort - current.search.effort, allowance))
        if report.outcome is SearchOutcome.PAUSED and current.search.effort < current.effort:
            return
        self._finished_effort += current.search.effort
        self._try = None
        if report.best is None or not self._take(current.steps + report.best.operators):
            operator = current.target.operator
            self._failures[operator] = self._failures.get(operator, 0) + 1

    def _take(self, steps: tuple[int, ...]) -> bool:
        """Take a plan that begins with these steps; return False if it is no better."""
        state, _ = self._stepper.run(steps)
        way = self._stages.find_best_way(state, lambda operator: (self._prices[operator], 0.0))
        if way is None:
            return False
        plan = make_plan(self._task, steps + way, self._objective.composition)
        if not (plan.is_within(self._objective) and plan.is_better(self._best, self._objective)):
            return False
        self.know(plan)
        self._improved(plan)
        return True

    # --- the best plan

    def _look_at_best(self) -> _Ending:
        goal = self._stages.operators
        steps = tuple(o for o in self._best.operators if o not in goal)
        state, amounts = self._stepper.run(steps)
        paid = math.fsum(self._prices[o] for o in steps)
        taken: dict[int, int] = {}
        stage = 0
        for operator in self._best.operators:
            if operator in goal:
                taken[stage] = operator
                stage = self._stages.find_target(operator)
        needing: dict[int, list[int]] = {}
        for stage, operator in taken.items():
            for variable in self._stages.find_needs(operator).variables:
                needing.setdefault(variable, []).append(stage)
        return _Ending(steps, state, amounts, paid, taken, needing)

    def _list_candidates(self, ending: _Ending) -> Iterator[tuple[int, float, int, int]]:
        """Yield operators of the goal that are cheaper than those taken now.

        With the number of failures so far, the gain (negated) and the stage.
        """
        prices = self._prices
        for stage, operator in ending.taken.items():
            for other in self._stages.moves[stage] if stage else ():
                failures = self._failures.get(other, 0)
                gain = prices[operator] - prices[other]
                if gain > 0.0 and failures < MOST_TRIES and other not in ending.hopeless:
                    yield failures, -gain, stage, other

    def _join(self, stage: int, operator: int, ending: _Ending) -> _Target | None:
        """Join a target with the other stages; None if it excludes more than it saves.

        Each of them keeps its operator, or takes the cheapest one that the target does not exclude.
        """
        prices, find_needs = self._prices, self._stages.find_needs
        needs, taken = find_needs(operator), {**ending.taken, stage: operator}
        gain = prices[ending.taken[stage]] - prices[operator]
        concerned = {other for v in needs.variables for other in ending.needing.get(v, ())}
        for other in concerned - {stage}:
            if not needs.excludes(find_needs(taken[other])):
                continue
            moves = sorted(self._stages.moves[other], key=prices.__getitem__) if other else ()
            fitting = (move for move in moves if not needs.excludes(find_needs(move)))
            instead = next(fitting, None)
            if instead is None:
                return None
            gain -= prices[instead] - prices[taken[other]]
            taken[other] = instead
        if gain <= 0.0:
            return None
        asked = [find_needs(one) for one in (*taken.values(), operator)]
        equal = {variable: value for one in asked for variable, value in one.equal.items()}
        unequal = {pair for one in asked for pair in one.unequal}
        goal = self._choose_values(equal, unequal, ending.state)
        return None if goal is None else _Target(operator, gain, goal)

    def _choose_values(
        self, equal: Conditions, unequal: set[tuple[int, int]], state: FlatState
    ) -> Conditions | None:
        """Choose the nearest value where some are excluded; None if all are."""
        goal = dict(equal)
        offset = self._prepared.relaxed.offset
        for variable in {variable for variable, _ in unequal} - goal.keys():
            values = range(int(self._task.domain[variable]))
            left = [value for value in values if (variable, value) not in unequal]
            if not left:
                return None
            distances = self._measure_distances(state)
            goal[variable] = min(left, key=distances[offset[variable] :].__getitem__)
        return goal

    def _measure_distances(self, state: FlatState) -> Floats:
        """Bound the steps from a state to each value of each variable, as a relaxation does."""
        if self._measured is None or self._measured[0] != state:
            estimator = Estimator(self._task, HeuristicCode.MAX, np.ones(len(self._task.loss)))
            self._measured = state, estimator.compute_fact_bounds(state)
        return self._measured[1]
