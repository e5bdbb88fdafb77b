# SPDX-License-Identifier: Apache-2.0
"""Resources and time in both directions: amounts forward, intervals of amounts backward.

The interval of a backward half is exact: from amounts inside it, and from no others, the half runs
within all bounds and windows. Time is a resource, too; an operator that would start too early
waits, so its start is the maximum of the clock and `opens`, which maps intervals to intervals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.task import FlatTask, count_operators
from fcp_ros.planning.search.kernel.dominance import find_directions

Amounts = tuple[float, ...]
"""The amount of each resource."""
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

    def after(self, amounts: Amounts, operator: int) -> Amounts | None:
        """The amounts after an operator; None if they do not allow it."""
        left = []
        for resource, before in enumerate(amounts):
            use = self._use[operator][resource]
            start = max(before, self._opens[operator]) if resource == self._clock else before
            low, high = self._bounds(operator, resource)
            if not low <= start - use <= high:
                return None
            left.append(start - use)
        return tuple(left)

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
