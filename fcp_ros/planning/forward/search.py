# SPDX-License-Identifier: Apache-2.0
"""Best-first search in one local task: A* for the best membership, or greedily for any plan.

A search node is a label: a state, the membership and the resources on the way to it. A label is
dropped when another one for the same state is no worse in anything. A* takes the label whose bound
on the final membership is highest, so the first goal it takes is the best; among equal bounds it
takes the fewest steps (so far and, by FF, still to go). Heuristics are evaluated when a label is
taken, not when it is made: until then it counts with its parent's values, which are optimistic.
Landmarks, the expensive ones, wait until the bound of the start turns out to be too high.

Resources rarely bind, and labels that differ in them alone are many. So a search first keeps one
label for equal memberships and steps; as long as no resource was ever short, the result is that of
the task without resources, and the plan is possible with them. The first time that one is short the
search starts again, and resources count.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.forward.heuristic import INFINITY, Estimate
from fcp_ros.planning.forward.local_problem import DIGITS, LocalProblem
from fcp_ros.planning.forward.local_task import Resources
from fcp_ros.planning.model.watch import Watch

STEP_WEIGHT = 5.0
"""Weight of the estimated steps to go among equal bounds: above 1 finds plans sooner."""
CHEAP_EXPANSIONS = 60
"""Expansions before the landmarks of every label are computed. Until then the bound of the start
and the membership so far must do; mostly the first plan reaches that bound, and is optimal."""


class Order(Enum):
    """What a search takes first."""

    MEMBERSHIP = "membership"
    STEPS = "steps"


class Outcome(Enum):
    """Why a search returned."""

    SOLVED = "solved"
    """The best plan of this task (MEMBERSHIP), or just a plan (STEPS)."""
    BELOW = "below"
    """No plan here is better than the floor."""
    PAUSED = "paused"
    """The allowance is used up, or the bound fell below the one given."""
    EXHAUSTED = "exhausted"
    """There is no plan at all."""


@dataclass(frozen=True, slots=True)
class Found:
    """A plan in a local task: numbers of the whole task's operators, and its membership."""

    operators: tuple[int, ...]
    membership: float


@dataclass(slots=True)
class _Node:
    state: int
    membership: float
    resources: Resources
    steps: int
    parent: int
    operator: int
    bound: float
    estimate: float
    alive: bool = True
    evaluated: bool = False


class _ShortOfResources(Exception):
    """A resource is short for the first time: labels must be compared by resources as well."""


