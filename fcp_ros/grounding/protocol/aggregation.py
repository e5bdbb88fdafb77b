# SPDX-License-Identifier: Apache-2.0
"""One membership from several judgements or from a distribution over scores: mean or median.

The median of k judgements (k odd, docs/design.md) ignores the size of a single outlier. For a
distribution it is the least score at which the cumulative probability reaches one half, the limit
of the median of k independent draws as k grows. The mean also tells apart questions whose likeliest
score is the same. The note of a membership gives both.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from enum import Enum

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import HIGHEST_SCORE, SCORE_COUNT, Membership


class Estimate(str, Enum):
    """The number that stands for a distribution or for several judgements."""

    MEAN = "mean"
    MEDIAN = "median"


ROUNDING = 1e-9
DEGREES = tuple(score / HIGHEST_SCORE for score in range(SCORE_COUNT))


def check_sample_count(count: int) -> int:
    """Return ``count`` if it is odd and positive, so that the median is one of the judgements.

    Raises:
        GroundingError: it is even or not positive.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1 or count % 2 == 0:
        raise GroundingError(
            GroundingCode.INVALID_OPTION,
            f"the number of samples is {count!r}; use an odd number such as 1, 3, 5 or 7, so that "
            "the median is one of the judgements",
        )
    return count


def build_exact_membership(
    scores: Sequence[float], least_mass: float, estimate: Estimate, source: str, model: str
) -> Membership | str:
    """Build the membership of a distribution over the scores, or say why there is none.

    Args:
        scores: probability of each score 0 .. 100; the remainder to 1 is "no score".
        least_mass: least probability required on all scores together.
        estimate: what the degree is.
        source: the kind of oracle.
        model: the model that answered.
    """
    mass = math.fsum(scores)
    if mass < least_mass or mass <= 0.0:
        return f"the scores have {mass:.2%} of its probability; {least_mass:.0%} are needed"
    given = tuple(float(chance) / mass for chance in scores)
    median, spread = compute_distribution_median(DEGREES, given)
    mean = min(1.0, math.fsum(d * w for d, w in zip(DEGREES, given, strict=True)))
    degree = mean if estimate == Estimate.MEAN else median
    other = f"median {median:.2f}" if estimate == Estimate.MEAN else f"mean {mean:.2f}"
    note = (
        f"{Estimate(estimate).value} of the exact distribution ({other}), {mass:.0%} of the "
        "probability on scores"
    )
    return Membership(degree, degree, (), spread, source, model, note=note, distribution=given)


def build_sampled_membership(
    answers: Sequence[float | None],
    temperature: float,
    least_mass: float,
    estimate: Estimate,
    source: str,
    model: str,
) -> Membership | str:
    """Build the membership of sampled answers, or say why there is none.

    Args:
        answers: the degree that each sampled answer gives; None for an answer without a score.
        temperature: that the answers were sampled at.
        least_mass: least share of the answers that must have a score.
        estimate: what the degree is.
        source: the kind of oracle.
        model: the model that answered.
    """
    samples = tuple(answer for answer in answers if answer is not None)
    if not samples or len(samples) < least_mass * len(answers):
        missing = len(answers) - len(samples)
        return (
            f"{missing} of {len(answers)} sampled answers have none; {least_mass:.0%} must have one"
        )
    median, spread = compute_median(samples)
    degree = math.fsum(samples) / len(samples) if estimate == Estimate.MEAN else median
    note = f"{Estimate(estimate).value} of {len(samples)} samples at temperature {temperature:g}"
    if len(samples) < len(answers):
        note += f"; {len(answers) - len(samples)} answers without a score"
    return Membership(degree, degree, samples, spread, source, model, note=note)


def compute_median(values: Sequence[float]) -> tuple[float, float]:
    """Compute the median and the interquartile range of the judgements.

    Args:
        values: at least one number.

    Raises:
        GroundingError: there is no value, or one is not finite.
    """
    if not values or not all(math.isfinite(value) for value in values):
        raise GroundingError(
            GroundingCode.INVALID_DEGREE,
            f"no median of the judgements {list(values)}: there must be at least one number and "
            "all must be finite",
        )
    if len(values) == 1:
        return float(values[0]), 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return float(statistics.median(values)), float(high - low)


def find_quantile(values: Sequence[float], weights: Sequence[float], fraction: float) -> float:
    """Find the least value at which the cumulative weight reaches ``fraction`` of the total.

    Args:
        values: scores in any order.
        weights: one for each value, not negative, not all zero; need not sum to 1.
        fraction: in (0, 1].

    Raises:
        GroundingError: weights negative, not finite or all zero.
    """
    total = math.fsum(weights)
    if not math.isfinite(total) or total <= 0.0 or any(weight < 0.0 for weight in weights):
        raise GroundingError(
            GroundingCode.NO_ANSWER,
            f"no quantile of the weights {list(weights)}: they must be finite, not negative and "
            "not all zero",
        )
    cumulative = 0.0
    ordered = sorted(zip(values, weights, strict=True))
    for value, weight in ordered:
        cumulative += weight
        if cumulative >= fraction * total * (1.0 - ROUNDING):
            return float(value)
    return float(ordered[-1][0])


def compute_distribution_median(
    values: Sequence[float], weights: Sequence[float]
) -> tuple[float, float]:
    """Compute the weighted median and interquartile range of a distribution over scores."""
    low = find_quantile(values, weights, 0.25)
    high = find_quantile(values, weights, 0.75)
    return find_quantile(values, weights, 0.5), high - low
