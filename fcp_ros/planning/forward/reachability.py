# SPDX-License-Identifier: Apache-2.0
"""How well each fact of the whole task can be reached at best, ignoring all that actions undo.

One pass gives a first bound for every alternative of the goal, before any of them is looked at
closely: for each fact the best membership of a chain of actions that leads to it (hmax), and a
number of steps (hadd) by which equally good alternatives are ordered.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.compile.goal_alternatives import Alternative
from fcp_ros.planning.compile.task import Task
from fcp_ros.planning.model.watch import Watch


@dataclass(frozen=True)
class Reach:
    """For each fact the best membership (-1: unreachable), and the estimated number of steps."""

    memberships: Sequence[float]
    steps: Sequence[float]
    tnorm: TNorm

    def bound(self, alternative: Alternative) -> float:
        """Upper bound of the membership of any plan for the alternative; -1 where there is none."""
        if alternative.missing:
            return -1.0
        worst = min((self.memberships[fact] for fact in alternative.positive), default=1.0)
        return -1.0 if worst < 0.0 else self.tnorm.compose(worst, alternative.degree)

    def distance(self, alternative: Alternative) -> float:
        """Estimated number of steps to the alternative."""
        return sum(self.steps[fact] for fact in alternative.positive)


def reach(task: Task, degrees: Sequence[float], tnorm: TNorm, watch: Watch) -> Reach:
    """Explore the delete relaxation of the whole task once.

    Arguments:
        task: the task.
        degrees: for each operator its degree; 1 where it is not known.
        tnorm: how degrees compose.
        watch: checked all the time.
    """
    consumers: list[list[int]] = [[] for _ in task.facts]
    for index, operator in enumerate(task.operators):
        for fact in operator.pre:
            consumers[fact].append(index)
    return Reach(
        _memberships(task, degrees, tnorm, consumers, watch), _steps(task, consumers, watch), tnorm
    )


def _memberships(
    task: Task,
    degrees: Sequence[float],
    tnorm: TNorm,
    consumers: Sequence[Sequence[int]],
    watch: Watch,
) -> list[float]:
    best = [-1.0] * len(task.facts)
    missing = [len(operator.pre) for operator in task.operators]
    queue: list[tuple[float, int]] = []

    def achieve(index: int, worst: float) -> None:
        value = tnorm.compose(worst, degrees[index])
        for fact in task.operators[index].add:
            if value > best[fact]:
                best[fact] = value
                heapq.heappush(queue, (-value, fact))

    for fact in sorted(task.initial):
        best[fact] = 1.0
        heapq.heappush(queue, (-1.0, fact))
    for index, count in enumerate(missing):
        if not count:
            achieve(index, 1.0)
    while queue:
        watch.check()
        negative, fact = heapq.heappop(queue)
        if -negative < best[fact]:
            continue
        for index in consumers[fact]:
            missing[index] -= 1
            if not missing[index]:
                achieve(index, -negative)
    return best


def _steps(task: Task, consumers: Sequence[Sequence[int]], watch: Watch) -> list[float]:
    costs = [float("inf")] * len(task.facts)
    missing = [len(operator.pre) for operator in task.operators]
    totals = [1.0] * len(task.operators)
    queue: list[tuple[float, int]] = []

    def achieve(index: int) -> None:
        for fact in task.operators[index].add:
            if totals[index] < costs[fact]:
                costs[fact] = totals[index]
                heapq.heappush(queue, (totals[index], fact))

    for fact in sorted(task.initial):
        costs[fact] = 0.0
        heapq.heappush(queue, (0.0, fact))
    for index, count in enumerate(missing):
        if not count:
            achieve(index)
    while queue:
        watch.check()
        cost, fact = heapq.heappop(queue)
        if cost > costs[fact]:
            continue
        for index in consumers[fact]:
            totals[index] += cost
            missing[index] -= 1
            if not missing[index]:
                achieve(index)
    return costs
