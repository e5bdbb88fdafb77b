# SPDX-License-Identifier: Apache-2.0
"""What we read of an Armeni 3D Scene Graph, validated by pydantic after it was unpickled."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from fcp_ros.foundation.restricted_pickle import PickledArray
from fcp_ros.scene.formats.validation import Extents, Name, Number, Position, ToolModel

_MOST_NUMBERS = 16


def _plain(value: Any) -> Any:
    """A short numpy array as a list; everything else as it is."""
    if isinstance(value, PickledArray):
        values = value.values
        if isinstance(values, np.ndarray) and values.ndim == 1 and values.size <= _MOST_NUMBERS:
            return tuple(values.tolist())
    return tuple(value) if isinstance(value, list) else value


Centre = Annotated[Position, BeforeValidator(_plain)]
Box = Annotated[Extents, BeforeValidator(_plain)]


class BuildingModel(ToolModel):
    """``building``."""

    id: Number | None = None
    name: Name | None = None


class RoomModel(ToolModel):
    """One entry of ``room``; its floor is a letter."""

    id: Number
    scene_category: Name
    floor_number: Name | Number | None = None
    location: Centre
    size: Box
    parent_building: Number | None = None


class ObjectModel(ToolModel):
    """One entry of ``object``."""

    id: Number
    class_: Name
    location: Centre
    size: Box
    parent_room: Number | None = None


class BuildingGraph(ToolModel):
    """The whole graph; rooms, objects and cameras are numbered each on their own."""

    building: BuildingModel = Field(default_factory=BuildingModel)
    room: dict[Number, RoomModel]
    object: dict[Number, ObjectModel]
    camera: dict[Number, Any] = Field(default_factory=dict)
