# SPDX-License-Identifier: Apache-2.0
"""How a domain types what a scene holds; the domain layer fills this in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fcp_ros.scene.graph.graph import AttributeValue, Layer, SceneNode
from fcp_ros.scene.graph.labels import match_label


@dataclass(frozen=True)
class AttributeFact:
    """A node whose ``attribute`` equals ``equals`` makes the unary ``relation`` true of it."""

    attribute: str
    equals: AttributeValue
    relation: str

    def holds(self, node: SceneNode) -> bool:
        """Whether the node has the attribute with exactly this value (1 is not True)."""
        value = node.attributes.get(self.attribute)
        return type(value) is type(self.equals) and value == self.equals


STATE_ATTRIBUTES = (AttributeFact("is_open", False, "closed"),)
"""How the supported formats write states; used where no mapping is at hand."""


@dataclass(frozen=True)
class SceneMapping:
    """How scene nodes become elements of a domain's schema.

    Attributes:
        labels: Normalised label ("dining table", "fridge") -> type name.
        layer_types: Type of the nodes of each layer (rooms, agents); nodes of a layer that is
            absent here are left out. Objects always take part.
        default_type: Type of an object whose label is unknown.
        small_default_type: The same for one whose extents are all known and small; None to
            make no difference.
        small_size: Largest extent (m) that counts as small.
        attribute_facts: Attributes that state facts, such as ``is_open: False`` for ``closed``.
        overrides: Node id or normalised label -> type name: what the user says, before all else.
        similar_threshold: How like (0 to 1) an unknown label must be to a known one to get its
            type; None to compare none.
    """

    labels: Mapping[str, str]
    layer_types: Mapping[Layer, str]
    default_type: str
    small_default_type: str | None = None
    small_size: float = 0.4
    attribute_facts: tuple[AttributeFact, ...] = STATE_ATTRIBUTES
    overrides: Mapping[str, str] = field(default_factory=dict)
    similar_threshold: float | None = None


def type_of_label(label: str, mapping: SceneMapping) -> str | None:
    """The type for a label: by the whole label, then by its last words; None if unknown."""
    return match_label(label, mapping.labels)
