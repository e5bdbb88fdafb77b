# SPDX-License-Identifier: Apache-2.0
"""The reader of domain files: YAML, then shape, then meaning; all faults reported at once."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache
from os import PathLike
from pathlib import Path as FilePath

from fcp_ros.domain.diagnostics import Diagnostic, Diagnostics, DomainError
from fcp_ros.domain.model import Domain
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.foundation.bounded_file import FileError, read_bytes
from fcp_ros.foundation.yaml_text import PositionedText, TextError, parse_yaml

MAX_BYTES = 2_000_000
"""Largest accepted file (bytes)."""


def load_domain(path: str | PathLike[str]) -> Domain:
    """Read and check a domain file (docs/domain.md describes the format).

    Raises DomainError if the file has faults; its `diagnostics` name line, fault and fix of each.
    Faults of the YAML itself, and then of its shape, hide those of later stages.
    """
    file = FilePath(path)
    return parse_domain(read_text(file), str(file))


@lru_cache(maxsize=8)
def parse_domain(text: str, source: str = "domain") -> Domain:
    """Read and check a domain from a text; `source` is its name in messages.

    The nodes of a process read the same file, which takes each of them 0.2 s; domains are values.
    """
    # Imported here because pydantic is slow to load, and PDDL files need none of it.
    from fcp_ros.domain.yaml.sections import build_domain

    parsed = parse_lines(text, source)
    content_hash = hashlib.sha256(text.encode()).hexdigest()
    return build_domain(parsed.data, content_hash, Diagnostics(source, parsed.lines))


def load_overrides(path: str | PathLike[str], domain: Domain) -> Domain:
    """Read a file of overrides; return the domain with them, after its own.

    Raises DomainError if the file has faults, or does not fit the domain.
    """
    from fcp_ros.domain.yaml.entries import OverridesFile
    from fcp_ros.domain.yaml.overrides import build_names
    from fcp_ros.domain.yaml.sections import check_shape

    file = FilePath(path)
    parsed = parse_lines(read_text(file), str(file))
    report = Diagnostics(str(file), parsed.lines)
    entry = check_shape(OverridesFile, parsed.data, report).overrides
    vocabulary = Vocabulary.of(domain)
    names = build_names(entry, vocabulary, domain.mapping.labels, ("overrides",), report)
    report.raise_if_any()
    return replace(domain, mapping=domain.mapping.with_names(names))


def read_text(path: FilePath) -> str:
    """Read a file of a domain.

    Raises DomainError if the file is missing, unreadable, too large or not UTF-8.
    """
    try:
        raw = read_bytes(path, MAX_BYTES)
    except FileError as error:
        raise _build_error(path, 0, f"the file {error.what}", error.fix) from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _build_error(path, line, "this is not UTF-8 text", "save the file as UTF-8") from None


def parse_lines(text: str, source: str) -> PositionedText:
    """Read a YAML text as plain data with the line of every key and item.

    Raises DomainError if it is not YAML, or uses a feature that `foundation/yaml_text.py` refuses.
    """
    try:
        return parse_yaml(text)
    except TextError as error:
        raise _build_error(source, error.line or 0, error.what, error.fix) from None


def _build_error(file: object, line: int, message: str, fix: str) -> DomainError:
    return DomainError([Diagnostic(str(file), line, message, fix)])
