# SPDX-License-Identifier: Apache-2.0
"""What we read of AI2-THOR's event metadata, validated by pydantic."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fcp_ros.scene.formats.thor.common import UnityVector
from fcp_ros.scene.formats.validation import Flag, Name, Position, ToolModel

EightCorners = Annotated[list[Position], Field(min_length=8, max_length=8)]


class UprightBox(ToolModel):
    """``axisAlignedBoundingBox``; its corners say the same again."""

    center: UnityVector
    size: UnityVector
    cornerPoints: EightCorners | None = None


class TurnedBox(ToolModel):
    """``objectOrientedBoundingBox``: corners only."""

    cornerPoints: EightCorners


class ThorObject(ToolModel):
    """One entry of ``objects``."""

    objectId: Name
    objectType: Name
    position: UnityVector
    rotation: UnityVector | None = None
    openable: Flag = False
    isOpen: Flag = False
    toggleable: Flag = False
    isToggled: Flag = False
    dirtyable: Flag = False
    isDirty: Flag = False
    canFillWithLiquid: Flag = False
    isFilledWithLiquid: Flag = False
    isPickedUp: Flag = False
    parentReceptacles: list[Name] | None = None
    receptacleObjectIds: list[Name] | None = None
    axisAlignedBoundingBox: UprightBox | None = None
    objectOrientedBoundingBox: TurnedBox | None = None


class ThorAgent(ToolModel):
    """``agent``: the only one, the robot."""

    position: UnityVector
    rotation: UnityVector | None = None


class ThorItem(ToolModel):
    """One entry of ``inventoryObjects``: what the agent holds."""

    objectId: Name


class EventMetadata(ToolModel):
    """``event.metadata``."""

    sceneName: Name
    agent: ThorAgent
    inventoryObjects: list[ThorItem] | None = None
    objects: list[ThorObject]
