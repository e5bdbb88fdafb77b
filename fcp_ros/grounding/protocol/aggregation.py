# SPDX-License-Identifier: Apache-2.0
"""From several judgements, or a distribution over scores, to one degree: the median.

The median of k judgements (k odd, DESIGN section 4) ignores the size of a single outlier. For a
distribution it is the least score at which the cumulated probability reaches one half, which is
what the median of k independent draws tends to as k grows.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

ROUNDING = 1e-9


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


def median_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Median and interquartile range of the judgements.

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


def distribution_quantile(
    values: Sequence[float], weights: Sequence[float], fraction: float
) -> float:
    """The least value at which the cumulated weight reaches ``fraction`` of the whole.

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
    cumulated = 0.0
    ordered = sorted(zip(values, weights, strict=True))
    for value, weight in ordered:
        cumulated += weight
        if cumulated >= fraction * total * (1.0 - ROUNDING):
            return float(value)
    return float(ordered[-1][0])


def distribution_median_and_spread(
    values: Sequence[float], weights: Sequence[float]
) -> tuple[float, float]:
    """Weighted median and interquartile range of a distribution over scores."""
    low = distribution_quantile(values, weights, 0.25)
    high = distribution_quantile(values, weights, 0.75)
    return distribution_quantile(values, weights, 0.5), high - low
