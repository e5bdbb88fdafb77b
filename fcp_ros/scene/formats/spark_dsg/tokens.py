# SPDX-License-Identifier: Apache-2.0
"""The tokens of Spark-DSG's binary syntax, and what the types of node attributes consist of.

Each value is a tag byte and a little-endian value; an array is 0xdd and a 32-bit count. Vectors of
three have no count, a string is an array of bare bytes, a list of unknown length begins with 0x00
and ends with 0x01.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fcp_ros.scene.formats.spark_dsg.raw import AGENT_KIND

NOTHING: Mapping[str, Any] = {}
"""The metadata of most nodes."""


class Malformed(Exception):
    """The bytes are not what the syntax asks for; says at which byte."""


def pattern_of(text: bytes) -> re.Pattern[bytes]:
    """A regular expression over bytes; a dot is any byte."""
    return re.compile(text, re.DOTALL)


_COUNT = pattern_of(rb"\xdd(.{4})")
INT64 = pattern_of(rb"\xd3(.{8})")
"""A signed number of 64 bits."""

_VERTEX = pattern_of(
    rb"\xdd\x04\0\0\0\xdd\x03\0\0\0(?:\xd2.{4}){3}\xdd\x03\0\0\0(?:\xcb.{8}){3}"
    rb"\xcf.{8}(?:\xc0|\xce.{4})"
)
_UINT32 = struct.Struct("<I").unpack
_VALUE_SIZES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_VALUE_SIZES |= {0xCA: 4, 0xCB: 8}


class Tokens:
    """A place in the bytes that moves on; every step checks what is there."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.place = 0

    def take(self, pattern: re.Pattern[bytes]) -> re.Match[bytes]:
        """Move past what must be next."""
        match = pattern.match(self.content, self.place)
        if match is None:
            raise Malformed(f"unexpected bytes at {self.place}")
        self.place = match.end()
        return match

    def has(self, pattern: re.Pattern[bytes]) -> bool:
        """Move past this if it is next; says whether it was."""
        match = pattern.match(self.content, self.place)
        if match is None:
            return False
        self.place = match.end()
        return True

    def count(self) -> int:
        """The length of an array; no more than there are bytes left."""
        count: int = _UINT32(self.take(_COUNT).group(1))[0]
        if count > len(self.content) - self.place:
            raise Malformed(f"{count} elements at {self.place}, more than there are bytes")
        return count

    def text(self) -> str:
        """A string."""
        length = self.count()
        return self.text_of(length)

    def text_of(self, length: int) -> str:
        """A string whose length has been read."""
        end = self.place + length
        if end > len(self.content):
            raise Malformed(f"a text of {length} bytes at {self.place} is cut off")
        raw, self.place = self.content[self.place : end], end
        return raw.decode("utf-8")

    def metadata_of(self, length: int) -> Mapping[str, Any]:
        """A string of JSON whose length has been read, parsed; other than a table is nothing."""
        text = self.text_of(length)
        if text in ("{}", "null"):
            return NOTHING
        value = json.loads(text)
        return value if isinstance(value, dict) else {}

    def at_list_end(self) -> bool:
        """Move past the end of a list if it is next; says whether it was."""
        ends = self.content[self.place : self.place + 1] == b"\x01"
        self.place += ends
        return ends

    def skip_byte(self, *allowed: int) -> int:
        """Move past a byte that must be one of these, and return it."""
        found = self.content[self.place] if self.place < len(self.content) else -1
        if found not in allowed:
            raise Malformed(f"unexpected bytes at {self.place}")
        self.place += 1
        return found

    def skip_values(self, count: int) -> None:
        """That many numbers of one and the same type."""
        if count == 0:
            return
        tag = self.content[self.place] if self.place < len(self.content) else -1
        if tag not in _VALUE_SIZES:
            raise Malformed(f"unexpected bytes at {self.place}")
        width = 1 + _VALUE_SIZES[tag]
        end = self.place + count * width
        tags = self.content[self.place : end : width]
        if end > len(self.content) or tags.count(tag) != count:
            raise Malformed(f"unexpected bytes after {self.place}")
        self.place = end


