# SPDX-License-Identifier: Apache-2.0
"""Instances side by side, with some of their elements made equal: what every colimit is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fcp_ros.cset.instance.expressions import Variable
from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.limits.chase import Chase
from fcp_ros.cset.limits.functional_legs import FunctionalLegs
from fcp_ros.cset.limits.read_out import read_out
from fcp_ros.cset.limits.unification import substitute, variables_in
from fcp_ros.cset.schema.schema import Schema

Place = tuple[int, int]
"""A part by its index, and an id in it."""


def glue(
    schema: Schema,
    parts: Sequence[Instance],
    pairs: Iterable[tuple[Place, Place]],
    functional: FunctionalLegs,
    bound: int,
) -> tuple[Instance, tuple[Morphism, ...]]:
    """The parts side by side, with pairs of elements and tuples made equal.

    Names, and names of variables, are kept where they are free; earlier parts come first.

    Args:
        schema: of all parts.
        parts: what is glued.
        pairs: what is made equal.
        functional: what to do where a functional leg would break.
        bound: the most elements that gluing may create.

    Returns:
        The result, and the morphism from each part to it.

    Raises:
        LimitError: what is glued has types or attributes that do not agree, or a functional leg
            breaks and may not.
        PresentationError: gluing creates more than `bound` elements.
    """
    chase, variables = Chase(schema, functional), FreeNames()
    loaded = [_load(chase, part, variables) for part in parts]
    for (first, one), (second, other) in pairs:
        chase.congruence.merge(loaded[first][0][one], loaded[second][0][other])
    chase.run(bound)
    apex, ids = read_out(chase, functional)
    find, resolve = chase.congruence.find, chase.congruence.unifier.resolve
    injections = []
    for part, (nodes, renamed) in zip(parts, loaded, strict=True):
        mapping = {id_: ids[find(node)] for id_, node in nodes.items()}
        found = {name: resolve(variable) for name, variable in renamed.items()}
        values: dict[str, Any] = {k: v for k, v in found.items() if v != Variable(k)}
        injections.append(Morphism(part, apex, mapping, values))
    return apex, tuple(injections)


def _load(
    chase: Chase, part: Instance, variables: FreeNames
) -> tuple[Mapping[int, int], Mapping[str, Variable]]:
    """Nodes for all elements and tuples of a part, and what its variables are called."""
    schema = part.schema
    names = sorted(variables_in(part))
    renamed = {name: Variable(variables.take(name)) for name in names}
    table = part.element_table()
    nodes = {
        id_: chase.add(type_, table.names[id_], complete=True) for id_, type_ in table.types.items()
    }
    for function in schema.functions:
        for id_, value in part.function_table(function.name).values.items():
            chase.set_typed(nodes[id_], function.name, nodes[value])
    for relation in schema.relations:
        legs = [leg for leg, _ in relation.legs]
        for row, elements in part.relation_table(relation.name).rows.items():
            nodes[row] = chase.add(relation.name, None, complete=True)
            for leg, element in zip(legs, elements, strict=True):
                chase.set_typed(nodes[row], leg, nodes[element])
    for attribute in dict.fromkeys(attribute.name for attribute in schema.attributes):
        for id_, set_value in part.attribute_table(attribute).items():
            chase.congruence.set_attribute(nodes[id_], attribute, substitute(set_value, renamed))
    return nodes, renamed
