# SPDX-License-Identifier: Apache-2.0
"""Schemas as YAML and JSON texts and files; `schema_data` describes their shape."""

import json
from collections.abc import Callable
from pathlib import Path

from fcp_ros.cset.schema.schema import Schema
from fcp_ros.cset.schema.symbols import SchemaError, SchemaProblem
from fcp_ros.foundation.yaml_text import (
    PositionedText,
    TextError,
    dump_yaml,
    parse_json,
    parse_yaml,
)

_LINE_WIDTH = 100


def schema_to_yaml(schema: Schema) -> str:
    """The YAML text of a schema."""
    return dump_yaml(schema.to_dict(), _LINE_WIDTH)


def schema_from_yaml(text: str, file: str = "schema text") -> Schema:
    """The schema that a YAML text describes.

    Args:
        text: as `schema_to_yaml` writes it.
        file: where it is from, for messages.

    Raises:
        SchemaError: it is no YAML or no valid schema; a line for each problem, with its place.
    """
    return _schema_of(text, file, parse_yaml)


def schema_to_json(schema: Schema, *, indent: int | None = 2) -> str:
    """The JSON text of a schema."""
    return json.dumps(schema.to_dict(), indent=indent, ensure_ascii=False)


def schema_from_json(text: str, file: str = "schema text") -> Schema:
    """The schema that a JSON text describes.

    Args:
        text: as `schema_to_json` writes it.
        file: where it is from, for messages.

    Raises:
        SchemaError: it is no JSON or no valid schema; a line for each problem, with its place.
    """
    return _schema_of(text, file, parse_json)


def read_schema(path: Path) -> Schema:
    """The schema of a file that ends in .yaml, .yml or .json.

    Raises:
        SchemaError: the file cannot be read, or describes no valid schema; says where.
    """
    _check_suffix(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SchemaError(f"{path}: cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise SchemaError(f"{path}: not UTF-8 text; save it as UTF-8") from error
    read = schema_from_json if path.suffix == ".json" else schema_from_yaml
    return read(text, str(path))


def write_schema(schema: Schema, path: Path) -> None:
    """Write a schema to a file that ends in .yaml, .yml or .json.

    Raises:
        SchemaError: the file name has another ending.
        OSError: the file cannot be written.
    """
    _check_suffix(path)
    write = schema_to_json if path.suffix == ".json" else schema_to_yaml
    path.write_text(write(schema), encoding="utf-8")


def _check_suffix(path: Path) -> None:
    if path.suffix not in {".yaml", ".yml", ".json"}:
        raise SchemaError(f"{path}: a schema's file ends in .yaml, .yml or .json; rename it")


def _schema_of(text: str, file: str, parse: Callable[[str], PositionedText]) -> Schema:
    try:
        source = parse(text)
    except TextError as error:
        problem = SchemaProblem((), str(error))
        raise SchemaError(_located(file, error.line, problem), (problem,)) from error
    try:
        return Schema.from_dict(source.data)
    except SchemaError as error:
        lines = [_located(file, source.line_of(p.part), p) for p in error.problems]
        raise SchemaError("\n".join(lines), error.problems) from error


def _located(file: str, line: int | None, problem: SchemaProblem) -> str:
    return f"{file}: {problem.message}" if line is None else f"{file}:{line}: {problem.message}"
