# SPDX-License-Identifier: Apache-2.0
"""The contents of a Spark-DSG as columns, which both syntaxes are decoded into.

Facts about the format (spark-dsg 1.1.3): a node id is a letter and a number in 64 bits; a layer
has a number and a partition; boxes are 32-bit floats; the largest uint32 is "no label"; names of
labels are in ``metadata.labelspaces._l2p0 = [[id, name], ...]``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import Any

import numpy as np

from fcp_ros.scene.formats.geometry import Floats, to_quaternions
from fcp_ros.scene.graph.elements import Layer, SceneError

LabelSpaces = Mapping[tuple[int, int], Mapping[int, str]]

NO_LABEL = 0xFFFFFFFF

AGENT_KIND = "AgentNodeAttributes"
UNLABELLED_KINDS = frozenset({"NodeAttributes", AGENT_KIND, "TraversabilityNodeAttributes"})
"""Attribute types without name, label and box."""

_LETTERS = {ord(letter): letter for letter in ascii_letters}
_ADVICE = "The file is damaged or cut off: save it again with spark-dsg or Hydra."


@dataclass(frozen=True)
class RawScene:
    """The n nodes and m edges of a file.

    ``centres``, ``sizes``: Boxes, shape (n, 3), metres; not finite without a box.
    """

    keys: Sequence[int]  # 64-bit node ids, n, each once
    layers: Sequence[tuple[int, int]]  # (layer, partition) of each node
    kinds: Sequence[str]  # Name of each node's attribute type
    names: Sequence[str]  # Possibly empty, possibly not unique
    labels: Sequence[int]  # Numbers of the semantic labels, or NO_LABEL
    metadata: Sequence[Mapping[str, Any]]
    positions: Floats  # Shape (n, 3), metres; not finite where unknown
    centres: Floats
    sizes: Floats
    # Orientations of boxes, unit quaternions x, y, z, w, shape (n, 4); not finite if the file's
    # value is no rotation
    turns: Floats
    # Time stamp (ns) and orientation (w, x, y, z) of the poses of agents, by row
    agents: Mapping[int, tuple[int, tuple[float, float, float, float]]]
    likely: Mapping[int, str]  # The most probable class of rooms that have probabilities, by row
    edges: Sequence[tuple[int, int]]  # Pairs of rows (source, target), m
    label_spaces: LabelSpaces  # Names of labels by layer and partition


def describe_damage(reason: str, source: str, element: str = "") -> SceneError:
    """Return the error about a content that can't be decoded."""
    return SceneError(
        f"the Spark-DSG content cannot be decoded ({reason})",
        source=source,
        element=element,
        advice=_ADVICE,
    )


def to_symbol(key: int) -> str:
    """Convert the node id 'O' << 56 | 33 to ``O33``; ``node_<id>`` without a letter in it."""
    letter = _LETTERS.get(key >> 56)
    return f"node_{key}" if letter is None else f"{letter}{key & 0xFFFFFFFFFFFFFF}"


def index_keys(keys: Sequence[int], source: str) -> dict[int, int]:
    """Return the row of each node id; raises SceneError if two nodes have the same id."""
    rows = {key: row for row, key in enumerate(keys)}
    if len(rows) < len(keys):
        for row, key in enumerate(keys):
            if rows[key] != row:
                raise describe_damage("two nodes have this id", source, f"node {to_symbol(key)}")
    return rows


def check_layers(
    layers: Sequence[tuple[int, int]], listed: Collection[tuple[int, int]], source: str
) -> None:
    """Raise SceneError if a node is in a layer that the graph does not list."""
    for layer, partition in set(layers).difference(listed):
        raise describe_damage(
            f"a node is in layer {layer}[{partition}], which is not listed", source
        )


def index_edges(
    pairs: Sequence[tuple[int, int]], rows: Mapping[int, int], source: str
) -> list[tuple[int, int]]:
    """Return edges by row; raises SceneError if one has an unknown end, or is a loop."""
    try:
        edges = [(rows[a], rows[b]) for a, b in pairs]
    except KeyError as error:
        missing = to_symbol(error.args[0])
        raise describe_damage(f"an edge names {missing}, which is no node", source) from None
    for a, b in edges:
        if a == b:
            raise describe_damage("an edge leads back to its own node", source, f"row {a}")
    return edges


def normalise_turns(turns: Floats) -> Floats:
    """Normalise quaternions (n, 4); NaN where the length is far from 1."""
    length = np.linalg.norm(turns, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        unit: Floats = turns / length[:, None]
    unit[~(np.abs(length - 1.0) < 0.05)] = np.nan
    return unit


def convert_matrices(matrices: Floats) -> Floats:
    """Convert rotation matrices (n, 3, 3) to quaternions x, y, z, w (n, 4); NaN for others."""
    turns = np.full((len(matrices), 4), np.nan)
    with np.errstate(invalid="ignore", over="ignore"):
        squares = matrices @ matrices.transpose(0, 2, 1)
        sound = np.abs(squares - np.eye(3)).max(axis=(1, 2)) < 1e-3
    sound[sound] = np.linalg.det(matrices[sound]) > 0.0
    turns[sound] = to_quaternions(matrices[sound].transpose(0, 2, 1))
    return turns


def read_label_spaces(metadata: Any) -> dict[tuple[int, int], dict[int, str]]:
    """Read the label spaces in a graph's metadata, by (layer, partition)."""
    table = metadata.get("labelspaces", {}) if isinstance(metadata, Mapping) else {}
    spaces: dict[tuple[int, int], dict[int, str]] = {}
    for name, entries in table.items() if isinstance(table, Mapping) else ():
        match = re.fullmatch(r"_l(\d{1,9})p(\d{1,10})", str(name))
        if match and isinstance(entries, list):
            key = (int(match.group(1)), int(match.group(2)))
            spaces[key] = dict(_parse_labels(entries))
    return spaces


def _parse_labels(entries: list[Any]) -> Iterator[tuple[int, str]]:
    for entry in entries:
        match entry:
            case [int(number), str(name)] if name.strip():
                yield number, name.strip()


def choose_likeliest(probabilities: Any) -> str:
    """Return the most probable class of a room; empty if none has a probability above 0."""
    if not isinstance(probabilities, Mapping):
        return ""
    known = [
        (float(value), str(name))
        for name, value in probabilities.items()
        if isinstance(value, int | float) and 0.0 < value <= 1.0 and str(name).strip()
    ]
    return max(known)[1].strip() if known else ""


LAYERS: Mapping[tuple[int, int], Layer] = {
    (2, 0): Layer.OBJECT,
    (3, 0): Layer.PLACE,
    (3, 1): Layer.PLACE,
    (3, 2): Layer.PLACE,
    (20, 0): Layer.PLACE,
    (4, 0): Layer.ROOM,
    (5, 0): Layer.BUILDING,
}
"""Our layer by Spark-DSG's layer and partition; agents have attributes of their own type."""
