# SPDX-License-Identifier: Apache-2.0
"""Reader of USD stages (``.usda``, ``.usdc``, ``.usdz``), as Isaac Sim and Omniverse export them.

What is what on a stage:

- A node of the scene is a prim with a semantic label: ``SemanticsLabelsAPI`` (taxonomy "class"
  first) or the legacy ``SemanticsAPI``. The first label is the category, others are kept in the
  attribute ``other_labels``. Prims without a label are geometry of the nearest labelled prim above,
  and so is a prim that has the same label as that one (Isaac's editor labels all parts).
- A room has a label such as "kitchen" or one that ends in "room"; its outline is that of its own
  geometry (floor, walls), or encloses what is in it. A building is labelled so. A robot has
  ``IsaacRobotAPI`` or the label "robot", people their labels. Doors are objects labelled "door".
- The parent is the nearest labelled prim above. The id is the prim's name where that is unique.
- A box has the axes of its prim, z being the one that is most upright, and encloses the prim's
  geometry, computed from points and radii (noted extents may be wrong). Invisible prims and guides
  don't count; inactive, over-only and abstract ones are not there.
- ``userProperties:`` and custom attributes are attributes (``isOpen`` reads ``is_open``).
- Custom attributes and relationships ``scene:...`` are what `writer` adds, so that nothing of a
  scene is lost on the way through USD; they come before all of the above.

With the address ``stage.usd#surfaces``, meshes say what rests on what (this needs Open3D).
``upAxis`` and ``metersPerUnit`` are applied. Only files in the stage's folder, or below it, are
opened; whatever else is referred to is noted, and its geometry unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.frames import REP_103, Y_UP, SourceFrame
from fcp_ros.scene.formats.identifiers import SOURCE_ID
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.usd.boxes import Box, box_around, box_axes, geometry_corners
from fcp_ros.scene.formats.usd.meshes import surfaces_of_stage
from fcp_ros.scene.formats.usd.stage import StageMeshes, stage_contents, stage_with_meshes
from fcp_ros.scene.formats.usd.things import Thing, category_of, layer_of, merged_parts, name_things
from fcp_ros.scene.formats.validation import FARTHEST
from fcp_ros.scene.graph.elements import AttributeValue, Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.conditions.supports import add_supports_on_surfaces
from fcp_ros.scene.shapes.polygons import Polygon, area, box_corners

Floats = NDArray[np.float64]

SURFACES = "surfaces"
"""What follows # in the address to have supports measured on meshes."""

LEAST_ROOM = 1.0
"""Less own geometry (m2, seen from above) than this does not outline a room."""

LEAST_HEIGHT = 1.0
"""Own geometry of a room that is lower than this (m) is its floor only."""

_FRAMES = {"Y": Y_UP, "Z": REP_103}
_RELATION = re.compile(r"relation:(.+):n\d+")
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def read_usd(file: SceneFile) -> SceneGraph:
    """The graph of a stage; raises SceneError when it can't be opened or has no labelled prim."""
    if not file.fragment:
        return graph_of_stage(stage_contents(file), file.name)
    if file.fragment != SURFACES:
        raise SceneError(
            f"there is no {file.fragment!r} of a stage",
            source=file.name,
            advice=f"Write #{SURFACES} to measure on the meshes what rests on what, or nothing.",
        )
    found, meshes = stage_with_meshes(file)
    return graph_of_stage(found, file.name, meshes)


def graph_of_stage(
    found: Mapping[str, Any], source: str, meshes: StageMeshes | None = None
) -> SceneGraph:
    """The graph of what `program` found on a stage; with meshes, supports are measured."""
    frame = _frame_of(found, source)
    prims = found["prims"]
    if not prims:
        raise SceneError(
            "no prim has a semantic label",
            source=source,
            advice="Label the things in Isaac Sim (Semantics Schema Editor) and save the stage.",
        )
    nodes_of = merged_parts(prims)
    corners: dict[int, list[Floats]] = {}
    geometry = found["geometry"]
    for (owner, _, _), eight in zip(geometry, geometry_corners(geometry, frame), strict=True):
        if np.abs(eight).max() <= FARTHEST:  # so it is a number, too
            corners.setdefault(nodes_of[owner], []).append(eight)
    things = [
        Thing(index, prim, layer_of(prim), corners.get(index, []))
        for index, prim in enumerate(prims)
        if nodes_of[index] == index
    ]
    name_things(things, source)
    graph = _Assembly(things, nodes_of, frame, found).graph(source)
    if meshes is None:
        return graph
    surfaces = surfaces_of_stage(found, meshes, frame, nodes_of)
    objects = [thing for thing in things if thing.layer is Layer.OBJECT and thing.index in surfaces]
    return add_supports_on_surfaces(graph, {one.id: surfaces[one.index] for one in objects})


