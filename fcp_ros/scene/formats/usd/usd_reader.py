# SPDX-License-Identifier: Apache-2.0
"""Reader of USD stages (``.usda``, ``.usdc``, ``.usdz``), as Isaac Sim and Omniverse export them.

Meaning of a stage:

- A node of the scene is a prim with a semantic label: ``SemanticsLabelsAPI`` (taxonomy "class"
  first) or the legacy ``SemanticsAPI``. The first label is the category, others are kept in the
  attribute ``other_labels``. Prims without a label are geometry of the nearest labelled prim above.
  `stage` says which labelled ones are parts, groups, or no things at all.
- Each visible instance of a point instancer is a copy of its prototype, and a node if that has a
  label, or the instancer.
- A room has a label such as "kitchen" or one that ends in "room"; its outline is that of its own
  geometry (floor, walls), or encloses the things in it. A building has a label such as "house". A
  robot has ``IsaacRobotAPI`` or the label "robot", people their labels. Doors are objects labelled
  "door".
- The parent is the nearest labelled prim above. The id is the prim's name if that is unique.
- A box has the axes of its prim, z being the most upright one, and encloses the prim's geometry,
  computed from points and radii (noted extents may be wrong). Invisible prims and guides don't
  count; inactive, over-only and abstract ones are skipped.
- ``userProperties:`` and custom attributes are attributes (``isOpen`` reads ``is_open``).

``upAxis`` and ``metersPerUnit`` are applied. Only files in the stage's folder, in the limits'
`asset_folders`, or below are opened; other references are noted, and their geometry is unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import (
    REP_103,
    Y_UP,
    Floats,
    PlacedBox,
    SourceFrame,
    find_upright_axes,
    fit_box,
    place_box,
)
from fcp_ros.scene.formats.scene_file import SceneFile, describe_folders
from fcp_ros.scene.formats.source_graph import SOURCE_ID
from fcp_ros.scene.formats.usd.stage import (
    LabelledPrim,
    PrimRoles,
    assign_prim_ids,
    choose_category,
    choose_layer,
    find_roles,
    open_stage,
)
from fcp_ros.scene.graph.elements import (
    FARTHEST,
    AttributeValue,
    Layer,
    Pose,
    SceneError,
    SceneNode,
)
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.polygons import Polygon, area, box_corners

#
# USD multiplies row vectors with matrices (p' = p M): the rows of a matrix are the images of the
# axes.

_CORNERS = np.array([(x, y, z) for x in (0, 3) for y in (1, 4) for z in (2, 5)], dtype=np.intp)


def compute_corners(geometry: Sequence[Sequence[Any]], frame: SourceFrame) -> Floats:
    """Return the corners of extents, shape (n, 8, 3), in REP-103 and metres.

    Entries: owner, least and greatest x, y, z as six numbers, matrix as 16 numbers.
    """
    extents = np.array([entry[1] for entry in geometry], dtype=np.float64).reshape(-1, 6)
    matrices = np.array([entry[2] for entry in geometry], dtype=np.float64).reshape(-1, 4, 4)
    with np.errstate(over="ignore", invalid="ignore"):
        corners = extents[:, _CORNERS] @ matrices[:, :3, :3] + matrices[:, None, 3, :3]
        return frame.rename_axes(corners) * frame.unit


def choose_axes(matrix: Sequence[float], frame: SourceFrame) -> Floats:
    """Return the axes (rows) of the boxes of a prim; ``matrix`` is its local-to-world one."""
    return find_upright_axes(frame.rename_axes(np.array(matrix).reshape(4, 4)[:3, :3]))


# --- the reader ---

LEAST_ROOM = 1.0  # Least area (m2, seen from above) of own geometry that outlines a room
LEAST_HEIGHT = 1.0  # Least height (m) of a room's own geometry that is more than its floor
MOST_NAMES = 3  # Most prims or files that a note names, since their paths are long

_FRAMES = {"Y": Y_UP, "Z": REP_103}
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def read_usd(file: SceneFile) -> SceneGraph:
    """Read a stage; raises SceneError if it can't be opened or has no labelled prim."""
    if file.fragment:
        raise SceneError(
            f"a stage has no {file.fragment!r}",
            source=file.name,
            advice="Leave out what begins with #.",
        )
    return build_graph(open_stage(file), file.name)


