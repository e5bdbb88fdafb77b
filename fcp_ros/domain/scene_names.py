# SPDX-License-Identifier: Apache-2.0
"""The names of a perception in the words of a domain: the section `overrides` of a scene.

A perception may call a counter a `worktop`, and say `supports(worktop_1, mug_1)` where the domain
says `on(mug_1, counter_1)`. The readers of domains and of override files make these values, the
layer `binding` applies them to a scene before anything is derived from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

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
