# SPDX-License-Identifier: Apache-2.0
"""Nodes and relations of a scene as columns of a message, and back.

A message object for each node took over a second for 6,000 nodes in rclpy; columns take it some
milliseconds, since it copies numbers as arrays and only strings one by one.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.msg import SceneNodes, SceneRelations
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.scene.graph.elements import (
    AttributeValue,
    Layer,
    Pose,
    Provenance,
    SceneNode,
    SceneRelation,
    Vector,
)

PROVENANCES = {
    Provenance.GIVEN: SceneRelations.GIVEN,
    Provenance.GEOMETRIC: SceneRelations.GEOMETRIC,
    Provenance.INFERRED: SceneRelations.INFERRED,
}
_PROVENANCES_BACK = {number: provenance for provenance, number in PROVENANCES.items()}
_LAYERS = {layer.value: layer for layer in Layer}

CONFIDENCE_DIGITS = 6
"""The message carries single precision; 0.9 must not come back as 0.8999999761581421."""
MOST_ELEMENTS = 255
"""Elements of one relation; its number of elements is a byte."""

POSE, SIZE, CORNER = 7, 3, 2
"""Numbers of a pose, a size and a corner."""
_NO_POSE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
_NO_SIZE = (0.0, 0.0, 0.0)
_LARGEST_SINGLE = float(np.finfo(np.float32).max)

_TYPES = {bool: "bool", int: "integer", float: "float", str: "string"}
"""Type of an attribute's value -> beginning of the names of its columns."""

MOST_MOVED = 0.5
"""Share of nodes with another pose up to which replacing poses is faster than reading all nodes.
With 6,000 nodes: 13 instead of 24 ms at 0.25, 26 of 30 ms at 0.5, 39 of 26 ms at 1."""
_REPEATED = tuple(name for name in SceneNodes.get_fields_and_field_types() if name != "poses")

Texts = tuple[str, ...]


# --- nodes --------------------------------------------------------------------------------------


def nodes_to_ros(nodes: Sequence[SceneNode]) -> SceneNodes:
    """Write nodes.

    Raises ConversionError if a node has a value that does not fit into the message.
    """
    return _write(nodes, _write_nodes, lambda node: f"the node {node.id!r}")


def _write_nodes(nodes: Sequence[SceneNode]) -> SceneNodes:
    corners = [node.polygon for node in nodes]
    parents = [node.parents for node in nodes]
    message = SceneNodes(
        ids=_check_texts([node.id for node in nodes]),
        layers=[node.layer.value for node in nodes],
        categories=_check_texts([node.category for node in nodes]),
        poses_known=[node.pose is not None for node in nodes],
        poses=array("d", chain.from_iterable(map(_flatten_pose, nodes))),
        sizes_known=[node.size is not None for node in nodes],
        sizes=array("d", chain.from_iterable([node.size or _NO_SIZE for node in nodes])),
        heights=array("d", [node.height or 0.0 for node in nodes]),
        corner_nodes=_index(corners),
        corners=_to_singles(chain.from_iterable(chain.from_iterable(corners))),
        parent_nodes=_index(parents),
        parents=_check_texts(list(chain.from_iterable(parents))),
    )
    _write_attributes(nodes, message)
    return message


def _flatten_pose(node: SceneNode) -> Iterable[float]:
    return _NO_POSE if node.pose is None else (*node.pose.position, *node.pose.orientation)


def _write_attributes(nodes: Sequence[SceneNode], message: SceneNodes) -> None:
    columns: dict[str, tuple[list[int], list[str], list[Any]]] = {
        word: ([], [], []) for word in _TYPES.values()
    }
    for number, node in enumerate(nodes):
        for name, value in node.attributes.items():
            # The exact type first: True is an int in Python, and numpy's floats are floats.
            word = _TYPES.get(type(value)) or _name_type(value)
            owners, names, values = columns[word]
            owners.append(number)
            names.append(name)
            values.append(value)
    for word, (owners, names, _) in columns.items():
        setattr(message, f"{word}_nodes", array("I", owners))
        setattr(message, f"{word}_names", _check_texts(names))
    message.bool_values = columns["bool"][2]
    message.integer_values = array("q", columns["integer"][2])
    message.float_values = array("d", columns["float"][2])
    message.string_values = _check_texts(columns["string"][2])


