# SPDX-License-Identifier: Apache-2.0
"""Lazy memberships: search as if unknown degrees were 1, judge what the best plan needs, again.

Unknown degrees are optimistic, so the loss of the plan found is a lower bound for all plans, and
the first best plan with nothing unknown left is the best of all: the optimum is that of judging
everything first (the argument is that of lazy evaluation of edge costs: Dellin and Srinivasa, A
Unifying Formalism for Shortest Path Problems with Expensive Edge Evaluations, ICAPS 2016).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from fcp_ros.fuzzy import EPSILON, Composition, TNorm
from fcp_ros.planning.compile.encoding import Encoding
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.heuristics.estimator import Estimator
from fcp_ros.planning.heuristics.kind import Kind
from fcp_ros.planning.judging.candidates_to_judge import (
    Siblings,
    rivals,
    rivals_in_round,
)
from fcp_ros.planning.model.memberships import GradedAtom, Judge
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.search.grid import composed
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.outcome import FlatPlan


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What a search of one round found.

    Attributes:
        plan: the best plan by the optimistic losses; None without any.
        bound: lower bound of the first criterion of all plans.
        proven: whether the plan is the best one by the optimistic losses (or, without a plan,
            whether there is none).
        interrupted: the limit that ended the search; None where it ended by itself.
    """

    plan: FlatPlan | None
    bound: float
    proven: bool
    interrupted: Interrupted | None = None


@dataclass(frozen=True, slots=True)
class LazyResult:
    """How the rounds ended.

    Attributes:
        best: the best plan of which everything is judged, with its true loss.
        bound: lower bound of the first criterion of all plans.
        proven: whether `best` is the best plan; without one, whether there is none.
        rounds: searches made.
    """

    best: FlatPlan | None
    bound: float
    proven: bool
    rounds: int


class LazySearch:
    """Alternates search and judging.

    Arguments:
        encoding: the task.
        tnorm: how degrees compose.
        judge: who knows degrees, and asks for them.
        objective: what is optimised.
        search: one search on a task with given losses.
        found: told about each judged plan that is better than those before.
        enough: asked after each round whether to be content with what was found.
        judging: the context in which degrees are asked for, such as one that takes the time.
    """

    def __init__(
        self,
        encoding: Encoding,
        tnorm: TNorm,
        judge: Judge,
        objective: Objective,
        search: Callable[[FlatTask, FlatPlan | None], RoundResult],
        found: Callable[[FlatPlan], None] = lambda _plan: None,
        enough: Callable[[], bool] = lambda: False,
        judging: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._encoding = encoding
        self._tnorm = tnorm
        self._judge = judge
        self._objective = objective
        self._search = search
        self._found = found
        self._enough = enough
        self._judging = judging
        self._siblings: Siblings | None = None
        self.best: FlatPlan | None = None
        self.bound = 0.0

    def run(self) -> LazyResult:
        """Search until the best plan is judged, or the search has nothing more to offer.

        Raises:
            Interrupted: by a limit; what was found before is in `best` and `bound`.
        """
        # Each round judges something new, or is the last.
        for number in itertools.count(1):
            task = self._optimistic()
            result = self._search(task, self.best)
            self.bound = max(self.bound, result.bound)
            missing = [] if result.plan is None else self._unknown(result.plan.operators)
            if result.interrupted is not None:
                if result.plan is not None and not missing:
                    self._take(self._revalued(task, result.plan))
                raise result.interrupted
            if result.plan is None:
                return LazyResult(self.best, self.bound, result.proven, number)
            if missing:
                with self._judging():
                    rivals_too = self._rivals(task, result.plan, rivals_in_round(number))
                    self._judge.judge([*missing, *rivals_too])
                task = self._optimistic()
            self._take(self._revalued(task, result.plan))
            settled = self._settled()
            if not missing or settled or self._enough():
                proven = settled or (not missing and result.proven)
                return LazyResult(self.best, self.bound, proven, number)
        raise AssertionError("unreachable")

    def judge_all(self) -> None:
        """Ask for everything at once, so that one round will do."""
        with self._judging():
            self._judge.judge(atom for atoms in self._encoding.graded for atom in atoms)

    def _optimistic(self) -> FlatTask:
        """The flat task with what is known now."""
        return self._encoding.with_losses(self._judge.known, self._tnorm)

    def _settled(self) -> bool:
        return self.best is not None and self.best.first(self._objective) <= self.bound + EPSILON

    def _unknown(self, operators: Sequence[int]) -> list[GradedAtom]:
        atoms = dict.fromkeys(
            atom for operator in operators for atom in self._encoding.graded[operator]
        )
        return [atom for atom in atoms if self._judge.known(atom) is None]

    def _rivals(self, task: FlatTask, plan: FlatPlan, count: int) -> list[GradedAtom]:
        if self._siblings is None:
            self._siblings = Siblings(task)
        steps = [o for o in plan.operators if self._unknown([o])]
        siblings = list(self._siblings.of(steps))
        if not siblings:
            return []
        losses = Estimator(task, Kind.MAX, task.loss, self._objective.composition)
        costs = Estimator(task, Kind.MAX, task.cost)
        return list(
            rivals(
                siblings,
                losses.operator_values(task.initial),
                costs.operator_values(task.initial),
                math.inf if self.best is None else self.best.loss,
                lambda operator: self._unknown([operator]),
                count,
            )
        )

    def _take(self, plan: FlatPlan) -> None:
        """A judged plan: keep it if it is better than the best one, and within the budgets."""
        objective = self._objective
        within = (
            plan.loss <= objective.loss_budget + EPSILON
            and plan.cost <= objective.cost_budget + EPSILON
        )
        if within and (self.best is None or plan.is_better(self.best, self._objective)):
            self.best = plan
            self._found(plan)

    def _revalued(self, task: FlatTask, plan: FlatPlan) -> FlatPlan:
        """The plan with the losses that are known now."""
        maximum = self._objective.composition is Composition.MAXIMUM
        loss = composed(task.loss, plan.operators, maximum)
        return FlatPlan(plan.operators, loss, plan.cost)