class BestFirstSearch:
    """One search in one local problem; it can be paused and continued.

    Arguments:
        problem: where.
        order: what is taken first.
        watch: counts expansions and nodes, and interrupts.
        seed: decides between labels that are equal in everything.
        step_weight: weight of the estimated steps to go.
        max_steps: plans with more steps are of no interest.
    """

    def __init__(
        self,
        problem: LocalProblem,
        order: Order,
        watch: Watch,
        seed: int,
        step_weight: float = STEP_WEIGHT,
        max_steps: int | None = None,
    ) -> None:
        self._problem = problem
        self._local = problem.local
        self._order = order
        self._watch = watch
        self._random = random.Random(seed)
        self._step_weight = step_weight
        self._max_steps = max_steps
        self._cheap = CHEAP_EXPANSIONS
        self._nodes: list[_Node] = []
        self._labels: dict[int, list[int]] = {}
        self._open: list[tuple[float, float, float, float, int]] = []
        self._best: int | None = None
        self._floor = -1.0
        self._resources_count = False
        self._start()

    def _start(self) -> None:
        self._nodes.clear()
        self._labels.clear()
        self._open.clear()
        self._best = None
        upper = self._problem.upper_bound
        if upper is not None:
            initial = self._local.initial
            root = _Node(initial, 1.0, self._local.initial_resources, 0, -1, -1, upper, 0.0)
            self._add(root, self._problem.first.steps, helpful=True)

    @property
    def bound(self) -> float:
        """Upper bound of any plan not yet found; -1 where there is none (MEMBERSHIP only)."""
        return -self._open[0][0] if self._open else -1.0

    @property
    def best(self) -> Found | None:
        """The best plan found so far."""
        return None if self._best is None else self._plan(self._best)

    def run(self, allowance: int, floor: Callable[[], float], pause_below: float = -1.0) -> Outcome:
        """Search on.

        Arguments:
            allowance: expansions before it pauses.
            floor: membership that a plan must exceed to be of interest (-1: any plan is).
            pause_below: pauses when no label has at least this bound.

        Raises:
            Interrupted: something ran out.
        """
        self._floor = floor()
        while self._open:
            if self._order is Order.MEMBERSHIP:
                if self.bound <= self._floor + EPSILON:
                    return Outcome.BELOW
                if self.bound < pause_below - EPSILON:
                    return Outcome.PAUSED
            elif self._best is not None:
                return Outcome.SOLVED
            if allowance <= 0:
                return Outcome.PAUSED
            *_, number = heapq.heappop(self._open)
            node = self._nodes[number]
            if not node.alive:
                continue
            if self._local.fulfilled(node.state):
                self._best = number
                return Outcome.SOLVED
            try:
                estimate = self._evaluate(number, node)
                if estimate is not None:
                    allowance -= 1
                    self._cheap -= 1
                    self._watch.expanded()
                    self._expand(number, node, estimate)
            except _ShortOfResources:
                self._resources_count = True
                self._start()
        return Outcome.EXHAUSTED if self._floor < 0.0 else Outcome.BELOW

    # --- one label

    def _evaluate(self, number: int, node: _Node) -> Estimate | None:
        """Evaluate the heuristics of a label; None if it is a dead end or has to wait its turn."""
        self._watch.check()
        problem = self._problem
        estimate = problem.estimate(node.state)
        if node.evaluated:
            return estimate
        if estimate.steps == INFINITY:
            return None
        if not problem.resource_bound.suffices(node.state, node.resources):
            self._short()
            return None
        before = self._key(node, 0.0)
        if self._landmarks_due():
            bound = problem.bound(node.state, node.membership)
            if bound is None:
                return None
            node.bound = min(node.bound, bound)
            node.evaluated = True
        node.estimate = estimate.steps
        key = self._key(node, 0.0)
        if key > before and self._open and key[:2] > self._open[0][:2]:
            heapq.heappush(self._open, (*key, number))
            return None
        return estimate

    def _landmarks_due(self) -> bool:
        """Whether the cheap bounds have failed: no goal soon, or one that does not reach them."""
        if self._order is Order.STEPS:
            return False
        if self._best is None:
            return self._cheap <= 0
        return self._value(self._nodes[self._best]) < self.bound - EPSILON

    def _value(self, node: _Node) -> float:
        """Membership of the plan that ends at a goal node."""
        return self._problem.tnorm.compose(node.membership, self._problem.goal_degree)

    def _short(self) -> None:
        if not self._resources_count:
            raise _ShortOfResources

    def _expand(self, number: int, node: _Node, estimate: Estimate) -> None:
        problem, local = self._problem, self._local
        made = 0
        if self._max_steps is not None and node.steps >= self._max_steps:
            return
        for index in problem.applicable(node.state):
            operator = local.operators[index]
            resources = local.spend(node.resources, operator)
            if resources is None:
                self._short()
                continue
            child = _Node(
                operator.apply(node.state),
                problem.tnorm.compose(node.membership, operator.degree),
                resources,
                node.steps + 1,
                number,
                index,
                node.bound,
                estimate.steps,
            )
            child.bound = min(child.bound, round(self._value(child), DIGITS))
            if self._order is Order.MEMBERSHIP and child.bound <= self._floor + EPSILON:
                continue
            made += self._add(child, estimate.steps, index in estimate.helpful)
        self._watch.stored(made)

    def _add(self, node: _Node, estimate: float, helpful: bool) -> bool:
        """Keep a label unless another one for its state is no worse."""
        others = self._labels.setdefault(node.state, [])
        if any(self._covers(self._nodes[other], node) for other in others):
            return False
        for other in others:
            if self._covers(node, self._nodes[other]):
                self._nodes[other].alive = False
        others[:] = [other for other in others if self._nodes[other].alive]
        number = len(self._nodes)
        others.append(number)
        self._nodes.append(node)
        done = self._local.fulfilled(node.state)
        node.estimate = 0.0 if done else max(1.0, estimate - 1.0 if helpful else estimate)
        if done and (
            self._best is None or node.membership > self._nodes[self._best].membership + EPSILON
        ):
            self._best = number
        key = self._key(node, self._random.random())
        heapq.heappush(self._open, (*key, number))
        return True

    def _key(self, node: _Node, tie: float) -> tuple[float, float, float, float]:
        steps = node.steps + self._step_weight * node.estimate
        if self._order is Order.MEMBERSHIP:
            return (-node.bound, steps, node.estimate, tie)
        return (node.estimate, steps, -node.membership, tie)

    def _covers(self, one: _Node, other: _Node) -> bool:
        """Whether the first label is no worse than the second, for the same state."""
        if one.membership < other.membership - EPSILON:
            return False
        if one.membership <= other.membership + EPSILON and one.steps > other.steps:
            return False
        return not self._resources_count or all(
            _no_worse(a, b, direction)
            for a, b, direction in zip(
                one.resources, other.resources, self._local.directions, strict=True
            )
        )

    def _plan(self, number: int) -> Found:
        operators: list[int] = []
        last = self._nodes[number]
        node = last
        while node.parent >= 0:
            operators.append(self._local.operators[node.operator].index)
            node = self._nodes[node.parent]
        return Found(tuple(reversed(operators)), self._value(last))


def _no_worse(one: float, other: float, direction: int) -> bool:
    if direction > 0:
        return one >= other - EPSILON
    if direction < 0:
        return one <= other + EPSILON
    return abs(one - other) <= EPSILON
