# SPDX-License-Identifier: Apache-2.0
"""Morphisms, and patterns: an instance seen as a conjunctive query.

A morphism sends each element to one of a subtype, each tuple to a tuple of the same relation,
commutes with functions and legs, and keeps every attribute that is set in its source. What is not
set in the source is free. Constructing one checks nothing; `violations` does: there is a quick test
of the conditions, and a slow twin with reasons.

Each function value and each tuple of the pattern is an atom: a row of a table whose columns are
slots. The analysis depends on the pattern alone, so it is made once and kept with the instance,
together with the join plans made from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from fcp_ros.cset.constraints import Violation, ViolationKind
from fcp_ros.cset.instance import Instance, InstanceError


def is_natural(source: Instance, target: Instance, mapping: Mapping[int, int]) -> bool:
    """Return True if a map of ids is a morphism."""
    schema = source.schema
    image_of = mapping.get
    own_types, subtype = target.element_table().types, schema.is_subtype
    for element, type_ in source.element_table().types.items():
        own = own_types.get(image_of(element, 0))
        if own != type_ and (own is None or not subtype(own, type_)):
            return False
    for name in source.list_filled():
        rows = target.relation_table(name).rows
        for row, legs in source.relation_table(name).rows.items():
            if rows.get(image_of(row, 0)) != tuple([image_of(leg) for leg in legs]):
                return False
    for function in schema.functions:
        pairs = source.function_table(function.name).values
        if pairs:
            images = target.function_table(function.name).values
            for element, value in pairs.items():
                if images.get(image_of(element, 0)) != image_of(value):
                    return False
    return _keeps_attributes(source, target, mapping)


def _keeps_attributes(source: Instance, target: Instance, mapping: Mapping[int, int]) -> bool:
    for name in dict.fromkeys([attribute.name for attribute in source.schema.attributes]):
        wanted = source.attribute_table(name)
        if wanted:
            found = target.attribute_table(name)
            if any(found.get(mapping[id_]) != value for id_, value in wanted.items()):
                return False
    return True


def find_naturality_violations(
    source: Instance, target: Instance, mapping: Mapping[int, int]
) -> Iterator[Violation]:
    """Find all that keeps a map of ids from being a morphism; arguments as for `is_natural`."""
    missing = tuple(_find_missing_images(source, target, mapping))
    if missing:
        yield from missing
        return
    yield from _compare_types(source, target, mapping)
    yield from _compare_attributes(source, target, mapping)
    yield from _compare_functions(source, target, mapping)
    yield from _compare_tuples(source, target, mapping)


def all_ids(instance: Instance) -> Iterator[int]:
    """Iterate over the ids of all elements and of all tuples."""
    yield from instance.element_table().types
    for name in instance.list_filled():
        yield from instance.relation_table(name).rows


def _find_missing_images(
    source: Instance, target: Instance, mapping: Mapping[int, int]
) -> Iterator[Violation]:
    for id_ in all_ids(source):
        image = mapping.get(id_)
        name = source.name_of(id_)
        if image is None:
            yield _report(f"{name!r} has no image", name)
        elif not target.contains(image):
            yield _report(f"{name!r} is sent to id {image}, which does not exist", name)


def _compare_types(
    source: Instance, target: Instance, mapping: Mapping[int, int]
) -> Iterator[Violation]:
    for element in source.all_elements():
        type_, own = source.type_of(element), target.type_of(mapping[element])
        if not source.schema.is_subtype(own, type_):
            names = (source.name_of(element), target.name_of(mapping[element]))
            text = f"{names[0]!r} is a {type_!r}, its image {names[1]!r} is a {own!r}"
            yield _report(text, *names)


def _compare_attributes(
    source: Instance, target: Instance, mapping: Mapping[int, int]
) -> Iterator[Violation]:
    for id_ in all_ids(source):
        for attribute, value in source.attributes(id_).items():
            other = target.attribute(mapping[id_], attribute)
            if other != value:
                names = (source.name_of(id_), target.name_of(mapping[id_]))
                text = f"{attribute!r} of {names[0]!r} is {value!r}, of {names[1]!r} {other!r}"
                yield _report(text, *names, symbol=attribute)


def _compare_functions(
    source: Instance, target: Instance, mapping: Mapping[int, int]
) -> Iterator[Violation]:
    for function in source.schema.functions:
        images = target.function_table(function.name).values
        for element, value in source.function_table(function.name).values.items():
            actual, expected = images.get(mapping[element]), mapping[value]
            if actual != expected:
                names = (source.name_of(element), target.name_of(mapping[element]))
                text = (
                    f"{function.name!r} of {names[1]!r} (image of {names[0]!r}) is "
                    f"{'undefined' if actual is None else repr(target.name_of(actual))}, "
                    f"but it must be {target.name_of(expected)!r}"
                )
                yield _report(text, *names, symbol=function.name)


def _compare_tuples(
    source: Instance, target: Instance, mapping: Mapping[int, int]
) -> Iterator[Violation]:
    for name in source.list_filled():
        rows = target.relation_table(name).rows
        for row, legs in source.relation_table(name).rows.items():
            if rows.get(mapping[row]) != tuple([mapping[leg] for leg in legs]):
                names = (source.name_of(row), target.name_of(mapping[row]))
                yield _report(f"{names[0]} is sent to {names[1]}, not leg by leg", *names)


def _report(text: str, *elements: str, symbol: str | None = None) -> Violation:
    return Violation(ViolationKind.NATURALITY, text, elements, symbol)


@dataclass(frozen=True, eq=False)
class Morphism:
    """A map, by id, of the elements and tuples of `source` to those of `target`."""

    source: Instance
    target: Instance
    mapping: Mapping[int, int]

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

    def compose(self, after: Morphism) -> Morphism:
        """Return this morphism followed by `after`."""
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
        """Find everything that keeps this from being a morphism; empty if it is one."""
        if self.source.schema != self.target.schema:
            text = f"{self.source!r} and {self.target!r} have different schemas"
            return (Violation(ViolationKind.NATURALITY, text),)
        parts = (self.source, self.target, self.mapping)
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
    return Morphism(instance, instance, {id_: id_ for id_ in all_ids(instance)})


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
    result = Morphism(source, target, mapping)
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


class TableKind(str, Enum):
    """The kind of table that an atom is a row of."""

    ELEMENT = "element"
    FUNCTION = "function"
    RELATION = "relation"


@dataclass(frozen=True)
class Slot:
    """One place of the pattern, with the requirements on the element or tuple that fills it."""

    id: int
    type: str
    accepted: frozenset[str]  # the types that fill it; for a tuple, its relation
    constants: tuple[tuple[str, Any], ...]  # (attribute, value that it must have)


@dataclass(frozen=True)
class PatternAtom:
    """A row of a table of the target: an element of a type, a function value, or a tuple."""

    kind: TableKind
    name: str
    # what the row's columns fill: the element; argument and value; or tuple and legs
    slots: tuple[int, ...]
    declared: tuple[str, ...]  # the type of each column, by the schema


@dataclass(frozen=True, eq=False)
class Pattern:
    """All slots and atoms of an instance."""

    slots: tuple[Slot, ...]  # one for each element and tuple; a slot goes by its index here
    ids: tuple[int, ...]
    index: dict[int, int]
    atoms: tuple[PatternAtom, ...]
    touching: tuple[tuple[int, ...], ...]  # for each slot the indexes of the atoms that it is in
    # for each atom the indexes of those that give other functions of the same element
    mates: tuple[tuple[int, ...], ...]
    # the slots of elements that another atom constrains at least as much: scanning all elements of
    # their types is never better than scanning that atom's rows
    covered: frozenset[int]
    # kind and name of every table on whose size the order of a join depends
    tables: tuple[tuple[TableKind, str], ...]
    # the join plans made so far, by what they depend on
    plans: dict[Any, Any] = field(default_factory=dict)


def analyse_pattern(instance: Instance) -> Pattern:
    """Return an instance as a pattern, analysed at the first call."""
    if instance._pattern is None:
        instance._pattern = _analyse(instance)
    found = instance._pattern
    assert isinstance(found, Pattern)
    return found


def _analyse(instance: Instance) -> Pattern:
    slots = tuple(_make_slots(instance))
    index = {slot.id: position for position, slot in enumerate(slots)}
    atoms = tuple(_make_atoms(instance, index))
    touching: list[list[int]] = [[] for _ in slots]
    for number, atom in enumerate(atoms):
        for slot in dict.fromkeys(atom.slots):
            touching[slot].append(number)
    covered = _find_covered(slots, atoms)
    return Pattern(
        slots=slots,
        ids=tuple(slot.id for slot in slots),
        index=index,
        atoms=atoms,
        touching=tuple(map(tuple, touching)),
        mates=_find_mates(atoms),
        covered=covered,
        tables=tuple(
            dict.fromkeys(
                (atom.kind, atom.name)
                for atom in atoms
                if atom.kind is not TableKind.ELEMENT or atom.slots[0] not in covered
            )
        ),
    )


def _find_mates(atoms: Sequence[PatternAtom]) -> tuple[tuple[int, ...], ...]:
    given: dict[int, list[int]] = {}
    for number, atom in enumerate(atoms):
        if atom.kind is TableKind.FUNCTION:
            given.setdefault(atom.slots[0], []).append(number)
    return tuple(
        tuple(other for other in given[atom.slots[0]] if other != number)
        if atom.kind is TableKind.FUNCTION
        else ()
        for number, atom in enumerate(atoms)
    )


def _find_covered(slots: Sequence[Slot], atoms: Sequence[PatternAtom]) -> frozenset[int]:
    return frozenset(
        slot
        for atom in atoms
        if atom.kind is not TableKind.ELEMENT
        for slot, declared in zip(atom.slots, atom.declared, strict=True)
        if declared in slots[slot].accepted
        and slots[slot].type != atom.name
        and not slots[slot].constants
    )


def _make_slots(instance: Instance) -> Iterator[Slot]:
    schema = instance.schema
    attributes = _collect_attributes(instance)
    for element in instance.all_elements():
        type_ = instance.type_of(element)
        values = tuple(attributes.get(element, ()))
        yield Slot(element, type_, schema.subtypes(type_), values)
    for name in instance.list_filled():
        for row in instance.relation_table(name).rows:
            yield Slot(row, name, frozenset((name,)), tuple(attributes.get(row, ())))


def _collect_attributes(instance: Instance) -> dict[int, list[tuple[str, Any]]]:
    """Collect the attributes of each element and tuple, in schema order."""
    found: dict[int, list[tuple[str, Any]]] = {}
    for name in dict.fromkeys(attribute.name for attribute in instance.schema.attributes):
        for id_, value in instance.attribute_table(name).items():
            found.setdefault(id_, []).append((name, value))
    return found


def _make_atoms(instance: Instance, index: dict[int, int]) -> Iterator[PatternAtom]:
    for name in instance.list_filled():
        declared = (name, *(type_ for _, type_ in instance.schema.relation(name).legs))
        for row, legs in instance.relation_table(name).rows.items():
            slots = tuple([index[id_] for id_ in (row, *legs)])
            yield PatternAtom(TableKind.RELATION, name, slots, declared)
    for function in instance.schema.functions:
        declared = (function.source, function.target)
        for pair in instance.function_table(function.name).values.items():
            slots = tuple([index[id_] for id_ in pair])
            yield PatternAtom(TableKind.FUNCTION, function.name, slots, declared)
    for element in instance.all_elements():
        type_ = instance.type_of(element)
        yield PatternAtom(TableKind.ELEMENT, type_, (index[element],), (type_,))
