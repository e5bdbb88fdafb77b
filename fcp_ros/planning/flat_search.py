# SPDX-License-Identifier: Apache-2.0
"""One round's search on a flat task, within what is left of the request's limits."""

from __future__ import annotations

from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.judging.lazy import RoundResult
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.options import SearchOptions
from fcp_ros.planning.search.outcome import FlatPlan, Outcome, SearchReport
from fcp_ros.planning.search.portfolio import Portfolio

MEBIBYTE = 1 << 20


class FlatSearch:
    """Searches flat tasks for one request.

    Arguments:
        options: limits and seed.
        watch: counts and interrupts.
    """

    def __init__(self, options: PlanningOptions, watch: Watch) -> None:
        self._options = options
        self._watch = watch

    def __call__(
        self, flat: FlatTask, objective: Objective, incumbent: FlatPlan | None
    ) -> RoundResult:
        """The best plan of a flat task, or how far the search came.

        Arguments:
            flat: the task.
            objective: what is optimised.
            incumbent: a plan that is known; only better ones are looked for.
        """
        engine = Portfolio(
            flat,
            objective,
            SearchOptions(seed=self._options.seed),
            int(self._options.memory_limit * MEBIBYTE),
            incumbent,
            self._watch.spent,
        )
        try:
            report = engine.run(self._watch.expansions_left)
            interrupted = self._limit(report)
        except Interrupted as reason:
            report, interrupted = engine.report(), reason
        proven = report.outcome in (Outcome.OPTIMAL, Outcome.EXHAUSTED)
        return RoundResult(report.best, report.bound, proven, interrupted)

    def _limit(self, report: SearchReport) -> Interrupted | None:
        """The limit that a search ran into."""
        if report.outcome is Outcome.PAUSED:
            return self._watch.out_of_expansions()
        if report.outcome is Outcome.OUT_OF_MEMORY:
            return Interrupted(
                PlanStatus.MEMOUT,
                f"The memory limit of {self._options.memory_limit:g} MiB was reached.",
            )
        return None
