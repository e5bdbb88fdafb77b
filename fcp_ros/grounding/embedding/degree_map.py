# SPDX-License-Identifier: Apache-2.0
"""A monotone map from similarity to degree, fitted from the examples of a rubric's anchors.

Each anchor (score 0, 50, 100) gives one knot: the median similarity of its examples. Neighbouring
knots that stand in the wrong order are pooled into one (isotonic regression, weighted by the
number of examples). Between knots the degree is linear, outside it is that of the last knot.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

STEEPEST = 0.02
"""Least distance in similarity between two knots; nearer ones would be a threshold of noise."""


@dataclass(frozen=True, slots=True)
class DegreeMap:
    """A piecewise linear, non-decreasing map.

    Args:
        similarities: of the knots, increasing.
        degrees: of the knots, non-decreasing, in [0, 1].
    """

    similarities: tuple[float, ...]
    degrees: tuple[float, ...]

    def degree(self, similarity: float) -> float:
        """The degree at a similarity; constant beyond the first and the last knot."""
        xs, ys = self.similarities, self.degrees
        right = bisect_left(xs, similarity)
        if right == 0:
            return ys[0]
        if right == len(xs):
            return ys[-1]
        share = (similarity - xs[right - 1]) / (xs[right] - xs[right - 1])
        return ys[right - 1] + share * (ys[right] - ys[right - 1])


def fit_degree_map(examples: Mapping[int, Sequence[float]]) -> DegreeMap:
    """Fit the map.

    Args:
        examples: similarities of the examples of each anchor, by the anchor's score (0 to 100);
            at least two anchors need examples.

    Raises:
        GroundingError: fewer than two anchors have examples, or their similarities don't rise
            with their scores at all.
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
    return monotone_map(knots)


def monotone_map(knots: Sequence[tuple[float, float, float]]) -> DegreeMap:
    """The non-decreasing map nearest to some knots (pooling of adjacent violators).

    Args:
        knots: (similarity, degree, weight), sorted by similarity or by degree.

    Raises:
        GroundingError: nothing rises: all knots pool into one.
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
            "what is judged high is no more similar to the model than what is judged low; "
            "use clearer examples, or another oracle for this predicate",
        )
    return DegreeMap(tuple(k[0] for k in pooled), tuple(k[1] for k in pooled))


def _rises(low: tuple[float, float, float], high: tuple[float, float, float]) -> bool:
    return high[0] - low[0] >= STEEPEST and high[1] >= low[1]
