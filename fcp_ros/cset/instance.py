# SPDX-License-Identifier: Apache-2.0
"""Instances (C-sets): a set for each type, a map for each function, tuples for each relation.

An instance is an immutable value. Its elements, and the tuples of its relations too, have integer
ids that never change from one state to the next; other layers refer to them by name. Make instances
with `InstanceBuilder`; successive states share every table that did not change.
"""

from collections.abc import Hashable, Mapping, MutableMapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeAlias

from fcp_ros.cset.relation_table import RelationTable
from fcp_ros.cset.schema import AttributeValue, RelationName, Schema, TypeName
from fcp_ros.cset.tables import AttributeTable, ElementTable, FunctionTable
from fcp_ros.foundation.persistent_map import PersistentMap
from fcp_ros.foundation.wording import describe_unknown_name

Tables: TypeAlias = tuple[
    ElementTable,
    dict[str, FunctionTable],
    MutableMapping[str, RelationTable],
    dict[str, AttributeTable],
]


class InstanceError(ValueError):
    """A change that would not lead to an instance of the schema."""


class UnknownElement(InstanceError, KeyError):
    """An element that the instance does not have."""

    def __str__(self) -> str:
        return str(self.args[0])


class Instance:
    """An instance of a schema.

    Two instances are equal when they have the same schema and, *by name*, the same elements with
    the same types, attributes, function values and tuples; ids do not matter.
    """

    __slots__ = (
        "_attributes",
        "_elements",
        "_filled",
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
        relations: MutableMapping[str, RelationTable],
        attributes: dict[str, AttributeTable],
        next_id: int,
        filled: tuple[RelationName, ...] | None = None,
    ) -> None:
        """Take tables that the builder has checked; nobody else calls this."""
        self.schema = schema
        self._elements = elements
        self._functions = functions
        self._relations = relations
        self._attributes = attributes
        self._next_id = next_id
        self._filled = filled
        self._hash: int | None = None
        self._pattern: Any = None

    # --- elements

    def elements(self, type_: TypeName, *, subtypes: bool = True) -> Sequence[int]:
        """Ids of the elements of a type, or of the tuples of a relation, in order of creation."""
        if type_ in self._relations:
            return tuple(self._relations[type_].rows)
        return self._elements.of_type(type_, subtypes, self.schema)

    def count(self, type_: TypeName) -> int:
        """Count the elements of a type or a subtype, without looking at each of them."""
        return self._elements.count(type_, self.schema)

    def all_elements(self) -> Sequence[int]:
        """Ids of all elements that are not tuples of relations."""
        return tuple(self._elements.types)

    def names(self) -> Sequence[str]:
        """Names of all elements that are not tuples of relations."""
        return tuple(self._elements.names.values())

    def has(self, name: str) -> bool:
        """Return True if there is an element `name`."""
        return name in self._elements.ids

    def id_of(self, name: str) -> int:
        """Id of the element called `name`; `UnknownElement` (a KeyError) if there is none."""
        found = self._elements.ids.get(name)
        if found is None:
            raise UnknownElement(
                describe_unknown_name("element", name, self._elements.ids, "the instance")
            )
        return found

    def contains(self, id_: int) -> bool:
        """Return True if there is an element, or a tuple of a relation, with this id."""
        return id_ in self._elements.types or self._find_row(id_) is not None

    def type_of(self, id_: int) -> TypeName:
        """The element's own type; for a tuple, its relation. Else `UnknownElement`."""
        type_ = self._elements.types.get(id_)
        return type_ if type_ is not None else self._get_row(id_)[0]

    def name_of(self, id_: int) -> str:
        """The element's name; a tuple is named by its legs: ``on(mug_1, table_1)``."""
        name = self._elements.names.get(id_)
        if name is not None:
            return name
        relation, legs = self._get_row(id_)
        return f"{relation}({', '.join(self._elements.names[leg] for leg in legs)})"

    def attribute(self, id_: int, name: str) -> AttributeValue | None:
        """The value of an attribute; None if it is not set, or no attribute of the element."""
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
        """The function's value at an element."""
        source = self.schema.function(function).source
        value = self.function_table(function).values.get(id_)
        if value is None:
            what = f"{self.name_of(id_)!r} is a {self.type_of(id_)!r}"
            raise UnknownElement(f"{what}, but function {function!r} is defined on {source!r}")
        return value

    # --- relations

    def list_filled(self) -> tuple[RelationName, ...]:
        """Names of the relations that have tuples, in the order of the schema."""
        if self._filled is None:
            self._filled = tuple([name for name, table in self._relations.items() if table.rows])
        return self._filled

    def tuples(self, relation: RelationName) -> Mapping[int, tuple[int, ...]]:
        """Each tuple of a relation: its own id, and its elements in the order of the legs."""
        return MappingProxyType(self.relation_table(relation).rows)

    def tuples_at(self, relation: RelationName, leg: str, id_: int) -> Sequence[int]:
        """Ids of the tuples that have element `id_` in the leg `leg`."""
        position = self.schema.relation(relation).position(leg)
        found = self._relations[relation].index(position).get(id_, ())
        return found if isinstance(found, tuple) else tuple(found)

    def find_tuple(self, relation: RelationName, legs: tuple[int, ...]) -> int | None:
        """Id of the tuple with these elements, None if it is not there."""
        return self.relation_table(relation).by_legs.get(legs)

    def prepare(self) -> None:
        """Make the indexes, and the tables to copy from, that are otherwise made on first use.

        For large states whose first use should be as fast as every other.
        """
        for table in self._relations.values():
            table.prepare(self._elements.names)

    def to_networkx(self) -> Any:
        """Return the graph of the elements (the category of elements) as a `networkx.MultiDiGraph`.

        A node is the name of an element, or for a tuple ``(relation, name, name, ...)``. Its data
        are ``type`` and ``attributes``. An edge goes from an element to each value of a function,
        and from a tuple to each of its elements; its key is the name of the function or leg.
        """
        import networkx

        graph = networkx.MultiDiGraph()
        for id_ in (*self._elements.types, *chain(*(t.rows for t in self._relations.values()))):
            graph.add_node(
                self.key_of(id_), type=self.type_of(id_), attributes=self.attributes(id_)
            )
        names = self._elements.names
        for function, values in self._functions.items():
            for element, value in values.values.items():
                graph.add_edge(names[element], names[value], function)
        for table in self._relations.values():
            for row, legs in table.rows.items():
                for (leg, _), element in zip(table.declared.legs, legs, strict=True):
                    graph.add_edge(self.key_of(row), names[element], leg)
        return graph

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

    def key_of(self, id_: int) -> Hashable:
        """An element's name, a tuple's relation and names (inside this layer only)."""
        name = self._elements.names.get(id_)
        if name is not None:
            return name
        relation, legs = self._get_row(id_)
        return (relation, *(self._elements.names[leg] for leg in legs))

    def next_id(self) -> int:
        """The first id that was never used (inside this layer only)."""
        return self._next_id

    def _find_row(self, id_: int) -> tuple[RelationName, tuple[int, ...]] | None:
        for name, table in self._relations.items():
            legs = table.rows.get(id_)
            if legs is not None:
                return name, legs
        return None

    def _get_row(self, id_: int) -> tuple[RelationName, tuple[int, ...]]:
        found = self._find_row(id_)
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
            self.schema == other.schema
            and hash(self) == hash(other)
            and has_same_content(self, other)
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
        # Without the caches: hashes of strings differ from process to process.
        return (_restore, (self.schema, self.tables(), self._next_id))

    def is_same(self, other: "Instance") -> bool:
        """Return True if the two are equal with the same ids: then their morphisms are the same."""
        return self is other or (self == other and has_same_ids(self, other))

    def __repr__(self) -> str:
        tuples = sum(len(table.rows) for table in self._relations.values())
        count = len(self._elements.types)
        return f"<Instance of {self.schema.name!r}: {count} elements, {tuples} tuples>"


