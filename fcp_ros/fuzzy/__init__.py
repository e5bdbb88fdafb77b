# SPDX-License-Identifier: Apache-2.0
"""Degrees: t-norms, fuzzy sets and alpha policies.

- `tnorm`: t-norms with their losses, and their names; `check_degree`.
- `alpha`: alpha policies and alpha-cuts.
- `fuzzy_sets`: how well a number fits: trapezoids and sigmoids.
"""

from fcp_ros.fuzzy.alpha import (
    AlphaCut,
    AlphaPolicy,
    AlphaPreset,
    alpha_policy,
    count_graded_steps,
    reaches,
)
from fcp_ros.fuzzy.tnorm import (
    EPSILON,
    TNORM_CHOICES,
    TNORMS,
    Composition,
    Goedel,
    Hamacher,
    Lukasiewicz,
    Product,
    TNorm,
    check_degree,
    tnorm_by_name,
)

__all__ = [
    "EPSILON",
    "TNORMS",
    "TNORM_CHOICES",
    "AlphaCut",
    "AlphaPolicy",
    "AlphaPreset",
    "Composition",
    "Goedel",
    "Hamacher",
    "Lukasiewicz",
    "Product",
    "TNorm",
    "alpha_policy",
    "check_degree",
    "count_graded_steps",
    "reaches",
    "tnorm_by_name",
]
