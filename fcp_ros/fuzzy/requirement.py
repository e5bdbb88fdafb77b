# SPDX-License-Identifier: Apache-2.0
"""Requirements: how much membership a state must still have for a plan to reach alpha from it."""

import math
from collections.abc import Iterable

from fcp_ros.fuzzy.tnorm import EPSILON, TNorm


def reaches(membership: float, alpha: float) -> bool:
    """Whether `membership` passes the alpha-cut, with the tolerance `EPSILON`."""
    return membership + EPSILON >= alpha


def is_feasible(requirement: float) -> bool:
    """Whether a requirement can be met at all: it is not above 1, with the tolerance `EPSILON`."""
    return requirement <= 1.0 + EPSILON


def backward_requirement(required_after: Iterable[tuple[float, float]], tnorm: TNorm) -> float:
    """The least membership needed at a state, given its possible steps (DESIGN section 4).

    The *minimum* over the steps, because an existential plan takes the cheapest continuation. (The
    maximum would be for choices that somebody else makes.)

    Args:
        required_after: for each step its successor's requirement and the step's degree.
        tnorm: how degrees compose.

    Returns:
        The requirement; above 1 (maybe infinite) it is infeasible, as it is when there is no step.
    """
    return min(
        (tnorm.least_requirement(required, degree) for required, degree in required_after),
        default=math.inf,
    )


def requirements_along(alpha: float, degrees: Iterable[float], tnorm: TNorm) -> tuple[float, ...]:
    """The requirement before each step of one plan, and `alpha` after the last.

    Args:
        alpha: what the whole plan must reach.
        degrees: the degrees of its n steps, in order.
        tnorm: how degrees compose.

    Returns:
        n + 1 requirements; from membership 1 the plan reaches alpha exactly if the first is
        feasible.
    """
    backwards = [alpha]
    for degree in reversed(list(degrees)):
        backwards.append(tnorm.least_requirement(backwards[-1], degree))
    return tuple(reversed(backwards))
