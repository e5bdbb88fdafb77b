# SPDX-License-Identifier: Apache-2.0
"""The map from a model's scores to degrees, learned from questions whose answer is known.

*Judgements* give a monotone piecewise linear map: the scores are cut into parts of equal size, the
means of each part are the knots (`fit_monotone_map`). *Examples* of the rubric shift it, or the
unchanged scores, towards the degrees of their anchors (`shift_by_rubric`).

Four ways are compared on what is left out of their fit, judgements by kind of thing and examples
one at a time: neither, either, both. The one with the least error is used, and a map only if its
error is less than that of the unchanged scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fcp_ros.grounding.heads.degree_map import DegreeMap, fit_monotone_map, shift_by_rubric
from fcp_ros.grounding.judged.agreement import compute_area
from fcp_ros.grounding.protocol.errors import GroundingError

UNCHANGED = DegreeMap((0.0, 1.0), (0.0, 1.0))
PART = 12
"""Judgements that make one knot."""
LEAST_JUDGEMENTS = 5 * PART
"""Fewer say too little about a map."""
LEAST_EXAMPLES = 3
"""Fewer of the highest or of the lowest anchor say nothing about a model."""


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """A model's score, and the degree that is right; questions of a fold are left out together."""

    score: float
    degree: float
    fold: int = 0


@dataclass(frozen=True, slots=True)
class Levels:
    """The meaning of one model's scores for one predicate.

    Args:
        degree_map: from score to degree; None leaves scores as they are.
        learned_from: what the map was learned from, in words.
        plain_error: mean error of the scores on the known questions; None without questions.
        error: mean error with the map, on questions left out of its fit.
        uncertainty: standard deviation of the error on judgements left out; None without them.
        area: chance that an example of the highest anchor scores above one of the lowest; None with
            too few of them.
    """

    degree_map: DegreeMap | None = None
    learned_from: str = ""
    plain_error: float | None = None
    error: float | None = None
    uncertainty: float | None = None
    area: float | None = None


@dataclass(frozen=True, slots=True)
class _Known:
    judgements: tuple[ScoredQuestion, ...]
    examples: tuple[ScoredQuestion, ...]

    def fit(self) -> DegreeMap:
        """Fit the map to all of it."""
        base = _fit_judgements(self.judgements) or UNCHANGED
        return shift_by_rubric(base, [(known.score, known.degree) for known in self.examples])


def learn_levels(
    judgements: Sequence[ScoredQuestion], examples: Sequence[ScoredQuestion]
) -> Levels:
    """Learn the levels of a model for a predicate.

    Args:
        judgements: scores of judged pairs; may be empty.
        examples: scores of the rubric's examples, asked without showing them; may be empty.
    """
    if len(judgements) < LEAST_JUDGEMENTS:
        judgements = ()
    asked = [*judgements, *examples]
    area = measure_area(examples)
    if not asked:
        return Levels(area=area)
    right = np.array([known.degree for known in asked])
    ways = [_Known(j, e) for j in ((), tuple(judgements)) for e in ((), tuple(examples))]
    left_out = [_predict_left_out(way, judgements, examples) for way in ways]
    errors = [float(np.abs(found - right).mean()) for found in left_out]
    best = min(range(len(ways)), key=lambda way: (round(errors[way], 9), way))
    count = len(judgements)
    off = left_out[best][:count] - right[:count]
    degree_map = ways[best].fit() if best else None
    return Levels(
        None if degree_map == UNCHANGED else degree_map,
        _describe(ways[best]),
        errors[0],
        errors[best],
        min(1.0, math.sqrt(float((off**2).mean()))) if count else None,
        area,
    )


def measure_area(examples: Sequence[ScoredQuestion]) -> float | None:
    """Measure how well the scores tell the highest anchor's examples from the lowest one's."""
    degrees = [known.degree for known in examples]
    if not degrees or min(degrees) == max(degrees):
        return None
    low = np.array([known.score for known in examples if known.degree == min(degrees)])
    high = np.array([known.score for known in examples if known.degree == max(degrees)])
    if min(len(low), len(high)) < LEAST_EXAMPLES:
        return None
    return compute_area(high, low)


def _fit_judgements(judgements: Sequence[ScoredQuestion]) -> DegreeMap | None:
    """Fit a map to judgements; None if their degrees don't rise with the scores at all."""
    ordered = sorted(judgements, key=lambda known: (known.score, known.degree))
    parts = np.array_split(np.arange(len(ordered)), max(1, len(ordered) // PART))
    scores = np.array([known.score for known in ordered])
    degrees = np.array([known.degree for known in ordered])
    try:
        return fit_monotone_map(
            [(float(scores[p].mean()), float(degrees[p].mean()), float(len(p))) for p in parts]
            if ordered
            else []
        )
    except GroundingError:
        return None


def _predict_left_out(
    way: _Known, judgements: Sequence[ScoredQuestion], examples: Sequence[ScoredQuestion]
) -> np.ndarray:
    """Map each known question by a map that was fitted without it and its fold."""
    by_fold = {
        fold: _Known(tuple(k for k in way.judgements if k.fold != fold), way.examples).fit()
        for fold in {known.fold for known in judgements}
    }
    found = [by_fold[known.fold].apply(known.score) for known in judgements]
    for index, known in enumerate(examples):
        others = tuple(e for i, e in enumerate(way.examples) if i != index)
        found.append(_Known(way.judgements, others).fit().apply(known.score))
    return np.array(found)


def _describe(way: _Known) -> str:
    kinds = ((way.judgements, "judgements"), (way.examples, "examples"))
    return " and ".join(f"{len(known)} {name}" for known, name in kinds if known)
