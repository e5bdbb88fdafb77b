# SPDX-License-Identifier: Apache-2.0
"""Decodes Spark-DSG's binary syntax (spark-dsg 1.1) without the library.

The library trusts the lengths in the bytes: a damaged file can make it ask for gigabytes, and much
loads silently. Here each tag is checked, no length reaches beyond the content, and nothing is
allocated that the content does not hold.

The syntax: each value is a tag byte and a little-endian value; an array is 0xdd and a 32-bit count.
Vectors of three have no count, a string is an array of bare bytes, a list of unknown length begins
with 0x00 and ends with 0x01. A graph is: layers, names of the attribute types, names of the layers,
metadata (JSON text), nodes, edges, mesh. One pass finds where each node's parts are and checks the
tags with regular expressions; numpy then gathers the numbers of all nodes at once.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.formats.spark_raw import (
    AGENT_KIND,
    NO_LABEL,
    Floats,
    RawScene,
    damaged,
    edges_of_keys,
    frame_of,
    label_spaces_of,
    likeliest,
    quaternions_of_matrices,
    rows_of_keys,
)
from fcp_ros.scene.graph.errors import SceneError

MARK = b"\xdd\x09\x00\x00\x00SPARK_DSG"
"""How a file begins; the bytes in a ROS message have no such header."""

CURRENT_VERSION = (1, 1, 3)
_OLDEST_VERSION = (1, 1, 0)


class _Malformed(Exception):
    """The bytes are not what the syntax asks for; says at which byte."""


def _pattern(text: bytes) -> re.Pattern[bytes]:
    return re.compile(text, re.DOTALL)


_COUNT = _pattern(rb"\xdd(.{4})")
_HEADER = _pattern(rb"\xcc(.)\xcc(.)\xcc(.)")
_LAYER_KEY = _pattern(rb"\xdd\x02\0\0\0\xd3(.{8})\xce(.{4})")
_LAYER_NUMBER = _pattern(rb"\xd3(.{8})")
_NODE = _pattern(rb"\xdd\x04\0\0\0\xd3.{8}\xcf.{8}\xce.{4}\xcc(.)\xdd(.{4})")
_BASE = _pattern(rb"(?:\xcb.{8}){3}\xcf.{8}[\xc2\xc3]{2}")
_SEMANTIC = _pattern(
    rb"(?:\xcc.){4}"  # colour
    rb"\xdd\x04\0\0\0\xd2.{4}(?:\xca.{4}){6}"  # box: type, extents, centre
    rb"\xdd\x0b\0\0\0(?:\xd3\x03\0{7}){2}(?:\xca.{4}){9}"  # ... its rotation matrix
    rb"\xce.{4}"  # label
)
_NO_FEATURE = rb"\xdd\x02\0\0\0(?:\xd3\0{8}){2}"
_PLAIN_HEAD = _pattern(
    rb"\xdd\x04\0\0\0\xd3.{8}\xcf.{8}\xce.{4}\xcc(.)\xdd\x02\0\0\0\{\}" + _BASE.pattern
)
_PLAIN_SEMANTIC = _pattern(_SEMANTIC.pattern + _NO_FEATURE)
"""What nearly all nodes have: nothing in the metadata, no feature."""

_BASE_SIZE = 38
NOTHING: Mapping[str, Any] = {}

_BOX_TYPE, _BOX_NUMBERS, _BOX_MATRIX, _LABEL = 14, 18, 71, 117
"""Where in _SEMANTIC the box's type, extents and centre, rotation, and the label are."""

