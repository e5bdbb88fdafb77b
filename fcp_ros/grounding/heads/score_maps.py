# SPDX-License-Identifier: Apache-2.0
"""Maps from scores to degrees and to expected errors, fitted on scores of unseen pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.head import DegreeMap, fit_monotone_map
from fcp_ros.grounding.judgement import GroundingError

Reals = NDArray[np.float64]

KNOTS = 16  # Most quantiles of the scores at which the maps may bend


def fit_quantile_map(
    scores: Reals, targets: Reals, most: int, worth: Reals | None = None
) -> DegreeMap:
    """Fit the mean target by quantile of the score, made monotone, with `most` knots.

    `worth` is that of each pair, in [0, 1].
    """
    worth = np.ones(len(scores)) if worth is None else worth
    order = np.flatnonzero(worth)
    order = order[np.argsort(scores[order], kind="stable")]
    parts = min(most, max(2, len(order) // 10))
    reached = np.cumsum(worth[order])
    cuts = np.searchsorted(reached, np.linspace(0.0, reached[-1], parts + 1)[1:-1])
    return fit_monotone_map(
        [
            (
                float(np.average(scores[part], weights=worth[part])),
                float(np.average(targets[part], weights=worth[part])),
                float(worth[part].sum()),
            )
            for part in np.split(order, cuts)
            if len(part)
        ]
    )


def fit_error_map(errors: Reals, squares: Reals, worth: Reals) -> DegreeMap:
    """Fit the map from the second score to the mean squared distance.

    On judged pairs alone: unrelated ones are easy, and would make near misses look so, too.
    """
    try:
        return fit_quantile_map(errors, squares, KNOTS, worth)
    except GroundingError:  # no pair can be told to be better known than another
        return DegreeMap((0.0, 1.0), (float(np.average(squares, weights=worth)),) * 2)