def has_same_content(first: Instance, second: Instance) -> bool:
    """Compare the content of two instances of one schema by names.

    The cost is that of the tables, or parts of tables, that the two do not share.
    """
    if not _has_same_elements(first.element_table(), second.element_table()):
        return _write_by_names(first) == _write_by_names(second)
    schema = first.schema
    return (
        all(
            _has_same_tuples(first.relation_table(r.name), second.relation_table(r.name))
            for r in schema.relations
        )
        and all(
            _has_same_values(
                first.function_table(f.name).values, second.function_table(f.name).values
            )
            for f in schema.functions
        )
        and all(
            _has_same_values(first.attribute_table(a.name), second.attribute_table(a.name))
            # Tuples may be the same and have different ids.
            or _map_attributes_by_key(first, a.name) == _map_attributes_by_key(second, a.name)
            for a in schema.attributes
        )
    )


def has_same_ids(first: Instance, second: Instance) -> bool:
    """Return True if two equal instances also have the same ids."""
    return first.element_table().ids == second.element_table().ids and all(
        first.relation_table(r.name).rows == second.relation_table(r.name).rows
        for r in first.schema.relations
    )


def _has_same_elements(first: ElementTable, second: ElementTable) -> bool:
    """Return True if the same ids are elements of the same names and types."""
    return first is second or (first.names == second.names and first.types == second.types)


def _has_same_values(first: Mapping[int, Any], second: Mapping[int, Any]) -> bool:
    # A dict that is compared with itself compares all of its values.
    return first is second or first == second


def _has_same_tuples(first: RelationTable, second: RelationTable) -> bool:
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


def _write_by_names(instance: Instance) -> tuple[Any, ...]:
    names = instance.element_table().names
    schema = instance.schema
    return (
        instance.element_table().content(),
        [instance.relation_table(r.name).facts(names) for r in schema.relations],
        [
            {names[e]: names[v] for e, v in instance.function_table(f.name).values.items()}
            for f in schema.functions
        ],
        [_map_attributes_by_key(instance, a.name) for a in schema.attributes],
    )


def _map_attributes_by_key(instance: Instance, attribute: str) -> Mapping[Hashable, Any]:
    values = instance.attribute_table(attribute)
    return {instance.key_of(id_): value for id_, value in values.items()}


def _restore(schema: Schema, tables: Tables, next_id: int) -> Instance:
    elements, functions, relations, attributes = tables
    elements.seal()
    for function in functions.values():
        function.seal()
    for relation in relations.values():
        relation.seal()
    for attribute in attributes.values():
        attribute.seal()
    return Instance(schema, *tables, next_id)
