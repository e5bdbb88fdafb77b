# SPDX-License-Identifier: Apache-2.0
"""Degrees: t-norms, the requirements that they lead to backwards, and alpha policies."""

from fcp_ros.fuzzy.alpha import AlphaCut, AlphaPolicy, AlphaPreset, alpha_policy, graded_steps
from fcp_ros.fuzzy.by_name import TNORM_CHOICES, TNORMS, tnorm_by_name
from fcp_ros.fuzzy.hamacher import Hamacher
from fcp_ros.fuzzy.requirement import (
    backward_requirement,
    is_feasible,
    reaches,
    requirements_along,
)
from fcp_ros.fuzzy.tnorm import (
    EPSILON,
    Composition,
    Goedel,
    Lukasiewicz,
    Product,
    TNorm,
    check_degree,
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
    "graded_steps",
    "is_feasible",
    "reaches",
    "requirements_along",
    "tnorm_by_name",
]
