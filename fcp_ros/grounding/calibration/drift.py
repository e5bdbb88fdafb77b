# SPDX-License-Identifier: Apache-2.0
"""Detection of changes in the world: a CUSUM on outcomes and their degrees.

A change is looked for each way: the odds of success are `ODDS` times lower, in whatever context.
For "better", failures stand for successes. For an outcome of quality q at degree d, which is d'
after the change, the evidence is the likelihood ratio

    e = 1 + weight * (q d' / d + (1 - q) (1 - d') / (1 - d) - 1),

which is linear in q. The CUSUM W = max(W, 1) * e is the largest product of them since any start
(Page 1954).

While the degrees are right, e has the mean 1 given the past. So the sum of the products from all
starts grows by at most 1 an outcome on the average, and no CUSUM is larger than that sum. Hence the
mean number of outcomes until W reaches exp(h) is at least exp(h), in each direction, whatever the
qualities: it is an e-detector (Shin, Ramdas and Rinaldo, E-detectors: A Nonparametric Framework for
Sequential Change Detection, 2024). Docs/calibration.md compares other tests.

A worn gripper concerns several predicates. So the outcomes of all predicates of a model are watched
together, too. While they raise an alarm, a predicate has one as soon as its own evidence is
`LEANING` of the threshold; others keep their trust. A change is certain from `CERTAIN` of the
threshold on. An alarm ends when the evidence has fallen to `END` of it: calibration has caught up.

Source: Steiner, Cook, Farewell and Treasure, Monitoring surgical performance using risk-adjusted
cumulative sum charts, Biostatistics 2000.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum

ODDS = 2.5
EDGE = 0.02
"""Sure degrees are clipped to this distance from certainty, so that one surprise is no alarm."""
THRESHOLD = 6.2
END = 0.5  # The part of the threshold at which an alarm ends
CERTAIN = 1.2
"""The part that is needed before evidence from before a change loses weight: people can look at a
false alarm, but what was forgotten because of one must be learnt again."""
LEANING = 0.3
"""The part that is enough for a predicate while all outcomes of its model raise an alarm."""
MOST = 1.5  # The bound of the evidence in thresholds, so that an alarm ends soon after its cause


class Direction(str, Enum):
    """Direction in which outcomes left the degrees."""

    WORSE = "worse"
    BETTER = "better"


@dataclass(frozen=True, slots=True)
class Drift:
    """A change: outcomes no longer agree with the degrees."""

    predicate: str
    model: str
    direction: Direction  # better or worse than the degrees say
    since: float  # stamp of the first outcome of the change, s since the epoch
    outcomes: int  # number of outcomes since then
    size: float  # mean of quality minus degree since then, in [-1, 1]

    def __str__(self) -> str:
        when = datetime.fromtimestamp(self.since, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
        return (
            f"{self.predicate} goes {self.direction.value} than its degrees ({self.model}) say, "
            f"by {abs(self.size):.2f} in {self.outcomes} outcomes since {when}"
        )


@dataclass(slots=True)
class ChangeDetector:
    """The detector of one direction; it sees successes as "better" sees failures."""

    threshold: float = THRESHOLD  # logarithm of the evidence that raises an alarm
    alarm: bool = False  # True while there is an alarm
    # True from the time that the change is certain until the end of the alarm
    certain: bool = False
    value: float = 0.0  # likelihood ratio since the best start, >= 0
    first: int = 0  # number of the first outcome since then
    since: float = 0.0
    outcomes: int = 0  # number of outcomes since then
    weight: float = 0.0
    residual: float = 0.0  # sum of their weighted residuals

    def add(self, degree: float, quality: float, weight: float, stamp: float, number: int) -> None:
        """Add the next outcome; `update_alarm` comes afterwards."""
        sure = min(degree, 1.0 - EDGE)
        ratio = (quality + (1.0 - quality) * ODDS) / (sure + ODDS * (1.0 - sure))
        if self.value <= 1.0:
            self.value, self.first, self.since = 1.0, number, stamp
            self.outcomes, self.weight, self.residual = 0, 0.0, 0.0
        most = math.exp(MOST * self.threshold)
        self.value = min(self.value * (1.0 + weight * (ratio - 1.0)), most)
        self.outcomes += 1
        self.weight += weight
        self.residual += weight * (quality - degree)

    @property
    def evidence(self) -> float:
        """Logarithm of the likelihood ratio, >= 0."""
        return math.log(max(self.value, 1.0))

    def update_alarm(self, together: ChangeDetector | None = None) -> bool:
        """Raise or end the alarm; return True if the change has become certain.

        `together`: the detector for all outcomes of the model, up to date.
        """
        found, before = self.evidence / self.threshold, self.certain
        others = together is not None and together.alarm
        self.alarm = found >= (LEANING if others else END if self.alarm else 1.0)
        others = together is not None and together.certain
        reached = before or found >= (LEANING if others else CERTAIN)
        self.certain = self.alarm and reached
        return self.certain and not before


@dataclass(slots=True)
class DriftDetector:
    """The detectors of both directions for one predicate and model, or for all of a model."""

    threshold: float = THRESHOLD
    both: dict[Direction, ChangeDetector] = field(init=False)

    def __post_init__(self) -> None:
        self.both = {direction: ChangeDetector(self.threshold) for direction in Direction}

    def add(
        self, degree: float, quality: float, weight: float, stamp: float, number: int = 0
    ) -> None:
        """Add the next outcome, with the degree as it was before it."""
        self.both[Direction.WORSE].add(degree, quality, weight, stamp, number)
        self.both[Direction.BETTER].add(1.0 - degree, 1.0 - quality, weight, stamp, number)

    def update_alarms(self, together: DriftDetector | None = None) -> int | None:
        """Raise and end alarms; return the first outcome of a change that has become certain."""
        found = None
        for direction, own in self.both.items():
            if own.update_alarm(None if together is None else together.both[direction]):
                found = own.first
        return found

    @property
    def alarms(self) -> tuple[tuple[bool, bool], ...]:
        """For each direction, whether there is an alarm, and whether the change is certain."""
        return tuple((own.alarm, own.certain) for own in self.both.values())

    def find_drift(self, predicate: str, model: str) -> Drift | None:
        """Return the present alarm, or the stronger one of two."""
        alarms = [(self.both[one].evidence, one) for one in Direction if self.both[one].alarm]
        if not alarms:
            return None
        direction = max(alarms)[1]
        found = self.both[direction]
        size = found.residual / found.weight if found.weight > 0.0 else 0.0
        if direction is Direction.BETTER:
            size = -size
        return Drift(predicate, model, direction, found.since, found.outcomes, size)
