# SPDX-License-Identifier: Apache-2.0
"""Monotone maps from similarity or score to degree, and their shift by a rubric's examples.

*Fitting.* Each anchor (score 0, 50, 100) gives one knot: the median similarity of its examples.
Neighbouring knots in the wrong order are pooled into one (isotonic regression, weighted by the
number of examples). Between knots the degree is linear, outside it is that of the last knot.

*Shifting.* The judgements behind a trained head say what people mean by "function" in general; the
examples of a rubric say what the author of *this* predicate means by 0, 50 and 100. At the median
score of each anchor's examples the head's map is moved towards the anchor's degree:

    shift = n / (n + PATIENCE) * (anchor's degree - map(median score))

for n examples. Between the anchors the shift is interpolated, beyond them it is constant, and
knots that no longer rise are pooled. The shift is used only if it brings examples, left out one at
a time, closer to their anchor's degree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

STEEPEST = 0.02
"""The least distance in similarity of two knots; closer ones would make a step of noise."""


@dataclass(frozen=True, slots=True)
class DegreeMap:
    """A piecewise linear, non-decreasing map."""

    similarities: tuple[float, ...]
    degrees: tuple[float, ...]  # of the knots, non-decreasing, in [0, 1]

    def apply(self, similarity: float) -> float:
        """Map a similarity to a degree; constant beyond the first and the last knot."""
        xs, ys = self.similarities, self.degrees
        right = bisect_left(xs, similarity)
        if right == 0:
            return ys[0]
        if right == len(xs):
            return ys[-1]
        share = (similarity - xs[right - 1]) / (xs[right] - xs[right - 1])
        return ys[right - 1] + share * (ys[right] - ys[right - 1])

    def apply_all(self, similarities: NDArray[Any]) -> NDArray[np.float64]:
        """Map similarities to degrees."""
        found = np.interp(similarities, self.similarities, self.degrees)
        return np.asarray(found, np.float64)


def fit_degree_map(examples: Mapping[int, Sequence[float]]) -> DegreeMap:
    """Fit the map to a rubric's examples: similarities by the anchor's score (0 to 100).

    NO_ANCHORS with fewer than two anchors, or if similarities don't rise with scores.
    """
    knots = [
        (median(values), score / 100.0, float(len(values)))
        for score, values in sorted(examples.items())
        if len(values) > 0
    ]
    if len(knots) < 2:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            "similarity can be mapped to a degree only with examples at two anchors or more; add "
            "examples to the rubric's anchors 0 and 100",
        )
    return fit_monotone_map(knots)


def fit_monotone_map(knots: Sequence[tuple[float, float, float]]) -> DegreeMap:
    """Fit the non-decreasing map nearest to knots (pooling of adjacent violators).

    Knots: (similarity, degree, weight), sorted by either; NO_ANCHORS if all pool into one.
    """
    pooled: list[tuple[float, float, float]] = []
    for knot in knots:
        pooled.append(knot)
        while len(pooled) > 1 and not _rises(*pooled[-2:]):
            (x0, y0, n0), (x1, y1, n1) = pooled[-2:]
            whole = n0 + n1
            pooled[-2:] = [((x0 * n0 + x1 * n1) / whole, (y0 * n0 + y1 * n1) / whole, whole)]
    if len(pooled) < 2:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            "examples judged high are no more similar to the model than those judged low; "
            "use clearer examples, or another oracle for this predicate",
        )
    return DegreeMap(tuple(k[0] for k in pooled), tuple(k[1] for k in pooled))


def _rises(low: tuple[float, float, float], high: tuple[float, float, float]) -> bool:
    return high[0] - low[0] >= STEEPEST and high[1] >= low[1]


PATIENCE = 12.0  # Number of examples of an anchor that moves the map half of the way
LEAST_EXAMPLES = 3  # The least number of examples of an anchor that moves the map

Examples = Sequence[tuple[float, float]]


def shift_by_rubric(plain_map: DegreeMap, examples: Examples) -> DegreeMap:
    """Shift a map by examples (score, degree), or return it unchanged if that would not help."""
    if len(examples) < 2 * LEAST_EXAMPLES:
        return plain_map
    before = after = 0.0
    for i, (score, degree) in enumerate(examples):
        others = [*examples[:i], *examples[i + 1 :]]
        before += abs(plain_map.apply(score) - degree)
        after += abs(_shift(plain_map, others).apply(score) - degree)
    return _shift(plain_map, examples) if after < before else plain_map


def _shift(plain_map: DegreeMap, examples: Examples) -> DegreeMap:
    by_degree: dict[float, list[float]] = {}
    for score, degree in examples:
        by_degree.setdefault(degree, []).append(score)
    places, shifts = [], []
    for degree, scores in by_degree.items():
        if len(scores) >= LEAST_EXAMPLES:
            middle = median(scores)
            share = len(scores) / (len(scores) + PATIENCE)
            places.append(middle)
            shifts.append(share * (degree - plain_map.apply(middle)))
    if not places:
        return plain_map
    order = np.argsort(places, kind="stable")
    at, by = np.array(places)[order], np.array(shifts)[order]
    knots = sorted({*plain_map.similarities, *places})
    moved = [plain_map.apply(x) + float(np.interp(x, at, by)) for x in knots]
    try:
        return fit_monotone_map(
            [(x, min(max(y, 0.0), 1.0), 1.0) for x, y in zip(knots, moved, strict=True)]
        )
    except GroundingError:  # the examples are in the wrong order: all knots pool into one
        return plain_map
