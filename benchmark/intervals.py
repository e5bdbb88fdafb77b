# SPDX-License-Identifier: Apache-2.0
"""Figures with intervals: bootstrap over clusters, all draws of a figure at once.

Judgements of "coffee mug" and "mug" are not independent: who is wrong about one is wrong about the
other. So whole *clusters* are drawn again, with replacement: all judgements whose item has the same
head word. A draw is a row of weights, how often each judgement is in it; each measure below takes
many such rows, and with a row of ones it is the figure itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS = 1000
SEED = 18
ROWS_AT_A_TIME = 100
"""Draws that are measured at a time, to bound the memory."""

Reals = NDArray[np.float64]
Measure = Callable[[Reals, Reals, Reals], Reals]
"""Takes degrees, what was given, and weights of shape (draws, judgements); returns (draws,)."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        low, high = (f"{bound:.3f}".replace("0.", ".") for bound in (self.low, self.high))
        return f"{self.value:.3f} [{low}, {high}]"


def measure_error(judged: Reals, given: Reals, weights: Reals) -> Reals:
    """Mean absolute difference."""
    return np.asarray(weights @ np.abs(judged - given) / weights.sum(axis=1))


def measure_difference(judged: Reals, given: Reals, weights: Reals) -> Reals:
    """Mean difference: above 0 where the degrees are too high."""
    return np.asarray(weights @ (judged - given) / weights.sum(axis=1))


def measure_rank(judged: Reals, given: Reals, weights: Reals) -> Reals:
    """Spearman's rank correlation; 0 where all degrees are equal."""
    total = weights.sum(axis=1, keepdims=True)
    centred = [
        ranks - (weights * ranks).sum(axis=1, keepdims=True) / total
        for ranks in (_rank(judged, weights), _rank(given, weights))
    ]
    a, b = centred
    spread = np.sqrt((weights * a * a).sum(axis=1) * (weights * b * b).sum(axis=1))
    product = (weights * a * b).sum(axis=1)
    return np.divide(product, spread, out=np.zeros_like(product), where=spread > 1e-9)


def measure_area(judged: Reals, given: Reals, weights: Reals) -> Reals:
    """Area under the ROC curve of those given as 1 against those given as 0; ties count half."""
    high = given > 0.5
    below = _rank(judged, weights * ~high)
    wanted = weights * high
    pairs = wanted.sum(axis=1) * (weights * ~high).sum(axis=1)
    ordered = (wanted * below).sum(axis=1)
    return np.divide(ordered, pairs, out=np.full_like(ordered, np.nan), where=pairs > 0)


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
    (value,) = measure(ours, theirs, np.ones((1, len(ours))))
    weights = draw_weights(clusters)
    parts = [weights[i : i + ROWS_AT_A_TIME] for i in range(0, DRAWS, ROWS_AT_A_TIME)]
    drawn = np.concatenate([measure(ours, theirs, part.astype(float)) for part in parts])
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return Figure(float(value), float(low), float(high))


def draw_weights(clusters: Sequence[str]) -> NDArray[np.int16]:
    """Draw as many clusters as there are, DRAWS times; shape (DRAWS, len(clusters)).

    The same clusters give the same draws, so that judges of the same questions are compared on the
    same draws.
    """
    names, places = np.unique(np.asarray(clusters), return_inverse=True)
    generator = np.random.default_rng(SEED)
    chances = np.full(len(names), 1.0 / len(names))
    counts = generator.multinomial(len(names), chances, size=DRAWS)
    return np.asarray(counts[:, places], np.int16)


def _rank(values: Reals, weights: Reals) -> Reals:
    """For each value the weight below it, and half of the weight of those equal to it."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=-np.inf))
    tied = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(tied, axis=1) - tied / 2.0
    group = np.empty(len(values), np.intp)
    group[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(values)))
    return np.asarray(middle[:, group])
