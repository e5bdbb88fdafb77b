# SPDX-License-Identifier: Apache-2.0
"""Leaving out conditions that others imply, so that a composite says nothing twice."""

from collections.abc import Sequence

from fcp_ros.cset.conditions.conditions import (
    ApplicationCondition,
    Condition,
    ConditionKind,
)
from fcp_ros.cset.search.homs import find_hom


def without_implied(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """The conditions without negative ones that another negative one implies.

    A pattern that must not occur need not be forbidden together with something else: where P maps
    into Q over L, whatever has an extension of Q has one of P.

    Args:
        conditions: that start at one pattern.
    """
    kept: list[Condition] = []
    for number, condition in enumerate(conditions):
        others = [*kept, *conditions[number + 1 :]]
        if not any(_implies(other, condition) for other in others):
            kept.append(condition)
    return tuple(kept)


def _implies(strong: Condition, weak: Condition) -> bool:
    if not (_is_negative(strong) and _is_negative(weak)) or strong is weak:
        return False
    if strong.monic or strong.nested or strong.where:
        return False
    initial: dict[int, int] = {}
    for id_, image in strong.inclusion.mapping.items():
        goal = weak.inclusion.mapping[id_]
        if initial.setdefault(image, goal) != goal:
            return False
    return find_hom(strong.pattern, weak.pattern, monic=False, initial=initial) is not None


def _is_negative(condition: Condition) -> bool:
    return isinstance(condition, ApplicationCondition) and condition.kind is ConditionKind.NAC
