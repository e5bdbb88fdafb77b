# SPDX-License-Identifier: Apache-2.0
"""The JSON of ACSets (AlgebraicJulia): ``{"V": [{"_id": 1}], "E": [{"_id": 1, "src": 1}]}``.

As ACSets.jl 0.2.27 writes and reads it. Each type and each relation is a table; its rows have
1-based ids of their own. Functions and legs are columns that hold such ids, attributes are columns
that hold values, or variables: ``{"_var": 1}``, numbered in a table of the attribute's type.

ACSets know no names, no `is_a` and no sets of tuples. So names travel in the extra column
``_name``; an element is listed in the table of its own type; and where a column may point into
several tables (a type with subtypes), the extra column ``<column>_type`` says into which. Without
subtypes, and written without names, the files are plain ACSets.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.expressions import ValueOperation, ValueVariable
from fcp_ros.cset.instance.instance import Instance, InstanceError
from fcp_ros.cset.interchange.columns import (
    ID,
    NAME,
    TYPE_SUFFIX,
    VARIABLE,
    AttributeTypes,
    Table,
    attribute_types_of,
    has_subtypes,
    table_names,
    table_of,
)
from fcp_ros.cset.schema.schema import Schema, SchemaError
from fcp_ros.foundation.wording import describe_unknown_name

Row = dict[str, Any]


def instance_to_json(
    instance: Instance, *, names: bool = True, attribute_types: AttributeTypes | None = None
) -> str:
    """Return the ACSets JSON of an instance.

    Args:
        instance: to be written.
        names: write the column ``_name``, which holds the names of elements and of variables.
        attribute_types: names for the types of attributes, under which variables are numbered; made
            from their kinds by default.

    Raises:
        InstanceError: an attribute holds an operation, or columns have one name.
    """
    return json.dumps(
        instance_to_tables(instance, names=names, attribute_types=attribute_types), allow_nan=False
    )


def instance_from_json(
    schema: Schema,
    text: str,
    *,
    attribute_types: AttributeTypes | None = None,
    allow_conflicts: bool = False,
) -> Instance:
    """Read the instance that an ACSets JSON describes.

    Args:
        schema: of the instance.
        text: the JSON.
        attribute_types: as given when it was written.
        allow_conflicts: allow functional legs to be broken, as by a pattern.

    Raises:
        InstanceError: not JSON, or not an instance of `schema`; names the table, row and column.
    """
    try:
        tables = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InstanceError(f"not JSON: {error}") from error
    return instance_from_tables(
        schema, tables, attribute_types=attribute_types, allow_conflicts=allow_conflicts
    )


def instance_to_tables(
    instance: Instance, *, names: bool = True, attribute_types: AttributeTypes | None = None
) -> dict[str, list[Row]]:
    """Return lists and dictionaries instead of the text of `instance_to_json`."""
    return _Writer(instance, names, attribute_types).tables()


def instance_from_tables(
    schema: Schema,
    tables: Mapping[str, Any],
    *,
    attribute_types: AttributeTypes | None = None,
    allow_conflicts: bool = False,
) -> Instance:
    """Read lists and dictionaries instead of the text of `instance_from_json`."""
    return _Reader(schema, tables, attribute_types).read(allow_conflicts)


class _Writer:
    def __init__(
        self, instance: Instance, names: bool, attribute_types: AttributeTypes | None
    ) -> None:
        self.instance = instance
        self.schema = instance.schema
        self.names = names
        self.types = attribute_types_of(self.schema) if attribute_types is None else attribute_types
        self.numbers = {
            element: number
            for type_ in self.schema.types
            for number, element in enumerate(instance.elements(type_, subtypes=False), start=1)
        }
        self.variables: dict[str, dict[ValueVariable, int]] = {}

    def tables(self) -> dict[str, list[Row]]:
        tables = {}
        for name in table_names(self.schema):
            table = table_of(self.schema, name)
            ids = self.instance.elements(name, subtypes=False)
            tables[name] = [self.row(table, id_, at) for at, id_ in enumerate(ids, start=1)]
        for type_, variables in self.variables.items():
            tables[type_] = [
                {ID: number, NAME: variable.name} if self.names else {ID: number}
                for variable, number in variables.items()
            ]
        return tables

    def row(self, table: Table, id_: int, number: int) -> Row:
        row: Row = {ID: number}
        is_tuple = self.schema.has_relation(table.name)
        if self.names and not is_tuple:
            row[NAME] = self.instance.name_of(id_)
        legs = self.instance.tuples(table.name)[id_] if is_tuple else ()
        for position, (column, declared) in enumerate(table.references.items()):
            element = legs[position] if is_tuple else self.instance.apply(column, id_)
            row[column] = self.numbers[element]
            if has_subtypes(self.schema, declared):
                row[f"{column}{TYPE_SUFFIX}"] = self.instance.type_of(element)
        for column, value in self.instance.attributes(id_).items():
            attribute = table.attributes[column]
            row[column] = self.value(value, self.types[attribute.owner, column], id_)
        return row

    def value(self, value: Any, type_: str, id_: int) -> Any:
        if isinstance(value, ValueOperation):
            name = self.instance.name_of(id_)
            raise InstanceError(
                f"{name!r} holds {value}, but ACSets hold values and variables only"
            )
        if isinstance(value, ValueVariable):
            numbers = self.variables.setdefault(type_, {})
            return {VARIABLE: numbers.setdefault(value, len(numbers) + 1)}
        return value


class _Reader:
    def __init__(
        self, schema: Schema, tables: Mapping[str, Any], attribute_types: AttributeTypes | None
    ) -> None:
        if not isinstance(tables, Mapping):
            raise InstanceError(f"an ACSet is an object of tables, not a {type(tables).__name__}")
        self.schema = schema
        self.source = tables
        self.types = attribute_types_of(schema) if attribute_types is None else attribute_types
        self.tables = {name: table_of(schema, name) for name in table_names(schema)}
        known = [*self.tables, *dict.fromkeys(self.types.values())]
        for name in tables:
            if name not in known:
                raise InstanceError(
                    describe_unknown_name("table", name, known, f"schema {schema.name!r}")
                )
        self.builder = InstanceBuilder(schema)
        self.elements: dict[tuple[str, int], int] = {}
        self.variables = {
            (type_, row[ID]): ValueVariable(row.get(NAME, f"{type_}_{row[ID]}"))
            for type_ in dict.fromkeys(self.types.values())
            for _, row in self.rows(type_)
        }

    def read(self, allow_conflicts: bool) -> Instance:
        for type_ in self.schema.types:
            for where, row in self.rows(type_):
                self.check_columns(type_, where, row)
                self.add(type_, where, row)
        for type_ in self.schema.types:
            for where, row in self.rows(type_):
                element = self.elements[type_, row[ID]]
                for column, declared in self.tables[type_].references.items():
                    value = self.resolve(row, column, declared, where)
                    self.builder.set_function(column, element, value)
        for relation in self.schema.relations:
            self.add_tuples(relation.name)
        return self.builder.build(allow_conflicts=allow_conflicts)

    def rows(self, table: str) -> Iterator[tuple[str, Row]]:
        rows = self.source.get(table, [])
        if not isinstance(rows, list):
            raise InstanceError(f"table {table!r} must be a list of rows")
        for number, row in enumerate(rows, start=1):
            where = f"table {table!r}, row {number}"
            if not isinstance(row, dict):
                raise InstanceError(f"{where} must be an object with columns")
            # Some writers leave the ids out: then the position counts.
            complete: Row = {ID: number, **row}
            if not _is_number(complete[ID]) or not isinstance(row.get(NAME, ""), str):
                raise InstanceError(f"{where}: _id must be a whole number, _name a text")
            yield where, complete

    def check_columns(self, table: str, where: str, row: Row) -> None:
        references, attributes = self.tables[table].references, self.tables[table].attributes
        columns = [*references, *attributes]
        for column in row:
            base = column.removesuffix(TYPE_SUFFIX)
            if column not in {ID, NAME} and column not in columns and base not in references:
                raise InstanceError(describe_unknown_name("column", column, columns, where))

    def add(self, type_: str, where: str, row: Row) -> None:
        key = (type_, row[ID])
        if key in self.elements:
            raise InstanceError(f"{where}: _id {row[ID]} occurs twice")
        try:
            self.elements[key] = self.builder.add(type_, row.get(NAME), self.values(type_, row))
        except (InstanceError, SchemaError) as error:
            raise InstanceError(f"{where}: {error}") from error

    def add_tuples(self, relation: str) -> None:
        seen: dict[int, str] = {}
        for where, row in self.rows(relation):
            self.check_columns(relation, where, row)
            references = self.tables[relation].references
            legs = [self.resolve(row, leg, type_, where) for leg, type_ in references.items()]
            try:
                id_ = self.builder.relate(relation, *legs)
                for attribute, value in self.values(relation, row).items():
                    self.builder.set_attribute(id_, attribute, value)
            except (InstanceError, SchemaError) as error:
                raise InstanceError(f"{where}: {error}") from error
            if id_ in seen:
                raise InstanceError(
                    f"{where} is the same tuple as {seen[id_]}; a relation is a set: remove one, "
                    "or make the relation a type with functions"
                )
            seen[id_] = where

    def values(self, table: str, row: Row) -> dict[str, Any]:
        """Read the attributes that a row sets; null sets none."""
        return {
            name: self.value(row[name], self.types[attribute.owner, name])
            for name, attribute in self.tables[table].attributes.items()
            if row.get(name) is not None
        }

    def value(self, value: Any, type_: str) -> Any:
        if not isinstance(value, dict):
            return value
        number = value.get(VARIABLE)
        if len(value) != 1 or not _is_number(number):
            raise InstanceError(f'{value!r} is neither a value nor a variable, {{"_var": 1}}')
        return self.variables.setdefault((type_, number), ValueVariable(f"{type_}_{number}"))

    def resolve(self, row: Row, column: str, declared: str, where: str) -> int:
        if column not in row:
            raise InstanceError(f"{where}: column {column!r} is missing; it points to {declared!r}")
        type_ = row.get(f"{column}{TYPE_SUFFIX}", declared)
        if not _is_number(row[column]) or not isinstance(type_, str):
            raise InstanceError(
                f"{where}: {column!r} is {row[column]!r}, but must be an _id (no variable)"
            )
        found = self.elements.get((type_, row[column]))
        if found is None:
            raise InstanceError(
                f"{where}: {column!r} is {row[column]!r}, but table {type_!r} has no such _id"
            )
        if not self.schema.is_subtype(type_, declared):
            raise InstanceError(f"{where}: {column!r} points to {declared!r}, not to {type_!r}")
        return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
