# SPDX-License-Identifier: Apache-2.0
"""Searches near the best plan: each of them has to do without one of its dear operators.

The cost of a plan is that of a few operators: preferences given up, long ways. A search of bounded
effort forbids one of them, and begins somewhere on the plan. Strictly, it may use no other operator
with a cost than those of the plan, so that any plan at all is a better one, and a greedy search
finds it; loosely, a beam search weighs the costs. When all operators have been tried, each gets
twice the effort (large neighbourhood search, as in Pisinger and Ropke, "Large neighborhood search",
2010; the neighbourhoods of a plan as in Nakhost and Mueller, "Action elimination and plan
neighborhood graph search", ICAPS 2010).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.semantics import (
    amounts_after,
    initial_amounts,
    initial_state,
    successor,
)
from fcp_ros.planning.flat.task import Floats
from fcp_ros.planning.heuristics.ff import ff
from fcp_ros.planning.heuristics.relaxed_task import make_workspace, reweigh
from fcp_ros.planning.model.request import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search.best_first import BestFirst, SpentCallback
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.outcome import (
    FlatPlan,
    SearchOutcome,
    SearchReport,
    make_plan,
    step_below,
)
from fcp_ros.planning.search.prepared import FORBIDDEN, PreparedTask

OperatorMask = np.ndarray[tuple[int], np.dtype[np.bool_]]
"""A choice of operators, bool[m]."""

FIRST_EFFORT = 300
"""States to expand or evaluate in each of the first searches."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One search near the best plan.

    Attributes:
        prefix: the operators of the plan that stay.
        search: looks for the rest.
        until: effort at which it is given up.
    """

    prefix: tuple[int, ...]
    search: BestFirst
    until: int


class PlanNeighbourhood:
    """Searches near the best plan, as long as there is anything to try.

    Args:
        prepared: the task.
        objective: what is optimised; costs decide.
        options: the seed is read.
        memory: bytes that each search may use.
        plan: the best plan.
        spent: called after each slice of some milliseconds. What it raises goes through.
        improved: told about each better plan at once; tells `know` about it.
    """

    def __init__(
        self,
        prepared: PreparedTask,
        objective: Objective,
        options: SearchOptions,
        memory: int,
        plan: FlatPlan,
        spent: SpentCallback,
        improved: Callable[[FlatPlan], None],
    ) -> None:
        self._prepared = prepared
        self._objective = objective
        self._options = options
        self._memory = memory
        self._spent = spent
        self._improved = improved
        self._draw = np.random.default_rng(options.seed)
        self._effort = FIRST_EFFORT
        self._finished = (0, 0, 0)  # effort, expanded, generated of the searches that have ended
        self._attempt: _Attempt | None = None
        self.know(plan)

    def know(self, plan: FlatPlan) -> None:
        """Search near this plan from now on."""
        self._best = plan
        self._end_attempt()
        self._attempts = self._list_attempts()

    def run(self, allowance: int) -> SearchReport:
        """Go on until the allowance is used up, or nothing is left to try.

        Args:
            allowance: states to expand or evaluate at most in this call.
        """
        target = self.effort + allowance
        while self.effort < target:
            if self._attempt is None:
                self._attempt = next(self._attempts, None)
            if self._attempt is None:
                return replace(self.report(), outcome=SearchOutcome.FOUND)
            self._work(self._attempt, target)
        return self.report()

    def report(self) -> SearchReport:
        """Report the state of the searches; they bound nothing."""
        _, expanded, generated = self._finished
        now = None if self._attempt is None else self._attempt.search.report()
        return SearchReport(
            SearchOutcome.PAUSED,
            self._best,
            0.0,
            expanded + (0 if now is None else now.expanded),
            generated + (0 if now is None else now.generated),
            0 if now is None else now.stored,
        )

    @property
    def effort(self) -> int:
        """States expanded and states evaluated so far."""
        return self._finished[0] + (0 if self._attempt is None else self._attempt.search.effort)

    def _work(self, attempt: _Attempt, target: int) -> None:
        """Go on with an attempt."""
        search = attempt.search
        left = min(attempt.until - search.effort, target - self.effort)
        report = search.run(max(1, left))
        if report.best is None:
            if report.outcome is not SearchOutcome.PAUSED or search.effort >= attempt.until:
                self._end_attempt()
            return
        operators = (*attempt.prefix, *report.best.operators)
        self._end_attempt()
        self._improved(make_plan(self._prepared.task, operators, self._objective.composition))

    def _end_attempt(self) -> None:
        if self._attempt is not None:
            report, (effort, expanded, generated) = self._attempt.search.report(), self._finished
            self._finished = (
                effort + max(1, self._attempt.search.effort),
                expanded + report.expanded,
                generated + report.generated,
            )
            self._attempt = None

    # --- attempts

    def _list_attempts(self) -> Iterator[_Attempt]:
        """Yield attempts, each when it is wanted, until none is possible."""
        dear = self._list_dear()
        while dear:
            possible = set()
            for strict in (True, False):
                for operator in dear:
                    attempt = self._make_attempt(operator, strict)
                    if attempt is not None:
                        possible.add(operator)
                        yield attempt
            dear = [operator for operator in dear if operator in possible]
            self._effort *= 2

    def _list_dear(self) -> list[int]:
        """List the operators of the best plan that cost something, in random order, dear first."""
        cost = self._prepared.task.cost
        dear = [o for o in dict.fromkeys(self._best.operators) if cost[o] > 0.0]
        chance = self._draw.random(len(dear))
        order = sorted(range(len(dear)), key=lambda n: cost[dear[n]] * (0.5 + chance[n]))
        return [dear[n] for n in reversed(order)]

    def _make_attempt(self, operator: int, strict: bool) -> _Attempt | None:
        """Make the attempt to do without an operator; None if no plan can."""
        forbidden = self._forbid(operator, strict)
        prefix = self._choose_prefix(forbidden)
        if prefix is None:
            return None
        task, best = self._prepared.task, self._best
        state, amounts = initial_state(task), initial_amounts(task)
        for done in prefix:
            left = amounts_after(task, amounts, done)
            assert left is not None, "the plan works"
            amounts, state = left, successor(task, state, done)
        before = make_plan(task, prefix, self._objective.composition)
        rest = replace(self._objective, cost_budget=step_below(best.cost) - before.cost)
        if rest.composition is Composition.SUM:
            rest = replace(rest, loss_budget=rest.loss_budget - before.loss)
        beyond = math.ceil(best.cost) + 1.0
        near = task._replace(
            initial=np.array(state, np.int32),
            amount=np.array(amounts, np.float64),
            cost=np.where(forbidden, beyond, task.cost),
        )
        options = replace(
            self._options,
            algorithm=Algorithm.LAZY_GREEDY if strict else Algorithm.BEAM,
            heuristic=Heuristic.FF,
            tie_heuristic=Heuristic.FF if strict else Heuristic.BLIND,
        )
        prepared = PreparedTask(near, self._prepared)
        search = BestFirst(prepared, rest, options, self._memory, None, self._spent)
        return _Attempt(prefix, search, self._effort)

    def _forbid(self, operator: int, strict: bool) -> OperatorMask:
        """Choose the operators that may not be used."""
        cost = self._prepared.task.cost
        forbidden = cost > (0.0 if strict else math.inf)
        forbidden[list(self._best.operators)] = False
        forbidden[operator] = True
        return forbidden

    def _choose_prefix(self, forbidden: OperatorMask) -> tuple[int, ...] | None:
        """Choose the part of the plan that stays: all that can, all, or something in between.

        Returns:
            None if there is not even a relaxed plan without the forbidden operators.
        """
        task, operators = self._prepared.task, self._best.operators
        weight: Floats = np.where(forbidden, FORBIDDEN, 1.0)
        relaxed = reweigh(self._prepared.relaxed, weight)
        work = make_workspace(relaxed)
        states = [initial_state(task)]
        for operator in operators:
            states.append(successor(task, states[-1], operator))

        def can_go_on(place: int) -> bool:
            return ff(relaxed, work, np.array(states[place], np.int32)) < FORBIDDEN

        if not can_go_on(0):
            return None
        # Mostly what cannot be reached any more at some place cannot be reached later either.
        low, high = 0, len(operators)
        while high - low > 1:
            middle = (low + high) // 2
            if can_go_on(middle):
                low = middle
            else:
                high = middle
        return operators[: math.floor(low * self._draw.choice([0.0, 1.0, self._draw.random()]))]
