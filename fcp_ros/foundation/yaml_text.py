# SPDX-License-Identifier: Apache-2.0
"""YAML texts (so JSON, too) as plain values, with the line of every part where it is wanted.

The events of PyYAML's parser (the compiled one where there is one) are put together here: without
recursion, by the rules of YAML 1.2 for what a plain word is (`on`, `off`, `yes`, `no` are words,
not truth values), and for plain data only, so that no tag can create an object. PyYAML's own
loaders follow YAML 1.1, overwrite repeated keys silently, and build nested values by native
recursion, which a deeply nested file makes crash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from fcp_ros.foundation.wording import find_control

Part = tuple[str | int, ...]
"""The keys and positions that lead from the whole document to a part of it."""

MOST_CHARACTERS = 2_000_000  # Length of the longest text that `parse_yaml` reads
DEEPEST = 30  # Deepest nesting of lists and mappings that `parse_yaml` accepts
DEEPEST_LOADED = 100  # Deepest nesting that `load_yaml` accepts

_TAG = "tag:yaml.org,2002:"
NOT_YAML = "this is not valid YAML: "  # Beginning of `TextError.what` where the syntax is wrong


class TextError(ValueError):
    """A text that is no plain YAML or JSON; `line` from 1, None if it concerns the whole text."""

    def __init__(self, what: str, fix: str, line: int | None = None) -> None:
        super().__init__(f"{what}; {fix}")
        self.what = what
        self.fix = fix
        self.line = line


@dataclass(frozen=True)
class PositionedText:
    """Plain data, and the line (from 1) of each part as far as it is known."""

    data: Any
    lines: dict[Part, int]

    def line_of(self, part: Part) -> int | None:
        """Return the line of a part, or of the smallest part around it that has one."""
        for length in range(len(part), -1, -1):
            if part[:length] in self.lines:
                return self.lines[part[:length]]
        return None


def parse_yaml(text: str) -> PositionedText:
    """Read a YAML text strictly, with lines.

    TextError refuses repeated keys, tags, anchors, merge keys, dates, keys other than words and
    whole numbers, several documents, deep nesting, control characters and very long texts.
    """
    _check_size(text)
    builder = _Builder(strict=True)
    data = builder.build(text)
    if builder.is_empty:
        raise TextError("the text is empty", "write something into it")
    return PositionedText(data, builder.lines)


def load_yaml(text: str) -> Any:
    """Return the value of a YAML text, None if it is empty.

    Anchors, merge keys and the tags of plain data are followed. TextError refuses repeated keys,
    other tags, several documents and deep nesting.
    """
    return _Builder(strict=False).build(text)


def dump_yaml(data: Any, width: int = 80) -> str:
    """Return plain data as YAML: innermost lists and mappings in a line, keys in their order.

    `load_yaml` reads the same data from it. `width`: preferred length of a line (characters).
    """
    text: str = yaml.dump(
        data,
        Dumper=_Dumper,
        default_flow_style=None,
        sort_keys=False,
        allow_unicode=True,
        width=width,
    )
    return text


# ---- plain words


_INT = re.compile(r"[-+]?(?:0b[01_]+|0o?[0-7_]+|[0-9_]+|0x[0-9a-fA-F_]+)")
_FLOAT = re.compile(
    r"[-+]?[0-9][0-9_]*(?:\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)"
    r"|[-+]?\.[0-9_]+(?:[eE][-+][0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?"
    r"(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?"
)
_CONSTANTS: dict[str, Any] = {"": None, "~": None}
for _word, _value in (("null", None), ("true", True), ("false", False)):
    _CONSTANTS |= dict.fromkeys((_word, _word.capitalize(), _word.upper()), _value)
_FIRST_OF_NUMBERS = frozenset("+-.0123456789")


@lru_cache(maxsize=65_536)
def _resolve(word: str) -> Any:
    """Return what a plain word stands for; ValueError: more digits than Python converts."""
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    if word[0] in _FIRST_OF_NUMBERS:
        number = _number_of(word)
        if number is not None:
            return number
    return word


def _number_of(word: str) -> int | float | None:
    """Return the number that a word stands for, or None."""
    digits = word.replace("_", "").lower()
    if digits in ("", "+", "-", "."):
        return None
    if _FLOAT.fullmatch(word):
        return float(digits.replace(".inf", "inf").replace(".nan", "nan"))
    if _INT.fullmatch(word):
        sign, digits = -1 if digits[0] == "-" else 1, digits.lstrip("+-")
        base = {"0b": 2, "0o": 8, "0x": 16}.get(digits[:2])
        if base is None:
            return sign * int(digits)
        return sign * int(digits[2:], base) if digits[2:] else None
    return None


# ---- from events to values


_NO_KEY: Any = object()  # Stands where a mapping waits for a key
_MERGE: Any = object()  # Stands for the key `<<` until its mapping is complete


@contextmanager
def _open_events(text: str) -> Iterator[Callable[[], Any]]:
    """Give a function that returns the next event of a text (TextError: it is no YAML)."""
    loader = None
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        yield loader.get_event
    except TextError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(str(error.problem or error.context or "it cannot be read").split())
        # The end of the text counts as a line of its own.
        line = None if mark is None else min(mark.line, text.count("\n")) + 1
        fix = "mend the indentation, colon or quote there"
        raise TextError(f"{NOT_YAML}{what}", fix, line) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        what = " ".join(str(error).split())[:200] or type(error).__name__
        raise TextError(f"{NOT_YAML}{what}", "mend or simplify it") from error
    finally:
        if loader is not None:
            loader.dispose()


class _Builder:
    """Puts the value of a document together; `strict` as `parse_yaml`, with lines."""

    def __init__(self, *, strict: bool) -> None:
        self.lines: dict[Part, int] = {}
        self.is_empty = True
        self._strict = strict
        self._deepest = DEEPEST if strict else DEEPEST_LOADED
        self._anchors: dict[str, Any] = {}
        # The open lists and mappings; the key that each mapping waits to give a value; where each
        # stands in the document (kept only for the lines).
        self._open: list[Any] = []
        self._keys: list[Any] = []
        self._parts: list[Part] = []

    def build(self, text: str) -> Any:
        """Return the value of a text, None if it is empty."""
        root: list[Any] = []
        self._open, self._keys, self._parts = [root], [_NO_KEY], []
        strict = self._strict
        with _open_events(text) as next_event:
            while True:
                event = next_event()
                kind = type(event)
                if kind is ScalarEvent:
                    if strict or event.anchor or event.tag:
                        value = self._make_scalar(event)
                    else:
                        value = _resolve(event.value) if event.implicit[0] else event.value
                elif kind is MappingStartEvent or kind is SequenceStartEvent:
                    value = {} if kind is MappingStartEvent else []
                    if strict or event.anchor or event.tag:
                        self._check_container(event, value)
                elif kind is MappingEndEvent or kind is SequenceEndEvent:
                    self._close(event)
                    continue
                elif kind is AliasEvent:
                    value = self._follow_alias(event)
                elif kind is StreamEndEvent:
                    break
                else:
                    if kind is DocumentStartEvent and root:
                        raise _fault(f"{NOT_YAML}a second document begins", "keep one", event)
                    continue
                container, key = self._open[-1], self._keys[-1]
                if key is _NO_KEY and type(container) is dict:
                    self._take_key(value, event)
                    continue
                if strict:
                    self._note_line(event)
                if type(container) is list:
                    container.append(value)
                else:
                    container[key] = value
                    self._keys[-1] = _NO_KEY
                if kind is MappingStartEvent or kind is SequenceStartEvent:
                    self._open.append(value)
                    self._keys.append(_NO_KEY)
                    if len(self._open) > self._deepest + 1:
                        raise _too_deep(self._deepest, event)
        self.is_empty = not root
        return root[0] if root else None

    def _make_scalar(self, event: Any) -> Any:
        """Return the value of a scalar that is tagged, anchored, or read strictly."""
        word, tag = event.value, event.tag
        is_plain = event.implicit[0] and tag is None
        if self._strict and is_plain and (word in ("<<", "=") or _DATE.fullmatch(word)):
            raise _not_plain(word, event)
        if self._strict and (control := find_control(word, multiline=True)):
            raise _fault(f"there is the control character {control}", "leave it out", event)
        try:
            value = _resolve(word) if is_plain or tag not in (None, "!", f"{_TAG}str") else word
        except ValueError as error:
            raise _fault(f"{_shorten(word)} is no plain value", "quote it", event) from error
        if tag not in (None, "!", f"{_TAG}str"):
            if not isinstance(value, _TYPES.get(tag, ())):
                raise _not_plain(word, event)
            value = float(value) if tag == f"{_TAG}float" else value
        self._note_anchor(event, value)
        return value

    def _check_container(self, event: Any, value: Any) -> None:
        name = "map" if type(value) is dict else "seq"
        if event.tag not in (None, "!", _TAG + name):
            raise _not_plain(event.tag, event)
        self._note_anchor(event, value)

    def _note_anchor(self, event: Any, value: Any) -> None:
        if event.anchor and self._strict:
            raise _fault("anchors and aliases are not read", "write the value out", event)
        if event.anchor:
            self._anchors[event.anchor] = value

    def _follow_alias(self, event: Any) -> Any:
        if self._strict:
            raise _fault("anchors and aliases are not read", "write the value out", event)
        if event.anchor not in self._anchors:
            raise _fault(f"{NOT_YAML}nothing is called &{event.anchor}", "write it out", event)
        value = self._anchors[event.anchor]
        if any(value is container for container in self._open):
            raise _fault(f"*{event.anchor} is a part of itself", "write it out", event)
        return value

    def _take_key(self, value: Any, event: Any) -> None:
        """Let the innermost mapping wait for the value of a key."""
        mapping = self._open[-1]
        is_scalar = type(event) is ScalarEvent
        if is_scalar and not self._strict and value == "<<" and event.implicit[0]:
            value = _MERGE
        elif not isinstance(value, str) and (
            type(value) is not int if self._strict else not is_scalar
        ):
            raise _fault("a key is neither a word nor a whole number", "write a word", event)
        if value in mapping:
            shown = "<<" if value is _MERGE else value
            raise _fault(f"the key {shown!r} is there twice", "keep one", event)
        self._keys[-1] = value
        if self._strict:
            self.lines[self._parts[-1] + (value,)] = event.start_mark.line + 1

    def _note_line(self, event: Any) -> None:
        """Note where the next value stands; the line of an entry is that of its key."""
        part: Part = ()
        if self._parts:
            container = self._open[-1]
            step = len(container) if type(container) is list else self._keys[-1]
            part = (*self._parts[-1], step)
        if len(part) > self._deepest:
            raise _too_deep(self._deepest, event)
        self.lines.setdefault(part, event.start_mark.line + 1)
        if type(event) is not ScalarEvent:
            self._parts.append(part)

    def _close(self, event: Any) -> None:
        """Complete the innermost list or mapping."""
        container = self._open.pop()
        self._keys.pop()
        if self._strict:
            self._parts.pop()
        elif type(container) is dict and _MERGE in container:
            _merge(container, event)


_TYPES: dict[str, Any] = {
    f"{_TAG}int": int,
    f"{_TAG}float": (int, float),
    f"{_TAG}bool": bool,
    f"{_TAG}null": type(None),
}
"""Types of the values of plain words by their tags."""


def _merge(mapping: dict[Any, Any], event: Any) -> None:
    """Carry out the key `<<`: entries of other mappings where the mapping itself has none."""
    others = mapping.pop(_MERGE)
    others = others if isinstance(others, list) else [others]
    if not all(isinstance(other, dict) for other in others):
        raise _fault("the key << has a value that is no mapping", "write the entries out", event)
    own = dict(mapping)
    mapping.clear()
    for other in reversed(others):
        mapping.update(other)
    mapping.update(own)


def _fault(what: str, fix: str, event: Any) -> TextError:
    return TextError(what, fix, event.start_mark.line + 1)


def _too_deep(deepest: int, event: Any) -> TextError:
    return _fault(f"nested deeper than {deepest} levels", "flatten it", event)


def _not_plain(what: str, event: Any) -> TextError:
    what = f"the tag or value {_shorten(what)} is not plain data"
    return _fault(what, "quote it or drop the tag", event)


def _shorten(word: str) -> str:
    return word if len(word) <= 40 else f"{word[:40]}..."


def _check_size(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        what = f"the text is longer than {MOST_CHARACTERS} characters"
        raise TextError(what, "shorten or split it")


# ---- writing


_ESCAPED = re.compile("[\r\n\x85\u2028\u2029]|^[:=<]")
"""Texts with line breaks, which would be folded, and those that readers may take for syntax."""


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writes by the rules of YAML 1.2; puts in quotes what would not be read as the same text."""

    yaml_implicit_resolvers: dict[str, Any] = {}

    def represent_text(self, data: str) -> Any:
        is_text = isinstance(_resolve(data), str) and not _DATE.fullmatch(data)
        style = None if is_text and not _ESCAPED.search(data) else '"'
        return self.represent_scalar(f"{_TAG}str", data, style)

    def ignore_aliases(self, data: Any) -> bool:
        """Write shared values out."""
        return True


_Dumper.add_representer(str, _Dumper.represent_text)
for _kind, _pattern in (
    ("null", "null"),
    ("bool", "true|false"),
    ("int", _INT.pattern),
    ("float", _FLOAT.pattern),
):
    _Dumper.add_implicit_resolver(_TAG + _kind, re.compile(rf"(?:{_pattern})\Z"), None)
