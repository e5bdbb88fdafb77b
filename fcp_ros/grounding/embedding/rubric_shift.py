# SPDX-License-Identifier: Apache-2.0
"""How a predicate's own rubric moves the map of a trained head.

The judgements say what people mean by "function" in general; the examples of a rubric say what
the author of *this* predicate means by 0, 50 and 100. At the median score of each anchor's examples
the map is moved towards the anchor's degree, the more the more examples there are:

    shift = n / (n + PATIENCE) * (anchor's degree - map(median score))

Between the anchors the shift is interpolated, beyond them it is constant, and what no longer rises
is pooled. It is used only if examples that were left out, one at a time, come out nearer to their
anchor's degree with it than without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from fcp_ros.grounding.embedding.degree_map import DegreeMap, monotone_map
from fcp_ros.grounding.protocol.errors import GroundingError

PATIENCE = 12.0
"""Examples of an anchor that move the map half of the way."""
LEAST_EXAMPLES = 3
"""Anchors with fewer examples don't move the map."""

Examples = Sequence[tuple[float, float]]


def shifted_by_rubric(plain_map: DegreeMap, examples: Examples) -> DegreeMap:
    """The map moved by a rubric's examples, or the same map where that would not help.

    Args:
        plain_map: of the head.
        examples: (score by the head, degree of the anchor) of each example.
    """
    if len(examples) < 2 * LEAST_EXAMPLES:
        return plain_map
    before = after = 0.0
    for i, (score, degree) in enumerate(examples):
        others = [*examples[:i], *examples[i + 1 :]]
        before += abs(plain_map.degree(score) - degree)
        after += abs(_shifted(plain_map, others).degree(score) - degree)
    return _shifted(plain_map, examples) if after < before else plain_map


def _shifted(plain_map: DegreeMap, examples: Examples) -> DegreeMap:
    by_degree: dict[float, list[float]] = {}
    for score, degree in examples:
        by_degree.setdefault(degree, []).append(score)
    places, shifts = [], []
    for degree, scores in by_degree.items():
        if len(scores) >= LEAST_EXAMPLES:
            middle = median(scores)
            share = len(scores) / (len(scores) + PATIENCE)
            places.append(middle)
            shifts.append(share * (degree - plain_map.degree(middle)))
    if not places:
        return plain_map
    order = np.argsort(places, kind="stable")
    at, by = np.array(places)[order], np.array(shifts)[order]
    knots = sorted({*plain_map.similarities, *places})
    moved = [plain_map.degree(x) + float(np.interp(x, at, by)) for x in knots]
    try:
        return monotone_map(
            [(x, min(max(y, 0.0), 1.0), 1.0) for x, y in zip(knots, moved, strict=True)]
        )
    except GroundingError:  # the examples stand the wrong way round: nothing rises any more
        return plain_map
