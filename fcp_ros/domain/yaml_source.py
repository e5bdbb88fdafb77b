# SPDX-License-Identifier: Apache-2.0
"""YAML files of domains as plain data with the line of every key and item.

`foundation/yaml_text.py` says what is refused, and why no file can create an object.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from fcp_ros.domain.diagnostics import Diagnostic, DomainError, Path
from fcp_ros.foundation import yaml_text
from fcp_ros.foundation.yaml_text import TextError

MAX_BYTES = 2_000_000
"""Largest accepted file (bytes)."""


@dataclass(frozen=True)
class YamlSource:
    """Plain data (dict, list, str, int, float, bool, None) and the line of every path in it."""

    text: str
    data: Any
    lines: dict[Path, int]


def read_yaml(path: FilePath) -> YamlSource:
    """Read a YAML file safely.

    Raises:
        DomainError: the file is missing, unreadable, too large, not UTF-8, not YAML, or uses what
            is refused here.
    """
    file = str(path)
    try:
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except OSError as error:
        reason = error.strerror or str(error)
        raise _failure(
            file, 0, f"can't be read ({reason})", "give the path of a YAML file"
        ) from None
    if raw is None:
        raise _failure(
            file, 0, f"the file is larger than {MAX_BYTES} bytes", "split or shorten the file"
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _failure(file, line, "this is not UTF-8 text", "save the file as UTF-8") from None
    return parse_yaml(text, file)


def parse_yaml(text: str, file: str) -> YamlSource:
    """Read a YAML text; `file` is its name in messages.

    Raises:
        DomainError: as `read_yaml`.
    """
    try:
        source = yaml_text.parse_yaml(text)
    except TextError as error:
        raise _failure(file, error.line or 0, error.what, error.fix) from None
    return YamlSource(text, source.data, source.lines)


def _failure(file: str, line: int, message: str, fix: str) -> DomainError:
    return DomainError([Diagnostic(file, line, message, fix)])
