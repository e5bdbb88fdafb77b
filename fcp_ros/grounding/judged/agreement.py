# SPDX-License-Identifier: Apache-2.0
"""Agreement of degrees with judgements: error, rank correlation, and area under the curve.

scipy is imported in the functions: only training and benchmarks need them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

HIGH, LOW = 0.7, 0.15
"""The area under the curve compares degrees >= HIGH with degrees <= LOW."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of degrees with judgements.

    Args:
        count: number of judgements.
        mean_error: mean absolute difference, in degrees.
        rank: Spearman's rank correlation; 0 if all are equal.
        area: under the ROC curve of judgements >= HIGH against those <= LOW; 0.5 is chance, and
            the value if there are none.
    """

    count: int
    mean_error: float
    rank: float
    area: float


def measure_agreement(judged: list[float], given: list[float]) -> Agreement:
    """Compare degrees with judgements, in the same order; at least one."""
    from scipy.stats import rankdata

    ours, theirs = np.array(judged), np.array(given)
    ranks, others = rankdata(ours), rankdata(theirs)
    varied = ranks.std() > 0 and others.std() > 0
    return Agreement(
        len(given),
        float(np.abs(ours - theirs).mean()),
        float(np.corrcoef(ranks, others)[0, 1]) if varied else 0.0,
        compute_area(ours[theirs >= HIGH - 1e-9], ours[theirs <= LOW + 1e-9]),
    )


def compute_area(high: np.ndarray, low: np.ndarray) -> float:
    """Compute the chance that one of `high` is above one of `low`; ties count half."""
    from scipy.stats import rankdata

    if not len(high) or not len(low):
        return 0.5
    ranks = rankdata(np.concatenate([high, low]))[: len(high)]
    return float((ranks.sum() - len(high) * (len(high) + 1) / 2) / (len(high) * len(low)))
