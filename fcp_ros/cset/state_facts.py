# SPDX-License-Identifier: Apache-2.0
"""States by names: their facts, states made from facts, and deltas between two states."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fcp_ros.cset.builder import InstanceBuilder
from fcp_ros.cset.draft import Change
from fcp_ros.cset.instance import Instance
from fcp_ros.cset.relation_table import Fact
from fcp_ros.cset.schema import AttributeValue

__all__ = ["Delta", "Fact", "difference", "facts", "with_facts"]


def facts(instance: Instance, relations: Iterable[str] | None = None) -> frozenset[Fact]:
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
    """Return the state after removing and adding facts; it shares the tables that do not change.

    A fact that is both removed and added is there afterwards. Removing a fact that is not there, or
    adding one that is there, changes nothing.

    Raises SchemaError for an unknown relation; InstanceError for a wrong number or types of
    arguments, for an unknown element (`UnknownElement`), and for a broken functional leg.
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


class AttributeChange(NamedTuple):
    """A changed value of an attribute."""

    holder: str  # name of the element, or of the tuple: ``on(mug_1, table_1)``
    attribute: str
    before: AttributeValue | None
    after: AttributeValue | None


class FunctionChange(NamedTuple):
    """A changed value of a function."""

    element: str
    function: str
    before: str | None  # name of the value; None at a new element
    after: str


@dataclass(frozen=True)
class Delta:
    """The difference between two states, by names, sorted; values are those of the newer state."""

    added: tuple[Fact, ...] = ()
    removed: tuple[Fact, ...] = ()
    created: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    attributes: tuple[AttributeChange, ...] = ()
    functions: tuple[FunctionChange, ...] = ()

    def __bool__(self) -> bool:
        elements = self.created or self.deleted
        return bool(self.added or self.removed or elements or self.attributes or self.functions)


def delta_of(before: Instance, after: Instance, change: Change) -> Delta:
    """Compute the delta between two states from a known change, in time of its size."""
    lost = {_fact(before, name, legs) for name, _, legs in change.removed}
    gained = {_fact(after, name, legs) for name, _, legs in change.added}
    gone = {before.name_of(element) for element in change.deleted}
    new = {after.name_of(element) for element in change.created}
    touched = [(id_, name) for name, id_ in change.attributes]
    touched += _find_new_attributes(before, after, change)
    return Delta(
        added=tuple(sorted(gained - lost)),
        removed=tuple(sorted(lost - gained)),
        created=tuple(sorted(new - gone)),
        deleted=tuple(sorted(gone - new)),
        attributes=_compare_attributes(before, after, touched),
        functions=_compare_functions(before, after, change.functions),
    )


def difference(before: Instance, after: Instance) -> Delta:
    """Compute the delta from one state to another; tables that both share cost nothing."""
    gained: list[Fact] = []
    lost: list[Fact] = []
    for relation in before.schema.relations:
        old, new = before.relation_table(relation.name), after.relation_table(relation.name)
        if old is not new:
            old_facts = old.facts(before.element_table().names)
            new_facts = new.facts(after.element_table().names)
            gained.extend(new_facts - old_facts)
            lost.extend(old_facts - new_facts)
    created: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    if before.element_table() is not after.element_table():
        old_names, new_names = before.element_table().ids, after.element_table().ids
        created = tuple(sorted(new_names.keys() - old_names.keys()))
        deleted = tuple(sorted(old_names.keys() - new_names.keys()))
    return Delta(
        added=tuple(sorted(gained)),
        removed=tuple(sorted(lost)),
        created=created,
        deleted=deleted,
        attributes=_compare_attributes(before, after, _find_set_attributes(before, after)),
        functions=_compare_functions(before, after, _find_set_functions(before, after)),
    )


def _find_set_attributes(before: Instance, after: Instance) -> Iterator[tuple[int, str]]:
    """Find elements and tuples of the newer state with attributes that may have changed."""
    for attribute in {attribute.name: None for attribute in after.schema.attributes}:
        old, new = before.attribute_table(attribute), after.attribute_table(attribute)
        if old is not new:
            yield from ((id_, attribute) for id_ in new)
            for id_ in old:
                there = _find_counterpart(before, id_, after)
                if there is not None:
                    yield there, attribute


def _find_set_functions(before: Instance, after: Instance) -> Iterator[tuple[str, int]]:
    for function in after.schema.functions:
        old, new = before.function_table(function.name), after.function_table(function.name)
        if old is not new:
            yield from ((function.name, element) for element in new.values)


def _find_new_attributes(
    before: Instance, after: Instance, change: Change
) -> Iterator[tuple[int, str]]:
    """Find attributes of new elements and tuples, and of older ones with the same names."""
    for id_ in (*change.created, *(row for _, row, _ in change.added)):
        yield from ((id_, name) for name in after.attributes(id_))
        older = _find_counterpart(after, id_, before)
        if older is not None:
            yield from ((id_, name) for name in before.attributes(older))


def _compare_attributes(
    before: Instance, after: Instance, touched: Iterable[tuple[int, str]]
) -> tuple[AttributeChange, ...]:
    found = {}
    for id_, name in touched:
        older = _find_counterpart(after, id_, before)
        old = None if older is None else before.attribute(older, name)
        new = after.attribute(id_, name)
        if old != new:
            holder = after.name_of(id_)
            found[holder, name] = AttributeChange(holder, name, old, new)
    return tuple(found[key] for key in sorted(found))


def _compare_functions(
    before: Instance, after: Instance, touched: Iterable[tuple[str, int]]
) -> tuple[FunctionChange, ...]:
    found = set()
    for function, element in touched:
        name = after.name_of(element)
        new = after.name_of(after.apply(function, element))
        old = None
        if before.has(name):
            value = before.function_table(function).values.get(before.id_of(name))
            old = None if value is None else before.name_of(value)
        if old != new:
            found.add(FunctionChange(name, function, old, new))
    return tuple(sorted(found, key=lambda change: change[:2]))


def _find_counterpart(one: Instance, id_: int, other: Instance) -> int | None:
    """Find the element or tuple of another state with the same name."""
    name = one.element_table().names.get(id_)
    if name is not None:
        return other.element_table().ids.get(name)
    relation = one.type_of(id_)
    legs = []
    for leg in one.relation_table(relation).rows[id_]:
        there = other.element_table().ids.get(one.name_of(leg))
        if there is None:
            return None
        legs.append(there)
    return other.find_tuple(relation, tuple(legs))


def _fact(instance: Instance, relation: str, legs: tuple[int, ...]) -> Fact:
    return Fact(relation, tuple([instance.name_of(leg) for leg in legs]))
