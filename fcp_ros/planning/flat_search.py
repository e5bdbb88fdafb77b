# SPDX-License-Identifier: Apache-2.0
"""One round's search on a flat task, within what is left of the request's limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.judging.contest import RoundResult
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.search_options import Algorithm
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.search.best_first import BestFirst
from fcp_ros.planning.search.bidirectional.meeting import Meeting
from fcp_ros.planning.search.bidirectional.operators import explain_unsuitable
from fcp_ros.planning.search.bidirectional.search import BidirectionalSearch, LowerBounds
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.outcome import FlatPlan, SearchOutcome, SearchReport
from fcp_ros.planning.search.portfolio import Portfolio
from fcp_ros.planning.search.prepared import PreparedTask, prepare
from fcp_ros.planning.search.shortening import shorten

MEBIBYTE = 1 << 20
LABEL_BYTES = 1000
"""About what a label of the bidirectional search takes."""


class FlatSearch:
    """Searches flat tasks for one request.

    Arguments:
        options: limits, algorithm and seed.
        watch: counts and interrupts.
    """

    def __init__(self, options: PlanningOptions, watch: Watch) -> None:
        self._options = options
        self._search = replace(options.search, seed=options.seed)
        self._watch = watch
        self._prepared: PreparedTask | None = None
        self._effort = 0
        self.meeting: Meeting | None = None
        """Where the halves of the last plan met, if it was searched for from both ends."""

    def __call__(self, task: FlatTask, objective: Objective, known: FlatPlan | None) -> RoundResult:
        """The best plan of a flat task, or how far the search came.

        A task that can't be searched backwards is searched forwards, whatever the options say.

        Arguments:
            task: the task.
            objective: what is optimised.
            known: a plan that is known; only better ones are looked for.
        """
        if self._search.algorithm is Algorithm.BIDIRECTIONAL and not explain_unsuitable(task):
            return self._from_both_ends(task, objective, known)
        portfolio = self._search.algorithm in (Algorithm.PORTFOLIO, Algorithm.BIDIRECTIONAL)
        kind = Portfolio if portfolio else BestFirst
        try:
            engine = kind(
                self._ready(task),
                objective,
                self._search,
                int(self._options.memory_limit * MEBIBYTE),
                known,
                self._watch.spent,
            )
        except Interrupted as reason:  # while it looked for landmarks
            return RoundResult(known, 0.0, False, reason)
        result = self._result(engine.run, engine.report)
        self._effort = engine.effort
        return result

    def shorter(self, task: FlatTask, objective: Objective, plan: FlatPlan) -> FlatPlan:
        """A plan with no more loss that costs less; the plan itself where none is found.

        Only the portfolio looks for one, and with about the effort that the last search took.
        """
        if self._search.algorithm is not Algorithm.PORTFOLIO:
            return plan
        memory = int(self._options.memory_limit * MEBIBYTE)
        prepared, effort = self._ready(task), self._effort
        try:
            return shorten(
                prepared, objective, plan, effort, self._search, memory, self._watch.spent
            )
        except Interrupted as reason:
            if reason.status is PlanStatus.CANCELLED:
                raise
            return plan

    def _ready(self, flat: FlatTask) -> PreparedTask:
        """The task, prepared; the rounds of one task, which differ in losses, prepare it once."""
        known = self._prepared
        same = known is not None and known.task.pre_var is flat.pre_var
        self._prepared = known.revalue(flat) if known is not None and same else prepare(flat)
        return self._prepared

    def _from_both_ends(
        self, flat: FlatTask, objective: Objective, incumbent: FlatPlan | None
    ) -> RoundResult:
        labels = int(self._options.memory_limit * MEBIBYTE) // LABEL_BYTES
        bounds = LowerBounds(flat, objective.composition)
        engine = BidirectionalSearch(
            flat, objective, labels, self._options.seed, bounds, incumbent, self._watch.spent
        )
        result = self._result(engine.run, engine.report)
        self.meeting = engine.meeting
        return result

    def _result(
        self, run: Callable[[int], SearchReport], report_of: Callable[[], SearchReport]
    ) -> RoundResult:
        try:
            report = run(self._watch.expansions_left)
            interrupted = self._limit(report)
        except Interrupted as reason:
            report, interrupted = report_of(), reason
        proven = report.outcome in (SearchOutcome.OPTIMAL, SearchOutcome.EXHAUSTED)
        return RoundResult(report.best, report.bound, proven, interrupted)

    def _limit(self, report: SearchReport) -> Interrupted | None:
        """The limit that a search ran into."""
        if report.outcome is SearchOutcome.PAUSED:
            return self._watch.out_of_expansions()
        if report.outcome is SearchOutcome.OUT_OF_MEMORY:
            return Interrupted(
                PlanStatus.MEMOUT,
                f"The memory limit of {self._options.memory_limit:g} MiB was reached.",
            )
        return None
