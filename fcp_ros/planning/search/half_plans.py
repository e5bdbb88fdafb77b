# SPDX-License-Identifier: Apache-2.0
"""Halves of plans: their labels, losses and costs as whole numbers, resources, and meetings."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, TypeVar

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.semantics import (
    Amounts,
)
from fcp_ros.planning.flat.task import FlatTask, count_operators
from fcp_ros.planning.search.kernel.dominance import find_directions
from fcp_ros.planning.search.partial_states import PartialState
from fcp_ros.planning.search.settings import Criterion, Objective

Key = tuple[float, float]
"""The two criteria in the objective's order; whole numbers or infinite."""

WORST: Key = (math.inf, math.inf)
"""Worse than every plan."""


@dataclass(slots=True, eq=False)
class HalfPlan:
    """A half of a plan."""

    loss: float  # composed loss of its operators, in units (see scale.py)
    cost: float
    key: Key  # both, in the objective's order
    operator: int
    open: bool = field(default=True, init=False)  # True until it was expanded or dropped
    # its distance from the halves of the other side that it was compared with
    distance: float = field(default=math.inf, init=False)


@dataclass(slots=True, eq=False)
class ForwardHalf(HalfPlan):
    """A forward half: operators from the initial state to `state`, which leave `amounts`."""

    state: tuple[int, ...]
    amounts: Amounts
    parent: ForwardHalf | None

    def steps(self) -> list[int]:
        found = []
        half: ForwardHalf | None = self
        while half is not None and half.parent is not None:
            found.append(half.operator)
            half = half.parent
        return found[::-1]


@dataclass(slots=True, eq=False)
class BackwardHalf(HalfPlan):
    """A backward half: operators that lead from each state of `partial_state` to the goal."""

    partial_state: PartialState
    intervals: tuple[Interval, ...]  # the amounts that it starts from
    room: float  # the requirement, as the largest loss that may come before it, in units
    parent: BackwardHalf | None

    def steps(self) -> list[int]:
        found = []
        half: BackwardHalf | None = self
        while half is not None and half.parent is not None:
            found.append(half.operator)
            half = half.parent
        return found


H = TypeVar("H", ForwardHalf, BackwardHalf)

BEACONS = 4
"""Halves of each direction that a new half of the other one is compared with."""


class Frontier(Generic[H]):
    """The open halves of one direction, by key and by distance.

    A half leaves it when it was expanded or dropped; its entries in the heaps are skipped later.
    """

    def __init__(self) -> None:
        self._by_key: list[tuple[Key, float, int, H]] = []
        self._by_distance: list[tuple[float, Key, int, H]] = []
        self._made = 0
        self.size = 0
        self.expanded = 0
        self.kept = 0
        # halves expanded last (and the end of this direction, until there are enough); the other
        # direction measures its distance to them
        self.beacons: deque[H] = deque(maxlen=BEACONS)

    def add(self, half: H, tie: float) -> None:
        """Add an open half; `tie` decides between equal keys."""
        self._made += 1
        self.size += 1
        self.kept += 1
        heapq.heappush(self._by_key, (half.key, tie, self._made, half))
        heapq.heappush(self._by_distance, (half.distance, half.key, self._made, half))

    def finish(self, half: H) -> None:
        """Note that a half was expanded."""
        self.expanded += 1
        self.beacons.append(half)
        self.close(half)

    def drop(self, halves: Iterable[H]) -> None:
        """Drop halves that were added."""
        for half in halves:
            self.kept -= 1
            self.close(half)

    def close(self, half: H) -> None:
        """Note that a half needs no expansion."""
        if half.open:
            half.open = False
            self.size -= 1

    def least(self) -> H | None:
        """The open half with the least key; None if there is none."""
        while self._by_key and not self._by_key[0][-1].open:
            heapq.heappop(self._by_key)
        return self._by_key[0][-1] if self._by_key else None

    def nearest(self) -> H | None:
        """The open half with the least distance; None if there is none."""
        while self._by_distance and not self._by_distance[0][-1].open:
            heapq.heappop(self._by_distance)
        return self._by_distance[0][-1] if self._by_distance else None

    def least_key(self) -> Key:
        """The least key of an open half; `WORST` if there is none."""
        half = self.least()
        return WORST if half is None else half.key

    def work(self) -> float:
        """The estimated work left in this direction: open halves times successors of each."""
        return self.size * (self._made / max(1, self.expanded))


