# SPDX-License-Identifier: Apache-2.0
"""What we read of an OmniGibson scene file, validated by pydantic."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from fcp_ros.scene.formats.validation import (
    Coordinate,
    Extents,
    Flag,
    Name,
    Position,
    Rotation,
    ToolModel,
)


class ObjectArgs(ToolModel):
    """What an object is made with; ``bounding_box`` counts along its own axes."""

    name: Name
    category: Name | None = None
    in_rooms: list[Name] | Name | None = None
    bounding_box: Extents | None = None


class ObjectInfo(ToolModel):
    """One entry of ``objects_info.init_info``."""

    class_module: str = ""
    args: ObjectArgs


class ObjectsInfo(ToolModel):
    """``objects_info``."""

    init_info: dict[Name, ObjectInfo]


class LinkState(ToolModel):
    """Position (m) and orientation (x, y, z, w)."""

    pos: Position
    ori: Rotation


class Toggle(ToolModel):
    """``non_kin.ToggledOn``."""

    value: Flag


class OtherStates(ToolModel):
    """``non_kin``: states that are no matter of geometry."""

    ToggledOn: Toggle | None = None


class ObjectState(ToolModel):
    """One entry of ``state.registry.object_registry``."""

    root_link: LinkState
    joint_pos: list[Coordinate] = Field(default_factory=list)
    non_kin: OtherStates = Field(default_factory=OtherStates)


class Registry(ToolModel):
    """``state.registry``."""

    system_registry: dict[str, Any] = Field(default_factory=dict)
    object_registry: dict[Name, ObjectState]


class SceneState(ToolModel):
    """``state``; ``pos`` and ``ori`` are those of the scene in the world."""

    pos: Position = (0.0, 0.0, 0.0)
    ori: Rotation = (0.0, 0.0, 0.0, 1.0)
    registry: Registry


class OmniGibsonScene(ToolModel):
    """The whole file."""

    objects_info: ObjectsInfo
    state: SceneState
