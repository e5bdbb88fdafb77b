# SPDX-License-Identifier: Apache-2.0
"""The instance that a chase has arrived at."""

from typing import Any

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.cset.instance.instance import Instance, InstanceError
from fcp_ros.cset.limits.chase import Chase
from fcp_ros.cset.limits.errors import LimitError
from fcp_ros.cset.limits.functional_legs import FunctionalLegs


def read_out(chase: Chase, functional: FunctionalLegs) -> tuple[Instance, dict[int, int]]:
    """The instance with an element for each class of nodes, and a tuple for each class of tuples.

    Args:
        chase: one that has run.
        functional: whether a functional leg may be broken.

    Returns:
        The instance, and the id in it for the root of each class.

    Raises:
        LimitError: a functional leg is broken and may not be, or a variable stands for a value that
            an attribute does not admit.
    """
    schema, congruence = chase.schema, chase.congruence
    builder, names = InstanceBuilder(schema), FreeNames()
    ids: dict[int, int] = {}
    elements: list[tuple[int, str]] = []
    tuples: list[tuple[int, str]] = []
    for node in chase.roots():
        type_ = congruence.types(node)[0]
        (tuples if schema.has_relation(type_) else elements).append((node, type_))
    for node, type_ in elements:
        ids[node] = builder.add(type_, names.take(chase.name(node)))
    for node, type_ in elements:
        for function in chase.fields(type_):
            value = congruence.find(chase.at(node, (function,)))
            builder.set_function(function, ids[node], ids[value])
    for node, relation in tuples:
        ids[node] = builder.relate(relation, *(ids[leg] for leg in chase.legs(node)))
    try:
        for node, id_ in ids.items():
            for attribute, stated in congruence.attributes(node).items():
                resolved: Any = congruence.unifier.resolve(stated)
                builder.set_attribute(id_, attribute, resolved)
        instance = builder.build(allow_conflicts=True)
    except InstanceError as error:
        raise LimitError(f"no instance: {error}") from error
    if functional is FunctionalLegs.REFUSE:
        _refuse_conflicts(instance)
    return instance, ids


def _refuse_conflicts(instance: Instance) -> None:
    conflicts = instance.functional_conflicts()
    if conflicts:
        raise LimitError(
            "; ".join(conflict.message for conflict in conflicts)
            + "; choose FunctionalLegs.MERGE to glue what must be equal then, or KEEP to leave it"
        )