# --- losses and costs as whole numbers: sums do not depend on their order, and ties are ties


PER_WHOLE = 10**12
UNIT = 1.0 / PER_WHOLE
"""Losses and costs are counted in this unit: a thousand steps err by less than `EPSILON`."""


class Scale:
    """Composes and compares the losses and costs of one task under one objective."""

    def __init__(self, task: FlatTask, objective: Objective) -> None:
        self._sum = objective.composition is Composition.SUM
        self._loss_first = objective.order[0] is Criterion.LOSS
        self.loss = [round(loss / UNIT) for loss in task.loss.tolist()]
        self.cost = [count_units(cost) for cost in task.cost.tolist()]
        self.loss_budget = _to_units(objective.loss_budget)
        self.cost_budget = _to_units(objective.cost_budget)
        self._total = self._is_total()

    def compose(self, a: float, b: float) -> float:
        """Compose the losses of two halves."""
        return a + b if self._sum else max(a, b)

    def rules_out(self, bound: Key, key: Key) -> bool:
        """Return True if a lower bound with rounding errors rules out plans better than `key`.

        Criteria that differ by no more than `EPSILON` are equal here.
        """
        slack = EPSILON / UNIT
        if abs(bound[0] - key[0]) <= slack:
            return bound[1] >= key[1] - slack
        return bound[0] > key[0]

    def room(self, loss: float) -> float:
        """The requirement, as a loss: the largest that may come before a half of `loss`.

        It is negative if even a crisp start would be too much: infeasible, and never clipped.
        """
        if self._sum or loss > self.loss_budget:
            return self.loss_budget - loss
        return self.loss_budget

    def key(self, loss: float, cost: float) -> Key:
        """The criteria in the objective's order."""
        return (loss, cost) if self._loss_first else (cost, loss)

    def key_of(self, operators: Iterable[int]) -> Key:
        loss: float = 0
        cost: float = 0
        for operator in operators:
            loss = self.compose(loss, self.loss[operator])
            cost += self.cost[operator]
        return self.key(loss, cost)

    def is_no_worse(self, half: HalfPlan, other: HalfPlan) -> bool:
        """Return True if a half is as good as another one in the loss and cost of its plans."""
        if self._total:
            return half.key <= other.key
        return half.loss <= other.loss and half.cost <= other.cost

    def combine_bounds(self, forward: Key, backward: Key) -> Key:
        """The lower bound of plans with a forward half and a backward half of these keys."""
        if WORST in (forward, backward):
            return WORST
        if self._loss_first and not self._sum:
            worst = max(forward[0], backward[0])
            return worst, sum(cost for loss, cost in (forward, backward) if loss == worst)
        if self._loss_first:
            return forward[0] + backward[0], forward[1] + backward[1]
        return forward[0] + backward[0], self.compose(forward[1], backward[1])

    def _is_total(self) -> bool:
        """Return True if the order of keys is all that counts, resources aside.

        It is if it agrees with composition and budgets bound the first criterion only. Else a half
        is dropped only for one that is as good in both criteria.
        """
        if self._loss_first:
            return self._sum and self.cost_budget == math.inf
        return self.loss_budget == math.inf


def count_units(cost: float) -> float:
    """Count the units of a cost; exact for whole numbers, however large."""
    if math.isinf(cost):
        return cost
    return int(cost) * PER_WHOLE if cost.is_integer() else round(cost / UNIT)


def _to_units(budget: float) -> float:
    if math.isinf(budget):
        return math.inf
    return math.floor((Fraction(budget) + Fraction(EPSILON)) * PER_WHOLE)


# --- meetings of a forward and a backward half


def measure_distance(forward: ForwardHalf, backward: BackwardHalf) -> float:
    """Measure the distance between two halves; 0 exactly if they make a plan together.

    Each condition of the partial state that the forward state does not fulfil counts 1, and so does
    each clause (block, effect that must not happen); an amount that the backward half lacks or
    cannot take, or a time that does not fit, less than 1. A loss that leaves no room for the
    backward half is infinitely far: no further step makes up for it.
    """
    if forward.loss > backward.room:
        return math.inf
    state, needed = forward.state, backward.partial_state
    wrong = sum(not mask >> state[variable] & 1 for variable, mask in needed.units)
    wrong += sum(
        not any(mask >> state[variable] & 1 for variable, mask in clause)
        for clause in needed.clauses
    )
    missing = 0.0
    for (low, high), amount in zip(backward.intervals, forward.amounts, strict=True):
        gap = max(low - amount, amount - high, 0.0)
        missing += gap / (1.0 + gap)
    return wrong + missing


