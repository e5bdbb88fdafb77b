# SPDX-License-Identifier: Apache-2.0
"""Reader of Armeni et al.'s 3D Scene Graphs of Gibson buildings (``3DSceneGraph_<name>.npz``).

- The ``.npz`` is a zip archive with a pickle inside. `foundation.restricted_pickle` reads it
  without running anything; sizes are checked before inflating.
- Frame: Gibson's, z up, metres: taken as REP-103.
- Ids: rooms and objects are numbered separately: ``kitchen_1`` (counted), ``cup_51``.
- Boxes are upright and parallel to the axes; a room's outline is that of its box.
- Floors (``floor_number``) and the building become nodes above the rooms. Cameras are left out.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from fcp_ros.foundation.restricted_pickle import (
    PickledArray,
    RestrictedPickleError,
    load_restricted,
)
from fcp_ros.scene.formats.geometry import REP_103
from fcp_ros.scene.formats.scene_file import SceneFile, SceneLimits
from fcp_ros.scene.formats.source_graph import SOURCE_ID, PlainIds, SourceId, assign_ids
from fcp_ros.scene.formats.validation import Extents, Name, Number, Position, ToolModel, validate
from fcp_ros.scene.graph.elements import Layer, Pose, SceneError, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.polygons import box_corners

_MOST_NUMBERS = 16


def _unpack_array(value: Any) -> Any:
    """Return a short numpy array as a tuple, everything else unchanged."""
    if isinstance(value, PickledArray):
        values = value.values
        if isinstance(values, np.ndarray) and values.ndim == 1 and values.size <= _MOST_NUMBERS:
            return tuple(values.tolist())
    return tuple(value) if isinstance(value, list) else value


Centre = Annotated[Position, BeforeValidator(_unpack_array)]
Box = Annotated[Extents, BeforeValidator(_unpack_array)]


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
    """The whole graph; rooms, objects and cameras have separate numbers."""

    building: BuildingModel = Field(default_factory=BuildingModel)
    room: dict[Number, RoomModel]
    object: dict[Number, ObjectModel]
    camera: dict[Number, Any] = Field(default_factory=dict)


_DO_NOT_OPEN = "Do not open it with other tools either, unless you trust where it comes from."
_ZIP = b"PK\x03\x04"
_ENTRY = b"PK\x01\x02"
_MOST_ENTRIES = 1_000
_ARRAY = "output.npy"
_NPY = b"\x93NUMPY"
_OBJECT_ARRAY = b"'descr': '|O'"
_NO_SHAPE = b"'shape': ()"
_BUILDING = "building"


def is_armeni(file: SceneFile) -> bool:
    """Return True for a numpy archive (``.npz``)."""
    return file.content.startswith(_ZIP) and b".npy" in file.content


def read_armeni(file: SceneFile) -> SceneGraph:
    """Read a building; raises SceneError, also for a pickle that holds code."""
    document = _unpickle(_inflate(file.content, file.limits))
    sections = [document.get(key) for key in ("room", "object")]
    count = sum(len(section) for section in sections if isinstance(section, dict))
    file.limits.check_nodes(count, file.name)
    graph = validate(BuildingGraph, document)
    _check_references(graph)
    ids = assign_ids(_list_elements(graph))
    notes = list(ids.notes)
    if graph.camera:
        notes.append(f"{len(graph.camera)} cameras were left out")
    notes.append("rooms have the outlines of the upright boxes around them")
    return SceneGraph.of(_build_nodes(graph, ids), source=file.name, notes=notes)


def _inflate(content: bytes, limits: SceneLimits) -> bytes:
    """Return the bytes of ``output.npy``; sizes are checked before inflating."""
    if content.count(_ENTRY) > _MOST_ENTRIES:
        raise SceneError("the archive has too many entries")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            names = [entry.filename for entry in entries]
            if names.count(_ARRAY) != 1:
                raise SceneError(f"the archive has no single {_ARRAY}: it is no 3D Scene Graph")
            size = sum(entry.file_size for entry in entries)
            if size > limits.max_bytes:
                raise SceneError(
                    f"the archive would inflate to {size} bytes, more than the limit of "
                    f"{limits.max_bytes}",
                    advice="Raise max_bytes if the file is really meant to be that large.",
                )
            entry = archive.getinfo(_ARRAY)
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise SceneError("the archive is compressed in another way")
            with archive.open(entry) as stream:
                return stream.read(entry.file_size)  # never more than the entry claims
    except SceneError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        OSError,
        ValueError,
        RuntimeError,
        OverflowError,
    ) as error:
        raise SceneError(f"the archive is damaged ({error})") from None


def _unpickle(npy: bytes) -> dict[Any, Any]:
    """Return the dict in an ``.npy`` file of one object."""
    head = {1: (8, "<H"), 2: (8, "<I"), 3: (8, "<I")}.get(npy[6] if len(npy) > 12 else 0)
    if not npy.startswith(_NPY) or head is None:
        raise SceneError(f"{_ARRAY} is no array of numpy")
    start, form = head
    end = start + struct.calcsize(form) + struct.unpack_from(form, npy, start)[0]
    header = npy[start:end]
    if _OBJECT_ARRAY not in header or _NO_SHAPE not in header:
        raise SceneError(f"{_ARRAY} is no array of one object")
    try:
        value = load_restricted(npy[end:])
    except RestrictedPickleError as error:
        raise SceneError(str(error), advice=_DO_NOT_OPEN) from None
    content = value.values if isinstance(value, PickledArray) else None
    if not isinstance(content, list) or len(content) != 1 or not isinstance(content[0], dict):
        raise SceneError(f"{_ARRAY} holds no dict")
    return content[0]


def _check_references(graph: BuildingGraph) -> None:
    """Raise SceneError if numbers contradict each other, or references lead nowhere."""
    for kind, entries in (("room", graph.room), ("object", graph.object)):
        for number, entry in entries.items():
            if entry.id != number:
                raise SceneError(
                    f"it is listed under {number}, but its id is {entry.id}",
                    element=f"{kind} {number}",
                )
    for room in graph.room.values():
        if graph.building.id is not None and room.parent_building not in (None, graph.building.id):
            raise _describe_dangling(f"room {room.id}", "parent_building", room.parent_building)
    for thing in graph.object.values():
        if thing.parent_room is not None and thing.parent_room not in graph.room:
            raise _describe_dangling(f"object {thing.id}", "parent_room", thing.parent_room)


def _describe_dangling(element: str, key: str, number: int | None) -> SceneError:
    return SceneError(f"{key} is {number}, which is not listed", element=element)


def _list_elements(graph: BuildingGraph) -> Iterator[tuple[SourceId, str]]:
    """Yield source ids and categories: rooms are counted, objects keep their numbers."""
    for number, room in graph.room.items():
        yield _to_room_key(number), room.scene_category
    for number, thing in graph.object.items():
        yield number, thing.class_
    for floor in _list_floors(graph):
        yield _to_floor_key(floor), "floor"
    yield f"|{_BUILDING}", _BUILDING


def _to_room_key(number: int) -> str:
    return f"room {number}"


def _to_floor_key(floor: str | int) -> str:
    return f"floor {floor}"


def _list_floors(graph: BuildingGraph) -> list[str | int]:
    found = (room.floor_number for room in graph.room.values())
    return list(dict.fromkeys(floor for floor in found if floor is not None))


def _build_nodes(graph: BuildingGraph, ids: PlainIds) -> Iterator[SceneNode]:
    building = ids[f"|{_BUILDING}"]
    named = {"name": graph.building.name} if graph.building.name is not None else {}
    yield SceneNode(building, Layer.BUILDING, _BUILDING, attributes=named)
    for floor in _list_floors(graph):
        yield SceneNode(
            ids[_to_floor_key(floor)],
            Layer.FLOOR,
            "floor",
            attributes={SOURCE_ID: floor},
            parents=(building,),
        )
    for room in graph.room.values():
        number = room.floor_number
        above = building if number is None else ids[_to_floor_key(number)]
        yield _build_room(room, ids[_to_room_key(room.id)], above)
    for thing in graph.object.values():
        yield _build_object(thing, ids)


def _build_room(room: RoomModel, id_: str, parent: str) -> SceneNode:
    pose, size = Pose(REP_103.to_point(room.location)), REP_103.to_extents(room.size)
    return SceneNode(
        id_,
        Layer.ROOM,
        room.scene_category,
        pose=pose,
        polygon=box_corners(pose, size) if min(size[:2]) > 0.0 else (),
        height=size[2] if size[2] > 0.0 else None,
        attributes={SOURCE_ID: room.id},
        parents=(parent,),
    )


def _build_object(thing: ObjectModel, ids: PlainIds) -> SceneNode:
    return SceneNode(
        ids[thing.id],
        Layer.OBJECT,
        thing.class_,
        pose=Pose(REP_103.to_point(thing.location)),
        size=REP_103.to_extents(thing.size),
        attributes=ids.attributes(thing.id),
        parents=() if thing.parent_room is None else (ids[_to_room_key(thing.parent_room)],),
    )
