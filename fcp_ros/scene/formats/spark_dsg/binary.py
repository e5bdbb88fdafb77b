# SPDX-License-Identifier: Apache-2.0
"""Decoder of Spark-DSG's binary syntax (spark-dsg 1.1) without the library.

The library trusts the lengths in the bytes: a damaged file can make it ask for gigabytes, and much
loads silently. Here each tag is checked, no length reaches beyond the content, and allocations are
in proportion to the content.

A graph is: layers, names of the attribute types, names of the layers, metadata (JSON text), nodes,
edges, mesh, all made of `tokens`. One pass finds the places of each node's parts and checks the
tags with regular expressions; numpy then gathers the numbers of all nodes at once.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.formats.spark_dsg.raw import (
    AGENT_KIND,
    NO_LABEL,
    RawScene,
    check_layers,
    choose_likeliest,
    convert_matrices,
    describe_damage,
    index_edges,
    index_keys,
    read_label_spaces,
)
from fcp_ros.scene.formats.spark_dsg.tokens import (
    INT64,
    MESH,
    NOTHING,
    Malformed,
    NodeKind,
    Tokens,
    compile_bytes,
    list_kinds,
    skip_matrix,
    to_unsigned,
)
from fcp_ros.scene.graph.elements import SceneError

MARK = b"\xdd\x09\x00\x00\x00SPARK_DSG"
"""The beginning of a file; the bytes in a ROS message have no such header."""

CURRENT_VERSION = (1, 1, 3)
_OLDEST_VERSION = (1, 1, 0)

_HEADER = compile_bytes(rb"\xcc(.)\xcc(.)\xcc(.)")
_LAYER_KEY = compile_bytes(rb"\xdd\x02\0\0\0\xd3(.{8})\xce(.{4})")
_NODE = compile_bytes(rb"\xdd\x04\0\0\0\xd3.{8}\xcf.{8}\xce.{4}\xcc(.)\xdd(.{4})")
_BASE = compile_bytes(rb"(?:\xcb.{8}){3}\xcf.{8}[\xc2\xc3]{2}")
_SEMANTIC = compile_bytes(
    rb"(?:\xcc.){4}"  # colour
    rb"\xdd\x04\0\0\0\xd2.{4}(?:\xca.{4}){6}"  # box: type, extents, centre
    rb"\xdd\x0b\0\0\0(?:\xd3\x03\0{7}){2}(?:\xca.{4}){9}"  # ... its rotation matrix
    rb"\xce.{4}"  # label
)
_NO_FEATURE = rb"\xdd\x02\0\0\0(?:\xd3\0{8}){2}"
_PLAIN_HEAD = compile_bytes(
    rb"\xdd\x04\0\0\0\xd3.{8}\xcf.{8}\xce.{4}\xcc(.)\xdd\x02\0\0\0\{\}" + _BASE.pattern
)
_PLAIN_SEMANTIC = compile_bytes(_SEMANTIC.pattern + _NO_FEATURE)
"""The common case: no metadata, no feature."""

_BASE_SIZE = 38

_BOX_TYPE, _BOX_NUMBERS, _BOX_MATRIX, _LABEL = 14, 18, 71, 117
"""Offsets in _SEMANTIC of the box's type, extents and centre, rotation, and of the label."""

_PROBABILITY = compile_bytes(rb"\xcb(.{8})")
_POSE = compile_bytes(rb"\xd3(.{8})\xdd\x04\0\0\0\xcb(.{8})\xcb(.{8})\xcb(.{8})\xcb(.{8})\xcf.{8}")
_EDGE = compile_bytes(rb"\xdd\x03\0\0\0\xcf(.{8})\xcf(.{8})\xcc(.)\xdd(.{4})")
_EDGE_END = compile_bytes(rb"[\xc2\xc3]\xcb.{8}")
_PLAIN_EDGES = compile_bytes(
    rb"(?:\xdd\x03\0\0\0\xcf.{8}\xcf.{8}\xcc\0\xdd\x02\0\0\0\{\}[\xc2\xc3]\xcb.{8})+"
)
_PLAIN_EDGE = np.dtype(
    {"names": ["source", "target"], "formats": ["<u8", "<u8"], "offsets": [6, 15], "itemsize": 42}
)


