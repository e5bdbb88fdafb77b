# SPDX-License-Identifier: Apache-2.0
"""Whether two ways to compute the same probabilities agree, but for rounding."""

from __future__ import annotations

import numpy as np

from fcp_ros.grounding.language_model.score_reading import Floats
from fcp_ros.grounding.protocol.options import Precision

LEAST_PROBABILITY = 1e-30
WHOLE_PRECISION_TOLERANCE = 2e-3
HALF_PRECISION_TOLERANCE = 0.1
"""In units of how much the log-probabilities of a row vary. Measured on tiny models of up to 16
layers: rounding makes 2e-6 of that in float32 and 2e-2 in bfloat16, a wrong mask 0.2 to 1."""


def tolerance(precision: Precision) -> float:
    """The largest difference that rounding explains."""
    exact = precision is Precision.FLOAT32
    return WHOLE_PRECISION_TOLERANCE if exact else HALF_PRECISION_TOLERANCE


def relative_difference(a: Floats, b: Floats) -> float:
    """Root mean square difference of log-probabilities, in units of their variation; 0 for NaN.

    What is not a number shows in the answers, and must not be taken for a wrong mask.
    """
    logs = [np.log(np.maximum(values, LEAST_PROBABILITY)) for values in (a, b)]
    variation = float(np.std(logs[1])) or 1.0
    difference = float(np.sqrt(np.mean((logs[0] - logs[1]) ** 2))) / variation
    return 0.0 if np.isnan(difference) else difference
