# SPDX-License-Identifier: Apache-2.0
"""The search of one task: its state over the rounds, and the progress told while it runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fcp_ros.fuzzy import EPSILON, TNorm, reaches
from fcp_ros.planning.encoding.costs import Premium
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.judging.ranking import AlternativeRanking
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.memberships import GradedAtom, Judge
from fcp_ros.planning.model.request import BestPlan
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.search.portfolio import SearchEngine
from fcp_ros.planning.search.settings import Criterion, FlatPlan, Objective

TRIAL = 3
"""Operators of a plan that are replayed to estimate how long its verification takes."""


@dataclass
class TaskSearch:
    """The task at hand, and the state of its search."""

    encoding: Encoding
    objective: Objective
    ranking: AlternativeRanking
    best: FlatPlan | None = None
    bound: float = 0.0  # lower bound of the first criterion of all plans
    effort: int = 0
    exact: bool = False  # True if its plan is proven to be optimal in both criteria
    is_complete: bool = False  # True if the task contains everything that can matter
    patience: int = 0  # effort that the search may spend until there is a plan; 0 for any
    # a search that its patience ended, with what it was asked
    paused: tuple[SearchEngine, FlatTask, Objective] | None = None
    ask_from: int = 0  # effort of the search from which on a plan that it finds is judged at once
    # True once that has happened: the search goes on by losses that are too low
    was_asked: bool = False
    told: FlatPlan | None = None  # the plan told last while the search runs, with everything judged

    def take_paused(self, task: FlatTask, objective: Objective) -> SearchEngine | None:
        """Take the search that was paused, if it was asked the same."""
        paused, self.paused = self.paused, None
        if paused is None:
            return None
        engine, asked, by = paused
        losses_equal = bool(np.array_equal(asked.loss, task.loss))
        same = asked.pre_var is task.pre_var and losses_equal and by == objective
        return engine if same else None

    @property
    def size(self) -> tuple[int, ...]:
        """The size of the task: of two tasks, one within the other, they are equal if it is."""
        task, values = self.encoding.task, int(self.encoding.flat.domain.sum())
        return *task.size, len(self.encoding.actions), values

    def list_unknown(self, operators: Sequence[int], judge: Judge) -> list[GradedAtom]:
        """List the graded atoms of operators that are not judged yet."""
        graded = self.encoding.graded
        atoms = dict.fromkeys(atom for operator in operators for atom in graded[operator])
        return [atom for atom in atoms if judge.find_degree(atom) is None]


@dataclass
class SearchProgress:
    """Tells the watch of a request what its running search has found."""

    judge: Judge
    tnorm: TNorm
    alpha: float
    cost_size: float  # cost of one unit in which flat tasks count what they minimise
    premium: Premium
    watch: Watch
    # measures the time (s) that the hand-over of a plan takes for each of the steps given
    measure_step: Callable[[Sequence[GroundStep]], float]
    seen: FlatPlan | None = None
    _step_time: float | None = field(default=None, init=False)

    def observe(self, work: TaskSearch, engine: SearchEngine) -> None:
        """Tell of the bound and of the best plan of a running search."""
        report = engine.report()
        best, order = report.best, work.objective.order
        found = [plan.first(work.objective) for plan in (best, work.best) if plan is not None]
        bound = min(report.bound, *found, math.inf)
        if work.is_complete and order[0] is Criterion.LOSS:
            self.watch.membership_bound = self.tnorm.degree_of(bound)
        elif work.is_complete:
            left_out, cost = self.premium.split(bound)
            self.watch.left_out_bound = left_out
            same = not found or left_out >= self.premium.split(min(found))[0]
            self.watch.cost_bound = cost * self.cost_size if same else 0.0
        if best is None or best is self.seen:
            return
        self.seen = best
        if work.was_asked or work.list_unknown(best.operators, self.judge):
            return
        work.told = best
        steps = self.reserve_time(work, best)
        self.report_plan(self.tnorm.degree_of(best.loss), steps, best.cost)
        if self.watch.satisfied and best.first(work.objective) > report.bound + EPSILON:
            raise Interrupted(PlanStatus.TIMEOUT, "No better one was looked for.")

    def reserve_time(self, work: TaskSearch, plan: FlatPlan) -> int:
        """Keep time for the hand-over of a plan; return the number of its steps."""
        steps = sum(len(work.encoding.actions[operator].steps) for operator in plan.operators)
        if self._step_time is None:
            self._step_time = self.measure_step(work.encoding.decode(plan.operators[:TRIAL]).steps)
        self.watch.reserve(self._step_time * steps)
        return steps

    def report_plan(self, membership: float, steps: int, cost: float) -> None:
        """Tell of a plan that was found."""
        left_out, rest = self.premium.split(cost)
        best = BestPlan(membership, steps, rest * self.cost_size, left_out)
        self.watch.report_plan(best, reaches(membership, self.alpha))
