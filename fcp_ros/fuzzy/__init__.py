# SPDX-License-Identifier: Apache-2.0
"""Degrees: t-norms, fuzzy sets, alpha policies and the requirements of plans.

- `tnorm`: t-norms with their losses, and their names; `check_degree`.
- `alpha`: alpha policies, alpha-cuts, and the requirement before each step of a plan.
- `fuzzy_sets`: how well a number fits: trapezoids and sigmoids.
"""

from fcp_ros.fuzzy.alpha import (
    AlphaCut,
    AlphaPolicy,
    AlphaPreset,
    alpha_policy,
    backward_requirement,
    count_graded_steps,
    is_feasible,
    reaches,
    requirements_along,
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
    "backward_requirement",
    "check_degree",
    "count_graded_steps",
    "is_feasible",
    "reaches",
    "requirements_along",
    "tnorm_by_name",
]
