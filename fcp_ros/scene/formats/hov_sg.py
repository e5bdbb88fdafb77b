# SPDX-License-Identifier: Apache-2.0
"""Reader of HOV-SG folders: ``floors``, ``rooms`` and ``objects``, a JSON file for each element.

- Frame: y up, right-handed, metres; x, y, z becomes x, -z, y. Vertices of two numbers are x, z.
- Ids such as ``0_1_3`` are renamed (``identifiers``); elements without a name are ``unknown``.
- Vertices are the ground plan of all points of a room or an object, in no order, or (where HOV-SG
  merged objects) the eight corners of a box. With heights an object gets the upright box that fits
  best; without, the convex hull as its outline, and a pose at its room's floor.
- A room's vertices are its outline if they are one in their order; else the outline is drawn
  around them.
- An object without heights but with a point cloud beside it (``objects/<id>.ply``) has the box of
  the cloud (needs Open3D). Other clouds, and embeddings, are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import numpy as np
from pydantic import Field

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import Y_UP
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.formats.source_graph import PlainIds, assign_ids
from fcp_ros.scene.formats.validation import Coordinate, Extent, Name, ToolModel, validate
from fcp_ros.scene.graph.elements import Layer, Pose, SceneError, SceneNode, Vector
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.boxes import STRAY, fit_upright_box
from fcp_ros.scene.shapes.polygons import Polygon, centroid, convex_hull
from fcp_ros.scene.shapes.surfaces import import_open3d, read_surfaces

FOLDERS = ("floors", "rooms", "objects")
UNKNOWN = "unknown"

MANY = 50  # Least number of points for an outline around them that need not be convex

TIGHTNESS = 0.1
"""Tightness of a room's outline: 0 follows every gap between points, 1 is the convex hull."""

DETAIL = 0.05  # Least protrusion (m) of the corners of a room's outline

Row = Annotated[list[Coordinate], Field(min_length=2, max_length=3)]
Names = Annotated[list[Name], Field(default_factory=list)]


class _Element(ToolModel):
    name: Annotated[str, Field(strict=True)] | None = None
    vertices: list[Row]


class _Floor(_Element):
    floor_id: Name
    rooms: Names
    floor_height: Extent | None = None
    floor_zero_level: Coordinate | None = None


class _Room(_Element):
    room_id: Name
    floor_id: Name
    objects: Names
    room_height: Extent | None = None
    room_zero_level: Coordinate | None = None


class _Object(_Element):
    object_id: Name
    room_id: Name


_E = TypeVar("_E", bound=_Element)


def is_hov_sg(file: SceneFile) -> bool:
    """Return True for a folder with the three folders of HOV-SG, and JSON files in them."""
    if file.syntax is not Syntax.FOLDER:
        return False
    return all((file.path / name).is_dir() for name in FOLDERS) and any(
        next((file.path / name).glob("*.json"), None) is not None for name in FOLDERS
    )


def read_hov_sg(file: SceneFile) -> SceneGraph:
    """Read a folder; raises SceneError naming the file that is wrong."""
    count = sum(1 for name in FOLDERS for _ in (file.path / name).glob("*.json"))
    file.limits.check_nodes(count, file.name)
    return _FolderReader(file).build()