@dataclass
class _NodeIndex:
    """Places of the nodes' parts, and values that are not gathered later."""

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

    Raises SceneError: unknown version, damaged content, or too many nodes.
    """
    version = CURRENT_VERSION
    try:
        reader = Tokens(content)
        if content.startswith(MARK):
            version = _read_header(reader, source)
        return _decode(reader, version, source, limits)
    except Malformed as problem:
        newer = version[:2] > CURRENT_VERSION[:2]
        hint = (
            f"; it is of version {_format_version(version)}, newer than this decoder"
            if newer
            else ""
        )
        raise describe_damage(f"{problem}{hint}", source) from None
    except (UnicodeDecodeError, ValueError, RecursionError, struct.error) as problem:
        raise describe_damage(str(problem).splitlines()[0][:200], source) from None


def _format_version(version: tuple[int, int, int]) -> str:
    return ".".join(str(part) for part in version)


def _read_header(reader: Tokens, source: str) -> tuple[int, int, int]:
    reader.read_string()
    reader.read_string()  # the project, "main"
    major, minor, patch = (part[0] for part in reader.take(_HEADER).groups())
    if (major, minor, patch) < _OLDEST_VERSION:
        version = _format_version((major, minor, patch))
        raise SceneError(
            f"it is of version {version} of the binary syntax, which is older than 1.1.0",
            source=source,
            advice="Open it with spark-dsg and save it again, or save it as JSON.",
        )
    return major, minor, patch


def _decode(
    reader: Tokens, version: tuple[int, int, int], source: str, limits: SceneLimits
) -> RawScene:
    key = _LAYER_KEY if version >= (1, 1, 2) else INT64
    listed = [reader.take(key).groups() for _ in range(reader.count())]
    kind_names = [reader.read_string() for _ in range(reader.count())]
    for _ in range(reader.count()):
        reader.read_string()  # names of the types of edges: they all have the same fields
    name_key = _LAYER_KEY if version >= (1, 1, 1) else INT64
    for _ in range(reader.count()):
        reader.read_string()
        reader.take(name_key)
    metadata = reader.read_metadata(reader.count())
    found = _scan_nodes(reader, kind_names, list_kinds(version), source, limits)
    pairs = _scan_edges(reader)
    if reader.skip_byte(0xC2, 0xC3) == 0xC3:
        for skip in MESH:
            skip(reader)
    if reader.place != len(reader.content):
        raise Malformed(f"{len(reader.content) - reader.place} bytes after the end")
    raw = _gather(reader.content, found, pairs, metadata, source)
    if key is _LAYER_KEY:
        check_layers(raw.layers, [(to_unsigned(a), to_unsigned(b)) for a, b in listed], source)
    return raw


def _scan_nodes(
    reader: Tokens,
    kind_names: Sequence[str],
    kinds: Mapping[str, NodeKind],
    source: str,
    limits: SceneLimits,
) -> _NodeIndex:
    found = _NodeIndex()
    reader.skip_byte(0x00)
    while not reader.skip_list_end():
        row = len(found.starts)
        if row >= limits.max_nodes:
            limits.check_nodes(row + 1, source)
        found.starts.append(reader.place)
        number, metadata = _scan_head(reader, found)
        name = kind_names[number] if number < len(kind_names) else ""
        kind = kinds.get(name)
        if kind is None:
            raise Malformed(f"unknown attributes {name or number!r} at {reader.place}")
        found.kinds.append(name)
        found.metadata.append(metadata)
        if kind.semantic:
            found.names.append(reader.read_string())
            found.semantic_rows.append(row)
            found.semantics.append(reader.place)
            if not reader.has(_PLAIN_SEMANTIC):
                reader.take(_SEMANTIC)
                skip_matrix(reader)  # the semantic feature
        else:
            found.names.append("")
        for skip in kind.rest:
            skip(reader)
        if name == AGENT_KIND:
            found.agents[row] = _scan_agent_pose(reader)
        elif name == "RoomNodeAttributes":
            found.likely[row] = choose_likeliest(_scan_probabilities(reader))
    return found


def _scan_head(reader: Tokens, found: _NodeIndex) -> tuple[int, Mapping[str, Any]]:
    """Return the type of the attributes and the metadata of the node that begins here."""
    plain = _PLAIN_HEAD.match(reader.content, reader.place)
    if plain is not None:
        reader.place = plain.end()
        found.bases.append(reader.place - _BASE_SIZE)
        return plain.group(1)[0], NOTHING
    head = reader.take(_NODE)
    metadata = reader.read_metadata(to_unsigned(head.group(2)))
    found.bases.append(reader.place)
    reader.take(_BASE)
    return head.group(1)[0], metadata


def _scan_agent_pose(reader: Tokens) -> tuple[int, tuple[float, float, float, float]]:
    stamp, *parts = reader.take(_POSE).groups()
    skip_matrix(reader)  # bag-of-words descriptor: ids, values
    skip_matrix(reader)
    w, x, y, z = (float(struct.unpack("<d", part)[0]) for part in parts)
    return int.from_bytes(stamp, "little", signed=True), (w, x, y, z)


def _scan_probabilities(reader: Tokens) -> dict[str, float]:
    probabilities = {}
    for _ in range(reader.count()):
        name = reader.read_string()
        (probabilities[name],) = struct.unpack("<d", reader.take(_PROBABILITY).group(1))
    return probabilities


def _scan_edges(reader: Tokens) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    reader.skip_byte(0x00)
    while not reader.skip_list_end():
        plain = _PLAIN_EDGES.match(reader.content, reader.place)
        if plain is not None:
            table = np.frombuffer(plain.group(), dtype=_PLAIN_EDGE)
            pairs += zip(table["source"].tolist(), table["target"].tolist(), strict=True)
            reader.place = plain.end()
        else:
            edge = reader.take(_EDGE)
            reader.read_metadata(to_unsigned(edge.group(4)))
            reader.take(_EDGE_END)
            pairs.append((to_unsigned(edge.group(1)), to_unsigned(edge.group(2))))
    return pairs


def _gather(
    content: bytes,
    found: _NodeIndex,
    pairs: Sequence[tuple[int, int]],
    metadata: Mapping[str, Any],
    source: str,
) -> RawScene:
    raw = np.frombuffer(content, dtype=np.uint8)
    starts, bases = np.array(found.starts, np.intp), np.array(found.bases, np.intp)
    keys = _gather_numbers(raw, starts, (15,), "<u8")[:, 0].tolist()
    layers = _gather_numbers(raw, starts, (6,), "<i8")[:, 0].tolist()
    partitions = _gather_numbers(raw, starts, (24,), "<u4")[:, 0].tolist()
    count = len(keys)
    centres, sizes, turns = (np.full((count, width), np.nan) for width in (3, 3, 4))
    labels = np.full(count, NO_LABEL, dtype=np.uint32)
    rows, semantics = np.array(found.semantic_rows, np.intp), np.array(found.semantics, np.intp)
    if len(rows):
        box = _gather_numbers(raw, semantics, range(_BOX_NUMBERS + 1, _BOX_NUMBERS + 31, 5), "<f4")
        spots = range(_BOX_MATRIX + 1, _BOX_MATRIX + 46, 5)
        matrices = _gather_numbers(raw, semantics, spots, "<f4").astype(np.float64)
        valid = np.isin(_gather_numbers(raw, semantics, (_BOX_TYPE,), "<i4")[:, 0], (1, 2, 3))
        boxed = rows[valid]
        sizes[boxed], centres[boxed] = box[valid, :3], box[valid, 3:]
        turns[boxed] = convert_matrices(matrices[valid].reshape(-1, 3, 3))
        labels[rows] = _gather_numbers(raw, semantics, (_LABEL,), "<u4")[:, 0]
    row_of = index_keys(keys, source)
    return RawScene(
        keys=keys,
        layers=list(zip(layers, partitions, strict=True)),
        kinds=found.kinds,
        names=found.names,
        labels=labels.tolist(),
        metadata=found.metadata,
        positions=_gather_numbers(raw, bases, (1, 10, 19), "<f8").astype(np.float64),
        centres=centres,
        sizes=sizes,
        turns=turns,
        agents=found.agents,
        likely=found.likely,
        edges=index_edges(pairs, row_of, source),
        label_spaces=read_label_spaces(metadata),
    )


def _gather_numbers(
    raw: NDArray[np.uint8], starts: NDArray[np.intp], spots: Sequence[int], kind: str
) -> NDArray[Any]:
    """Return the numbers of one type at these places after each start, shape (n, places)."""
    width = np.dtype(kind).itemsize
    offsets = np.add.outer(np.array(spots, np.intp), np.arange(width)).reshape(-1)
    picked: NDArray[np.uint8] = raw[starts[:, None] + offsets]
    return picked.reshape(-1).view(kind).reshape(len(starts), len(spots))
