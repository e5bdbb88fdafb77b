# SPDX-License-Identifier: Apache-2.0
"""Subinstances: parts of an instance that functions and legs do not lead out of.

A subobject is a class of monic morphisms (Mac Lane, *Categories for the Working Mathematician*,
V.7). Of these we take the ones that forget no type and no attribute, one for each closed set of
elements and tuples: for graphs, which have neither, these are all subobjects.
"""

from collections.abc import Iterable, Iterator

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.instance import Instance, UnknownElement
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.limits.closed_sets import closed_sets, count_closed_sets
from fcp_ros.cset.limits.cone import ids_of


def generated_subobject(instance: Instance, ids: Iterable[int]) -> Morphism:
    """The inclusion of the smallest subinstance that has some elements and tuples.

    Elements keep their names; ids are new.

    Args:
        instance: of which it is a part.
        ids: of elements and tuples; what functions and legs make of them comes along, a tuple
            between elements comes only if it is given.

    Raises:
        UnknownElement: there is no element or tuple with one of the ids.
    """
    todo, found = list(ids), set[int]()
    for id_ in todo:
        if not instance.contains(id_):
            raise UnknownElement(f"no element with id {id_} to generate a subinstance")
    while todo:
        id_ = todo.pop()
        if id_ not in found:
            found.add(id_)
            todo.extend(_successors(instance, id_))
    return _inclusion(instance, found)


def subobjects(instance: Instance) -> Iterator[Morphism]:
    """The inclusions of all subinstances, each once, lazily; the empty one is the first.

    There may be exponentially many; `count_subobjects` counts them without making them.
    """
    order, below = _dependencies(instance)
    for chosen in closed_sets(below):
        yield _inclusion(instance, {order[index] for index in chosen})


def count_subobjects(instance: Instance) -> int:
    """How many subinstances there are."""
    return count_closed_sets(_dependencies(instance)[1])


def _dependencies(instance: Instance) -> tuple[list[int], list[list[int]]]:
    """All ids, and for each the indexes of those that it cannot be without."""
    order = list(ids_of(instance))
    index = {id_: position for position, id_ in enumerate(order)}
    return order, [[index[other] for other in _successors(instance, id_)] for id_ in order]


def _successors(instance: Instance, id_: int) -> Iterable[int]:
    schema, type_ = instance.schema, instance.type_of(id_)
    if schema.has_relation(type_):
        return instance.relation_table(type_).rows[id_]
    return [instance.apply(function.name, id_) for function in schema.functions_of(type_)]


def _inclusion(instance: Instance, chosen: set[int]) -> Morphism:
    """The inclusion of a closed set."""
    schema = instance.schema
    builder = InstanceBuilder(schema)
    ids: dict[int, int] = {}
    for element in instance.all_elements():
        if element in chosen:
            ids[element] = builder.add(instance.type_of(element), instance.name_of(element))
    for element in tuple(ids):
        for function in schema.functions_of(instance.type_of(element)):
            value = ids[instance.apply(function.name, element)]
            builder.set_function(function.name, ids[element], value)
    for relation in schema.relations:
        for row, legs in instance.relation_table(relation.name).rows.items():
            if row in chosen:
                ids[row] = builder.relate(relation.name, *(ids[leg] for leg in legs))
    for id_, copy in ids.items():
        for attribute, stated in instance.attributes(id_).items():
            builder.set_attribute(copy, attribute, stated)
    part = builder.build(allow_conflicts=True)
    return Morphism(part, instance, {copy: id_ for id_, copy in ids.items()})
