# SPDX-License-Identifier: Apache-2.0
"""How a domain types what a scene holds; the domain layer fills this in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fcp_ros.scene.graph.graph import AttributeValue, Layer, SceneNode
from fcp_ros.scene.graph.labels import label_forms


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
        synonyms: Normalised word -> the label of ``labels`` that it means the same as.
        overrides: Node id or normalised label -> type name: what the user says, before all else.
        similar_threshold: How like (0 to 1) unknown labels must be to known ones to get their
            type (see ``similar_labels``); None to compare none.
    """

    labels: Mapping[str, str]
    layer_types: Mapping[Layer, str]
    default_type: str
    small_default_type: str | None = None
    small_size: float = 0.4
    attribute_facts: tuple[AttributeFact, ...] = STATE_ATTRIBUTES
    synonyms: Mapping[str, str] = field(default_factory=dict)
    overrides: Mapping[str, str] = field(default_factory=dict)
    similar_threshold: float | None = None


def type_of_label(label: str, mapping: SceneMapping) -> str | None:
    """The type for a label: by the whole label, then by its last words; None if unknown."""
    found = known_label(label, mapping)
    return None if found is None else mapping.labels[found[1]]


def known_label(label: str, mapping: SceneMapping) -> tuple[str, str] | None:
    """The form of a label that a domain knows, and the domain's label for it; None if unknown.

    The two differ where the form is a synonym.
    """
    for form in label_forms(label):
        if form in mapping.labels:
            return form, form
        if form in mapping.synonyms:
            return form, mapping.synonyms[form]
    return None
