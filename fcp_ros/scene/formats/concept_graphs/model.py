# SPDX-License-Identifier: Apache-2.0
"""What we read of ConceptGraphs' JSON files, validated by pydantic."""

from __future__ import annotations

from pydantic import Field

from fcp_ros.scene.formats.validation import Extent, Extents, Name, Number, Position, ToolModel


class MapObject(ToolModel):
    """One object, of either kind of file; extents along the axes of its own, unknown, box."""

    id: Number
    object_tag: Name
    bbox_center: Position
    bbox_extent: Extents
    bbox_volume: Extent | None = None
    caption: str | None = None
    object_caption: str | None = None


class RelatedObject(ToolModel):
    """One side of a relation: the object's number, and what identifies it again."""

    id: Number
    object_tag: Name
    bbox_center: Position
    bbox_extent: Extents


class MapRelation(ToolModel):
    """One entry of ``cfslam_object_relations.json``."""

    object1: RelatedObject
    object2: RelatedObject
    object_relation: str


class MapEdge(ToolModel):
    """One entry of ``edge_json_*.json``."""

    object_1_id: Number
    object_1_tag: Name
    object_2_id: Number
    object_2_tag: Name
    relationship: Name
    num_detections: Number = Field(default=1)