def _frame_of(found: Mapping[str, Any], source: str) -> SourceFrame:
    unit, axes = found["unit"], _FRAMES.get(found["up_axis"])
    if axes is None or not (math.isfinite(unit) and unit > 0.0):
        raise SceneError(
            f"upAxis {found['up_axis']!r} and metersPerUnit {unit} can't be used",
            source=source,
            advice="upAxis is Y or Z; metersPerUnit is above 0.",
        )
    return SourceFrame(axes.axes, axes.signs, unit)


class _Assembly:
    """The nodes and relations of a stage, and the notes about it."""

    def __init__(
        self,
        things: Sequence[Thing],
        nodes_of: Sequence[int],
        frame: SourceFrame,
        found: Mapping[str, Any],
    ) -> None:
        self._things = things
        self._frame = frame
        self._found = found
        self._by_index = {thing.index: thing for thing in things}
        self._nodes_of = nodes_of
        self._by_path = {
            prim["path"]: self._by_index[node].id
            for prim, node in zip(found["prims"], nodes_of, strict=True)
        }
        self._all_corners = self._with_parts()
        self._unboxed: list[str] = []
        self._enclosed: list[str] = []
        self._dangling: list[str] = []

    def graph(self, source: str) -> SceneGraph:
        """All of it."""
        nodes = [self._node(thing) for thing in self._things]
        relations = dict.fromkeys(
            relation for thing in self._things for relation in self._relations(thing)
        )
        frame_id = self._found["frame_id"]
        return SceneGraph.of(
            nodes,
            relations,
            frame_id=frame_id if isinstance(frame_id, str) and frame_id else "map",
            source=source,
            notes=self._notes(),
        )

    def _with_parts(self) -> dict[int, list[Floats]]:
        """Corners of each thing and of all that is below it."""
        corners = {thing.index: list(thing.corners) for thing in self._things}
        for thing in reversed(self._things):
            above = self._above(thing)
            if above is not None:
                corners[above.index] += corners[thing.index]
        return corners

    def _above(self, thing: Thing) -> Thing | None:
        parent = thing.prim["parent"]
        return self._by_index[self._nodes_of[parent]] if parent >= 0 else None

    def _node(self, thing: Thing) -> SceneNode:
        axes = box_axes(thing.prim["matrix"], self._frame, as_named="layer" in thing.own)
        if thing.layer is Layer.ROOM:
            return self._room(thing, axes)
        corners = thing.corners or self._all_corners[thing.index]
        box = box_around(corners, axes) if corners else None
        if box is None and thing.layer in (Layer.OBJECT, Layer.AGENT) and not thing.own:
            self._unboxed.append(thing.id)
        outline = _outline(thing.own)
        height = thing.own.get("height")
        return SceneNode(
            thing.id,
            thing.layer,
            category_of(thing.prim),
            pose=self._pose(thing, box, axes),
            size=box.size if box is not None else None,
            polygon=outline,
            height=height if isinstance(height, float) else None,
            attributes=self._attributes(thing),
            parents=self._parents(thing),
        )

    def _pose(self, thing: Thing, box: Box | None, axes: Floats) -> Pose | None:
        if box is not None:
            return box.pose
        if not thing.prim["is_placed"]:
            return None
        x, y, z = self._frame.point(thing.prim["matrix"][12:15])
        if not max(abs(x), abs(y), abs(z)) <= FARTHEST:
            return None
        return Pose((x, y, z), box_around([np.zeros((1, 3))], axes).pose.orientation)

    def _room(self, thing: Thing, axes: Floats) -> SceneNode:
        own = box_around(thing.corners, axes) if thing.corners else None
        outline, height, pose = _outline(thing.own), None, None
        if own is not None and not outline and not thing.own:
            outline = box_corners(own.pose, own.size)
            top = own.pose.position[2] + own.size[2] / 2.0
            height = own.size[2] if own.size[2] >= LEAST_HEIGHT else None
            pose = Pose(own.pose.position if height else (*own.pose.position[:2], top))
            if area(outline) < LEAST_ROOM:
                outline, height, pose = (), None, None
        if not outline and not thing.own and self._all_corners[thing.index]:
            around = box_around(self._all_corners[thing.index], axes)
            outline, height = box_corners(around.pose, around.size), None
            pose = Pose((*around.pose.position[:2], around.bottom))
            self._enclosed.append(thing.id)
        noted_height, centre = thing.own.get("height"), thing.own.get("centre")
        if isinstance(noted_height, float):
            height = noted_height
        match centre:
            case [float() as x, float() as y, float() as z]:
                pose = Pose((x, y, z))
        return SceneNode(
            thing.id,
            Layer.ROOM,
            category_of(thing.prim),
            pose=pose,
            polygon=outline,
            height=height,
            attributes=self._attributes(thing),
            parents=self._parents(thing),
        )

    def _attributes(self, thing: Thing) -> dict[str, AttributeValue]:
        custom, user = (thing.prim["attributes"][kind] for kind in ("custom", "user"))
        values: dict[str, AttributeValue] = {
            _WORD_BREAK.sub("_", name).lower(): value for name, value in custom.items()
        }
        values.update(user)
        category = category_of(thing.prim)
        others = [
            label
            for taxonomy, label in thing.prim["labels"]
            if taxonomy == "class" and label != category
        ]
        if others:
            values["other_labels"] = ", ".join(dict.fromkeys(others))
        if not thing.own and thing.id not in (thing.prim["name"], thing.prim["path"]):
            values[SOURCE_ID] = thing.prim["path"]
        return {
            name: value
            for name, value in values.items()
            if not isinstance(value, float) or math.isfinite(value)
        }

    def _parents(self, thing: Thing) -> tuple[str, ...]:
        given = thing.prim["relations"].get("parents")
        if given is not None:
            return tuple(dict.fromkeys(self._targets(given)))
        above = self._above(thing)
        return (above.id,) if above is not None else ()

    def _relations(self, thing: Thing) -> list[SceneRelation]:
        relations = []
        for name, targets in thing.prim["relations"].items():
            match = _RELATION.fullmatch(name)
            legs = self._targets(targets) if match else []
            if match and len(legs) == len(targets):
                relations.append(SceneRelation(match.group(1), (thing.id, *legs)))
        return relations

    def _targets(self, paths: Sequence[str]) -> list[str]:
        self._dangling += [path for path in paths if path not in self._by_path]
        return [self._by_path[path] for path in paths if path in self._by_path]

    def _notes(self) -> list[str]:
        found = self._found
        parts = len(found["prims"]) - len(self._things)
        texts = (
            (found["blocked"], "not followed, because only the stage's folder is read: {}"),
            (found["unresolved"], "USD could not compose everything: {}"),
            (found["bad_geometry"], "geometry that is empty or not finite is left out: {}"),
            (found["articulations"], "articulations without a label are left out: {}"),
            (self._unboxed, "the size is unknown of what has no geometry: {}"),
            (self._enclosed, "the outline was put around the things in the room: {}"),
            (self._dangling, "relationships lead to what is no node: {}"),
        )
        notes = [text.format(list_names(which)) for which, text in texts if which]
        if parts:
            notes.append(f"{parts} prims labelled like the one above them are taken as its parts")
        return notes


def _outline(own: Mapping[str, Any]) -> Polygon:
    corners = own.get("outline")
    if not isinstance(corners, list) or len(corners) < 3:
        return ()
    polygon = []
    for corner in corners:
        match corner:
            case [float() as x, float() as y] if math.isfinite(x + y):
                polygon.append((x, y))
            case _:
                return ()
    return tuple(polygon)
