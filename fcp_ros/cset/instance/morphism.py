# SPDX-License-Identifier: Apache-2.0
"""Morphisms of instances: structure-preserving maps, written by element ids.

A morphism sends each element to one of a subtype, each tuple to a tuple of the same relation,
commutes with functions and legs, and keeps every attribute that is set in its source. What is not
set in the source is free. Constructing one checks nothing; `violations` does, and gives values.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.instance.instance import Instance, InstanceError
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.schema.symbols import AttributeValue


@dataclass(frozen=True, eq=False)
class Morphism:
    """A map of the elements, and of the tuples, of `source` to those of `target`.

    Attributes:
        source: where it starts.
        target: where it ends.
        mapping: the image's id for each id of the source, tuples included.
        values: what the attribute variables of the source are bound to.
    """

    source: Instance
    target: Instance
    mapping: Mapping[int, int]
    values: Mapping[str, AttributeValue] = field(default_factory=dict)

    def __call__(self, id_: int) -> int:
        """The image of an element or tuple."""
        return self.mapping[id_]

    @property
    def is_monic(self) -> bool:
        """Whether different elements, and different tuples, have different images."""
        return len(set(self.mapping.values())) == len(self.mapping)

    @property
    def is_epic(self) -> bool:
        """Whether every element and every tuple of the target is an image."""
        return len(set(self.mapping.values())) == sum(1 for _ in _all_ids(self.target))

    def image(self) -> frozenset[int]:
        """Ids of the images of all elements and tuples."""
        return frozenset(self.mapping.values())

    def compose(self, after: "Morphism") -> "Morphism":
        """This morphism, then `after`.

        Raises:
            InstanceError: `after` does not start where this one ends.
        """
        if not after.source.is_same(self.target):
            raise InstanceError(
                f"cannot compose: the first morphism ends in {self.target!r}, "
                f"the second starts in {after.source!r}"
            )
        mapping = {key: after.mapping[value] for key, value in self.mapping.items()}
        return Morphism(self.source, after.target, mapping)

    def by_name(self) -> dict[str, str]:
        """Names of the images by names of the elements (without tuples)."""
        return {
            self.source.name_of(element): self.target.name_of(self.mapping[element])
            for element in self.source.all_elements()
        }

    def violations(self) -> tuple[Violation, ...]:
        """Everything that keeps this from being a morphism; empty when it is one."""
        if self.source.schema != self.target.schema:
            text = f"{self.source!r} and {self.target!r} have different schemas"
            return (Violation(ViolationKind.NATURALITY, text),)
        partial = tuple(self._unmapped())
        if partial:
            return partial
        return (
            *self._element_violations(),
            *self._function_violations(),
            *self._tuple_violations(),
        )

    def _unmapped(self) -> Iterator[Violation]:
        for id_ in _all_ids(self.source):
            image = self.mapping.get(id_)
            name = self.source.name_of(id_)
            if image is None:
                yield _unnatural(f"{name!r} has no image", name)
            elif not self.target.contains(image):
                yield _unnatural(f"{name!r} is sent to id {image}, which does not exist", name)

    def _element_violations(self) -> Iterator[Violation]:
        schema = self.source.schema
        for element in self.source.all_elements():
            image = self.mapping[element]
            name, image_name = self.source.name_of(element), self.target.name_of(image)
            type_, image_type = self.source.type_of(element), self.target.type_of(image)
            if not schema.is_subtype(image_type, type_):
                text = f"{name!r} is a {type_!r}, its image {image_name!r} is a {image_type!r}"
                yield _unnatural(text, name, image_name)
            for attribute, value in self.source.attributes(element).items():
                other = self.target.attribute(image, attribute)
                if other != value:
                    text = f"{attribute!r} of {name!r} is {value!r}, of {image_name!r} {other!r}"
                    yield _unnatural(text, name, image_name)

    def _function_violations(self) -> Iterator[Violation]:
        for function in self.source.schema.functions:
            target_values = self.target.function_table(function.name).values
            for element, value in self.source.function_table(function.name).values.items():
                image = self.mapping[element]
                actual, expected = target_values.get(image), self.mapping[value]
                if actual != expected:
                    names = (self.source.name_of(element), self.target.name_of(image))
                    text = (
                        f"{function.name!r} of {names[1]!r} (image of {names[0]!r}) is "
                        f"{'undefined' if actual is None else repr(self.target.name_of(actual))}, "
                        f"but it must be {self.target.name_of(expected)!r}"
                    )
                    yield _unnatural(text, *names)

    def _tuple_violations(self) -> Iterator[Violation]:
        for relation in self.source.schema.relations:
            rows = self.target.relation_table(relation.name).rows
            for row, legs in self.source.relation_table(relation.name).rows.items():
                image = self.mapping[row]
                if rows.get(image) != tuple([self.mapping[leg] for leg in legs]):
                    names = (self.source.name_of(row), self.target.name_of(image))
                    yield _unnatural(f"{names[0]} is sent to {names[1]}, not leg by leg", *names)

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
    """The identity of an instance."""
    return Morphism(instance, instance, {id_: id_ for id_ in _all_ids(instance)})


def morphism(source: Instance, target: Instance, elements: Mapping[int, int]) -> Morphism:
    """The morphism given by its elements; the images of the tuples follow from them.

    Args:
        source: where it starts.
        target: where it ends.
        elements: the image of each element that is not a tuple.

    Raises:
        InstanceError: it is none; the message lists the violations.
    """
    mapping = dict(elements)
    missing = []
    for relation in source.schema.relations:
        by_legs = target.relation_table(relation.name).by_legs
        for row, legs in source.relation_table(relation.name).rows.items():
            images = tuple([mapping.get(leg, -1) for leg in legs])
            found = by_legs.get(images)
            if found is None:
                missing.append(source.name_of(row))
            else:
                mapping[row] = found
    if missing:
        raise InstanceError(f"not a morphism: the target lacks the image of {', '.join(missing)}")
    result = Morphism(source, target, mapping)
    violations = result.violations()
    if violations:
        raise InstanceError("not a morphism: " + "; ".join(v.message for v in violations))
    return result


def inclusion(source: Instance, target: Instance) -> Morphism:
    """The morphism that sends each element to the one of the same name.

    Raises:
        InstanceError: there is none; the message says why.
    """
    lacking = [name for name in source.names() if not target.has(name)]
    if lacking:
        raise InstanceError(f"not included: the target has no element {', '.join(lacking)}")
    return morphism(source, target, {source.id_of(n): target.id_of(n) for n in source.names()})


def _all_ids(instance: Instance) -> Iterable[int]:
    yield from instance.element_table().types
    for relation in instance.schema.relations:
        yield from instance.relation_table(relation.name).rows


def _unnatural(text: str, *elements: str) -> Violation:
    return Violation(ViolationKind.NATURALITY, text, elements)
