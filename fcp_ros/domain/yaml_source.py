# SPDX-License-Identifier: Apache-2.0
"""A YAML text as plain data with the line of every key and item.

Only the node graph of the parser is used and plain data is built from it here: no tag can create an
object. YAML 1.2 rules hold, so `on`, `off`, `yes` and `no` are words, not truth values. Duplicate
keys, aliases, tags, several documents and oversized files are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from fcp_ros.domain.problems import DomainError, Path, Problem, Report

MAX_BYTES = 2_000_000
"""Largest accepted file (bytes)."""
MAX_DEPTH = 30
"""Deepest accepted nesting of the document."""

_PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "seq", "map")
)


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
        root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 0
        what = " ".join(str(error.problem or error.context or "it can't be parsed").split())
        raise _failure(
            file,
            line,
            f"this is not valid YAML: {what}",
            "mend the indentation, colon or quote there",
        ) from None
    except (YAMLError, RecursionError, ValueError) as error:
        what = " ".join(str(error).split())[:200]
        raise _failure(file, 0, f"this is not valid YAML: {what}", "mend or simplify it") from None
    if root is None:
        raise _failure(file, 0, "the file is empty", "write a domain into it; see docs/domain.md")
    report = Report(file)
    data = _Walk(report).value(root, ())
    report.raise_if_any()
    return YamlSource(text, data, report.lines)


def _failure(file: str, line: int, message: str, fix: str) -> DomainError:
    return DomainError([Problem(file, line, message, fix)])


class _Walk:
    """Turns nodes into plain data, noting lines and refusing what is not plain."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._seen: set[int] = set()

    def value(self, node: Node, path: Path) -> Any:
        self._report.lines.setdefault(path, node.start_mark.line + 1)
        if id(node) in self._seen:
            self._report.add(path, "aliases (*name) are not supported", "write the value out")
            return None
        self._seen.add(id(node))
        if str(node.tag) not in _PLAIN_TAGS:
            self._report.add(
                path,
                f"the tag or value {_shown(node)} is not plain data",
                "quote it or drop the tag",
            )
            return None
        if len(path) > MAX_DEPTH:
            self._report.add(path, f"nested deeper than {MAX_DEPTH} levels", "flatten it")
            return None
        if isinstance(node, MappingNode):
            return self._mapping(node, path)
        if isinstance(node, SequenceNode):
            return [self.value(item, (*path, i)) for i, item in enumerate(node.value)]
        assert isinstance(node, ScalarNode)
        return self._scalar(node, path)

    def _mapping(self, node: MappingNode, path: Path) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = self._scalar(key_node, path) if isinstance(key_node, ScalarNode) else None
            if not isinstance(key, (str, int)) or isinstance(key, bool):
                self._at(line, path, "a key is neither a word nor a whole number", "write a word")
                continue
            if key in result:
                self._at(line, path, f"the key {key} stands here twice", "keep one of them")
                continue
            below = (*path, key)
            self._report.lines[below] = line
            result[key] = self.value(value_node, below)
        return result

    def _at(self, line: int, path: Path, message: str, fix: str) -> None:
        self._report.problems.append(Problem(self._report.file, line, message, fix))

    def _scalar(self, node: ScalarNode, path: Path) -> Any:
        kind = str(node.tag).rpartition(":")[2]
        try:
            return _SCALARS[kind](node.value)
        except (KeyError, ValueError):
            self._report.add(path, f"{_shown(node)} is not a plain value", "quote it")
            return None


def _float(text: str) -> float:
    word = text.lstrip("+-").lower()
    if word in {".inf", ".nan"}:
        return float(text.lower().replace(".", ""))
    return float(text)


_SCALARS: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": lambda text: int(text, 0) if text.lstrip("+-")[:2] in {"0x", "0o"} else int(text),
    "float": _float,
    "bool": lambda text: text.lower() == "true",
    "null": lambda text: None,
}


def _shown(node: Node) -> str:
    text = str(node.value) if isinstance(node, ScalarNode) else str(node.tag)
    return text if len(text) <= 40 else f"{text[:40]}..."