def build_graph(found: Mapping[str, Any], source: str) -> SceneGraph:
    """Build the graph of a stage's contents."""
    frame = _read_frame(found, source)
    prims = found["prims"]
    geometry = found["geometry"]
    roles = find_roles(prims, {owner for owner, _, _ in geometry})
    nodes_of = roles.nodes_of
    if not any(node == index for index, node in enumerate(nodes_of)):
        raise _describe_emptiness(found, source)
    corners: dict[int, list[Floats]] = {}
    for (owner, _, _), eight in zip(geometry, compute_corners(geometry, frame), strict=True):
        if np.abs(eight).max() <= FARTHEST:  # so it is a number, too
            corners.setdefault(nodes_of[owner], []).append(eight)
    things = [
        LabelledPrim(index, prim, choose_layer(prim), corners.get(index, []))
        for index, prim in enumerate(prims)
        if nodes_of[index] == index
    ]
    assign_prim_ids(things, source)
    return _GraphBuilder(things, roles, frame, found).build(source)


def _read_frame(found: Mapping[str, Any], source: str) -> SourceFrame:
    unit, axes = found["unit"], _FRAMES.get(found["up_axis"])
    if axes is None or not (math.isfinite(unit) and unit > 0.0):
        raise SceneError(
            f"upAxis {found['up_axis']!r} and metersPerUnit {unit} can't be used",
            source=source,
            advice="upAxis is Y or Z; metersPerUnit is above 0.",
        )
    return SourceFrame(axes.axes, axes.signs, unit)


def _describe_emptiness(found: Mapping[str, Any], source: str) -> SceneError:
    """Return the error about a stage without things; references not followed may hold them."""
    folders = {folder for _, folder in found["blocked"] if folder}
    if folders:
        names = list_names([asset for asset, _ in found["blocked"]], MOST_NAMES)
        return SceneError(
            f"no thing has a semantic label, and these files may not be read: {names}",
            source=source,
            advice=describe_folders(folders),
        )
    if found["broken"]:
        return SceneError(
            "no thing has a semantic label but in point instancers that cannot be read: "
            f"{list_names(found['broken'], MOST_NAMES)}",
            source=source,
            advice="Give each of them positions, prototypes and as many protoIndices.",
        )
    labelled = [f"{prim['path']} ({prim['type'] or 'no type'})" for prim in found["prims"]]
    return SceneError(
        f"labels are on prims that are no things only: {list_names(labelled, MOST_NAMES)}"
        if labelled
        else "no prim has a semantic label",
        source=source,
        advice="Label the things in Isaac Sim (Semantics Schema Editor) and save the stage.",
    )


# ---- nodes and relations -------------------------------------------------------------------------


