# SPDX-License-Identifier: Apache-2.0
"""The JSON of ACSets (AlgebraicJulia): ``{"V": [{"_id": 1}], "E": [{"_id": 1, "src": 1}]}``.

Each type and each relation is a table; its rows have 1-based ids of their own. Functions and legs
are columns that hold such ids, attributes are columns that hold values. ACSets know no names, no
`is_a` and no sets of tuples. So names travel in the extra column ``_name``; an element is listed in
the table of its own type; and where a column may point into several tables (a type with subtypes),
the extra column ``<column>_type`` says into which. Without subtypes the files are plain ACSets.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.instance import Instance, InstanceError
from fcp_ros.cset.schema.names import unknown_name
from fcp_ros.cset.schema.schema import Schema, SchemaError

Row = dict[str, Any]


def instance_to_json(instance: Instance, *, names: bool = True) -> str:
    """The ACSets JSON of an instance.

    Args:
        instance: what to write.
        names: whether to write the column ``_name``.
    """
    return json.dumps(instance_to_tables(instance, names=names))


def instance_from_json(schema: Schema, text: str) -> Instance:
    """The instance that an ACSets JSON describes.

    Raises:
        InstanceError: not JSON, or not an instance of `schema`; names the table, row and column.
    """
    try:
        tables = json.loads(text)
    except json.JSONDecodeError as error:
        raise InstanceError(f"not JSON: {error}") from error
    return instance_from_tables(schema, tables)


def instance_to_tables(instance: Instance, *, names: bool = True) -> dict[str, list[Row]]:
    """As `instance_to_json`, in lists and dictionaries."""
    schema = instance.schema
    numbers = {
        element: number
        for type_ in schema.types
        for number, element in enumerate(instance.elements(type_, subtypes=False), start=1)
    }

    def reference(column: str, element: int, declared: str) -> Row:
        row: Row = {column: numbers[element]}
        if len(schema.subtypes(declared)) > 1:
            row[f"{column}_type"] = instance.type_of(element)
        return row

    tables: dict[str, list[Row]] = {type_: [] for type_ in schema.types}
    for element, number in numbers.items():
        type_ = instance.type_of(element)
        row: Row = {"_id": number}
        if names:
            row["_name"] = instance.name_of(element)
        for function in schema.functions_of(type_):
            value = instance.apply(function.name, element)
            row.update(reference(function.name, value, function.target))
        row.update(instance.attributes(element))
        tables[type_].append(row)
    for relation in schema.relations:
        tables[relation.name] = []
        for number, legs in enumerate(instance.tuples(relation.name).values(), start=1):
            row = {"_id": number}
            for leg, (column, declared) in zip(legs, relation.legs, strict=True):
                row.update(reference(column, leg, declared))
            tables[relation.name].append(row)
    return tables


def instance_from_tables(schema: Schema, tables: Mapping[str, Any]) -> Instance:
    """As `instance_from_json`, from lists and dictionaries."""
    known = [*schema.types, *(relation.name for relation in schema.relations)]
    if not isinstance(tables, Mapping):
        raise InstanceError(f"an ACSet is an object of tables, not a {type(tables).__name__}")
    for table in tables:
        if table not in known:
            raise InstanceError(unknown_name("table", table, known, f"schema {schema.name!r}"))
    return _Reader(schema, tables).read()


class _Reader:
    def __init__(self, schema: Schema, tables: Mapping[str, Any]) -> None:
        self.schema = schema
        self.tables = tables
        self.builder = InstanceBuilder(schema)
        self.elements: dict[tuple[str, int], int] = {}

    def read(self) -> Instance:
        for type_ in self.schema.types:
            for where, row in self.rows(type_):
                self.add(type_, where, row)
        for type_ in self.schema.types:
            for where, row in self.rows(type_):
                for function in self.schema.functions_of(type_):
                    value = self.resolve(row, function.name, function.target, where)
                    element = self.elements[type_, row["_id"]]
                    self.builder.set_function(function.name, element, value)
        for relation in self.schema.relations:
            for where, row in self.rows(relation.name):
                legs = [self.resolve(row, leg, type_, where) for leg, type_ in relation.legs]
                self.builder.relate(relation.name, *legs)
        return self.builder.build()

    def rows(self, table: str) -> Iterator[tuple[str, Row]]:
        rows = self.tables.get(table, [])
        if not isinstance(rows, list):
            raise InstanceError(f"table {table!r} must be a list of rows")
        for number, row in enumerate(rows, start=1):
            where = f"table {table!r}, row {number}"
            if not isinstance(row, dict):
                raise InstanceError(f"{where} must be an object with columns")
            # Some writers leave the ids out: then the position counts.
            complete: Row = {"_id": number, **row}
            if not isinstance(complete["_id"], int) or not isinstance(row.get("_name", ""), str):
                raise InstanceError(f"{where}: _id must be a whole number, _name a text")
            yield where, complete

    def add(self, type_: str, where: str, row: Row) -> None:
        declared = {attribute.name for attribute in self.schema.attributes_of(type_)}
        columns = declared | {function.name for function in self.schema.functions_of(type_)}
        for column in row:
            base = column.removesuffix("_type")
            if column not in {"_id", "_name"} and not columns & {column, base}:
                raise InstanceError(unknown_name("column", column, columns, where))
        key = (type_, row["_id"])
        if key in self.elements:
            raise InstanceError(f"{where}: _id {row['_id']} is there twice")
        values = {column: value for column, value in row.items() if column in declared}
        try:
            self.elements[key] = self.builder.add(type_, row.get("_name"), values)
        except (InstanceError, SchemaError) as error:
            raise InstanceError(f"{where}: {error}") from error

    def resolve(self, row: Row, column: str, declared: str, where: str) -> int:
        if column not in row:
            raise InstanceError(f"{where}: column {column!r} is missing; it points to {declared!r}")
        type_ = row.get(f"{column}_type", declared)
        if not isinstance(row[column], int) or not isinstance(type_, str):
            raise InstanceError(
                f"{where}: {column!r} is {row[column]!r}, but must be an _id (no variable)"
            )
        found = self.elements.get((type_, row[column]))
        if found is None:
            raise InstanceError(
                f"{where}: {column!r} is {row[column]!r}, but table {type_!r} has no such _id"
            )
        return found
