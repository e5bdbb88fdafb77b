# SPDX-License-Identifier: Apache-2.0
"""The names of a perception in the words of a domain: the section `overrides` of a scene.

A perception may call a counter a `worktop`, and say `supports(worktop_1, mug_1)` where the domain
says `on(mug_1, counter_1)`. The readers of domains and of override files make these values, the
layer `binding` applies them to a scene before anything is derived from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

NATIVE_RELATIONS: Mapping[str, int] = {
    "on": 2,
    "inside": 2,
    "attached": 2,
    "in_room": 2,
    "at": 2,
    "holding": 2,
    "part_of": 2,
    "under": 2,
    "near": 2,
    "adjacent": 2,
    "connected": 3,
}
"""Relations that scenes have whatever the domain is, with the number of their arguments."""

DOORLESS = "connected"
"""The native relation whose last argument, a passage, may be left out."""

_READING = re.compile(r"\s*([A-Za-z_]\w*)\s*\(\s*(\d+(?:\s*,\s*\d+)*)\s*\)\s*")
_ATTRIBUTE = re.compile(r"\s*(not\s+)?([A-Za-z_]\w*)\s*")


@dataclass(frozen=True, slots=True, order=True)
class RelationReading:
    """A relation of the domain that a perceived one is read as: `on(2, 1)` for `supports`."""

    name: str
    places: tuple[int, ...]  # for each of its arguments the position of the perceived one, from 0

    def __str__(self) -> str:
        return f"{self.name}({', '.join(str(place + 1) for place in self.places)})"

    def read(self, elements: tuple[str, ...]) -> tuple[str, ...]:
        """Return the arguments of the domain's relation."""
        return tuple([elements[place] for place in self.places])


@dataclass(frozen=True, slots=True, order=True)
class AttributeReading:
    """An attribute that a perceived one is read as; `not is_open` for `shut`."""

    name: str
    negated: bool = False

    def __str__(self) -> str:
        return f"not {self.name}" if self.negated else self.name


@dataclass(frozen=True)
class SceneNames:
    """The readings of perceived names."""

    # normalised label -> a label of the domain, or else a type
    labels: Mapping[str, str] = field(default_factory=dict)
    # name -> readings; of several, the first whose types fit counts
    relations: Mapping[str, tuple[RelationReading, ...]] = field(default_factory=dict)
    attributes: Mapping[str, AttributeReading] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.labels or self.relations or self.attributes)


def parse_relation_reading(text: str) -> RelationReading | None:
    """Read `on(2, 1)`; None if it is no such text, or does not number arguments from 1 on."""
    match = _READING.fullmatch(text)
    if match is None:
        return None
    places = tuple(int(number) - 1 for number in match[2].split(","))
    is_fit = len(set(places)) == len(places) and min(places) >= 0
    return RelationReading(match[1], places) if is_fit else None


def parse_attribute_reading(text: str) -> AttributeReading | None:
    """Read `is_open` or `not is_open`; None if it is neither."""
    match = _ATTRIBUTE.fullmatch(text)
    return None if match is None else AttributeReading(match[2], match[1] is not None)


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
