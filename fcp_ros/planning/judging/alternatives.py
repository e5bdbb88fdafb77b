# SPDX-License-Identifier: Apache-2.0
"""The best plan of all alternatives of a goal, looked for in the most promising ones first.

With many alternatives, a search over all of them proves little: its bound mixes the best step of
each. But for a single alternative a cheap bound is often exact. So the alternatives with the least
bound are searched first, and the others only if their bounds are below the loss that was found:
mostly they are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.judging.ranking import AlternativeRanking
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.search.objective import Criterion, FlatPlan, Objective

OUT = 10.0
"""Loss of finishing an alternative that is not searched; more than any plan worth looking for."""
FAR = 1e5
"""Its cost, so that no heuristic leads there."""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """The result of one search, by optimistic losses."""

    plan: FlatPlan | None
    bound: float  # lower bound of the first criterion of all plans
    proven: bool  # True if the plan is the best one (or, without a plan, if there is none)
    interrupted: Interrupted | None = None


Search = Callable[[FlatTask, Objective, FlatPlan | None], RoundResult]
"""Searches a task by an objective; only plans better than the known one are looked for."""


def search_alternatives(
    task: FlatTask,
    ranking: AlternativeRanking,
    objective: Objective,
    known: FlatPlan | None,
    search: Search,
) -> RoundResult:
    """Search for the best plan of a task by the losses that it has."""
    if objective.order[0] is not Criterion.LOSS or len(ranking.finishes) == 1:
        return search(task, objective, known)
    bound = ranking.bound
    contenders = ranking.list_contenders(math.inf if known is None else known.loss)
    contenders = [o for o in contenders if bound[o] <= objective.loss_budget + EPSILON]
    if not contenders:
        return RoundResult(known, math.inf if known is None else known.loss, True)
    first = [o for o in contenders if bound[o] <= bound[contenders[0]] + EPSILON]
    others = contenders[len(first) :]
    if known is None and not others:
        return search(task, objective, None)
    within = replace(objective, loss_budget=min(objective.loss_budget, OUT / 2.0))
    result = search(_leave_only(task, ranking, first), within, known)
    if not _is_settled(result):
        rest = float(bound[others[0]]) if others else math.inf
        return replace(result, bound=min(result.bound, rest))
    limit = math.inf if result.plan is None else result.plan.loss
    others = [o for o in others if bound[o] < limit - EPSILON]
    if others:
        result = search(_leave_only(task, ranking, others), within, result.plan)
        if not _is_settled(result):
            return result
    best = result.plan
    if best is None and within != objective:  # only plans with more loss than that are left
        return search(task, objective, None)
    return RoundResult(best, math.inf if best is None else best.loss, True)


def _is_settled(result: RoundResult) -> bool:
    return result.proven and result.interrupted is None


def _leave_only(task: FlatTask, ranking: AlternativeRanking, chosen: Collection[int]) -> FlatTask:
    """Make all alternatives but some not worth finishing."""
    others = list(set(ranking.finishes).difference(chosen))
    loss, cost = task.loss.copy(), task.cost.copy()
    loss[others] = OUT
    cost[others] = FAR
    return task._replace(loss=loss, cost=cost)
