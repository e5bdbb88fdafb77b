# SPDX-License-Identifier: Apache-2.0
"""Instances that are equal up to the names of their elements."""

from collections import Counter

from fcp_ros.cset import Instance, Morphism, find_homs


def find_isomorphism(one: Instance, other: Instance) -> Morphism | None:
    """Find a monic morphism between instances of one size: it is an isomorphism."""
    if one.schema != other.schema or _count(one) != _count(other):
        return None
    return next(find_homs(one, other), None)


def is_isomorphic(one: Instance, other: Instance) -> bool:
    """Return True if two instances differ in names and ids only."""
    return find_isomorphism(one, other) is not None


def _count(instance: Instance) -> Counter[object]:
    """Count elements by type and attributes, tuples by relation and attributes."""
    rows = (row for name in instance.list_filled() for row in instance.tuples(name))
    return Counter(
        (instance.type_of(id_), frozenset((k, str(v)) for k, v in instance.attributes(id_).items()))
        for id_ in (*instance.all_elements(), *rows)
    )
