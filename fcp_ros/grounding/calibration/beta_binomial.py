# SPDX-License-Identifier: Apache-2.0
"""The degree of one context: the oracle's opinion, and what was observed there.

With a prior degree d worth s outcomes, and observed qualities q_i of weights w_i,

    degree = (s * d + sum w_i q_i) / (s + sum w_i),

the mean of the beta-binomial posterior Beta(s d + sum w_i q_i, s (1 - d) + sum w_i (1 - q_i)). A
graded quality counts as that fraction of a success.

How many outcomes a prior is worth is the ratio of the spread of outcomes within a context to the
spread of the contexts' true rates about their priors: the credibility of Buehlmann and Straub
(1970). `estimated_strength` estimates both, each drawn towards what was set.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.grounding.calibration.arrays import Floats

WITHIN_PRIOR = 10.0
"""Outcomes that the belief about the spread within a context is worth."""
BETWEEN_PRIOR = 5.0
"""The same for the spread between contexts."""
RANGE = 4.0
"""The estimate lies within this factor of what was set. However right a model was so far, a thing
that breaks must be noticed after some failures: the planner tries another only then."""


def posterior_degree(
    prior: float,
    weight: float,
    total: float,
    strength: float,
    cap: float,
    centre: float | None = None,
) -> float:
    """The calibrated degree.

    Args:
        prior: the oracle's degree, in [0, 1].
        weight: sum of the weights of the outcomes.
        total: sum of their weighted qualities.
        strength: outcomes that the prior is worth, > 0.
        cap: the degree is no further from `prior` than this.
        centre: the recalibrated prior, which counts in place of `prior`; None: the prior itself.
    """
    middle = prior if centre is None else centre
    posterior = (strength * middle + total) / (strength + weight)
    shift = min(max(posterior - prior, -cap), cap)
    return min(max(prior + shift, 0.0), 1.0)


def estimated_strength(
    believed: float, weight: Floats, expected: Floats, mean: Floats, scatter: Floats
) -> float:
    """How many outcomes the oracle's degree is worth, by how far contexts were from it.

    Args:
        believed: what was set; the estimate is drawn towards it.
        weight: of the outcomes of each context, float64[c].
        expected: its recalibrated prior.
        mean: the mean quality observed.
        scatter: weighted sum of the squared distances of its qualities from that mean.
    """
    binary = _ratio(np.sum(weight * expected * (1.0 - expected)), np.sum(weight), 0.25)
    freedom = float(np.sum(np.maximum(weight - 1.0, 0.0)))
    within = (WITHIN_PRIOR * binary + float(np.sum(scatter))) / (WITHIN_PRIOR + freedom)
    within = max(within, 1e-4)
    between_believed = within / believed
    # Contexts with many outcomes say the same thing about the spread between contexts as others.
    share = 1.0 / (1.0 + weight / believed)
    surplus = np.sum(share * (weight * (mean - expected) ** 2 - within))
    between = (BETWEEN_PRIOR * between_believed + float(surplus)) / (
        BETWEEN_PRIOR + float(np.sum(share * weight))
    )
    strength = within / max(between, within / (believed * RANGE))
    return float(np.clip(strength, believed / RANGE, believed * RANGE))


def _ratio(above: float, below: float, otherwise: float) -> float:
    return float(above / below) if below > 0.0 else otherwise
