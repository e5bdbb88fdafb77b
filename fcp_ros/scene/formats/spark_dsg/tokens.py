# SPDX-License-Identifier: Apache-2.0
"""The tokens of Spark-DSG's binary syntax, and the parts of each type of node attributes.

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

NOTHING: Mapping[str, Any] = {}  # The metadata of most nodes


class Malformed(Exception):
    """The bytes violate the syntax; the message names the byte."""


def compile_bytes(text: bytes) -> re.Pattern[bytes]:
    """Compile a regular expression over bytes; a dot is any byte."""
    return re.compile(text, re.DOTALL)


_COUNT = compile_bytes(rb"\xdd(.{4})")
INT64 = compile_bytes(rb"\xd3(.{8})")  # A signed number of 64 bits

_VERTEX = compile_bytes(
    rb"\xdd\x04\0\0\0\xdd\x03\0\0\0(?:\xd2.{4}){3}\xdd\x03\0\0\0(?:\xcb.{8}){3}"
    rb"\xcf.{8}(?:\xc0|\xce.{4})"
)
_UINT32 = struct.Struct("<I").unpack
_VALUE_SIZES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_VALUE_SIZES |= {0xCA: 4, 0xCB: 8}


class Tokens:
    """A place in the bytes that moves on; every step checks the bytes."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.place = 0

    def take(self, pattern: re.Pattern[bytes]) -> re.Match[bytes]:
        """Move past bytes that must match."""
        match = pattern.match(self.content, self.place)
        if match is None:
            raise Malformed(f"unexpected bytes at {self.place}")
        self.place = match.end()
        return match

    def has(self, pattern: re.Pattern[bytes]) -> bool:
        """Move past bytes if they match; return True if they do."""
        match = pattern.match(self.content, self.place)
        if match is None:
            return False
        self.place = match.end()
        return True

    def count(self) -> int:
        """Read the length of an array, which is at most the number of bytes left."""
        count: int = _UINT32(self.take(_COUNT).group(1))[0]
        if count > len(self.content) - self.place:
            raise Malformed(f"{count} elements at {self.place}, more than there are bytes")
        return count

    def read_string(self) -> str:
        return self.read_string_of(self.count())

    def read_string_of(self, length: int) -> str:
        end = self.place + length
        if end > len(self.content):
            raise Malformed(f"a text of {length} bytes at {self.place} is cut off")
        raw, self.place = self.content[self.place : end], end
        return raw.decode("utf-8")

    def read_metadata(self, length: int) -> Mapping[str, Any]:
        """Read a string of JSON after its length; empty unless it is a table."""
        text = self.read_string_of(length)
        if text in ("{}", "null"):
            return NOTHING
        value = json.loads(text)
        return value if isinstance(value, dict) else {}

    def skip_list_end(self) -> bool:
        """Move past the end of a list; return False if the list goes on."""
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
        """Move past this many numbers of one type."""
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


def to_unsigned(raw: bytes) -> int:
    return int.from_bytes(raw, "little")


Skip = Callable[[Tokens], None]


def _skip_pattern(pattern: bytes) -> Skip:
    compiled = compile_bytes(pattern)

    def skip(reader: Tokens) -> None:
        reader.take(compiled)

    return skip


def _skip_array(reader: Tokens) -> None:
    if not reader.content.startswith(b"\xdd\0\0\0\0", reader.place):
        reader.skip_values(reader.count())
    else:
        reader.place += 5


def skip_matrix(reader: Tokens) -> None:
    """Move past a matrix: count, rows, columns, values."""
    count = reader.count()
    rows, columns = (to_unsigned(reader.take(INT64).group(1)) for _ in range(2))
    if rows * columns + 2 != count:
        raise Malformed(f"a matrix that does not match its size, before {reader.place}")
    reader.skip_values(rows * columns)


def _skip_vectors(reader: Tokens) -> None:
    reader.skip_values(3 * reader.count())


def _skip_colours(reader: Tokens) -> None:
    reader.skip_values(4 * reader.count())


def _skip_vertices(reader: Tokens) -> None:
    for _ in range(reader.count()):
        reader.take(_VERTEX)


def _skip_many(skip: Skip) -> Skip:
    def skip_all(reader: Tokens) -> None:
        for _ in range(reader.count()):
            skip(reader)

    return skip_all


def _skip_named_array(reader: Tokens) -> None:
    reader.read_string()
    _skip_array(reader)


_QUATERNION = rb"\xdd\x04\0\0\0(?:\xcb.{8}){4}"
_FACE = _skip_pattern(rb"\xdd\x03\0\0\0(?:\xcf.{8}){3}")
MESH: tuple[Skip, ...] = (
    _skip_pattern(rb"[\xc2\xc3]{4}"),
    *(_skip_vectors, _skip_colours, _skip_array, _skip_array, _skip_array, _skip_many(_FACE)),
)
_OBJECT: tuple[Skip, ...] = (_skip_array, _skip_pattern(rb"[\xc2\xc3]" + _QUATERNION))
_PLACE: tuple[Skip, ...] = (
    _skip_pattern(rb"\xcb.{8}\xce.{4}"),
    _skip_vertices,
    _skip_array,
    _skip_array,
    _skip_array,
)
_PLACE_END = rb"[\xc2\xc3]{2}(?:\xcb.{8}){3}" + _QUATERNION + rb"[\xc2\xc3]\xcf.{8}"
_PLACE_2D: tuple[Skip, ...] = (
    *(_skip_vectors, _skip_pattern(rb"(?:\xcb.{8}){3}"), skip_matrix, skip_matrix),
    *(_skip_array, _skip_vertices, _skip_array, _skip_array, _skip_array),
    _skip_pattern(rb"[\xc2\xc3]{2}"),
)
_KHRONOS: tuple[Skip, ...] = (
    *_OBJECT,
    *(
        _skip_array,
        _skip_array,
        _skip_vectors,
        _skip_array,
        _skip_many(_skip_vectors),
        _skip_many(_skip_named_array),
    ),
    *MESH,
)
_TRAVERSABILITY: tuple[Skip, ...] = (
    _skip_pattern(rb"(?:\xcf.{8}){2}\xcb.{8}"),
    *(skip_matrix, skip_matrix),
    *(_skip_array,) * 4,
)


@dataclass(frozen=True)
class NodeKind:
    """An attribute type: ``semantic`` ones have name, box and label; ``rest`` follows these."""

    semantic: bool
    rest: tuple[Skip, ...] = ()


def list_kinds(version: tuple[int, int, int]) -> dict[str, NodeKind]:
    """Return the attribute types by name, as a version of spark-dsg writes them."""
    frontier = rb"[\xc2\xc3]" if version >= (1, 1, 3) else b""
    return {
        "NodeAttributes": NodeKind(False),
        "SemanticNodeAttributes": NodeKind(True),
        "ObjectNodeAttributes": NodeKind(True, _OBJECT),
        "RoomNodeAttributes": NodeKind(True),
        "PlaceNodeAttributes": NodeKind(True, (*_PLACE, _skip_pattern(_PLACE_END + frontier))),
        "Place2dNodeAttributes": NodeKind(True, _PLACE_2D),
        AGENT_KIND: NodeKind(False),
        "KhronosObjectAttributes": NodeKind(True, _KHRONOS),
        "TraversabilityNodeAttributes": NodeKind(False, _TRAVERSABILITY),
    }
