# SPDX-License-Identifier: Apache-2.0
"""One node and one relation from their bytes, whose lengths the kernels have checked."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from fcp_ros.msg import Attribute
from fcp_ros.nodes.conversions.cdr import decoded
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene import CONFIDENCE_DIGITS, PROVENANCES
from fcp_ros.nodes.conversions.scene_wire_walk import NUMBERS
from fcp_ros.scene.graph.elements import AttributeValue, Layer, Pose, SceneNode, SceneRelation

_LAYERS = {layer.value: layer for layer in Layer}
_PROVENANCES = {int(number): provenance for provenance, number in PROVENANCES.items()}
_POSE_AND_BOX = struct.Struct("<7dB7x3d")
_COUNT = struct.Struct("<I")
_FLOAT = struct.Struct("<f")
_CORNER = struct.Struct("<fff")
_HEIGHT = struct.Struct("<d")
_VALUES = struct.Struct("<qd")

Tail = tuple[
    tuple[tuple[float, float], ...], float | None, dict[str, AttributeValue], tuple[str, ...]
]
"""Footprint, height, attributes, parents."""


@dataclass(slots=True)
class SeenNode:
    """What the last node with this beginning was, and the rest of its bytes."""

    id: str
    layer: Layer
    category: str
    pose_known: bool
    rest: bytes = b""
    tail: Tail = ((), None, {}, ())
    node: SceneNode | None = None


def begin_node(head: bytes) -> SeenNode:
    """What a node's beginning says.

    Raises:
        ConversionError: an unknown layer.
    """
    id_, at = _text(head, 0)
    layer_name, at = _text(head, at)
    category, at = _text(head, at)
    layer = _LAYERS.get(layer_name)
    if layer is None:
        raise ConversionError(
            f"the node {id_!r} has the layer {layer_name!r}: give one of {', '.join(_LAYERS)}"
        )
    return SeenNode(id_, layer, category, bool(head[-1]))


def follow_node(seen: SeenNode, rest: bytes) -> None:
    """Make the node that begins as seen and goes on with these bytes.

    Raises:
        ConversionError: an attribute is wrong.
    """
    if seen.node is None or rest[NUMBERS:] != seen.rest[NUMBERS:]:
        try:
            seen.tail = _tail(rest)
        except ConversionError as error:
            seen.node = None
            raise ConversionError(f"the node {seen.id!r}: {error}") from error
    x, y, z, qx, qy, qz, qw, box_known, *size = _POSE_AND_BOX.unpack_from(rest)
    polygon, height, attributes, parents = seen.tail
    seen.node = SceneNode(
        seen.id,
        seen.layer,
        seen.category,
        Pose((x, y, z), (qx, qy, qz, qw)) if seen.pose_known else None,
        (size[0], size[1], size[2]) if box_known else None,
        polygon,
        height,
        attributes,
        parents,
    )
    seen.rest = rest


def _tail(rest: bytes) -> Tail:
    (corners,) = _COUNT.unpack_from(rest, NUMBERS)
    at = NUMBERS + 4
    end = at + 12 * corners
    polygon = tuple((x, y) for x, y, _ in _CORNER.iter_unpack(rest[at:end]))
    at = -(-end // 8) * 8
    (height,) = _HEIGHT.unpack_from(rest, at)
    attributes, at = _attributes(rest, at + 8)
    parents, at = _texts(rest, at)
    return polygon, height or None, attributes, parents


def _attributes(data: bytes, at: int) -> tuple[dict[str, AttributeValue], int]:
    at = -(-at // 4) * 4
    (count,) = _COUNT.unpack_from(data, at)
    at += 4
    attributes: dict[str, AttributeValue] = {}
    for _ in range(count):
        name, at = _text(data, at)
        kind, flag = data[at], data[at + 1]
        at = -(-(at + 2) // 8) * 8
        integer, number = _VALUES.unpack_from(data, at)
        text, at = _text(data, at + 16)
        if name in attributes:
            raise ConversionError(f"the attribute {name!r} is given twice")
        attributes[name] = _value(name, kind, (bool(flag), integer, number, text))
    return attributes, at


def _value(name: str, kind: int, values: tuple[bool, int, float, str]) -> AttributeValue:
    if not Attribute.BOOL <= kind <= Attribute.STRING:
        raise ConversionError(
            f"the attribute {name!r} has kind {kind}: give BOOL (1), INTEGER (2), FLOAT (3) or "
            "STRING (4)"
        )
    value = values[kind - Attribute.BOOL]
    if isinstance(value, float) and not math.isfinite(value):
        raise ConversionError(f"the attribute {name!r} is {value}")
    return value


def relation_of(data: bytes) -> SceneRelation:
    """The relation that these bytes stand for.

    Raises:
        ConversionError: an unknown provenance.
    """
    name, at = _text(data, 0)
    elements, at = _texts(data, at)
    at = -(-at // 4) * 4
    (confidence,) = _FLOAT.unpack_from(data, at)
    provenance = _PROVENANCES.get(data[at + 4])
    if provenance is None:
        raise ConversionError(
            f"the relation {name}({', '.join(elements)}) has the provenance {data[at + 4]}: give "
            "GIVEN (1), GEOMETRIC (2) or INFERRED (3)"
        )
    return SceneRelation(name, elements, round(confidence, CONFIDENCE_DIGITS), provenance)


def _text(data: bytes, at: int) -> tuple[str, int]:
    at = -(-at // 4) * 4
    (length,) = _COUNT.unpack_from(data, at)
    at += 4
    return decoded(data[at : at + max(length - 1, 0)]), at + length


def _texts(data: bytes, at: int) -> tuple[tuple[str, ...], int]:
    at = -(-at // 4) * 4
    (count,) = _COUNT.unpack_from(data, at)
    at += 4
    texts = []
    for _ in range(count):
        text, at = _text(data, at)
        texts.append(text)
    return tuple(texts), at
