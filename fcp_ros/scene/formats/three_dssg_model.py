# SPDX-License-Identifier: Apache-2.0
"""What 3DSSG and 3RScan files hold of one scan, validated by pydantic.

Ids are strings in ``objects.json`` and whole numbers in ``relationships.json``: both become
numbers here.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from fcp_ros.scene.formats.validation import Coordinate, Extents, Name, Position, ToolModel


def _number_of(value: Any) -> Any:
    """``"13"`` as 13; everything that is no whole number is left for pydantic to refuse."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    return value


ScanId = Annotated[int, BeforeValidator(_number_of), Field(strict=True, ge=0, lt=10**15)]
Axes = Annotated[list[Coordinate], Field(min_length=9, max_length=9)]
Words = Annotated[list[Annotated[str, Field(strict=True)]], Field(default_factory=list)]


class Thing(ToolModel):
    """An object of ``objects.json``; its attributes are words by kind (colour, state, ...)."""

    id: ScanId
    label: Name
    affordances: Words
    attributes: dict[Name, list[Annotated[str, Field(strict=True)]]] = Field(default_factory=dict)


Relationship = tuple[ScanId, ScanId, ScanId, Name]
"""Subject, object, number of the predicate, predicate."""


class Things(ToolModel):
    """The objects of one scan."""

    objects: list[Thing]


class Relationships(ToolModel):
    """The relationships of one scan."""

    relationships: list[Relationship]


class OrientedBox(ToolModel):
    """Centre, extents (m) along the box's axes, and these axes one after the other."""

    centroid: Position
    axesLengths: Extents
    normalizedAxes: Axes


class SegmentGroup(ToolModel):
    """A segmented object of ``semseg.v2.json``."""

    objectId: ScanId
    label: Name
    obb: OrientedBox


class Segmentation(ToolModel):
    """``semseg.v2.json`` of one scan."""

    scan_id: Name
    segGroups: list[SegmentGroup]
