# SPDX-License-Identifier: Apache-2.0
"""Bidirectional search on a flat task: optimal, resumable, with a proof when there is no plan.

Forward labels carry what has been lost, backward labels partial states with a requirement (what may
have been lost before; DESIGN section 4). A plan is found where a forward state satisfies a partial
state, keeps its requirement, and leaves the resources and the time that it needs.

Until there is a plan, labels that are near the other side go first; then those with the least key,
on the side with less to do. The best plan is optimal when no plan could be made of a part as bad as
each side's best open label (Pohl 1971; with labels, the argument holds for each state of the plan).
"""

from __future__ import annotations

import random
from collections.abc import Callable

from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.search.bidirectional.backward_side import BackwardSide
from fcp_ros.planning.search.bidirectional.distance import distance
from fcp_ros.planning.search.bidirectional.forward_side import ForwardSide
from fcp_ros.planning.search.bidirectional.labels import WORST, Key, Needed, Reached
from fcp_ros.planning.search.bidirectional.meeting import Meeting, meeting_of, replays
from fcp_ros.planning.search.bidirectional.operators import operators_of, unsuitable
from fcp_ros.planning.search.bidirectional.resources import Resources
from fcp_ros.planning.search.bidirectional.scale import UNIT, Scale
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.outcome import FlatPlan, Outcome, SearchReport

BY_KEY = 4
"""Of so many expansions, one goes by key even while there is no plan."""


Estimate = Callable[[tuple[int, ...]], tuple[float, float]]
"""Lower bounds of the loss and of the cost from a state to the goal; infinite at a dead end."""


def nothing() -> None:
    """The check of a caller that never interrupts."""


