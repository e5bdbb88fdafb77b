# SPDX-License-Identifier: Apache-2.0
"""Morphisms of instances: structure-preserving maps, written by element ids.

A morphism sends each element to one of a subtype, each tuple to a tuple of the same relation,
commutes with functions and legs, and keeps every attribute that is set in its source. What is not
set in the source is free; an attribute variable of the source is bound to one value. Constructing
one checks nothing; `violations` does.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fcp_ros.cset.instance.instance import Instance, InstanceError
from fcp_ros.cset.instance.naturality import (
    all_ids,
    bind_values,
    find_naturality_violations,
    is_natural,
    substitute_values,
)
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.schema.schema import AttributeValue


@dataclass(frozen=True, eq=False)
class Morphism:
    """A map, by id, of the elements and tuples of `source` to those of `target`."""

    source: Instance
    target: Instance
    mapping: Mapping[int, int]
    values: Mapping[str, AttributeValue] = field(default_factory=dict)

    def __call__(self, id_: int) -> int:
        """The image of an element or tuple."""
        return self.mapping[id_]

    @property
    def is_monic(self) -> bool:
        """True if different elements, and different tuples, have different images."""
        return len(set(self.mapping.values())) == len(self.mapping)

    def image(self) -> frozenset[int]:
        """Ids of the images of all elements and tuples."""
        return frozenset(self.mapping.values())

    def compose(self, after: "Morphism") -> "Morphism":
        """Return this morphism followed by `after`."""
        if not after.source.is_same(self.target):
            raise InstanceError(
                f"cannot compose: the first morphism ends in {self.target!r}, "
                f"the second starts in {after.source!r}"
            )
        mapping = {key: after.mapping[value] for key, value in self.mapping.items()}
        values = {
            name: substitute_values(value, after.values) for name, value in self.values.items()
        }
        return _bind(self.source, after.target, mapping, values)

    def by_name(self) -> dict[str, str]:
        """Names of the images by names of the elements (without tuples)."""
        return {
            self.source.name_of(element): self.target.name_of(self.mapping[element])
            for element in self.source.all_elements()
        }

    def violations(self) -> tuple[Violation, ...]:
        """Find everything that keeps this from being a morphism; empty if it is one."""
        if self.source.schema != self.target.schema:
            text = f"{self.source!r} and {self.target!r} have different schemas"
            return (Violation(ViolationKind.NATURALITY, text),)
        parts = (self.source, self.target, self.mapping, self.values)
        return () if is_natural(*parts) else tuple(find_naturality_violations(*parts))

    def collisions(self) -> tuple[tuple[str, ...], ...]:
        """Groups of names of the source's elements and tuples that share an image."""
        counts = Counter(self.mapping.values())
        return tuple(
            tuple(self.source.name_of(key) for key, value in self.mapping.items() if value == image)
            for image, count in counts.items()
            if count > 1
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Morphism):
            return NotImplemented
        if self.source is other.source and self.target is other.target:
            return dict(self.mapping) == dict(other.mapping)
        return (
            self.source == other.source
            and self.target == other.target
            and self.by_name() == other.by_name()
        )

    def __hash__(self) -> int:
        return hash(frozenset(self.by_name().items()))


def identity(instance: Instance) -> Morphism:
    """Return the identity of an instance."""
    return _bind(instance, instance, {id_: id_ for id_ in all_ids(instance)}, {})


def morphism(source: Instance, target: Instance, elements: Mapping[int, int]) -> Morphism:
    """Return the morphism with given images of elements; those of tuples follow."""
    mapping = dict(elements)
    missing = []
    for name in source.list_filled():
        by_legs = target.relation_table(name).by_legs
        for row, legs in source.relation_table(name).rows.items():
            images = tuple([mapping.get(leg, -1) for leg in legs])
            found = by_legs.get(images)
            if found is None:
                missing.append(source.name_of(row))
            else:
                mapping[row] = found
    if missing:
        raise InstanceError(f"not a morphism: the target lacks the image of {', '.join(missing)}")
    result = _bind(source, target, mapping, {})
    violations = result.violations()
    if violations:
        raise InstanceError("not a morphism: " + "; ".join(v.message for v in violations))
    return result


def inclusion(source: Instance, target: Instance) -> Morphism:
    """Return the morphism that sends each element to the one of the same name."""
    lacking = [name for name in source.names() if not target.has(name)]
    if lacking:
        raise InstanceError(f"not included: the target has no element {', '.join(lacking)}")
    return morphism(source, target, {source.id_of(n): target.id_of(n) for n in source.names()})


def _bind(
    source: Instance, target: Instance, mapping: Mapping[int, int], values: Mapping[str, Any]
) -> Morphism:
    """Make a morphism; variables without a given value take the one that they meet."""
    return Morphism(source, target, mapping, bind_values(source, target, mapping, values))