def _name_type(value: object) -> str:
    for kind, word in _TYPES.items():
        if isinstance(value, kind):
            return word
    raise TypeError(f"an attribute is {value!r}: give a bool, an int, a float or a str")


def nodes_from_ros(message: SceneNodes) -> tuple[SceneNode, ...]:
    """Read nodes.

    Raises ConversionError if columns don't fit together, a layer is unknown, a node has an
    attribute twice, or a number among them is not finite.
    """
    count = len(message.ids)
    for name in ("layers", "categories", "poses_known", "sizes_known", "heights"):
        _check_length(message, name, count, f"{count} ids")
    _check_length(message, "poses", POSE * count, f"{count} ids", POSE)
    _check_length(message, "sizes", SIZE * count, f"{count} ids", SIZE)
    with pause_garbage_collection():
        attributes = _read_attributes(message)
        polygons = _read_polygons(message)
        return tuple(
            map(
                SceneNode,
                message.ids,
                _read_layers(message),
                _share(message.categories),
                _read_poses(message),
                _read_sizes(message),
                polygons,
                [height or None for height in message.heights],
                attributes,
                _read_parents(message),
            )
        )


class NodeReader:
    """Reads the nodes of one message after the other, and keeps those that stay the same.

    A robot sends the same nodes again and again, a few of them with another pose. If all other
    columns repeat those of the message before, only nodes with another pose become new objects, so
    that whoever compares nodes can skip the rest by identity. Not thread-safe.

    Invariant: `_nodes` equals `nodes_from_ros(_message)`.
    """

    def __init__(self) -> None:
        self._message = SceneNodes()
        self._nodes: tuple[SceneNode, ...] = ()

    def read(self, message: SceneNodes) -> tuple[SceneNode, ...]:
        """Read nodes; equal to `nodes_from_ros(message)`, and raises the same errors."""
        nodes = self._repeat_nodes(message)
        if nodes is None:
            nodes = nodes_from_ros(message)
        self._message, self._nodes = message, nodes
        return nodes

    def _repeat_nodes(self, message: SceneNodes) -> tuple[SceneNode, ...] | None:
        """Return the nodes before with the poses of a message; None if more than these differ."""
        before = self._message
        if len(message.poses) != len(before.poses):
            return None
        rows = np.asarray(message.poses, dtype=float).reshape(-1, POSE)
        differs = (rows != np.asarray(before.poses, dtype=float).reshape(-1, POSE)).any(axis=1)
        moved = np.flatnonzero(differs).tolist()
        if len(moved) > MOST_MOVED * len(self._nodes):
            return None
        if not all(getattr(message, name) == getattr(before, name) for name in _REPEATED):
            return None
        nodes = list(self._nodes)
        for row in moved:
            if message.poses_known[row]:
                x, y, z, *turn = rows[row].tolist()
                nodes[row] = replace(nodes[row], pose=Pose((x, y, z), tuple(turn)))
        return tuple(nodes)


def _read_layers(message: SceneNodes) -> list[Layer]:
    try:
        return [_LAYERS[word] for word in message.layers]
    except KeyError as error:
        id_ = message.ids[message.layers.index(error.args[0])]
        raise ConversionError(
            f"the node {id_!r} has the layer {error}: give one of {', '.join(_LAYERS)}"
        ) from None


def _read_poses(message: SceneNodes) -> list[Pose | None]:
    x, y, z, qx, qy, qz, qw = (message.poses[first::POSE] for first in range(POSE))
    positions, orientations = zip(x, y, z, strict=True), zip(qx, qy, qz, qw, strict=True)
    rows = zip(message.poses_known, positions, orientations, strict=True)
    return [Pose(position, turn) if is_known else None for is_known, position, turn in rows]