class BidirectionalSearch:
    """One search; `run` as often as needed.

    Args:
        task: what is searched.
        objective: what is optimised.
        max_labels: labels that may be kept.
        seed: decides between labels that are equal in everything.
        estimate: lower bounds, with which states are left out that lead to no better plan once
            there is one. The proof then goes forward only; without, both ways.

    Raises:
        ValueError: the task can't be searched backwards (`unsuitable` says why).
    """

    def __init__(
        self,
        task: FlatTask,
        objective: Objective,
        max_labels: int = 2_000_000,
        seed: int = 0,
        estimate: Estimate | None = None,
    ) -> None:
        if reason := unsuitable(task):
            raise ValueError(reason)
        self._task = task
        self._max_labels = max_labels
        self._estimate = estimate
        self._random = random.Random(seed)
        self._generated = 0
        self._best: FlatPlan | None = None
        self._best_key: Key = WORST
        self.meeting: Meeting | None = None
        """Where the halves of the best plan met; None without a plan."""
        self._scale = Scale(task, objective)
        operators, resources = operators_of(task), Resources(task)
        self._forward = ForwardSide(task, operators, self._scale, resources)
        self._backward = BackwardSide(task, operators, self._scale, resources)
        goal, start = self._backward.goal, self._forward.start
        if goal is not None and self._promising(goal.loss, goal.cost):
            self._backward.frontier.beacons.append(goal)
            self._new_backward(goal)
        self._forward.frontier.beacons.append(start)
        self._new_forward(start)

    def run(self, allowance: int, check: Callable[[], None] = nothing) -> SearchReport:
        """Go on with the search.

        Args:
            allowance: states and partial states to expand at most.
            check: called for every operator that is tried; what it raises goes through, and the
                search can go on afterwards.

        Returns:
            OPTIMAL or EXHAUSTED when it is through; FOUND as soon as there is a plan or a better
            one; PAUSED; OUT_OF_MEMORY.
        """
        before = self._best
        for _ in range(allowance):
            check()
            if self._is_through() or self._best is not before:
                break
            if self._forward.frontier.kept + self._backward.frontier.kept >= self._max_labels:
                return self._report(Outcome.OUT_OF_MEMORY)
            self._expand(check)
        if self._is_through():
            return self._report(Outcome.EXHAUSTED if self._best is None else Outcome.OPTIMAL)
        return self._report(Outcome.PAUSED if self._best is before else Outcome.FOUND)

    def _is_through(self) -> bool:
        return self._bound() >= self._best_key

    def _bound(self) -> Key:
        """What no plan falls short of that wasn't found yet."""
        forward, backward = self._forward.frontier, self._backward.frontier
        return self._scale.bound(forward.bound(), backward.bound())

    def _report(self, outcome: Outcome) -> SearchReport:
        forward, backward = self._forward.frontier, self._backward.frontier
        return SearchReport(
            outcome,
            self._best,
            self._bound()[0] * UNIT,
            forward.expanded + backward.expanded,
            self._generated,
            forward.kept + backward.kept,
        )

    # --- expansion

    def _expand(self, check: Callable[[], None]) -> None:
        """Expand the label that promises most."""
        forward, backward = self._forward.frontier, self._backward.frontier
        if self._best is None and (forward.expanded + backward.expanded) % BY_KEY:
            reached, needed = forward.nearest(), backward.nearest()
            ahead = reached is not None and (needed is None or reached.distance <= needed.distance)
        else:
            reached, needed = forward.least(), backward.least()
            ahead = self._estimate is not None or forward.work() <= backward.work()
        if reached is not None and ahead:
            if self._is_hopeless(reached):
                forward.close(reached)
            else:
                self._expand_forward(reached, check)
        elif needed is not None:
            self._expand_backward(needed, check)

    def _is_hopeless(self, label: Reached) -> bool:
        """Whether the estimate shows that a label leads to no plan better than the best."""
        if self._best is None or self._estimate is None:
            return False
        loss, cost = self._estimate(label.state)
        loss = self._scale.composed(label.loss, loss / UNIT)
        return self._scale.no_better(
            self._scale.key(loss, label.cost + cost / UNIT), self._best_key
        )

    def _expand_forward(self, label: Reached, check: Callable[[], None]) -> None:
        for new in self._forward.after(label, self._promising, check):
            self._generated += 1
            self._new_forward(new)
        self._forward.frontier.finish(label)

    def _expand_backward(self, label: Needed, check: Callable[[], None]) -> None:
        for new in self._backward.before(label, self._promising, check):
            self._generated += 1
            self._new_backward(new)
        self._backward.frontier.finish(label)

    def _new_forward(self, label: Reached) -> None:
        if not self._forward.keep(label):
            return
        for needed in self._backward.matching(label.state):
            self._meet(label, needed)
        beacons = self._backward.frontier.beacons
        label.distance = min((self._apart(label, needed) for needed in beacons), default=0.0)
        self._forward.frontier.add(label, self._random.random())

    def _new_backward(self, label: Needed) -> None:
        if not self._backward.keep(label):
            return
        for reached in self._forward.matching(label.pattern):
            self._meet(reached, label)
        beacons = self._forward.frontier.beacons
        label.distance = min((self._apart(reached, label) for reached in beacons), default=0.0)
        self._backward.frontier.add(label, self._random.random())

    def _apart(self, reached: Reached, needed: Needed) -> float:
        return distance(reached, needed, self._task.clock).total

    def _promising(self, loss: float, cost: float) -> bool:
        """Whether a half may belong to a plan that is within the budgets and better than the best.

        A backward half over the loss budget has an infeasible requirement.
        """
        return (
            self._scale.room(loss) >= 0
            and cost <= self._scale.cost_budget
            and self._scale.key(loss, cost) < self._best_key
        )

    # --- meetings

    def _meet(self, reached: Reached, needed: Needed) -> None:
        """Keep the plan of two halves where they fit and it is better than the best so far."""
        loss = self._scale.composed(reached.loss, needed.loss)
        cost = reached.cost + needed.cost
        if not self._promising(loss, cost):
            return
        if not distance(reached, needed, self._task.clock).is_meeting:
            return
        meeting = meeting_of(reached, needed)
        if replays(self._task, meeting):
            self._best = self._scale.plan(meeting.operators)
            self._best_key = self._scale.key(loss, cost)
            self.meeting = meeting
