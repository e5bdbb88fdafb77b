# SPDX-License-Identifier: Apache-2.0
"""Copies of instances in which elements have other names or attributes other values."""

from collections.abc import Callable, Mapping

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.schema.schema import AttributeValue

ValueMap = Callable[[int, str, AttributeValue], AttributeValue | None]


def keep_values(id_: int, attribute: str, value: AttributeValue) -> AttributeValue | None:
    """The value as it is (the default of `relabelled`)."""
    return value


def drop_values(id_: int, attribute: str, value: AttributeValue) -> AttributeValue | None:
    """No value."""
    return None


def relabelled(
    instance: Instance, names: Mapping[int, str] | None = None, values: ValueMap = keep_values
) -> Morphism:
    """A bijective map to a copy of the instance (a morphism where the values stay as they are).

    Args:
        instance: what to copy.
        names: new names of some elements, by id.
        values: the new value of an attribute, from (id, attribute, value); None unsets it.
    """
    chosen = names or {}
    builder = InstanceBuilder(instance.schema)
    mapping: dict[int, int] = {}
    for element in instance.all_elements():
        name = chosen.get(element, instance.name_of(element))
        mapping[element] = builder.add(instance.type_of(element), name)
    for function in instance.schema.functions:
        for source, target in instance.function_table(function.name).values.items():
            builder.set_function(function.name, mapping[source], mapping[target])
    for relation in instance.schema.relations:
        for row, legs in instance.tuples(relation.name).items():
            mapping[row] = builder.relate(relation.name, *(mapping[leg] for leg in legs))
    for id_, image in mapping.items():
        for attribute, value in instance.attributes(id_).items():
            builder.set_attribute(image, attribute, values(id_, attribute, value))
    return Morphism(instance, builder.build(allow_conflicts=True), mapping)
