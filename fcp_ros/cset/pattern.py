# SPDX-License-Identifier: Apache-2.0
"""Patterns: an instance seen as a conjunctive query, one slot for each element and tuple.

Each function value and each tuple of the pattern is an atom: a row of a table whose columns are
slots. The analysis depends on the pattern alone, so it is made once and kept with the instance,
together with the join plans made from it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from fcp_ros.cset.instance import Instance
from fcp_ros.cset.value_expressions import ValueVariable


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
    # (attribute, name of the variable that its value is bound to)
    variables: tuple[tuple[str, str], ...]


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
    variables: frozenset[str]  # names of the attribute variables
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
        variables=frozenset(name for slot in slots for _, name in slot.variables),
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
    nothing: list[tuple[str, Any]] = []
    for element in instance.all_elements():
        type_ = instance.type_of(element)
        yield _make_slot(element, type_, schema.subtypes(type_), attributes.get(element, nothing))
    for name in instance.list_filled():
        for row in instance.relation_table(name).rows:
            yield _make_slot(row, name, frozenset((name,)), attributes.get(row, nothing))


def _collect_attributes(instance: Instance) -> dict[int, list[tuple[str, Any]]]:
    """Collect the attributes of each element and tuple, in schema order."""
    found: dict[int, list[tuple[str, Any]]] = {}
    for name in dict.fromkeys(attribute.name for attribute in instance.schema.attributes):
        for id_, value in instance.attribute_table(name).items():
            found.setdefault(id_, []).append((name, value))
    return found


def _make_slot(
    id_: int, type_: str, accepted: frozenset[str], values: list[tuple[str, Any]]
) -> Slot:
    constants = tuple(pair for pair in values if not isinstance(pair[1], ValueVariable))
    variables = tuple((name, v.name) for name, v in values if isinstance(v, ValueVariable))
    return Slot(id_, type_, accepted, constants, variables)


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
