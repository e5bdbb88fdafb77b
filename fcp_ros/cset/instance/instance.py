# SPDX-License-Identifier: Apache-2.0
"""Instances (C-sets): a set for each type, a map for each function, tuples for each relation.

An instance is an immutable value. Its elements, and the tuples of its relations too, have integer
ids that never change from one state to the next; across layers they go by name. Make instances with
`InstanceBuilder`; successive states share every table that did not change.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from fcp_ros.cset.instance.comparison import same_content, same_ids
from fcp_ros.cset.instance.conflicts import conflicts_at, conflicts_in
from fcp_ros.cset.instance.equations import broken_equations
from fcp_ros.cset.instance.tables import (
    AttributeTable,
    ElementTable,
    FunctionTable,
    RelationTable,
)
from fcp_ros.cset.instance.violation import Violation
from fcp_ros.cset.schema.schema import AttributeValue, RelationName, Schema, TypeName
from fcp_ros.foundation.wording import describe_unknown_name

Tables: TypeAlias = tuple[
    ElementTable, dict[str, FunctionTable], dict[str, RelationTable], dict[str, AttributeTable]
]


class InstanceError(ValueError):
    """Something that would not be an instance of the schema."""


class UnknownElement(InstanceError, KeyError):
    """An element that the instance does not have."""

    def __str__(self) -> str:
        return str(self.args[0])


class Instance:
    """An instance of a schema.

    Two instances are equal when they have the same schema and, *by name*, the same elements with
    the same types, attributes, function values and tuples; ids do not matter. `is_isomorphic`
    (homs.py) compares up to names.
    """

    __slots__ = (
        "_attributes",
        "_elements",
        "_functions",
        "_hash",
        "_next_id",
        "_pattern",
        "_relations",
        "schema",
    )

    schema: Schema

    def __init__(
        self,
        schema: Schema,
        elements: ElementTable,
        functions: dict[str, FunctionTable],
        relations: dict[str, RelationTable],
        attributes: dict[str, AttributeTable],
        next_id: int,
    ) -> None:
        """For the builder only, which has checked the tables."""
        self.schema = schema
        self._elements = elements
        self._functions = functions
        self._relations = relations
        self._attributes = attributes
        self._next_id = next_id
        self._hash: int | None = None
        self._pattern: Any = None

    # --- elements

    def elements(self, type_: TypeName, *, subtypes: bool = True) -> Sequence[int]:
        """Ids of the elements of a type, or of the tuples of a relation, in order of creation.

        Args:
            type_: name of a type or a relation.
            subtypes: whether elements of its subtypes count.

        Raises:
            SchemaError: the schema has no such type.
        """
        if type_ in self._relations:
            return tuple(self._relations[type_].rows)
        return self._elements.of_type(type_, subtypes, self.schema)

    def count(self, type_: TypeName) -> int:
        """How many elements are of a type or a subtype; costs no look at each of them."""
        return self._elements.count(type_, self.schema)

    def all_elements(self) -> Sequence[int]:
        """Ids of all elements that are not tuples of relations."""
        return tuple(self._elements.types)

    def names(self) -> Sequence[str]:
        """Names of all elements that are not tuples of relations."""
        return tuple(self._elements.names.values())

    def has(self, name: str) -> bool:
        """Whether there is an element `name`."""
        return name in self._elements.ids

    def id_of(self, name: str) -> int:
        """Id of the element called `name`; `UnknownElement` (a KeyError) where there is none."""
        found = self._elements.ids.get(name)
        if found is None:
            raise UnknownElement(
                describe_unknown_name("element", name, self._elements.ids, "the instance")
            )
        return found

    def contains(self, id_: int) -> bool:
        """Whether there is an element, or a tuple of a relation, with this id."""
        return id_ in self._elements.types or self._row(id_) is not None

    def type_of(self, id_: int) -> TypeName:
        """The element's own type; for a tuple, its relation. Else `UnknownElement`."""
        type_ = self._elements.types.get(id_)
        return type_ if type_ is not None else self._existing_row(id_)[0]

    def name_of(self, id_: int) -> str:
        """The element's name; a tuple is named by its legs: ``on(mug_1, table_1)``."""
        name = self._elements.names.get(id_)
        if name is not None:
            return name
        relation, legs = self._existing_row(id_)
        return f"{relation}({', '.join(self._elements.names[leg] for leg in legs)})"

    def attribute(self, id_: int, name: str) -> AttributeValue | None:
        """The value of an attribute; None where it is not set, or no attribute of the element."""
        table = self._attributes.get(name)
        return None if table is None else table.values.get(id_)

    def attributes(self, id_: int) -> dict[str, AttributeValue]:
        """All attributes of an element, or of a tuple, that are set."""
        return {
            name: table.values[id_]
            for name, table in self._attributes.items()
            if id_ in table.values
        }

    def apply(self, function: str, id_: int) -> int:
        """The function's value at an element.

        Raises:
            SchemaError: the schema has no such function.
            UnknownElement: the function is not defined there.
        """
        source = self.schema.function(function).source
        value = self.function_table(function).values.get(id_)
        if value is None:
            what = f"{self.name_of(id_)!r} is a {self.type_of(id_)!r}"
            raise UnknownElement(f"{what}, but function {function!r} is defined on {source!r}")
        return value

    # --- relations

    def tuples(self, relation: RelationName) -> Mapping[int, tuple[int, ...]]:
        """Each tuple of a relation: its own id, and its elements in the order of the legs."""
        return MappingProxyType(self.relation_table(relation).rows)

    def tuples_at(self, relation: RelationName, leg: str, id_: int) -> Sequence[int]:
        """Ids of the tuples that have element `id_` in the leg `leg`."""
        position = self.schema.relation(relation).position(leg)
        found = self._relations[relation].index(position).get(id_, ())
        return found if isinstance(found, tuple) else tuple(found)

    def find_tuple(self, relation: RelationName, legs: tuple[int, ...]) -> int | None:
        """Id of the tuple with these elements, None where it is not there."""
        return self.relation_table(relation).by_legs.get(legs)

    def prepare(self) -> None:
        """Work out now what the first lookups and rewrites would: indexes, tables to copy from.

        Everything is worked out when it is needed, too; this is for large states, of which the
        first use is to be as fast as every other.
        """
        for table in self._relations.values():
            table.prepare(self._elements.names)

    def functional_conflicts(
        self, relations: Iterable[RelationName] | None = None
    ) -> tuple[Violation, ...]:
        """Where a functional leg is none: the element, and the tuples that contradict each other.

        Args:
            relations: the ones to check; all of them by default.
        """
        chosen = self.schema.relations
        if relations is not None:
            chosen = tuple(self.schema.relation(name) for name in relations)
        return tuple(conflicts_in(self, chosen))

    def conflicts_of(self, relation: RelationName, legs: tuple[int, ...]) -> tuple[Violation, ...]:
        """The functional conflicts that the tuple with these elements takes part in."""
        return tuple(conflicts_at(self, self.schema.relation(relation), legs))

    def broken_equations(self) -> tuple[Violation, ...]:
        """Where two paths that the schema equates lead to different elements."""
        return tuple(broken_equations(self))

    # --- for the modules of this layer

    def tables(self) -> Tables:
        """All tables (inside this layer only)."""
        return (self._elements, self._functions, self._relations, self._attributes)

    def element_table(self) -> ElementTable:
        """The table of elements (inside this layer only)."""
        return self._elements

    def function_table(self, function: str) -> FunctionTable:
        """The table of a function (inside this layer only)."""
        table = self._functions.get(function)
        if table is None:
            self.schema.function(function)
            raise AssertionError("a function of the schema has no table")
        return table

    def relation_table(self, relation: RelationName) -> RelationTable:
        """The table of a relation (inside this layer only)."""
        table = self._relations.get(relation)
        if table is None:
            self.schema.relation(relation)
            raise AssertionError("a relation of the schema has no table")
        return table

    def attribute_table(self, name: str) -> Mapping[int, AttributeValue]:
        """The values of an attribute by element or tuple (inside this layer only)."""
        table = self._attributes.get(name)
        return {} if table is None else table.values

    def attribute_derived(self, name: str) -> dict[object, Any]:
        """What searches keep with the values of an attribute (inside this layer only)."""
        table = self._attributes.get(name)
        return {} if table is None else table.derived

    def key_of(self, id_: int) -> Hashable:
        """An element's name, a tuple's relation and names (inside this layer only)."""
        name = self._elements.names.get(id_)
        if name is not None:
            return name
        relation, legs = self._existing_row(id_)
        return (relation, *(self._elements.names[leg] for leg in legs))

    def next_id(self) -> int:
        """The first id that was never used (inside this layer only)."""
        return self._next_id

    def _row(self, id_: int) -> tuple[RelationName, tuple[int, ...]] | None:
        for name, table in self._relations.items():
            legs = table.rows.get(id_)
            if legs is not None:
                return name, legs
        return None

    def _existing_row(self, id_: int) -> tuple[RelationName, tuple[int, ...]]:
        found = self._row(id_)
        if found is None:
            raise UnknownElement(f"no element with id {id_} in the instance; was it deleted?")
        return found

    # --- values

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Instance):
            return NotImplemented
        if self is other:
            return True
        return (
            self.schema == other.schema and hash(self) == hash(other) and same_content(self, other)
        )

    def __hash__(self) -> int:
        if self._hash is None:
            names = self._elements.names
            self._hash = hash(
                (
                    self.schema,
                    self._elements.content_digest(),
                    *(table.content_digest(names) for table in self._relations.values()),
                    *(table.content_digest(names) for table in self._functions.values()),
                    *(table.content_digest(self.key_of) for table in self._attributes.values()),
                )
            )
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what is cached: hashes of strings differ from process to process.
        return (_restored, (self.schema, self.tables(), self._next_id))

    def is_same(self, other: "Instance") -> bool:
        """Whether the two are equal with the same ids, so that their morphisms are the same."""
        return self is other or (self == other and same_ids(self, other))

    def __repr__(self) -> str:
        tuples = sum(len(table.rows) for table in self._relations.values())
        count = len(self._elements.types)
        return f"<Instance of {self.schema.name!r}: {count} elements, {tuples} tuples>"


def _restored(schema: Schema, tables: Tables, next_id: int) -> Instance:
    elements, functions, relations, attributes = tables
    elements.seal()
    for function in functions.values():
        function.seal()
    for relation in relations.values():
        relation.seal()
    for attribute in attributes.values():
        attribute.seal()
    return Instance(schema, *tables, next_id)
