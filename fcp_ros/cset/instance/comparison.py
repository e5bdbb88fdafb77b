# SPDX-License-Identifier: Apache-2.0
"""Whether two instances have the same content by names, at the cost of what they do not share."""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from fcp_ros.cset.instance.tables import ElementTable, RelationTable
from fcp_ros.foundation.persistent_map import PersistentMap

if TYPE_CHECKING:
    from fcp_ros.cset.instance.instance import Instance


def same_content(first: "Instance", second: "Instance") -> bool:
    """Whether two instances of one schema have the same elements, values and tuples by names."""
    if not _same_elements(first.element_table(), second.element_table()):
        return _by_name(first) == _by_name(second)
    schema = first.schema
    return (
        all(
            _same_tuples(first.relation_table(r.name), second.relation_table(r.name))
            for r in schema.relations
        )
        and all(
            _same_values(first.function_table(f.name).values, second.function_table(f.name).values)
            for f in schema.functions
        )
        and all(
            _same_values(first.attribute_table(a.name), second.attribute_table(a.name))
            # Tuples may be the same and have different ids.
            or _attributes_by_key(first, a.name) == _attributes_by_key(second, a.name)
            for a in schema.attributes
        )
    )


def same_ids(first: "Instance", second: "Instance") -> bool:
    """Whether two equal instances also have the same ids."""
    return first.element_table().ids == second.element_table().ids and all(
        first.relation_table(r.name).rows == second.relation_table(r.name).rows
        for r in first.schema.relations
    )


def _same_elements(first: ElementTable, second: ElementTable) -> bool:
    """Whether the same ids are elements of the same names and types."""
    return first is second or (first.names == second.names and first.types == second.types)


def _same_values(first: Mapping[int, Any], second: Mapping[int, Any]) -> bool:
    # A dict that is compared with itself compares all of its values.
    return first is second or first == second


def _same_tuples(first: RelationTable, second: RelationTable) -> bool:
    if first is second:
        return True
    ours, theirs = first.rows, second.rows
    if len(ours) != len(theirs):
        return False
    if not (
        isinstance(ours, PersistentMap)
        and isinstance(theirs, PersistentMap)
        and ours.base is theirs.base
    ):
        return all(legs in second.by_legs for legs in ours.values())
    touched = (row for rows in (ours, theirs) for row, _ in rows.changes())
    tuples = (rows[row] for row in touched for rows in (ours, theirs) if row in rows)
    return all(legs in first.by_legs and legs in second.by_legs for legs in tuples)


def _by_name(instance: "Instance") -> tuple[Any, ...]:
    names = instance.element_table().names
    schema = instance.schema
    return (
        instance.element_table().content(),
        [instance.relation_table(r.name).facts(names) for r in schema.relations],
        [
            {names[e]: names[v] for e, v in instance.function_table(f.name).values.items()}
            for f in schema.functions
        ],
        [_attributes_by_key(instance, a.name) for a in schema.attributes],
    )


def _attributes_by_key(instance: "Instance", attribute: str) -> Mapping[Hashable, Any]:
    values = instance.attribute_table(attribute)
    return {instance.key_of(id_): value for id_, value in values.items()}
