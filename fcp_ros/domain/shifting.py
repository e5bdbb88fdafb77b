# SPDX-License-Identifier: Apache-2.0
"""Elements that the rules take for elements of another type: a domain and a state that say so.

An element keeps its own type: it gets a new one below both, so that all that was true of it stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fcp_ros.cset import Instance, InstanceBuilder, Schema
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.input_error import InputError

Shifts = Sequence[tuple[str, str]]
"""Element and the type that it is taken for, in order."""


def shift_elements(domain: Domain, instance: Instance, shifts: Shifts) -> tuple[Domain, Instance]:
    """Make the domain and the state in which elements are of further types; the same for none.

    Raises InputError if an element or a type is not there.
    """
    if not shifts:
        return domain, instance
    for element, wanted in shifts:
        if not instance.has(element):
            raise InputError(f"There is no element called {element} to be taken for a {wanted}.")
        if not domain.schema.has_type(wanted):
            raise InputError(f"There is no type {wanted} for which {element} could be taken.")
    above = dict(domain.schema.types)
    types = _choose_types(domain.schema, instance, shifts, above)
    schema = Schema(
        domain.schema.name,
        above,
        domain.schema.functions,
        domain.schema.relations,
        domain.schema.attributes,
    )
    return replace(domain, schema=schema), _rebuild(instance, schema, types)


def shift_state(domain: Domain, instance: Instance, shifts: Shifts, shifted: Domain) -> Instance:
    """Make a later state in which the same elements are of further types.

    `shifts` were given to `shift_elements`, which made the domain `shifted`. Elements that are
    gone, or have another type by now, stay as they are.
    """
    there = [(element, wanted) for element, wanted in shifts if instance.has(element)]
    types = _choose_types(domain.schema, instance, there, dict(domain.schema.types))
    for element, _ in there:
        if not shifted.schema.has_type(types[element]):
            types[element] = instance.type_of(instance.id_of(element))
    return _rebuild(instance, shifted.schema, types)


def _choose_types(
    schema: Schema, instance: Instance, shifts: Shifts, above: dict[str, tuple[str, ...]]
) -> dict[str, str]:
    """Return the type of each element; add the new types, with those above them, to `above`."""
    types = {instance.name_of(e): instance.type_of(e) for e in instance.all_elements()}
    for element, wanted in shifts:
        own = types[element]
        if own in schema.types and wanted in schema.ancestors(own):
            continue
        both = f"{own}_as_{wanted}"
        above.setdefault(both, (own, wanted))
        types[element] = both
    return types


def _rebuild(instance: Instance, schema: Schema, types: dict[str, str]) -> Instance:
    """Build a state again, with other types for some of its elements."""
    builder = InstanceBuilder(schema)
    for element in instance.all_elements():
        name = instance.name_of(element)
        builder.add(types[name], name, instance.attributes(element))

    def find(element: int) -> int:
        return builder.id_of(instance.name_of(element))

    for relation in instance.schema.relations:
        for row, legs in instance.tuples(relation.name).items():
            made = builder.relate(relation.name, *map(find, legs))
            for name, given in instance.attributes(row).items():
                builder.set_attribute(made, name, given)
    return builder.build(allow_conflicts=True)
