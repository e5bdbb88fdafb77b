# SPDX-License-Identifier: Apache-2.0
"""YAML and JSON texts as plain data that know in which line each part stands.

Of YAML only what makes plain data is read, by the rules of YAML 1.2 (`on`, `off`, `yes`, `no` are
words): no tag can create an object. Keys that are there twice, anchors, several documents, deep
nesting and oversized texts are refused.
"""

import json
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

Part = tuple[str | int, ...]

MOST_CHARACTERS = 2_000_000
"""Length of the largest text that is read."""
DEEPEST = 30
"""How deep the lists and mappings of a text may be nested."""

_PLAIN = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "seq", "map")
)


class TextError(ValueError):
    """A text that is no plain YAML or JSON.

    Attributes:
        what: what is wrong, a clause.
        fix: what to do about it, a clause.
        line: where, from 1; None where it concerns the whole text.
    """

    def __init__(self, what: str, fix: str, line: int | None = None) -> None:
        super().__init__(f"{what}; {fix}")
        self.what = what
        self.fix = fix
        self.line = line


@dataclass(frozen=True)
class PositionedText:
    """Plain data, and the line (from 1) of each part of them, as far as it is known."""

    data: Any
    lines: dict[Part, int]

    def line_of(self, part: Part) -> int | None:
        """The line of a part, or of the least part around it that has one."""
        for length in range(len(part), -1, -1):
            if part[:length] in self.lines:
                return self.lines[part[:length]]
        return None


def parse_yaml(text: str) -> PositionedText:
    """Read a YAML text.

    Raises:
        TextError: it is none, or holds what is refused here.
    """
    _check_size(text)
    parser = YAML(typ="safe", pure=True)
    try:
        root = parser.compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(str(error.problem or error.context or "it cannot be read").split())
        line = None if mark is None else mark.line + 1
        fix = "mend the indentation, colon or quote there"
        raise TextError(f"this is not valid YAML: {what}", fix, line) from error
    except (YAMLError, RecursionError, ValueError) as error:
        what = " ".join(str(error).split())[:200]
        raise TextError(f"this is not valid YAML: {what}", "mend or simplify it") from error
    if root is None:
        raise TextError("the text is empty", "write something into it")
    walk = _Walk(parser.constructor)
    return PositionedText(walk.value(root, ()), walk.lines)


def parse_json(text: str) -> PositionedText:
    """Read a JSON text.

    Raises:
        TextError: it is none, or holds a key twice.
    """
    _check_size(text)
    try:
        data = json.loads(text, object_pairs_hook=_without_repetition)
    except json.JSONDecodeError as error:
        raise TextError(f"not JSON: {error.msg}", "mend it there", error.lineno) from error
    except RecursionError as error:
        raise TextError("not JSON: nested too deep", "flatten it") from error
    try:
        # JSON is YAML, but for a few escapes: then the lines stay unknown.
        return PositionedText(data, parse_yaml(text).lines)
    except TextError:
        return PositionedText(data, {})


def _check_size(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        what = f"the text is longer than {MOST_CHARACTERS} characters"
        raise TextError(what, "shorten or split it")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise TextError(f"the key {key!r} is there twice in one object", "keep one")
        found[key] = value
    return found


class _Walk:
    """Turns nodes into plain data, and notes where they stand."""

    def __init__(self, constructor: SafeConstructor) -> None:
        self.lines: dict[Part, int] = {}
        self._constructor = constructor
        self._seen: set[int] = set()

    def value(self, node: Node, part: Part) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(part, line)
        if id(node) in self._seen or node.anchor:
            raise TextError("anchors and aliases are not read", "write the value out", line)
        if len(part) > DEEPEST:
            raise TextError(f"nested deeper than {DEEPEST} levels", "flatten it", line)
        self._seen.add(id(node))
        if str(node.tag) not in _PLAIN:
            what = f"the tag or value {_shown(node)} is not plain data"
            raise TextError(what, "quote it or drop the tag", line)
        if isinstance(node, MappingNode):
            return self._mapping(node, part)
        if isinstance(node, SequenceNode):
            return [self.value(item, (*part, at)) for at, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: MappingNode, part: Part) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = self._scalar(key_node) if isinstance(key_node, ScalarNode) else None
            if not isinstance(key, (str, int)) or isinstance(key, bool):
                raise TextError("a key is neither a word nor a whole number", "write a word", line)
            if key in found:
                raise TextError(f"the key {key!r} is there twice", "keep one", line)
            below = (*part, key)
            self.lines[below] = line
            found[key] = self.value(value_node, below)
        return found

    def _scalar(self, node: Node) -> Any:
        line = node.start_mark.line + 1
        try:
            return self._constructor.construct_object(node, deep=True)
        except (YAMLError, ValueError) as error:
            raise TextError(f"{_shown(node)} is no plain value", "quote it", line) from error


def _shown(node: Node) -> str:
    text = str(node.value) if isinstance(node, ScalarNode) else str(node.tag)
    return text if len(text) <= 40 else f"{text[:40]}..."
