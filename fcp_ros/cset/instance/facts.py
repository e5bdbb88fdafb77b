# SPDX-License-Identifier: Apache-2.0
"""Facts: the tuples of an instance by the names of their elements, and states made from facts."""

from collections.abc import Iterable
from dataclasses import dataclass

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.fact import Fact
from fcp_ros.cset.instance.instance import Instance

__all__ = ["Delta", "Fact", "difference", "facts", "with_facts"]


@dataclass(frozen=True)
class Delta:
    """What differs between two states.

    Attributes:
        added: facts that are new, sorted.
        removed: facts that are gone, sorted.
        created: names of the elements that are new, sorted.
        deleted: names of the elements that are gone, sorted.
    """

    added: tuple[Fact, ...] = ()
    removed: tuple[Fact, ...] = ()
    created: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.created or self.deleted)


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
    instance: Instance, add: Iterable[Fact] = (), remove: Iterable[Fact] = ()
) -> Instance:
    """The state after removing and adding facts, sharing every table that does not change.

    A fact that is both removed and added is there afterwards. Removing a fact that is not there, or
    adding one that is, changes nothing. Functional legs are not checked (see
    `Instance.functional_conflicts`).

    Raises:
        SchemaError: there is no such relation.
        InstanceError: a fact has the wrong number or types of arguments, or names an element that
            does not exist (then an `UnknownElement`).
    """
    added = list(add)
    kept = set(added)
    builder = InstanceBuilder.of(instance)
    for fact in remove:
        if fact not in kept:
            builder.unrelate(fact.relation, *map(builder.id_of, fact.arguments))
    for fact in added:
        builder.relate(fact.relation, *map(builder.id_of, fact.arguments))
    return builder.build()


def difference(before: Instance, after: Instance) -> Delta:
    """The delta that leads from one state to another; tables that both share cost nothing.

    Attribute and function values are not part of it.
    """
    gained: list[Fact] = []
    lost: list[Fact] = []
    for relation in before.schema.relations:
        old, new = before.relation_table(relation.name), after.relation_table(relation.name)
        if old is not new:
            old_facts = old.facts(before.element_table().names)
            new_facts = new.facts(after.element_table().names)
            gained.extend(new_facts - old_facts)
            lost.extend(old_facts - new_facts)
    old_names, new_names = before.element_table().ids, after.element_table().ids
    created: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    if old_names is not new_names:
        created = tuple(sorted(new_names.keys() - old_names.keys()))
        deleted = tuple(sorted(old_names.keys() - new_names.keys()))
    return Delta(tuple(sorted(gained)), tuple(sorted(lost)), created, deleted)
