# SPDX-License-Identifier: Apache-2.0
"""Warnings about a sound domain: what is allowed, and probably not meant."""

from __future__ import annotations

from fcp_ros.domain.model import Domain, GradedPredicate

OPTIMISTIC = 0.5
"""A default degree above it says that what nobody judged is good."""


def list_warnings(domain: Domain) -> list[str]:
    """List the warnings, each a sentence with its remedy."""
    return [
        f"{one.name} has the default degree {one.default_degree:g}: what its table doesn't list "
        "counts as good, though nobody judged it; write `hazard: true` if somebody or something "
        "can come to harm (then what is unlisted is judged, and what can't be judged counts as 0), "
        "or `hazard: false` if not"
        for one in domain.graded.values()
        if is_optimistic(one)
    ]


def is_optimistic(predicate: GradedPredicate) -> bool:
    """Return True if the domain takes what it doesn't list for good, and doesn't say why it may."""
    default = predicate.default_degree
    return predicate.hazard is None and default is not None and default > OPTIMISTIC
