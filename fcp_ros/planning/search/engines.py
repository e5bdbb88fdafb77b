# SPDX-License-Identifier: Apache-2.0
"""The choice of a search engine by algorithm: portfolio, best-first, or bidirectional."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from fcp_ros.planning.flat.goal_stages import find_goal_stages
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.model.request import Algorithm, SearchOptions
from fcp_ros.planning.search.best_first import BestFirst, SpentCallback
from fcp_ros.planning.search.bidirectional import BidirectionalSearch, LowerBounds
from fcp_ros.planning.search.incremental import IncrementalSearch
from fcp_ros.planning.search.objective import FlatPlan, Objective, SearchReport
from fcp_ros.planning.search.partial_states import explain_unsuitable
from fcp_ros.planning.search.portfolio import Portfolio
from fcp_ros.planning.search.prepared import PreparedTask
from fcp_ros.planning.search.settings import SearchRole, choose_options
from fcp_ros.planning.search.shortening import shorten

HALF_BYTES = 1000
"""Bytes that a half of the bidirectional search takes, about."""


class SearchEngine(Protocol):
    """A search that can be paused and continued."""

    @property
    def effort(self) -> int:
        """States expanded and states evaluated so far."""
        ...

    @property
    def is_exact(self) -> bool:
        """True if the best plan is proven to be optimal in both criteria."""
        ...

    def run(self, allowance: int) -> SearchReport:
        """Go on until the answer is known or the allowance (states) is used up."""
        ...

    def report(self) -> SearchReport:
        """Report the state of the search."""
        ...


class SearchFactory:
    """Opens the engines of one request, and prepares a task once for all its losses."""

    def __init__(
        self, options: SearchOptions, memory: Callable[[], int], spent: SpentCallback
    ) -> None:
        self._options = options
        self._memory = memory
        self._spent = spent
        self._prepared: PreparedTask | None = None

    def open(
        self, task: FlatTask, objective: Objective, incumbent: FlatPlan | None
    ) -> SearchEngine:
        """Open a search; a task that cannot be searched backwards gets a portfolio instead."""
        algorithm = self._options.algorithm
        if algorithm is Algorithm.BIDIRECTIONAL and not explain_unsuitable(task):
            return BidirectionalSearch(
                task,
                objective,
                self._memory() // HALF_BYTES,
                self._options.seed,
                LowerBounds(task, objective.composition),
                incumbent,
                self._spent,
            )
        mixed = algorithm in (Algorithm.PORTFOLIO, Algorithm.BIDIRECTIONAL)
        engine = Portfolio if mixed else BestFirst
        prepared = self.prepare(task)
        return engine(prepared, objective, self._options, self._memory(), incumbent, self._spent)

    def shorten(
        self,
        task: FlatTask,
        objective: Objective,
        plan: FlatPlan,
        effort: int,
        most_loss: float = 0.0,  # a loss that is acceptable, too
    ) -> tuple[FlatPlan, bool]:
        """Look for a plan with no more loss that costs less; only the portfolio's plans need it.

        Returns:
            the best plan, and True if it is proven to be the cheapest.
        """
        if self._options.algorithm is not Algorithm.PORTFOLIO:
            return plan, False
        prepared = self.prepare(task)
        return shorten(
            prepared, objective, plan, effort, self._options, self._memory(), self._spent, most_loss
        )

    def keep_more(
        self, task: FlatTask, objective: Objective, plan: FlatPlan, effort: int
    ) -> FlatPlan:
        """Look for a plan that keeps more of what is preferred, from the end of this one."""
        stages = find_goal_stages(task)
        if stages is None or self._options.algorithm is not Algorithm.PORTFOLIO:
            return plan
        options = choose_options(SearchRole.KEEP, objective, self._options)
        search = IncrementalSearch(
            self.prepare(task), stages, objective, options, plan, self._memory(), self._spent
        )
        return search.run(effort).best or plan

    def prepare(self, task: FlatTask) -> PreparedTask:
        """Prepare a task, or give the prepared one other losses if nothing else differs."""
        known = self._prepared
        same = known is not None and known.task.pre_var is task.pre_var
        self._prepared = PreparedTask(task, known if same else None)
        return self._prepared
