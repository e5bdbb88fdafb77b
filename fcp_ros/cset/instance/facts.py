# SPDX-License-Identifier: Apache-2.0
"""Facts: the tuples of an instance by the names of their elements, and states made from facts."""

from collections.abc import Iterable

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.delta import Delta, difference
from fcp_ros.cset.instance.fact import Fact
from fcp_ros.cset.instance.instance import Instance

__all__ = ["Delta", "Fact", "difference", "facts", "with_facts"]


def facts(instance: Instance, relations: Iterable[str] | None = None) -> frozenset[Fact]:
    """The facts of an instance.

    Args:
        instance: the state.
        relations: only these; all of them by default.

    Raises:
        SchemaError: there is no such relation.
    """
    chosen = relations
    if chosen is None:
        chosen = (relation.name for relation in instance.schema.relations)
    names = instance.element_table().names
    return frozenset().union(*(instance.relation_table(name).facts(names) for name in chosen))


def with_facts(
    instance: Instance,
    add: Iterable[Fact] = (),
    remove: Iterable[Fact] = (),
    *,
    allow_conflicts: bool = False,
) -> Instance:
    """The state after removing and adding facts, sharing every table that does not change.

    A fact that is both removed and added is there afterwards. Removing a fact that is not there, or
    adding one that is, changes nothing.

    Args:
        instance: the state.
        add: facts that are to be there.
        remove: facts that are not to be there.
        allow_conflicts: whether what is added may break functional legs.

    Raises:
        SchemaError: there is no such relation.
        InstanceError: a fact has the wrong number or types of arguments, or names an element that
            does not exist (then an `UnknownElement`), or breaks a functional leg.
    """
    added = list(add)
    kept = set(added)
    builder = InstanceBuilder.of(instance)
    for fact in remove:
        if fact not in kept:
            builder.unrelate(fact.relation, *map(builder.id_of, fact.arguments))
    for fact in added:
        builder.relate(fact.relation, *map(builder.id_of, fact.arguments))
    return builder.build(allow_conflicts=allow_conflicts)
