# SPDX-License-Identifier: Apache-2.0
"""Whether two instances are the same up to the names of their elements."""

from collections import defaultdict
from typing import Any

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.search.homs import find_hom


def find_isomorphism(first: Instance, second: Instance) -> Morphism | None:
    """An isomorphism that keeps types and attributes exactly, or None where there is none."""
    if first.schema != second.schema:
        return None
    ours, theirs = _classes(first), _classes(second)
    sizes = {key: len(members) for key, members in ours.items()}
    if sizes != {key: len(members) for key, members in theirs.items()}:
        return None
    relations = [relation.name for relation in first.schema.relations]
    if any(len(first.tuples(name)) != len(second.tuples(name)) for name in relations):
        return None
    # A monic morphism between sets of the same finite sizes is bijective on elements and on tuples.
    allowed = {
        element: frozenset(theirs[key]) for key, members in ours.items() for element in members
    }
    return find_hom(first, second, monic=True, allowed=allowed)


def is_isomorphic(first: Instance, second: Instance) -> bool:
    """Whether there is an isomorphism between two instances (see `find_isomorphism`)."""
    return find_isomorphism(first, second) is not None


def _classes(instance: Instance) -> dict[Any, list[int]]:
    """The elements by what an isomorphism must keep: type, attributes, number of occurrences."""
    counts: dict[int, list[Any]] = defaultdict(list)
    for relation in instance.schema.relations:
        table = instance.relation_table(relation.name)
        for position in range(len(relation.legs)):
            for element, rows in table.index(position).items():
                counts[element].append((relation.name, position, len(rows)))
    for function in instance.schema.functions:
        preimages = instance.function_table(function.name).preimages()
        for element, sources in preimages.items():
            counts[element].append((function.name, len(sources)))
    classes: dict[Any, list[int]] = defaultdict(list)
    for element in instance.all_elements():
        values = frozenset(instance.attributes(element).items())
        key = (instance.type_of(element), values, tuple(counts[element]))
        classes[key].append(element)
    return classes
