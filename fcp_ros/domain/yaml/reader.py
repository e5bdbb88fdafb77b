# SPDX-License-Identifier: Apache-2.0
"""The reader of domain files: YAML, then shape, then meaning; all faults reported at once."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from fcp_ros.domain.diagnostics import Diagnostic, Diagnostics, DomainError, Path
from fcp_ros.domain.model import Domain
from fcp_ros.domain.yaml.chunks import build_chunks
from fcp_ros.domain.yaml.entries import DomainFile
from fcp_ros.domain.yaml.graded import build_graded
from fcp_ros.domain.yaml.rules import build_constraints, build_resources, build_rules
from fcp_ros.domain.yaml.scene import build_mapping
from fcp_ros.domain.yaml.types import build_schema, build_vocabulary
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.foundation.yaml_text import PositionedText, TextError, parse_yaml

MAX_BYTES = 2_000_000
"""Largest accepted file (bytes)."""


def load_domain(path: str | PathLike[str]) -> Domain:
    """Read and check a domain file (docs/domain.md describes the format).

    Raises:
        DomainError: the file has faults; its `diagnostics` name line, fault and fix of each. Faults
            of the YAML itself, and then of its shape, hide those of later stages.
    """
    file = FilePath(path)
    return parse_domain(read_text(file), str(file))


def parse_domain(text: str, source: str = "domain") -> Domain:
    """Read and check a domain from a text; `source` is its name in messages."""
    parsed = parse_lines(text, source)
    report = Diagnostics(source, parsed.lines)
    file = _check_shape(parsed.data, report)
    vocabulary = build_vocabulary(file)
    schema = build_schema(file, vocabulary, report)
    rules = build_rules(file, vocabulary, report)
    graded = build_graded(file, vocabulary, report)
    constraints = build_constraints(file, vocabulary, report)
    resources = build_resources(file, report)
    chunks = build_chunks(file, rules, vocabulary, report)
    mapping = build_mapping(file, vocabulary, report)
    report.raise_if_any()
    assert schema is not None, "a schema without problems is built"
    return Domain(
        name=file.domain,
        version=file.version,
        schema=schema,
        rules=rules,
        graded=graded,
        constraints=constraints,
        resources=resources,
        mapping=mapping,
        source=source,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        chunks=chunks,
    )


def read_text(path: FilePath) -> str:
    """Read a file of a domain.

    Raises:
        DomainError: the file is missing, unreadable, too large or not UTF-8.
    """
    try:
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except OSError as error:
        reason = f"can't be read ({error.strerror or str(error)})"
        raise _build_error(path, 0, reason, "give the path of a YAML file") from None
    if raw is None:
        reason = f"the file is larger than {MAX_BYTES} bytes"
        raise _build_error(path, 0, reason, "split or shorten the file")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _build_error(path, line, "this is not UTF-8 text", "save the file as UTF-8") from None


def parse_lines(text: str, source: str) -> PositionedText:
    """Read a YAML text as plain data with the line of every key and item.

    Raises:
        DomainError: it is not YAML, or uses a feature that `foundation/yaml_text.py` refuses.
    """
    try:
        return parse_yaml(text)
    except TextError as error:
        raise _build_error(source, error.line or 0, error.what, error.fix) from None


def _build_error(file: object, line: int, message: str, fix: str) -> DomainError:
    return DomainError([Diagnostic(str(file), line, message, fix)])


def _check_shape(data: Any, report: Diagnostics) -> DomainFile:
    try:
        return DomainFile.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_context=False):
            _report_shape(detail["type"], detail["msg"], detail["loc"], data, report)
        report.raise_if_any()
        raise AssertionError("a validation error without details") from error


_FIXES = {
    "missing": "add the key",
    "string_type": "write a word or quote the value",
    "list_type": "write a list, such as [a, b]",
    "dict_type": "write a mapping, such as {key: value}",
    "model_type": "write a mapping, such as {key: value}",
    "float_type": "write a number",
    "int_type": "write a whole number",
    "bool_type": "write true or false",
}


def _report_shape(kind: str, message: str, loc: Path, data: Any, report: Diagnostics) -> None:
    path = _find_existing(loc, data)
    here = ".".join(str(part) for part in path) or "the file"
    if kind == "extra_forbidden":
        known = _list_keys(path[:-1])
        report.add(path, f"unknown key {here}", suggest_name(str(path[-1]), known))
    elif kind == "missing":
        report.add(path, f"{here} has no key {loc[-1]}", _FIXES[kind])
    else:
        fix = _FIXES.get(kind, "see docs/domain.md for what may stand there")
        report.add(path, f"{here}: {message[:1].lower()}{message[1:]}", fix)


def _find_existing(loc: Path, data: Any) -> Path:
    """Return the part of a validation location that is in the document (unions add names)."""
    path: Path = ()
    for part in loc:
        keys = data if isinstance(data, dict) else range(len(data) if isinstance(data, list) else 0)
        if part in keys:
            data = data[part]
            path = (*path, part)
    return path


def _list_keys(path: Path) -> list[str]:
    """List the keys that the shape knows at a path of the document."""
    model: Any = DomainFile
    for part in path:
        if not hasattr(model, "model_fields"):
            model = _find_model(model)
            continue
        field = model.model_fields.get(part)
        if field is None:
            return []
        model = field.annotation
    model = _find_model(model) if not hasattr(model, "model_fields") else model
    return list(model.model_fields) if hasattr(model, "model_fields") else []


def _find_model(annotation: Any) -> Any:
    """Find the model inside dict[str, Model], list[Model] or Model | float."""
    for inner in getattr(annotation, "__args__", ()):
        if hasattr(inner, "model_fields"):
            return inner
        found = _find_model(inner)
        if hasattr(found, "model_fields"):
            return found
    return annotation
