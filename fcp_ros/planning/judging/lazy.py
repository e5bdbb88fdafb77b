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
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.judging.candidates_to_judge import Candidates
from fcp_ros.planning.judging.contest import OUT, Search, best_of_alternatives
from fcp_ros.planning.model.memberships import GradedAtom, Judge
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.outcome import FlatPlan, make_plan


@dataclass(frozen=True, slots=True)
class LazyResult:
    """How the rounds ended.

    Attributes:
        best: the best plan of which everything is judged, with its true loss.
        bound: lower bound of the first criterion of all plans.
        proven: whether `best` is the best plan; without one, whether there is none.
    """

    best: FlatPlan | None
    bound: float
    proven: bool


class LazySearch:
    """Alternates search and judging.

    Arguments:
        encoding: the task.
        tnorm: how degrees compose.
        judge: who knows degrees, and asks for them.
        objective: what is optimised.
        search: one search.
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
        search: Search,
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
        finishes = [o for o, action in enumerate(encoding.actions) if action.finishes]
        self._candidates = Candidates(encoding.flat, finishes, objective.composition)
        self.best: FlatPlan | None = None
        self.bound = 0.0

    def run(self) -> LazyResult:
        """Search until the best plan is judged, or the search has nothing more to offer.

        A plan that is proven is shortened at last: only now is it clear that it is worth it.

        Raises:
            Interrupted: by a limit; what was found before is in `best` and `bound`.
        """
        result = self._rounds()
        if self.best is None or not result.proven or self._enough():
            return result
        task = self._without_unknown(self._optimistic())
        shorter = self._search.shorter(task, self._objective, self.best)
        self._take(self._revalued(task, shorter))
        return replace(result, best=self.best)

    def _rounds(self) -> LazyResult:
        # Each round judges something new, or is the last.
        for number in itertools.count(1):
            task = self._optimistic()
            result = best_of_alternatives(
                task, self._candidates, self._objective, self.best, self._search
            )
            self.bound = max(self.bound, result.bound)
            missing = [] if result.plan is None else self._unknown(result.plan.operators)
            if result.interrupted is not None:
                if result.plan is not None and not missing:
                    self._take(self._revalued(task, result.plan))
                raise result.interrupted
            if result.plan is None:
                return LazyResult(self.best, self.bound, result.proven)
            if missing:
                with self._judging():
                    self._judge.judge([*missing, *self._rivals(result.plan, number)])
                task = self._optimistic()
            self._take(self._revalued(task, result.plan))
            settled = self._settled()
            if not missing or settled or self._enough():
                proven = settled or (not missing and result.proven)
                return LazyResult(self.best, self.bound, proven)
        raise AssertionError("unreachable")

    def _without_unknown(self, task: FlatTask) -> FlatTask:
        """The task, in which operators that would have to be judged first are not worth it."""
        known = self._judge.known
        graded = enumerate(self._encoding.graded)
        unknown = [o for o, atoms in graded if any(known(atom) is None for atom in atoms)]
        if not unknown:
            return task
        loss = task.loss.copy()
        loss[unknown] = OUT
        return task._replace(loss=loss)

    def judge_all(self) -> None:
        """Ask for everything at once, so that one round will do."""
        with self._judging():
            self._judge.judge(atom for atoms in self._encoding.graded for atom in atoms)

    def _optimistic(self) -> FlatTask:
        """The flat task with what is known now."""
        task = self._encoding.with_losses(self._judge.known, self._tnorm)
        self._candidates.learn(task)
        return task

    def _settled(self) -> bool:
        return self.best is not None and self.best.first(self._objective) <= self.bound + EPSILON

    def _unknown(self, operators: Sequence[int]) -> list[GradedAtom]:
        atoms = dict.fromkeys(
            atom for operator in operators for atom in self._encoding.graded[operator]
        )
        return [atom for atom in atoms if self._judge.known(atom) is None]

    def _rivals(self, plan: FlatPlan, number: int) -> Iterator[GradedAtom]:
        """What to ask about the rivals of a plan in a round."""
        best = math.inf if self.best is None else self.best.loss
        return self._candidates.questions(
            plan.operators,
            best,
            lambda operator: self._unknown([operator]),
            number,
            self._judge.asked,
        )

    def _take(self, plan: FlatPlan) -> None:
        """A judged plan: keep it if it is better than the best one, and within the budgets."""
        within = plan.is_within(self._objective)
        if within and (self.best is None or plan.is_better(self.best, self._objective)):
            self.best = plan
            self._found(plan)

    def _revalued(self, task: FlatTask, plan: FlatPlan) -> FlatPlan:
        """The plan with the losses that are known now."""
        return make_plan(task, plan.operators, self._objective.composition)