def _read_sizes(message: SceneNodes) -> list[Vector | None]:
    sizes = zip(*(message.sizes[first::SIZE] for first in range(SIZE)), strict=True)
    return [
        size if is_known else None
        for is_known, size in zip(message.sizes_known, sizes, strict=True)
    ]


def _read_polygons(message: SceneNodes) -> list[tuple[tuple[float, float], ...]]:
    owners = _check_index(message, "corner_nodes")
    count = len(message.corner_nodes)
    _check_length(message, "corners", CORNER * count, f"{count} corner_nodes", CORNER)
    polygons: list[list[tuple[float, float]] | None] = [None] * len(message.ids)
    for owner, x, y in zip(owners, message.corners[::2], message.corners[1::2], strict=True):
        polygon = polygons[owner]
        if polygon is None:
            polygon = polygons[owner] = []
        polygon.append((x, y))
    return [tuple(polygon) if polygon else () for polygon in polygons]


def _read_parents(message: SceneNodes) -> list[Texts]:
    owners = _check_index(message, "parent_nodes")
    count = len(message.parent_nodes)
    _check_length(message, "parents", count, f"{count} parent_nodes")
    parents: list[Texts] = [()] * len(message.ids)
    for owner, parent in zip(owners, message.parents, strict=True):
        parents[owner] += (parent,)
    return parents


def _read_attributes(message: SceneNodes) -> list[dict[str, AttributeValue]]:
    attributes: list[dict[str, AttributeValue]] = [{} for _ in message.ids]
    total = 0
    for word in _TYPES.values():
        owners = _check_index(message, f"{word}_nodes")
        count = len(owners)
        total += count
        for name in (f"{word}_names", f"{word}_values"):
            _check_length(message, name, count, f"{count} {word}_nodes")
        names = _share(getattr(message, f"{word}_names"))
        values = getattr(message, f"{word}_values")
        for owner, name, value in zip(owners, names, values, strict=True):
            attributes[owner][name] = value
    if not all(map(math.isfinite, message.float_values)):
        at = next(n for n, value in enumerate(message.float_values) if not math.isfinite(value))
        raise ConversionError(
            f"the node {message.ids[message.float_nodes[at]]!r}: the attribute "
            f"{message.float_names[at]!r} is {message.float_values[at]}"
        )
    if sum(map(len, attributes)) != total:
        _report_repeated_attribute(message)
    return attributes


def _report_repeated_attribute(message: SceneNodes) -> None:
    seen = set()
    for word in _TYPES.values():
        owners, names = getattr(message, f"{word}_nodes"), getattr(message, f"{word}_names")
        for key in zip(owners, names, strict=True):
            if key in seen:
                raise ConversionError(
                    f"the node {message.ids[key[0]]!r}: the attribute {key[1]!r} is given twice"
                )
            seen.add(key)


# --- relations ----------------------------------------------------------------------------------


def relations_to_ros(relations: Sequence[SceneRelation]) -> SceneRelations:
    """Write relations.

    Raises ConversionError if a relation has a value that does not fit into the message.
    """
    return _write(relations, _write_relations, lambda relation: f"the relation {relation.name!r}")


def _write_relations(relations: Sequence[SceneRelation]) -> SceneRelations:
    if not relations:  # as in most deltas
        return SceneRelations()
    counts = [len(relation.elements) for relation in relations]
    if max(counts, default=0) > MOST_ELEMENTS:
        raise ValueError(f"it has {max(counts)} elements, more than {MOST_ELEMENTS}")
    return SceneRelations(
        names=_check_texts([relation.name for relation in relations]),
        element_counts=array("B", counts),
        confidences=_to_singles([relation.confidence for relation in relations]),
        provenances=array("B", [PROVENANCES[relation.provenance] for relation in relations]),
        elements=_check_texts(
            list(chain.from_iterable([relation.elements for relation in relations]))
        ),
    )


