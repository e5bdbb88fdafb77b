# SPDX-License-Identifier: Apache-2.0
"""Detection of changes in the world: a risk-adjusted CUSUM on outcomes and their degrees.

For an outcome of quality q at degree d, the evidence for "the odds are now R times as high" is the
log-likelihood ratio q log R - log(1 - d + R d). The sum of it, reset to 0 whenever it falls below,
stays low while the degrees are right and grows steadily once they aren't. Two sums are kept, for R
= `ODDS` (better than thought) and 1 / `ODDS` (worse).

While the degrees are right, exp(evidence) has a mean of at most 1, also for graded qualities. So a
threshold h means on average at most one false alarm in exp(h) outcomes and direction (Lorden 1971).
An alarm ends when the sum has fallen to half of the threshold: calibration has caught up.

Source: Steiner, Cook, Farewell and Treasure, Monitoring surgical performance using risk-adjusted
cumulative sum charts, Biostatistics 2000.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum

ODDS = 3.0
EDGE = 0.02
"""Degrees are clipped to this distance from 0 and 1, so that one failure is no alarm."""
THRESHOLD = 7.0
END = 0.5
"""The part of the threshold at which an alarm ends."""
MOST = 1.5
"""The bound of the sums in thresholds, so that an alarm ends soon after its cause."""


class Direction(str, Enum):
    """Direction in which outcomes left the degrees."""

    WORSE = "worse"
    BETTER = "better"


@dataclass(frozen=True, slots=True)
class Drift:
    """A change: outcomes no longer agree with the degrees.

    Args:
        predicate: the graded predicate.
        model: the model that gave the degrees.
        direction: better or worse than the degrees say.
        since: stamp of the first outcome of the change, s since the epoch.
        outcomes: number of outcomes since then.
        size: mean of quality minus degree since then, in [-1, 1].
    """

    predicate: str
    model: str
    direction: Direction
    since: float
    outcomes: int
    size: float

    def __str__(self) -> str:
        when = datetime.fromtimestamp(self.since, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
        return (
            f"{self.predicate} goes {self.direction.value} than its degrees ({self.model}) say, "
            f"by {abs(self.size):.2f} in {self.outcomes} outcomes since {when}"
        )


@dataclass(slots=True)
class Cusum:
    """The cumulative sum for one direction.

    Attributes:
        odds: factor on the odds in the alternative hypothesis.
        threshold: the sum that raises an alarm.
        value: the sum, >= 0.
        alarm: True while there is an alarm.
        since: stamp of the first outcome since the sum left 0, s.
        outcomes: number of outcomes since then.
        first: number of the first of them.
    """

    odds: float
    threshold: float = THRESHOLD
    value: float = 0.0
    alarm: bool = False
    since: float = 0.0
    outcomes: int = 0
    first: int = 0
    _weight: float = 0.0
    _residual: float = 0.0

    def add(self, degree: float, quality: float, weight: float, stamp: float, number: int) -> bool:
        """Add the next outcome; return True if it raises an alarm."""
        clipped = min(max(degree, EDGE), 1.0 - EDGE)
        evidence = quality * math.log(self.odds) - math.log(1.0 - clipped + self.odds * clipped)
        if self.outcomes == 0:
            self.since, self.first = stamp, number
        self.outcomes += 1
        self._weight += weight
        self._residual += weight * (quality - degree)
        value = self.value + weight * evidence
        self.value = min(max(value, 0.0), MOST * self.threshold)
        before = self.alarm
        self.alarm = self.value >= self.threshold * (END if before else 1.0)
        if self.value == 0.0:
            self.outcomes, self._weight, self._residual = 0, 0.0, 0.0
        return self.alarm and not before

    @property
    def size(self) -> float:
        """Mean residual since the sum left 0."""
        return self._residual / self._weight if self._weight > 0.0 else 0.0


@dataclass(slots=True)
class DriftDetector:
    """The sums of both directions for one predicate and model."""

    threshold: float = THRESHOLD
    _worse: Cusum = field(init=False)
    _better: Cusum = field(init=False)

    def __post_init__(self) -> None:
        self._worse = Cusum(1.0 / ODDS, self.threshold)
        self._better = Cusum(ODDS, self.threshold)

    def add(
        self, degree: float, quality: float, weight: float, stamp: float, number: int = 0
    ) -> int | None:
        """Add the next outcome, with the degree as it was before it.

        Returns:
            The number of the first outcome of the change if it raises an alarm, else None.
        """
        raised = None
        for one in (self._worse, self._better):
            if one.add(degree, quality, weight, stamp, number):
                raised = one.first
        return raised

    def find_drift(self, predicate: str, model: str) -> Drift | None:
        """Return the present alarm, or the stronger one of two."""
        sums = {Direction.WORSE: self._worse, Direction.BETTER: self._better}
        alarms = [(s.value, direction) for direction, s in sums.items() if s.alarm]
        if not alarms:
            return None
        direction = max(alarms)[1]
        found = sums[direction]
        return Drift(predicate, model, direction, found.since, found.outcomes, found.size)
