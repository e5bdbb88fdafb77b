# SPDX-License-Identifier: Apache-2.0
"""Raw cosine of the words with its best monotone map: what a head has to be better than."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.degree_map import DegreeMap, fit_monotone_map
from fcp_ros.grounding.judged.judgement_set import Judgement
from fcp_ros.grounding.models.sentence_encoder import Encode

Reals = NDArray[np.float64]


def compute_cosines(pairs: Sequence[tuple[str, str]], encode: Encode) -> list[float]:
    """Compute the cosine of the bare words of each pair."""
    left, right = (encode([pair[side] for pair in pairs]) for side in (0, 1))
    return [float(value) for value in np.einsum("nd,nd->n", left, right)]


def fit_cosine_map(judgements: Sequence[Judgement], encode: Encode) -> DegreeMap:
    """Fit the monotone map of raw cosine with the least squared error on these judgements."""
    raw = np.array(compute_cosines([judgement.pair for judgement in judgements], encode))
    degrees = np.array([judgement.degree for judgement in judgements])
    return fit_quantile_map(raw, degrees, 50)


def fit_quantile_map(
    scores: Reals, targets: Reals, most: int, worth: Reals | None = None
) -> DegreeMap:
    """Fit the mean target by quantile of the score, made monotone.

    Args:
        scores: in any order.
        targets: of the same pairs.
        most: knots at which the map may bend.
        worth: of each pair, in [0, 1]; None: all are worth the same.
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