_PROBABILITY = _pattern(rb"\xcb(.{8})")
_POSE = _pattern(rb"\xd3(.{8})\xdd\x04\0\0\0\xcb(.{8})\xcb(.{8})\xcb(.{8})\xcb(.{8})\xcf.{8}")
_VERTEX = _pattern(
    rb"\xdd\x04\0\0\0\xdd\x03\0\0\0(?:\xd2.{4}){3}\xdd\x03\0\0\0(?:\xcb.{8}){3}"
    rb"\xcf.{8}(?:\xc0|\xce.{4})"
)
_EDGE = _pattern(rb"\xdd\x03\0\0\0\xcf(.{8})\xcf(.{8})\xcc(.)\xdd(.{4})")
_EDGE_END = _pattern(rb"[\xc2\xc3]\xcb.{8}")
_PLAIN_EDGES = _pattern(
    rb"(?:\xdd\x03\0\0\0\xcf.{8}\xcf.{8}\xcc\0\xdd\x02\0\0\0\{\}[\xc2\xc3]\xcb.{8})+"
)
_PLAIN_EDGE = np.dtype(
    {
        "names": ["source", "target"],
        "formats": ["<u8", "<u8"],
        "offsets": [6, 15],
        "itemsize": 42,
    }
)
_UINT32 = struct.Struct("<I").unpack
_VALUE_SIZES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_VALUE_SIZES |= {0xCA: 4, 0xCB: 8}