def relations_from_ros(message: SceneRelations) -> tuple[SceneRelation, ...]:
    """Read relations.

    Raises ConversionError if columns don't fit together, or a provenance is unknown.
    """
    count, counts = len(message.names), message.element_counts
    for name in ("element_counts", "confidences", "provenances"):
        _check_length(message, name, count, f"{count} names")
    total = sum(counts)
    _check_length(message, "elements", total, f"element_counts with the sum {total}")
    if not count:
        return ()
    rest = iter(message.elements)
    with pause_garbage_collection():
        confidences = np.round(np.asarray(message.confidences, dtype=float), CONFIDENCE_DIGITS)
        return tuple(
            map(
                SceneRelation,
                _share(message.names),
                [tuple(islice(rest, length)) for length in counts],
                confidences.tolist(),
                _read_provenances(message),
            )
        )


def _read_provenances(message: SceneRelations) -> list[Provenance]:
    try:
        return [_PROVENANCES_BACK[number] for number in message.provenances]
    except KeyError as error:
        at = list(message.provenances).index(error.args[0])
        begin = sum(message.element_counts[:at])
        elements = message.elements[begin : begin + message.element_counts[at]]
        raise ConversionError(
            f"the relation {message.names[at]}({', '.join(elements)}) has the provenance {error}: "
            "give GIVEN (1), GEOMETRIC (2) or INFERRED (3)"
        ) from None


# --- columns ------------------------------------------------------------------------------------


def _write(elements: Sequence[Any], write: Callable[[Sequence[Any]], Any], name: Any) -> Any:
    """Write elements together; if they can't be sent, find the first that is to blame."""
    try:
        return write(elements)
    except (TypeError, ValueError, OverflowError):
        for element in elements:
            try:
                write((element,))
            except OverflowError:
                reason = "an integer does not fit into 64 bits"
            except (TypeError, ValueError) as error:
                reason = str(error)
            else:
                continue
            raise ConversionError(f"{name(element)} can't be sent: {reason}") from None
        raise


def check_texts(texts: Sequence[str]) -> None:
    """Check that strings can be sent.

    Raises ConversionError if one holds a zero character, where C++ would see its end, or half of a
    surrogate pair.
    """
    try:
        _check_texts(texts)
    except ValueError as error:
        raise ConversionError(f"a string can't be sent: {error}") from None


def _check_texts(texts: Sequence[str]) -> Any:
    together = "".join(texts)
    together.encode()
    if "\0" in together:
        text = next(text for text in texts if "\0" in text)
        raise ValueError(f"{text!r} holds a zero character")
    return texts


def _to_singles(numbers: Iterable[float]) -> Any:
    doubles = np.fromiter(numbers, dtype=float)
    if np.any(too_large := np.isfinite(doubles) & (np.abs(doubles) > _LARGEST_SINGLE)):
        raise ValueError(f"{doubles[too_large][0]} does not fit into 32 bits")
    return array("f", doubles.astype(np.float32).tobytes())


def _index(lists: Sequence[Sequence[Any]]) -> Any:
    """Repeat the index of each list for each of its entries."""
    return array("I", [number for number, entries in enumerate(lists) for _ in entries])


def _share(texts: Sequence[str]) -> list[str]:
    """Return the same texts with one object for all that are equal."""
    known: dict[str, str] = {}
    return [known.setdefault(text, text) for text in texts]


def _check_length(message: Any, name: str, length: int, of: str, each: int = 1) -> None:
    actual = len(getattr(message, name))
    if actual != length:
        give = "one" if each == 1 else f"{each} numbers"
        raise ConversionError(
            f"the columns of {type(message).__name__} don't fit together: there are {of}, but "
            f"{actual} entries in {name}; give {give} for each"
        )


def _check_index(message: SceneNodes, name: str) -> Any:
    column, count = getattr(message, name), len(message.ids)
    if (largest := max(column, default=0)) >= max(count, 1) or (column and not count):
        raise ConversionError(
            f"{name} of SceneNodes holds the index {largest}, but there are {count} ids"
        )
    return column
