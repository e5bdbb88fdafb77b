# SPDX-License-Identifier: Apache-2.0
"""The names of the tables and columns of ACSets, for schemas and instances alike.

Each type and each relation is a table; functions and legs are columns that point to a table. An
attribute is a column whose values are of an attribute type, a name that ACSets tie to a type of the
host language, and under which they number the variables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from fcp_ros.cset.instance.instance import InstanceError
from fcp_ros.cset.schema.schema import Attribute, AttributeKind, Schema

ID, NAME, TYPE_SUFFIX, VARIABLE = "_id", "_name", "_type", "_var"

AttributeTypes = Mapping[tuple[str, str], str]
"""The attribute type of each attribute, by its owner and name."""

KIND_NAMES: Mapping[AttributeKind, str] = MappingProxyType(
    {
        AttributeKind.BOOL: "Bool",
        AttributeKind.INT: "Int",
        AttributeKind.FLOAT: "Float",
        AttributeKind.STRING: "String",
    }
)


@dataclass(frozen=True)
class Table:
    """The columns of a type or relation.

    Attributes:
        name: of the type or relation.
        references: the type that each function, or leg, points to.
        attributes: by name.
    """

    name: str
    references: Mapping[str, str]
    attributes: Mapping[str, Attribute]


def table_names(schema: Schema) -> tuple[str, ...]:
    """Return the types and relations, in order."""
    return (*schema.types, *(relation.name for relation in schema.relations))


def table_of(schema: Schema, name: str) -> Table:
    """Describe the table of a type or relation.

    Raises:
        InstanceError: two of its columns have one name, so that no file can tell them apart.
    """
    if schema.has_relation(name):
        references = dict(schema.relation(name).legs)
    else:
        references = {f.name: f.target for f in schema.functions_of(name)}
    attributes = {attribute.name: attribute for attribute in schema.attributes_of(name)}
    tellers = {
        f"{c}{TYPE_SUFFIX}" for c, type_ in references.items() if has_subtypes(schema, type_)
    }
    columns = [*references, *attributes, *tellers, ID, NAME]
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise InstanceError(
            f"table {name!r} would have several columns {', '.join(map(repr, twice))}; rename the "
            "function, leg or attribute of that name"
        )
    return Table(name, references, attributes)


def has_subtypes(schema: Schema, type_: str) -> bool:
    """Return True if what points to a type may point into the table of a subtype."""
    return len(schema.subtypes(type_)) > 1


def attribute_types_of(schema: Schema) -> dict[tuple[str, str], str]:
    """Make attribute types for a schema without them: by kind, one for each enumeration."""
    taken = set(table_names(schema))
    kinds = {kind: _avoid(name, taken) for kind, name in KIND_NAMES.items()}
    taken.update(kinds.values())
    found = {}
    for attribute in schema.attributes:
        key = (attribute.owner, attribute.name)
        if attribute.kind in kinds:
            found[key] = kinds[attribute.kind]
        else:
            found[key] = _avoid("_".join(key), taken)
            taken.add(found[key])
    return found


def _avoid(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