class _Reader:
    """A place in the bytes that moves on; every step checks what is there."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.place = 0

    def take(self, pattern: re.Pattern[bytes]) -> re.Match[bytes]:
        match = pattern.match(self.content, self.place)
        if match is None:
            raise _Malformed(f"unexpected bytes at {self.place}")
        self.place = match.end()
        return match

    def has(self, pattern: re.Pattern[bytes]) -> bool:
        """Move on if this is what is next."""
        match = pattern.match(self.content, self.place)
        if match is None:
            return False
        self.place = match.end()
        return True

    def count(self) -> int:
        """Of an array; no more than there are bytes left."""
        count: int = _UINT32(self.take(_COUNT).group(1))[0]
        if count > len(self.content) - self.place:
            raise _Malformed(f"{count} elements at {self.place}, more than there are bytes")
        return count

    def text(self) -> str:
        length = self.count()
        return self.text_of(length)

    def text_of(self, length: int) -> str:
        end = self.place + length
        if end > len(self.content):
            raise _Malformed(f"a text of {length} bytes at {self.place} is cut off")
        raw, self.place = self.content[self.place : end], end
        return raw.decode("utf-8")

    def metadata_of(self, length: int) -> Mapping[str, Any]:
        text = self.text_of(length)
        if text in ("{}", "null"):
            return NOTHING
        value = json.loads(text)
        return value if isinstance(value, dict) else {}

    def at_list_end(self) -> bool:
        ends = self.content[self.place : self.place + 1] == b"\x01"
        self.place += ends
        return ends

    def skip_byte(self, *allowed: int) -> int:
        found = self.content[self.place] if self.place < len(self.content) else -1
        if found not in allowed:
            raise _Malformed(f"unexpected bytes at {self.place}")
        self.place += 1
        return found

    def skip_values(self, count: int) -> None:
        """That many numbers of one and the same type."""
        if count == 0:
            return
        tag = self.content[self.place] if self.place < len(self.content) else -1
        if tag not in _VALUE_SIZES:
            raise _Malformed(f"unexpected bytes at {self.place}")
        width = 1 + _VALUE_SIZES[tag]
        end = self.place + count * width
        tags = self.content[self.place : end : width]
        if end > len(self.content) or tags.count(tag) != count:
            raise _Malformed(f"unexpected bytes after {self.place}")
        self.place = end


def _whole(raw: bytes) -> int:
    return int.from_bytes(raw, "little")


Skip = Callable[[_Reader], None]


def _fixed(pattern: bytes) -> Skip:
    compiled = _pattern(pattern)

    def skip(reader: _Reader) -> None:
        reader.take(compiled)

    return skip


def _values(reader: _Reader) -> None:
    if not reader.content.startswith(b"\xdd\0\0\0\0", reader.place):
        reader.skip_values(reader.count())
    else:
        reader.place += 5


def _matrix(reader: _Reader) -> None:
    count = reader.count()
    rows, columns = (_whole(reader.take(_LAYER_NUMBER).group(1)) for _ in range(2))
    if rows * columns + 2 != count:
        raise _Malformed(f"a matrix that does not match its size, before {reader.place}")
    reader.skip_values(rows * columns)


def _vectors(reader: _Reader) -> None:
    reader.skip_values(3 * reader.count())


def _colours(reader: _Reader) -> None:
    reader.skip_values(4 * reader.count())


def _vertices(reader: _Reader) -> None:
    for _ in range(reader.count()):
        reader.take(_VERTEX)


def _many(skip: Skip) -> Skip:
    def skip_all(reader: _Reader) -> None:
        for _ in range(reader.count()):
            skip(reader)

    return skip_all


def _named_values(reader: _Reader) -> None:
    reader.text()
    _values(reader)


_QUATERNION = rb"\xdd\x04\0\0\0(?:\xcb.{8}){4}"
_FACE = _fixed(rb"\xdd\x03\0\0\0(?:\xcf.{8}){3}")
_MESH: tuple[Skip, ...] = (
    _fixed(rb"[\xc2\xc3]{4}"),
    *(_vectors, _colours, _values, _values, _values, _many(_FACE)),
)
_OBJECT: tuple[Skip, ...] = (_values, _fixed(rb"[\xc2\xc3]" + _QUATERNION))
_PLACE: tuple[Skip, ...] = (_fixed(rb"\xcb.{8}\xce.{4}"), _vertices, _values, _values, _values)
_PLACE_END = rb"[\xc2\xc3]{2}(?:\xcb.{8}){3}" + _QUATERNION + rb"[\xc2\xc3]\xcf.{8}"
_PLACE_2D: tuple[Skip, ...] = (
    *(_vectors, _fixed(rb"(?:\xcb.{8}){3}"), _matrix, _matrix),
    *(_values, _vertices, _values, _values, _values),
    _fixed(rb"[\xc2\xc3]{2}"),
)
_KHRONOS: tuple[Skip, ...] = (
    *_OBJECT,
    *(_values, _values, _vectors, _values, _many(_vectors), _many(_named_values)),
    *_MESH,
)
_TRAVERSABILITY: tuple[Skip, ...] = (
    _fixed(rb"(?:\xcf.{8}){2}\xcb.{8}"),
    *(_matrix, _matrix),
    *(_values,) * 4,
)


@dataclass(frozen=True)
class _Kind:
    """An attribute type: whether it has name, box and label, and what follows these."""

    semantic: bool
    rest: tuple[Skip, ...] = ()


def _kinds(version: tuple[int, int, int]) -> dict[str, _Kind]:
    frontier = rb"[\xc2\xc3]" if version >= (1, 1, 3) else b""
    return {
        "NodeAttributes": _Kind(False),
        "SemanticNodeAttributes": _Kind(True),
        "ObjectNodeAttributes": _Kind(True, _OBJECT),
        "RoomNodeAttributes": _Kind(True),
        "PlaceNodeAttributes": _Kind(True, (*_PLACE, _fixed(_PLACE_END + frontier))),
        "Place2dNodeAttributes": _Kind(True, _PLACE_2D),
        AGENT_KIND: _Kind(False),
        "KhronosObjectAttributes": _Kind(True, _KHRONOS),
        "TraversabilityNodeAttributes": _Kind(False, _TRAVERSABILITY),
    }


@dataclass
class _Found:
    """Where the parts of the nodes are, and what is not gathered later."""

    starts: list[int] = field(default_factory=list)
    bases: list[int] = field(default_factory=list)
    semantic_rows: list[int] = field(default_factory=list)
    semantics: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    metadata: list[Mapping[str, Any]] = field(default_factory=list)
    agents: dict[int, tuple[int, tuple[float, float, float, float]]] = field(default_factory=dict)
    likely: dict[int, str] = field(default_factory=dict)


def decode_binary(content: bytes, source: str, limits: SceneLimits) -> RawScene:
    """Decode the bytes of a file, or of a message, which has no header.

    Raises:
        SceneError: Unknown version, damaged content, or too many nodes.
    """
    version = CURRENT_VERSION
    try:
        reader = _Reader(content)
        if content.startswith(MARK):
            version = _read_header(reader, source)
        return _graph(reader, version, source, limits)
    except _Malformed as problem:
        newer = version[:2] > CURRENT_VERSION[:2]
        hint = f"; it is of version {_dotted(version)}, newer than is known here" if newer else ""
        raise damaged(f"{problem}{hint}", source) from None
    except (UnicodeDecodeError, ValueError, RecursionError, struct.error) as problem:
        raise damaged(str(problem).splitlines()[0][:200], source) from None


def _dotted(version: tuple[int, int, int]) -> str:
    return ".".join(str(part) for part in version)


def _read_header(reader: _Reader, source: str) -> tuple[int, int, int]:
    reader.text()
    reader.text()  # the project, "main"
    major, minor, patch = (part[0] for part in reader.take(_HEADER).groups())
    if (major, minor, patch) < _OLDEST_VERSION:
        raise SceneError(
            f"it is of version {_dotted((major, minor, patch))} of the binary syntax, which is "
            "older than 1.1.0",
            source=source,
            advice="Open it with spark-dsg and save it again, or save it as JSON.",
        )
    return major, minor, patch


def _graph(
    reader: _Reader, version: tuple[int, int, int], source: str, limits: SceneLimits
) -> RawScene:
    key = _LAYER_KEY if version >= (1, 1, 2) else _LAYER_NUMBER
    for _ in range(reader.count()):
        reader.take(key)
    kind_names = [reader.text() for _ in range(reader.count())]
    for _ in range(reader.count()):
        reader.text()  # names of the types of edges: they all have the same fields
    name_key = _LAYER_KEY if version >= (1, 1, 1) else _LAYER_NUMBER
    for _ in range(reader.count()):
        reader.text()
        reader.take(name_key)
    metadata = reader.metadata_of(reader.count())
    found = _nodes(reader, kind_names, _kinds(version), source, limits)
    pairs = _edges(reader)
    if reader.skip_byte(0xC2, 0xC3) == 0xC3:
        for skip in _MESH:
            skip(reader)
    if reader.place != len(reader.content):
        raise _Malformed(f"{len(reader.content) - reader.place} bytes after the end")
    return _gathered(reader.content, found, pairs, metadata, source)


def _nodes(
    reader: _Reader,
    kind_names: Sequence[str],
    kinds: Mapping[str, _Kind],
    source: str,
    limits: SceneLimits,
) -> _Found:
    found = _Found()
    reader.skip_byte(0x00)
    while not reader.at_list_end():
        row = len(found.starts)
        if row >= limits.max_nodes:
            limits.check_nodes(row + 1, source)
        found.starts.append(reader.place)
        number, metadata = _head(reader, found)
        name = kind_names[number] if number < len(kind_names) else ""
        kind = kinds.get(name)
        if kind is None:
            raise _Malformed(f"unknown attributes {name or number!r} at {reader.place}")
        found.kinds.append(name)
        found.metadata.append(metadata)
        if kind.semantic:
            found.names.append(reader.text())
            found.semantic_rows.append(row)
            found.semantics.append(reader.place)
            if not reader.has(_PLAIN_SEMANTIC):
                reader.take(_SEMANTIC)
                _matrix(reader)  # the semantic feature
        else:
            found.names.append("")
        for skip in kind.rest:
            skip(reader)
        if name == AGENT_KIND:
            found.agents[row] = _agent_pose(reader)
        elif name == "RoomNodeAttributes":
            found.likely[row] = likeliest(_probabilities(reader))
    return found


def _head(reader: _Reader, found: _Found) -> tuple[int, Mapping[str, Any]]:
    """Type of the attributes and metadata of the node that begins here."""
    plain = _PLAIN_HEAD.match(reader.content, reader.place)
    if plain is not None:
        reader.place = plain.end()
        found.bases.append(reader.place - _BASE_SIZE)
        return plain.group(1)[0], NOTHING
    head = reader.take(_NODE)
    metadata = reader.metadata_of(_whole(head.group(2)))
    found.bases.append(reader.place)
    reader.take(_BASE)
    return head.group(1)[0], metadata


def _agent_pose(reader: _Reader) -> tuple[int, tuple[float, float, float, float]]:
    stamp, *parts = reader.take(_POSE).groups()
    _matrix(reader)  # bag-of-words descriptor: ids, values
    _matrix(reader)
    w, x, y, z = (float(struct.unpack("<d", part)[0]) for part in parts)
    return int.from_bytes(stamp, "little", signed=True), (w, x, y, z)


def _probabilities(reader: _Reader) -> dict[str, float]:
    probabilities = {}
    for _ in range(reader.count()):
        name = reader.text()
        (probabilities[name],) = struct.unpack("<d", reader.take(_PROBABILITY).group(1))
    return probabilities


def _edges(reader: _Reader) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    reader.skip_byte(0x00)
    while not reader.at_list_end():
        plain = _PLAIN_EDGES.match(reader.content, reader.place)
        if plain is not None:
            table = np.frombuffer(plain.group(), dtype=_PLAIN_EDGE)
            pairs += zip(table["source"].tolist(), table["target"].tolist(), strict=True)
            reader.place = plain.end()
        else:
            edge = reader.take(_EDGE)
            reader.metadata_of(_whole(edge.group(4)))
            reader.take(_EDGE_END)
            pairs.append((_whole(edge.group(1)), _whole(edge.group(2))))
    return pairs


def _gathered(
    content: bytes,
    found: _Found,
    pairs: Sequence[tuple[int, int]],
    metadata: Mapping[str, Any],
    source: str,
) -> RawScene:
    raw = np.frombuffer(content, dtype=np.uint8)
    starts, bases = np.array(found.starts, np.intp), np.array(found.bases, np.intp)
    keys = _numbers(raw, starts, (15,), "<u8")[:, 0].tolist()
    layers = _numbers(raw, starts, (6,), "<i8")[:, 0].tolist()
    partitions = _numbers(raw, starts, (24,), "<u4")[:, 0].tolist()
    count = len(keys)
    centres, sizes, turns = (np.full((count, width), np.nan) for width in (3, 3, 4))
    labels = np.full(count, NO_LABEL, dtype=np.uint32)
    rows, semantics = np.array(found.semantic_rows, np.intp), np.array(found.semantics, np.intp)
    if len(rows):
        box = _numbers(raw, semantics, range(_BOX_NUMBERS + 1, _BOX_NUMBERS + 31, 5), "<f4")
        spots = range(_BOX_MATRIX + 1, _BOX_MATRIX + 46, 5)
        matrices = _numbers(raw, semantics, spots, "<f4").astype(np.float64)
        valid = np.isin(_numbers(raw, semantics, (_BOX_TYPE,), "<i4")[:, 0], (1, 2, 3))
        boxed = rows[valid]
        sizes[boxed], centres[boxed] = box[valid, :3], box[valid, 3:]
        turns[boxed] = quaternions_of_matrices(matrices[valid].reshape(-1, 3, 3))
        labels[rows] = _numbers(raw, semantics, (_LABEL,), "<u4")[:, 0]
    row_of = rows_of_keys(keys, source)
    return RawScene(
        keys=keys,
        layers=list(zip(layers, partitions, strict=True)),
        kinds=found.kinds,
        names=found.names,
        labels=labels.tolist(),
        metadata=found.metadata,
        positions=_numbers(raw, bases, (1, 10, 19), "<f8").astype(np.float64),
        centres=centres,
        sizes=sizes,
        turns=turns,
        agents=found.agents,
        likely=found.likely,
        edges=edges_of_keys(pairs, row_of, source),
        label_spaces=label_spaces_of(metadata),
        frame_id=frame_of(metadata),
    )


def _numbers(
    raw: NDArray[np.uint8], starts: NDArray[np.intp], spots: Sequence[int], kind: str
) -> NDArray[Any]:
    """The numbers of one type at these places after each start, shape (n, places)."""
    width = np.dtype(kind).itemsize
    offsets = np.add.outer(np.array(spots, np.intp), np.arange(width)).reshape(-1)
    picked: NDArray[np.uint8] = raw[starts[:, None] + offsets]
    return picked.reshape(-1).view(kind).reshape(len(starts), len(spots))


__all__ = ["CURRENT_VERSION", "MARK", "Floats", "decode_binary"]
