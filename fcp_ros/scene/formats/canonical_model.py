# SPDX-License-Identifier: Apache-2.0
"""What a canonical scene file may hold, validated by pydantic.

``CanonicalFile`` is our own format: a ``SceneGraph`` written plainly. ``HouseFile`` is the short
form for houses written by hand (rooms, doors, objects, agents). Both are read, the first is
written. Numbers are metres and degrees in a REP-103 frame.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

Number = Annotated[float, Field(allow_inf_nan=False)]
Vector3 = tuple[Number, Number, Number]
Corner = tuple[Number, Number]
Value = Annotated[bool | int | Number | str, Field(union_mode="smart")]
Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    """Unknown keys are errors, so that a misspelt one is not silently ignored."""

    model_config = ConfigDict(extra="forbid")


class NodeModel(_Strict):
    """One node; ``yaw_deg`` is the short form of ``orientation`` (x, y, z, w)."""

    id: Text
    layer: Literal["building", "floor", "room", "place", "object", "agent"]
    category: Text
    position: Vector3 | None = None
    orientation: tuple[Number, Number, Number, Number] | None = None
    yaw_deg: Number | None = None
    size: Vector3 | None = None
    polygon: list[Corner] = Field(default_factory=list)
    height: Number | None = None
    attributes: dict[str, Value] = Field(default_factory=dict)
    parents: list[Text] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_orientation(self) -> NodeModel:
        if self.orientation is not None and self.yaw_deg is not None:
            raise ValueError("give either orientation or yaw_deg, not both")
        if self.position is None and (self.orientation is not None or self.yaw_deg is not None):
            raise ValueError("an orientation needs a position")
        return self


def _short_relation(value: Any) -> Any:
    """``["on", "mug_1", "table_1"]`` is short for a given relation with confidence 1."""
    if isinstance(value, list | tuple) and value:
        return {"name": value[0], "elements": list(value[1:])}
    return value


class RelationModel(_Strict):
    """One relation, in its long form."""

    name: Text
    elements: list[Text] = Field(min_length=1)
    confidence: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0
    provenance: Literal["given", "geometric", "inferred"] = "given"


Relation = Annotated[RelationModel, BeforeValidator(_short_relation)]


class CanonicalFile(_Strict):
    """The canonical format, version 1."""

    format: Literal["fcp_ros/scene"]
    version: Literal[1] = 1
    frame_id: Text = "map"
    sequence: Annotated[int, Field(ge=0)] = 0
    notes: list[str] = Field(default_factory=list)
    nodes: list[NodeModel]
    relations: list[Relation] = Field(default_factory=list)


class HouseRoom(_Strict):
    """A room: its footprint from its floor up to ``height``."""

    id: Text
    cls: Text = "room"
    polygon: list[Corner] = Field(default_factory=list)
    height: Number | None = None
    state: dict[str, Value] = Field(default_factory=dict)


class HouseDoor(_Strict):
    """A door or opening between two rooms."""

    id: Text
    cls: Text = "door"
    rooms: tuple[Text, Text]
    center: Vector3 | None = None
    size: Vector3 | None = None
    yaw_deg: Number = 0.0
    open: bool | None = None
    state: dict[str, Value] = Field(default_factory=dict)


class HouseThing(_Strict):
    """An object or an agent. The ``aabb_*`` follow from the box and are not read."""

    id: Text
    cls: Text
    room: Text | None = None
    center: Vector3 | None = None
    size: Vector3 | None = None
    yaw_deg: Number = 0.0
    state: dict[str, Value] = Field(default_factory=dict)
    aabb_min: Vector3 | None = None
    aabb_max: Vector3 | None = None


class HouseFile(_Strict):
    """A house in its short form."""

    frame: Text = "map"
    convention: str = ""
    rooms: list[HouseRoom] = Field(default_factory=list)
    doors: list[HouseDoor] = Field(default_factory=list)
    objects: list[HouseThing] = Field(default_factory=list)
    agents: list[HouseThing] = Field(default_factory=list)
    relations: list[Relation] = Field(default_factory=list)
