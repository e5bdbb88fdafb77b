# SPDX-License-Identifier: Apache-2.0
"""YAML 1.2 as plain values: by ruamel.yaml, or several times as fast where the text is simple.

ruamel.yaml is the authority: it knows YAML 1.2 (``on`` is a word, not True) and refuses duplicate
keys, but is all Python. Its compiled counterpart and PyYAML's compiled loader build nested values
by native recursion, which a deeply nested file makes crash. So for simple text the events of
PyYAML's compiled parser are put together here, without recursion, and with ruamel's own rules for
what a plain word is. Simple means: no anchors, tags, directives, escapes, tabs or complex keys, and
printable characters only. Whatever is unusual, and all that is wrong, is left to ruamel.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

MAX_DEPTH = 100
"""Deeper nesting is refused: ruamel would take seconds to use up Python's stack."""

_UNUSUAL = re.compile(
    r"[&*!%?\\\t\r]|<<"
    r"|[^\x20-\x7e\n\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""Also what is no printable character, and what YAML 1.1 takes for the end of a line."""
_NOT_HERE = frozenset({"merge", "timestamp", "value", "yaml"})


class _Unusual(Exception):
    """The text is not simple after all."""


def load_yaml(text: str) -> Any:
    """The value of a YAML text.

    Raises:
        ruamel.yaml.error.YAMLError: The text is wrong.
        RecursionError, ValueError, TypeError: It can't be made a value.
    """
    if _UNUSUAL.search(text) is None:
        try:
            return _load_simple(text)
        except _Unusual:
            pass
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load(text)


def _load_simple(text: str) -> Any:
    import yaml

    try:
        loader = yaml.CSafeLoader(text)
    except (AttributeError, yaml.YAMLError):  # PyYAML without its compiled parser
        raise _Unusual from None
    try:
        return _value_of_events(loader)
    except yaml.YAMLError:
        raise _Unusual from None
    finally:
        loader.dispose()


class _NoKey:
    """Stands where a mapping waits for a key."""


_NO_KEY = _NoKey()


def _value_of_events(loader: Any) -> Any:
    from yaml import events

    result: list[Any] = []
    containers: list[Any] = [result]
    keys: list[Any] = [None]
    documents = 0
    while True:
        event = loader.get_event()
        kind = type(event)
        if kind is events.ScalarEvent:
            value = _scalar(event.value) if event.implicit[0] else event.value
        elif kind is events.SequenceStartEvent or kind is events.MappingStartEvent:
            value = [] if kind is events.SequenceStartEvent else {}
        elif kind is events.SequenceEndEvent or kind is events.MappingEndEvent:
            containers.pop()
            keys.pop()
            continue
        elif kind is events.DocumentStartEvent:
            documents += 1
            if documents > 1 or event.version or event.tags:
                raise _Unusual
            continue
        elif kind is events.StreamEndEvent:
            break
        elif kind is events.StreamStartEvent or kind is events.DocumentEndEvent:
            continue
        else:  # an alias
            raise _Unusual
        container = containers[-1]
        if isinstance(container, list):
            container.append(value)
        elif keys[-1] is _NO_KEY:
            if isinstance(value, (list, dict)) or value in container:
                raise _Unusual
            keys[-1] = value
            continue
        else:
            container[keys[-1]] = value
            keys[-1] = _NO_KEY
        if kind is not events.ScalarEvent:
            containers.append(value)
            keys.append(_NO_KEY)
            if len(containers) > MAX_DEPTH:
                raise RecursionError(f"nested deeper than {MAX_DEPTH}")
    if len(result) != 1:
        raise _Unusual
    return result[0]


@lru_cache(maxsize=1)
def _rules() -> dict[str, list[tuple[str, Any]]]:
    """ruamel's rules for plain words of YAML 1.2, by the first character of the word."""
    from ruamel.yaml.resolver import implicit_resolvers

    rules: dict[str, list[tuple[str, Any]]] = {}
    for versions, tag, pattern, first in implicit_resolvers:
        if (1, 2) in versions:
            for character in first:
                rules.setdefault(character, []).append((tag.rpartition(":")[2], pattern))
    return rules


@lru_cache(maxsize=65_536)
def _scalar(word: str) -> Any:
    """What a plain word is: true, null, a number, or just itself."""
    for kind, pattern in _rules().get(word[:1], ()):
        if pattern.match(word):
            if kind in _NOT_HERE:
                raise _Unusual
            if kind == "null":
                return None
            if kind == "bool":
                return word.lower() == "true"
            return _number(word, kind)
    return word


def _number(word: str, kind: str) -> int | float:
    digits = word.replace("_", "").lower()
    sign = -1 if digits[:1] == "-" else 1
    digits = digits.lstrip("+-")
    try:
        if kind == "float":
            return sign * float(digits)  # .inf and .nan are left to ruamel
        base = {"0b": 2, "0o": 8, "0x": 16}.get(digits[:2])
        return sign * (int(digits[2:], base) if base else int(digits))
    except ValueError:
        raise _Unusual from None
