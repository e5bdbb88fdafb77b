# SPDX-License-Identifier: Apache-2.0
"""A plan of the same loss that costs less, looked for with a bounded effort."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.search_options import SearchOptions
from fcp_ros.planning.search.engine import MEMORY, BestFirst, Spent, unwatched
from fcp_ros.planning.search.objective import Criterion, Objective
from fcp_ros.planning.search.outcome import FlatPlan, Outcome
from fcp_ros.planning.search.portfolio import LARGE
from fcp_ros.planning.search.prepared import Prepared
from fcp_ros.planning.search.shortening import shortenings


def shortened(
    prepared: Prepared,
    objective: Objective,
    plan: FlatPlan,
    effort: int,
    options: SearchOptions | None = None,
    memory: int = MEMORY,
    spent: Spent = unwatched,
) -> FlatPlan:
    """A plan with no more loss that costs less, or the plan itself where none is found.

    Arguments:
        prepared: the task.
        objective: of which the plan is the best; its first criterion is the loss.
        plan: the plan.
        effort: states that were expanded or evaluated until it was found.
        options: the seed is taken from these.
        memory: bytes that it may use.
        spent: called after each slice of some milliseconds. What it raises goes through.
    """
    if objective.order[0] is not Criterion.LOSS or plan.cost <= EPSILON:
        return plan
    share = min(1.0, LARGE / max(1, len(prepared.relaxed.operator)))
    waiting = list(shortenings(options or SearchOptions(), len(plan.operators), effort, share))
    best = plan
    while waiting:
        stage = waiting.pop(0)
        cheaper = replace(
            objective,
            order=(Criterion.COST, Criterion.LOSS),
            loss_budget=best.loss,
            cost_budget=best.cost - 2 * EPSILON,
        )
        search = BestFirst(prepared, cheaper, stage.options, memory, spent=spent)
        report = search.run(max(1, stage.effort))
        if report.best is not None:
            best, waiting = report.best, list(stage.then)
        elif report.outcome is Outcome.EXHAUSTED:  # there is none at all
            break
    return best