# --- resources and time in both directions: amounts forward, intervals of amounts backward
#
# The interval of a backward half is exact: from amounts inside it, and from no others, the half
# runs within all bounds and windows. Time is a resource, too; an operator that would start too
# early waits, so its start is the maximum of the clock and `opens`, which maps intervals to
# intervals.


Interval = tuple[float, float]
"""The least and the greatest amount, inclusive."""

ANY = (-math.inf, math.inf)


class Resources:
    """The uses of the operators of one task, and the bounds of the amounts."""

    def __init__(self, task: FlatTask) -> None:
        self._use: list[list[float]] = task.use.tolist()
        self._low = [low - EPSILON for low in task.low.tolist()]
        self._high = [high + EPSILON for high in task.high.tolist()]
        self._opens: list[float] = task.opens.tolist()
        self._closes = [closes + EPSILON for closes in task.closes.tolist()]
        self._clock = task.clock
        self.initial: Amounts = tuple(task.amount.tolist())
        self.count = len(self.initial)
        self.anything: tuple[Interval, ...] = (ANY,) * self.count
        ranges = [self._find_range(task, resource) for resource in range(self.count)]
        self._floor = [floor for floor, _ in ranges]
        self._ceiling = [ceiling for _, ceiling in ranges]
        self._directions: list[int] = find_directions(task).tolist()
        self.pumps = [o for o in range(count_operators(task)) if self._may_pump(o)]
        """Operators that a plan may need for nothing but their effect on a resource."""

    def before(self, intervals: tuple[Interval, ...], operator: int) -> tuple[Interval, ...] | None:
        """The amounts from which an operator leads into `intervals`; None if there are none."""
        found = []
        for resource, (least, greatest) in enumerate(intervals):
            use = self._use[operator][resource]
            low, high = self._bounds(operator, resource)
            low, high = max(least, low) + use, min(greatest, high) + use
            if resource == self._clock:
                opens = self._opens[operator]
                if opens > high:
                    return None
                low = -math.inf if opens >= low else low
            # A bound that no amount can cross anyway is none; so equal needs look equal.
            low = -math.inf if low <= self._floor[resource] else low
            high = math.inf if high >= self._ceiling[resource] else high
            if low > high or low > self._ceiling[resource] or high < self._floor[resource]:
                return None
            found.append((low, high))
        return tuple(found)

    def is_as_good(self, amounts: Amounts, other: Amounts) -> bool:
        """Return True if whatever is possible with `other` is possible with `amounts`."""
        return all(
            direction == 0
            or mine == yours
            or (direction == 1 and mine > yours)
            or (direction == -1 and mine < yours)
            for direction, mine, yours in zip(self._directions, amounts, other, strict=True)
        )

    def _bounds(self, operator: int, resource: int) -> Interval:
        low, high = ANY
        if self._use[operator][resource] != 0.0:
            low, high = self._low[resource], self._high[resource]
        if resource == self._clock:
            high = min(high, self._closes[operator])
        return low, high

    def _find_range(self, task: FlatTask, resource: int) -> Interval:
        """Find an interval that the amount never leaves."""
        takes = bool((task.use[:, resource] > 0.0).any())
        gives = bool((task.use[:, resource] < 0.0).any())
        amount = self.initial[resource]
        if resource == self._clock:
            return min(amount, self._low[resource]) if takes else amount, math.inf
        return (
            min(amount, self._low[resource]) if takes else amount,
            max(amount, self._high[resource]) if gives else amount,
        )

    def _may_pump(self, operator: int) -> bool:
        """Return True if an operator moves some resource in a direction that may be needed."""
        for resource, direction in enumerate(self._directions):
            use = self._use[operator][resource]
            waits = resource == self._clock and self._opens[operator] > self.initial[resource]
            if (use < 0.0 or waits) and direction in (1, 2):
                return True
            if use > 0.0 and direction in (-1, 2):
                return True
        return False


def contains(wide: Sequence[Interval], narrow: Sequence[Interval]) -> bool:
    """Return True if each of the intervals `wide` contains the one in `narrow`."""
    return all(a[0] <= b[0] and b[1] <= a[1] for a, b in zip(wide, narrow, strict=True))
