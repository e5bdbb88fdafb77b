# SPDX-License-Identifier: Apache-2.0
"""Figures with intervals: bootstrap over clusters.

Judgements of "coffee mug" and "mug" are not independent: who is wrong about one is wrong about the
other. So whole *clusters* are drawn again, with replacement: all judgements whose item has the same
head word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.judgement_set import compute_area

DRAWS = 1000
SEED = 18

FAR = 0.1
"""A degree that moves by more has moved (issue #34)."""

Reals = NDArray[np.float64]
Measure = Callable[[Reals, Reals], float]
"""Takes degrees, and what was given."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        low, high = (f"{bound:.3f}".replace("0.", ".") for bound in (self.low, self.high))
        return f"{self.value:.3f} [{low}, {high}]"


def measure_error(judged: Reals, given: Reals) -> float:
    """Mean absolute difference."""
    return float(np.abs(judged - given).mean())


def measure_difference(judged: Reals, given: Reals) -> float:
    """Mean difference: above 0 where the degrees are too high."""
    return float((judged - given).mean())


def measure_rank(judged: Reals, given: Reals) -> float:
    """Spearman's rank correlation; 0 where all degrees are equal."""
    from scipy.stats import rankdata  # a second and more, for who only wants the intervals

    ours, theirs = rankdata(judged), rankdata(given)
    varied = np.ptp(ours) > 0 and np.ptp(theirs) > 0
    return float(np.corrcoef(ours, theirs)[0, 1]) if varied else 0.0


def measure_area(judged: Reals, given: Reals) -> float:
    """Area under the ROC curve of those given as 1 against those given as 0; ties count half."""
    return compute_area(judged[given > 0.5], judged[given <= 0.5])


def measure_moved(judged: Reals, given: Reals) -> float:
    """Share of the changes that are more than FAR from what was wanted."""
    return float((np.abs(judged - given) > FAR + 1e-9).mean())


def measure_with_interval(
    measure: Measure, judged: Sequence[float], given: Sequence[float], clusters: Sequence[str]
) -> Figure:
    """Measure, and draw the clusters again for the interval.

    Args:
        measure: one of the measures above.
        judged: degrees.
        given: what was wanted, in the same order.
        clusters: of each judgement, what it stands or falls with.
    """
    ours, theirs = np.asarray(judged, float), np.asarray(given, float)
    every = np.arange(len(ours))
    draws = (np.repeat(every, counts) for counts in draw_weights(clusters))
    drawn = [measure(ours[rows], theirs[rows]) for rows in draws]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Figure(measure(ours, theirs), float(low), float(high))


def draw_weights(clusters: Sequence[str]) -> NDArray[np.intp]:
    """Draw as many clusters as there are, DRAWS times; shape (DRAWS, len(clusters)).

    A row says how often each judgement is in the draw. The same clusters give the same draws, so
    that judges of the same questions are compared on the same draws.
    """
    names, places = np.unique(np.asarray(clusters), return_inverse=True)
    generator = np.random.default_rng(SEED)
    chances = np.full(len(names), 1.0 / len(names))
    counts = generator.multinomial(len(names), chances, size=DRAWS)
    return np.asarray(counts[:, places], np.intp)
