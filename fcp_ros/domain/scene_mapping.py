# SPDX-License-Identifier: Apache-2.0
"""The types that a domain gives to perceived things, as values: labels, layers, states.

The domain readers fill in a `SceneMapping`; the layer `binding` applies it to a scene. Layers and
attributes are plain names and values here, so that a domain depends on no scene.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fcp_ros.domain.scene_names import SceneNames

AttributeValue = bool | int | float | str

SCENE_LAYERS = ("building", "floor", "room", "place", "object", "agent")
"""Names of the layers of a scene graph; a test compares them with `scene.Layer`."""


@dataclass(frozen=True)
class AttributeFact:
    """A rule by which an attribute states a fact."""

    attribute: str  # Name of the attribute, such as "is_open"
    equals: AttributeValue
    relation: str  # The unary relation that is then true of the element, such as "closed"

    def holds(self, attributes: Mapping[str, AttributeValue]) -> bool:
        """Return True if the attribute has exactly this value (1 is not True)."""
        value = attributes.get(self.attribute)
        return type(value) is type(self.equals) and value == self.equals


STATE_ATTRIBUTES = (AttributeFact("is_open", False, "closed"),)
"""The states that the supported scene formats write; the default of a domain without its own."""


@dataclass(frozen=True)
class SceneMapping:
    """The rules by which scene nodes become elements of a domain's schema."""

    labels: Mapping[str, str]  # Normalised label ("dining table", "fridge") -> type name
    # Type of the nodes of each layer (rooms, agents), by name of the layer. Nodes of a layer that
    # is absent here are left out; objects always take part.
    layer_types: Mapping[str, str]
    default_type: str  # Type of an object whose label is unknown
    # The same for an object whose extents are all known and small; None to make no difference
    small_default_type: str | None = None
    small_size: float = 0.4  # Largest extent (m) that counts as small
    # Attributes that state facts, such as ``is_open: False`` for ``closed``
    attribute_facts: tuple[AttributeFact, ...] = STATE_ATTRIBUTES
    # Normalised word -> the label of ``labels`` with the same meaning
    synonyms: Mapping[str, str] = field(default_factory=dict)
    # Node id or normalised label -> type name: the user's choice, before all else
    overrides: Mapping[str, str] = field(default_factory=dict)
    # Similarity (0 to 1) from which an unknown label gets the type of known ones; None to compare
    # no labels
    similar_threshold: float | None = None
    # Names of the perception in the domain's words, applied before all else
    names: SceneNames = field(default_factory=SceneNames)

    def with_names(self, names: SceneNames) -> SceneMapping:
        """Return a mapping with more readings of perceived names; of equal names, these count."""
        own = self.names
        merged = SceneNames(
            {**own.labels, **names.labels},
            {**own.relations, **names.relations},
            {**own.attributes, **names.attributes},
        )
        return replace(self, names=merged)
