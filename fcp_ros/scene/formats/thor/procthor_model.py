# SPDX-License-Identifier: Apache-2.0
"""What we read of a ProcTHOR house (schema 1.0.0), validated by pydantic."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fcp_ros.scene.formats.thor.common import UnityVector
from fcp_ros.scene.formats.validation import Flag, Name, ToolModel

Share = Annotated[float, Field(strict=True, ge=0.0, le=1.0)]
Outline = Annotated[list[UnityVector], Field(min_length=3)]


class HouseRoom(ToolModel):
    """One entry of ``rooms``."""

    id: Name
    roomType: Name
    floorPolygon: Outline


class HouseWall(ToolModel):
    """One entry of ``walls``: upright; ``empty`` is an open boundary between two rooms."""

    id: Name
    roomId: Name
    polygon: Annotated[list[UnityVector], Field(min_length=4)]
    empty: Flag = False


class HouseHole(ToolModel):
    """One entry of ``doors`` or ``windows``.

    ``holePolygon`` has two opposite corners: x along ``wall0`` from its first corner, y upward.
    """

    id: Name
    assetId: Name
    room0: Name
    room1: Name
    wall0: Name
    holePolygon: Annotated[list[UnityVector], Field(min_length=2)]
    openable: Flag = False
    openness: Share | None = None


class HouseObject(ToolModel):
    """One entry of ``objects``, or of another one's ``children``."""

    id: Name
    position: UnityVector
    rotation: UnityVector | None = None
    openness: Share | None = None
    isOn: Flag | None = None
    isDirty: Flag | None = None
    children: list[HouseObject] = Field(default_factory=list)


class HouseAgent(ToolModel):
    """``metadata.agent``: where the robot starts."""

    position: UnityVector
    rotation: UnityVector | None = None


class HouseMetadata(ToolModel):
    """``metadata``."""

    agent: HouseAgent | None = None


class ProcthorHouse(ToolModel):
    """The whole file."""

    rooms: list[HouseRoom]
    walls: list[HouseWall] = Field(default_factory=list)
    doors: list[HouseHole] = Field(default_factory=list)
    windows: list[HouseHole] = Field(default_factory=list)
    objects: list[HouseObject] = Field(default_factory=list)
    metadata: HouseMetadata = Field(default_factory=HouseMetadata)
