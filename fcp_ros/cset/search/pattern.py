# SPDX-License-Identifier: Apache-2.0
"""Patterns: an instance seen as a query, one slot for each element and tuple to be found.

The analysis depends on the pattern alone, so it is made once and kept with the instance.
"""

from dataclasses import dataclass

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.schema.schema import AttributeValue


@dataclass(frozen=True)
class Slot:
    """What an element or tuple of the target must be to fill one place of the pattern.

    Attributes:
        id: of the element or tuple in the pattern.
        type: its type or relation.
        accepted: the types that fill it; empty for a tuple, whose relation is checked by its atom.
        attributes: the values that it must have.
    """

    id: int
    type: str
    accepted: frozenset[str]
    attributes: tuple[tuple[str, AttributeValue], ...]


@dataclass(frozen=True)
class RelationAtom:
    """Slot `row` is a tuple of `relation` with these slots as legs."""

    relation: str
    row: int
    legs: tuple[int, ...]

    @property
    def slots(self) -> tuple[int, ...]:
        """Every slot that the atom speaks of."""
        return (self.row, *self.legs)


@dataclass(frozen=True)
class FunctionAtom:
    """`function` sends slot `argument` to slot `value`."""

    function: str
    argument: int
    value: int

    @property
    def slots(self) -> tuple[int, ...]:
        """Every slot that the atom speaks of."""
        return (self.argument, self.value)


@dataclass(frozen=True)
class ElementAtom:
    """Slot `slot` is an element of its type."""

    slot: int

    @property
    def slots(self) -> tuple[int, ...]:
        """Every slot that the atom speaks of."""
        return (self.slot,)


Atom = RelationAtom | FunctionAtom | ElementAtom


@dataclass(frozen=True)
class Pattern:
    """All slots and atoms of an instance.

    Attributes:
        slots: one for each element and tuple; a slot goes by its index here.
        index: the slot of each id of the pattern.
        atoms: what must hold between them.
    """

    slots: tuple[Slot, ...]
    index: dict[int, int]
    atoms: tuple[Atom, ...]


def pattern_of(instance: Instance) -> Pattern:
    """The pattern that an instance is, analysed at the first call."""
    if instance._pattern is None:
        instance._pattern = _analyse(instance)
    found = instance._pattern
    assert isinstance(found, Pattern)
    return found


def _analyse(instance: Instance) -> Pattern:
    schema = instance.schema
    slots: list[Slot] = []
    for element in instance.all_elements():
        type_ = instance.type_of(element)
        values = tuple(instance.attributes(element).items())
        slots.append(Slot(element, type_, schema.subtypes(type_), values))
    for relation in schema.relations:
        for row in instance.relation_table(relation.name).rows:
            slots.append(Slot(row, relation.name, frozenset(), ()))
    index = {slot.id: position for position, slot in enumerate(slots)}
    atoms: list[Atom] = [
        RelationAtom(relation.name, index[row], tuple(index[leg] for leg in legs))
        for relation in schema.relations
        for row, legs in instance.relation_table(relation.name).rows.items()
    ]
    for function in schema.functions:
        for argument, value in instance.function_table(function.name).values.items():
            atoms.append(FunctionAtom(function.name, index[argument], index[value]))
    atoms.extend(ElementAtom(index[element]) for element in instance.all_elements())
    return Pattern(tuple(slots), index, tuple(atoms))