def whole(raw: bytes) -> int:
    """An unsigned number."""
    return int.from_bytes(raw, "little")


Skip = Callable[[Tokens], None]


def _fixed(pattern: bytes) -> Skip:
    compiled = pattern_of(pattern)

    def skip(reader: Tokens) -> None:
        reader.take(compiled)

    return skip


def _values(reader: Tokens) -> None:
    if not reader.content.startswith(b"\xdd\0\0\0\0", reader.place):
        reader.skip_values(reader.count())
    else:
        reader.place += 5


def skip_matrix(reader: Tokens) -> None:
    """Move past a matrix: count, rows, columns, values."""
    count = reader.count()
    rows, columns = (whole(reader.take(INT64).group(1)) for _ in range(2))
    if rows * columns + 2 != count:
        raise Malformed(f"a matrix that does not match its size, before {reader.place}")
    reader.skip_values(rows * columns)


def _vectors(reader: Tokens) -> None:
    reader.skip_values(3 * reader.count())


def _colours(reader: Tokens) -> None:
    reader.skip_values(4 * reader.count())


def _vertices(reader: Tokens) -> None:
    for _ in range(reader.count()):
        reader.take(_VERTEX)


def _many(skip: Skip) -> Skip:
    def skip_all(reader: Tokens) -> None:
        for _ in range(reader.count()):
            skip(reader)

    return skip_all


def _named_values(reader: Tokens) -> None:
    reader.text()
    _values(reader)


_QUATERNION = rb"\xdd\x04\0\0\0(?:\xcb.{8}){4}"
_FACE = _fixed(rb"\xdd\x03\0\0\0(?:\xcf.{8}){3}")
MESH: tuple[Skip, ...] = (
    _fixed(rb"[\xc2\xc3]{4}"),
    *(_vectors, _colours, _values, _values, _values, _many(_FACE)),
)
_OBJECT: tuple[Skip, ...] = (_values, _fixed(rb"[\xc2\xc3]" + _QUATERNION))
_PLACE: tuple[Skip, ...] = (_fixed(rb"\xcb.{8}\xce.{4}"), _vertices, _values, _values, _values)
_PLACE_END = rb"[\xc2\xc3]{2}(?:\xcb.{8}){3}" + _QUATERNION + rb"[\xc2\xc3]\xcf.{8}"
_PLACE_2D: tuple[Skip, ...] = (
    *(_vectors, _fixed(rb"(?:\xcb.{8}){3}"), skip_matrix, skip_matrix),
    *(_values, _vertices, _values, _values, _values),
    _fixed(rb"[\xc2\xc3]{2}"),
)
_KHRONOS: tuple[Skip, ...] = (
    *_OBJECT,
    *(_values, _values, _vectors, _values, _many(_vectors), _many(_named_values)),
    *MESH,
)
_TRAVERSABILITY: tuple[Skip, ...] = (
    _fixed(rb"(?:\xcf.{8}){2}\xcb.{8}"),
    *(skip_matrix, skip_matrix),
    *(_values,) * 4,
)


@dataclass(frozen=True)
class Kind:
    """An attribute type: whether it has name, box and label, and what follows these."""

    semantic: bool
    rest: tuple[Skip, ...] = ()


def kinds_of(version: tuple[int, int, int]) -> dict[str, Kind]:
    """The attribute types by name, as a version of spark-dsg wrote them."""
    frontier = rb"[\xc2\xc3]" if version >= (1, 1, 3) else b""
    return {
        "NodeAttributes": Kind(False),
        "SemanticNodeAttributes": Kind(True),
        "ObjectNodeAttributes": Kind(True, _OBJECT),
        "RoomNodeAttributes": Kind(True),
        "PlaceNodeAttributes": Kind(True, (*_PLACE, _fixed(_PLACE_END + frontier))),
        "Place2dNodeAttributes": Kind(True, _PLACE_2D),
        AGENT_KIND: Kind(False),
        "KhronosObjectAttributes": Kind(True, _KHRONOS),
        "TraversabilityNodeAttributes": Kind(False, _TRAVERSABILITY),
    }
