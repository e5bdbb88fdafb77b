# SPDX-License-Identifier: Apache-2.0
"""The best plan of all alternatives, looked for where it is most likely first.

With many alternatives of the goal, a search over all of them proves little: its bound mixes the
best step of each. But for a single alternative a cheap bound is often exact. So the alternatives
with the least bound are searched first, and the others only if their bounds are below what was
found: mostly they are not.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Protocol

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.judging.candidates_to_judge import Candidates
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.search.objective import Criterion, Objective
from fcp_ros.planning.search.outcome import FlatPlan

OUT = 10.0
"""Loss of finishing an alternative that is not searched; more than plans are worth looking for."""
FAR = 1e5
"""Its cost, so that no heuristic leads there."""


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


class Search(Protocol):
    """Searches flat tasks."""

    def __call__(self, task: FlatTask, objective: Objective, known: FlatPlan | None) -> RoundResult:
        """The best plan of a task, or how far the search came.

        Arguments:
            task: the task.
            objective: what is optimised.
            known: a plan that is known; only better ones are looked for.
        """
        ...

    def shorter(self, task: FlatTask, objective: Objective, plan: FlatPlan) -> FlatPlan:
        """A plan with no more loss that costs less; the plan itself where none is found."""
        ...


def best_of_alternatives(
    task: FlatTask,
    candidates: Candidates,
    objective: Objective,
    known: FlatPlan | None,
    search: Search,
) -> RoundResult:
    """The best plan of a task by the losses that it has.

    Arguments:
        task: the task.
        candidates: its alternatives, ranked by those losses.
        objective: what is optimised.
        known: a plan that is known; only better ones are looked for.
        search: looks through a task.

    Returns:
        as `search` would for the whole task; `plan` is `known` where none is better.
    """
    if objective.order[0] is not Criterion.LOSS or len(candidates.finishes) == 1:
        return search(task, objective, known)
    bound = candidates.bound
    contenders = candidates.contenders(math.inf if known is None else known.loss)
    contenders = [o for o in contenders if bound[o] <= objective.loss_budget + EPSILON]
    if not contenders:
        return RoundResult(known, math.inf if known is None else known.loss, True)
    first = [o for o in contenders if bound[o] <= bound[contenders[0]] + EPSILON]
    if known is None and len(first) == len(contenders):
        return search(task, objective, None)
    within = replace(objective, loss_budget=min(objective.loss_budget, OUT / 2.0))
    best, searched = known, len(first)
    group = first
    while group:
        result = search(_without_others(task, candidates, group), within, best)
        if result.interrupted is not None or not result.proven:
            others = float(bound[contenders[searched]]) if searched < len(contenders) else math.inf
            return replace(result, bound=min(result.bound, others))
        best = result.plan
        limit = math.inf if best is None else best.loss
        group = [o for o in contenders[searched:] if bound[o] < limit - EPSILON]
        searched = len(contenders)
    if best is None and within != objective:  # plans with more loss than that are left
        return search(task, objective, None)
    if best is None:
        return RoundResult(None, math.inf, True)
    return RoundResult(best, best.loss, True)


def _without_others(task: FlatTask, candidates: Candidates, chosen: Collection[int]) -> FlatTask:
    """The task, in which only some alternatives are worth finishing."""
    others = list(set(candidates.finishes).difference(chosen))
    loss, cost = task.loss.copy(), task.cost.copy()
    loss[others] = OUT
    cost[others] = FAR
    return task._replace(loss=loss, cost=cost)