class _FolderReader:
    """A folder, converted to a graph."""

    def __init__(self, file: SceneFile) -> None:
        self._file = file
        self._floors = self._read("floors", _Floor)
        self._rooms = self._read("rooms", _Room)
        self._objects = self._read("objects", _Object)
        self._check_references()
        self._ids: PlainIds = assign_ids(self._list_elements())
        self._notes = list(self._ids.notes)
        self._drawn_around: list[str] = []
        self._boxes, notes = _fit_clouds(self._find_clouds(), file.limits.max_bytes)
        self._notes += notes

    def build(self) -> SceneGraph:
        notes = self._notes
        nodes = [self._build_floor(id_, floor) for id_, floor in self._floors.items()]
        nodes += [self._build_room(id_, room) for id_, room in self._rooms.items()]
        flat = []
        for id_, thing in self._objects.items():
            node = self._build_object(id_, thing)
            nodes.append(node)
            if node.size is None:
                flat.append(node.id)
        if flat:
            notes.append(
                f"the vertices of {len(flat)} objects have no heights: their boxes, and what lies "
                f"on or in what, are unknown, and they are drawn at floor level: {list_names(flat)}"
            )
        if self._drawn_around:
            notes.append(
                "the vertices of these rooms are points without order: their outlines are drawn "
                f"around them: {list_names(self._drawn_around)}"
            )
        unnamed = [node.id for node in nodes if node.category == UNKNOWN]
        if unnamed:
            notes.append(f"{len(unnamed)} elements have no name: {list_names(unnamed)}")
        return SceneGraph.of(nodes, source=self._file.name, notes=notes)

    def _read(self, folder: str, model: type[_E]) -> dict[str, _E]:
        """Read the elements of a folder by id, which is also the name of the file."""
        found: dict[str, _E] = {}
        for path in sorted((self._file.path / folder).glob("*.json")):
            beside = self._file.open_beside(f"{folder}/{path.name}")
            element = validate(model, beside.document, beside.name)
            id_: str = getattr(element, f"{folder[:-1]}_id")
            if id_ != path.stem:
                raise SceneError(
                    f"the file is called {path.name}, but the element in it {id_!r}",
                    source=beside.name,
                )
            found[id_] = element
        return found

    def _find_clouds(self) -> dict[str, Path]:
        """Find the point clouds of the objects that need one, by id."""
        found = {}
        for id_, thing in self._objects.items():
            path = self._file.resolve_beside(f"objects/{id_}.ply")
            if path.is_file() and not _has_heights(thing):
                found[id_] = path
        return found

    def _check_references(self) -> None:
        """Raise SceneError if an element names another holder than the one that lists it."""
        for room_id, room in self._rooms.items():
            self._check_listed("room", room_id, room.floor_id, self._floors, "rooms")
        for object_id, thing in self._objects.items():
            self._check_listed("object", object_id, thing.room_id, self._rooms, "objects")
        for floor in self._floors.values():
            self._check_there(floor.rooms, self._rooms, "rooms", floor.floor_id)
        for room in self._rooms.values():
            self._check_there(room.objects, self._objects, "objects", room.room_id)

    def _check_listed(
        self, kind: str, id_: str, holder: str, holders: dict[str, _E], attribute: str
    ) -> None:
        if holder not in holders:
            reason = f"it is in {holder!r}, which has no file"
        elif id_ not in getattr(holders[holder], attribute):
            reason = f"it says that it is in {holder!r}, which does not list it"
        else:
            return
        raise SceneError(reason, element=f"{kind} {id_}")

    def _check_there(
        self, names: Sequence[str], elements: dict[str, _E], folder: str, holder: str
    ) -> None:
        for name in names:
            if name not in elements:
                raise SceneError(
                    f"it lists {name!r}, but there is no {folder}/{name}.json", element=holder
                )

    def _list_elements(self) -> Iterator[tuple[str, str]]:
        yield from ((id_, "floor") for id_ in self._floors)
        yield from ((id_, room.name or "room") for id_, room in self._rooms.items())
        yield from ((id_, thing.name or UNKNOWN) for id_, thing in self._objects.items())

    def _build_floor(self, id_: str, floor: _Floor) -> SceneNode:
        return SceneNode(
            self._ids[id_],
            Layer.FLOOR,
            floor.name or "floor",
            polygon=convex_hull(_flatten(floor.vertices)),
            height=floor.floor_height or None,
            attributes=self._ids.attributes(id_),
        )

    def _build_room(self, id_: str, room: _Room) -> SceneNode:
        outline = tuple(dict.fromkeys(_flatten(room.vertices)))
        if not _is_simple(outline):
            outline = _draw_outline(outline)
            self._drawn_around.append(self._ids[id_])
        height, level = room.room_height or None, room.room_zero_level
        pose = None
        if outline and level is not None:
            pose = Pose((*centroid(outline), level + (height or 0.0) / 2.0))
        return SceneNode(
            self._ids[id_],
            Layer.ROOM,
            room.name or UNKNOWN,
            pose=pose,
            polygon=outline,
            height=height,
            attributes=self._ids.attributes(id_),
            parents=(self._ids[room.floor_id],),
        )

    def _build_object(self, id_: str, thing: _Object) -> SceneNode:
        flat = _flatten(thing.vertices)
        pose, size, outline = None, None, convex_hull(flat)
        if id_ in self._boxes:
            pose, size = self._boxes[id_]
            outline = ()
        elif outline and _has_heights(thing):
            pose, size = fit_upright_box(Y_UP.rename_axes(np.array(thing.vertices)))
            outline = ()
        elif flat:
            x, y = centroid(outline or flat)
            pose = Pose((x, y, self._rooms[thing.room_id].room_zero_level or 0.0))
        return SceneNode(
            self._ids[id_],
            Layer.OBJECT,
            thing.name or UNKNOWN,
            pose=pose,
            size=size,
            polygon=outline,
            attributes=self._ids.attributes(id_),
            parents=(self._ids[thing.room_id],),
        )


def _fit_clouds(
    paths: Mapping[str, Path], max_bytes: int
) -> tuple[dict[str, tuple[Pose, Vector]], tuple[str, ...]]:
    """Fit upright boxes to point clouds (PLY, the frame of HOV-SG, metres) by the object's id.

    Without Open3D there are no boxes, and a note about it.
    """
    if not paths:
        return {}, ()
    try:
        import_open3d()
    except SceneError as missing:
        return {}, (f"the point clouds of {len(paths)} objects are not read: {missing}",)
    surfaces = zip(paths, read_surfaces(list(paths.values()), max_bytes), strict=True)
    boxes = {
        id_: fit_upright_box(
            Y_UP.rename_axes(surface.points), 0.0 if len(surface.triangles) else STRAY
        )
        for id_, surface in surfaces
    }
    return boxes, (f"the boxes of {len(boxes)} objects are those of their point clouds",)


def _has_heights(thing: _Object) -> bool:
    return all(len(row) == 3 for row in thing.vertices)


def _flatten(rows: Sequence[Sequence[float]]) -> Polygon:
    """Return the ground plan (m) of vertices (x, z or x, y, z of HOV-SG)."""
    points = (Y_UP.to_point((row[0], 0.0, row[-1])) for row in rows)
    return tuple((x + 0.0, y + 0.0) for x, y, _ in points)  # no -0.0


def _is_simple(outline: Polygon) -> bool:
    """Return True if corners in their order make a polygon that does not cross itself."""
    from shapely.geometry import Polygon as Ring

    return len(outline) >= 3 and bool(Ring(outline).is_valid)


def _draw_outline(points: Polygon) -> Polygon:
    """Draw an outline around points without order: tight if there are many, else convex."""
    if len(points) >= MANY:
        from shapely import MultiPoint, concave_hull

        hull = concave_hull(MultiPoint(points), ratio=TIGHTNESS).simplify(DETAIL)
        if hull.geom_type == "Polygon" and hull.is_valid and not hull.is_empty:
            return tuple((float(x), float(y)) for x, y in hull.exterior.coords[:-1])
    return convex_hull(points)
