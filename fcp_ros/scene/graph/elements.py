# SPDX-License-Identifier: Apache-2.0
"""The elements of a scene graph: nodes with their poses, and relations between them.

Frame: REP-103 (x forward, y left, z up, right-handed), metres, quaternions as x, y, z, w.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from fcp_ros.foundation.input_error import InputError


class SceneError(InputError):
    """A scene that cannot be used: the reason is a clause, the advice a sentence.

    ``source`` is the file or topic, ``element`` a node's id or a place in the file, where known.
    """

    def __init__(
        self, reason: str, *, source: str = "", element: str = "", advice: str = ""
    ) -> None:
        self.reason = reason
        self.source = source
        self.element = element
        self.advice = advice
        super().__init__(self._to_sentence())

    def _to_sentence(self) -> str:
        where = ": ".join(part for part in (self.source, self.element) if part)
        text = f"{where}: {self.reason}" if where else self.reason
        return f"{text}. {self.advice}" if self.advice else f"{text}."

    def in_source(self, source: str, advice: str = "") -> SceneError:
        """Return the error with a file and an advice, where it has none of its own."""
        source, advice = self.source or source, self.advice or advice
        return type(self)(self.reason, source=source, element=self.element, advice=advice)


class SequenceGap(SceneError):
    """A delta that does not follow the graph's sequence number: ask for a full update."""


# --- nodes and relations ---

AttributeValue = bool | int | float | str
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

FARTHEST = 1e7
"""Greatest coordinate, extent or height (m): UTM and earth-centred frames stay within it.
Squares and products of such numbers are far from overflow."""

RelationKey = tuple[str, tuple[str, ...]]  # Name and elements of a relation


class Layer(str, Enum):
    """The layers of a scene graph, from the whole building down to what moves by itself."""

    BUILDING = "building"
    FLOOR = "floor"
    ROOM = "room"
    PLACE = "place"
    OBJECT = "object"
    AGENT = "agent"


class Provenance(str, Enum):
    """The origin of a relation: the file, its geometry, or an assumption."""

    GIVEN = "given"
    GEOMETRIC = "geometric"
    INFERRED = "inferred"


@dataclass(frozen=True, slots=True)
class Pose:
    """Position (m) and orientation (unit quaternion x, y, z, w) in the graph's frame."""

    position: Vector
    orientation: Quaternion = (0.0, 0.0, 0.0, 1.0)

    @property
    def yaw(self) -> float:
        """Rotation about the z axis (rad), in (-pi, pi]."""
        x, y, z, w = self.orientation
        return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))

    @staticmethod
    def at(x: float, y: float, z: float, yaw: float = 0.0) -> Pose:
        """Make a pose from a position (m) and a yaw (rad)."""
        turn = (0.0, 0.0, math.sin(yaw / 2.0), math.cos(yaw / 2.0))
        return Pose((float(x), float(y), float(z)), turn)

    def with_position(self, position: Vector) -> Pose:
        """Return a pose with the same orientation at another position (m)."""
        return Pose(position, self.orientation)


@dataclass(frozen=True, slots=True)
class SceneNode:
    """One element of a scene."""

    id: str  # Name, unique in the graph
    layer: Layer
    category: str  # Label as the source gave it, such as "dining_table"
    pose: Pose | None = None  # Centre of the box, or of the room; None where unknown
    size: Vector | None = None  # Full extents (m) of the box along its own axes; None where unknown
    # Footprint of a room or floor, (x, y) in metres, without repeating the first
    polygon: tuple[tuple[float, float], ...] = ()
    height: float | None = None  # Height (m) of a room, from its floor upward; None where unknown
    # Anything else that is known, such as ``is_open: False``
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    # Ids of the nodes above this one in the hierarchy (there may be several)
    parents: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash((self.id, self.layer, self.category, self.pose, self.size))


@dataclass(frozen=True, slots=True)
class SceneRelation:
    """A named tuple of nodes, with its confidence in [0, 1] and its provenance."""

    name: str
    elements: tuple[str, ...]
    confidence: float = 1.0
    provenance: Provenance = Provenance.GIVEN

    @property
    def key(self) -> RelationKey:
        """Name and elements: relations with the same key are the same relation."""
        return self.name, self.elements

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.elements)})"