class _GraphBuilder:
    """The contents of a stage, converted to nodes, relations and notes."""

    def __init__(
        self,
        things: Sequence[LabelledPrim],
        roles: PrimRoles,
        frame: SourceFrame,
        found: Mapping[str, Any],
    ) -> None:
        self._things = things
        self._frame = frame
        self._found = found
        self._by_index = {thing.index: thing for thing in things}
        self._roles = roles
        self._nodes_of = roles.nodes_of
        self._all_corners = self._gather_corners()
        self._unboxed: list[str] = []
        self._enclosed: list[str] = []

    def build(self, source: str) -> SceneGraph:
        nodes = [self._build_node(thing) for thing in self._things]
        return SceneGraph.of(nodes, source=source, notes=self._write_notes())

    def _gather_corners(self) -> dict[int, list[Floats]]:
        """Collect the corners of each thing and of all prims below it."""
        corners = {thing.index: list(thing.corners) for thing in self._things}
        for thing in reversed(self._things):
            above = self._find_parent(thing)
            if above is not None:
                corners[above.index] += corners[thing.index]
        return corners

    def _find_parent(self, thing: LabelledPrim) -> LabelledPrim | None:
        parent = thing.prim["parent"]
        return self._by_index.get(self._nodes_of[parent]) if parent >= 0 else None

    def _build_node(self, thing: LabelledPrim) -> SceneNode:
        axes = choose_axes(thing.prim["matrix"], self._frame)
        if thing.layer is Layer.ROOM:
            return self._build_room(thing, axes)
        corners = thing.corners or self._all_corners[thing.index]
        box = fit_box(corners, axes) if corners else None
        if box is None and thing.layer in (Layer.OBJECT, Layer.AGENT):
            self._unboxed.append(thing.id)
        return SceneNode(
            thing.id,
            thing.layer,
            choose_category(thing.prim),
            pose=self._choose_pose(thing, box, axes),
            size=box.size if box is not None else None,
            attributes=self._read_attributes(thing),
            parents=self._find_parents(thing),
        )

    def _choose_pose(self, thing: LabelledPrim, box: PlacedBox | None, axes: Floats) -> Pose | None:
        if box is not None:
            return box.pose
        if not thing.prim["is_placed"]:
            return None
        x, y, z = self._frame.to_point(thing.prim["matrix"][12:15])
        if not max(abs(x), abs(y), abs(z)) <= FARTHEST:
            return None
        return place_box(np.array((x, y, z)), axes, (0.0, 0.0, 0.0)).pose

    def _build_room(self, thing: LabelledPrim, axes: Floats) -> SceneNode:
        own = fit_box(thing.corners, axes) if thing.corners else None
        outline: Polygon = ()
        height, pose = None, None
        if own is not None:
            outline = box_corners(own.pose, own.size)
            height = own.size[2] if own.size[2] >= LEAST_HEIGHT else None
            pose = Pose(own.pose.position if height else (*own.pose.position[:2], own.top))
            if area(outline) < LEAST_ROOM:
                outline, height, pose = (), None, None
        if not outline and self._all_corners[thing.index]:
            around = fit_box(self._all_corners[thing.index], axes)
            outline, height = box_corners(around.pose, around.size), None
            pose = Pose((*around.pose.position[:2], around.bottom))
            self._enclosed.append(thing.id)
        return SceneNode(
            thing.id,
            Layer.ROOM,
            choose_category(thing.prim),
            pose=pose,
            polygon=outline,
            height=height,
            attributes=self._read_attributes(thing),
            parents=self._find_parents(thing),
        )

    def _read_attributes(self, thing: LabelledPrim) -> dict[str, AttributeValue]:
        custom, user = (thing.prim["attributes"][kind] for kind in ("custom", "user"))
        values: dict[str, AttributeValue] = {
            _WORD_BREAK.sub("_", name).lower(): value for name, value in custom.items()
        }
        values.update(user)
        category = choose_category(thing.prim)
        others = [
            label
            for taxonomy, label in thing.prim["labels"]
            if taxonomy == "class" and label != category
        ]
        if others:
            values["other_labels"] = ", ".join(dict.fromkeys(others))
        if thing.id not in (thing.prim["name"], thing.prim["path"]):
            values[SOURCE_ID] = thing.prim["path"]
        return {
            name: value
            for name, value in values.items()
            if not isinstance(value, float) or math.isfinite(value)
        }

    def _find_parents(self, thing: LabelledPrim) -> tuple[str, ...]:
        above = self._find_parent(thing)
        return (above.id,) if above is not None else ()

    def _write_notes(self) -> list[str]:
        found, roles = self._found, self._roles
        folders = {folder for _, folder in found["blocked"] if folder}
        refused = [asset for asset, folder in found["blocked"] if folder]
        remote = [asset for asset, folder in found["blocked"] if not folder]
        texts = (
            (refused, "not followed, because they are outside of the stage's folder"),
            (remote, "not followed, because only files on this machine are read"),
            (found["unresolved"], "USD could not compose everything"),
            (found["bad_geometry"], "geometry that is empty or not finite is left out"),
            (found["broken"], "instances of point instancers that cannot be read"),
            (found["articulations"], "articulations without a label are left out"),
            (roles.left_out, "labels on what is no thing are left out"),
            (roles.groups, "groups of things with the group's own label are no things"),
            (self._unboxed, "of no known size, without geometry"),
            (self._enclosed, "the outline was drawn around the things in the room"),
        )
        notes = [f"{text}: {list_names(dict.fromkeys(which))}" for which, text in texts if which]
        if folders:
            notes[0] += f". {describe_folders(folders)}"
        if roles.parts:
            notes.append(
                f"{roles.parts} prims labelled like the one above them are taken as its parts"
            )
        return notes
