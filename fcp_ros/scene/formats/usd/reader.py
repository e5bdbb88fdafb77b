# SPDX-License-Identifier: Apache-2.0
"""Reader of USD stages (``.usda``, ``.usdc``, ``.usdz``), as Isaac Sim and Omniverse export them.

Meaning of a stage:

- A node of the scene is a prim with a semantic label: ``SemanticsLabelsAPI`` (taxonomy "class"
  first) or the legacy ``SemanticsAPI``. The first label is the category, others are kept in the
  attribute ``other_labels``. Prims without a label are geometry of the nearest labelled prim above,
  and so is a prim that has the same label as that one (Isaac's editor labels all parts).
- A room has a label such as "kitchen" or one that ends in "room"; its outline is that of its own
  geometry (floor, walls), or encloses the things in it. A building has a label such as "house". A
  robot has ``IsaacRobotAPI`` or the label "robot", people their labels. Doors are objects labelled
  "door".
- The parent is the nearest labelled prim above. The id is the prim's name if that is unique.
- A box has the axes of its prim, z being the most upright one, and encloses the prim's geometry,
  computed from points and radii (noted extents may be wrong). Invisible prims and guides don't
  count; inactive, over-only and abstract ones are skipped.
- ``userProperties:`` and custom attributes are attributes (``isOpen`` reads ``is_open``).
- Custom attributes and relationships ``scene:...`` are written by `writer`, so that nothing of a
  scene is lost on the way through USD; they take precedence over all of the above.

With the address ``stage.usd#surfaces``, supports are measured on the meshes (this needs Open3D).
``upAxis`` and ``metersPerUnit`` are applied. Only files in the stage's folder, or below it, are
opened; other references are noted, and their geometry is unknown.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import (
    REP_103,
    Y_UP,
    Floats,
    PlacedBox,
    SourceFrame,
    read_outline,
)
from fcp_ros.scene.formats.identifiers import SOURCE_ID, assign_ids
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.usd.geometry import build_surfaces, choose_axes, compute_corners, fit_box
from fcp_ros.scene.formats.usd.stage import StageMeshes, open_stage, open_stage_with_meshes
from fcp_ros.scene.formats.validation import FARTHEST
from fcp_ros.scene.graph.elements import AttributeValue, Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import PEOPLE
from fcp_ros.scene.relations.conditions.supports import add_supports_on_surfaces
from fcp_ros.scene.shapes.polygons import area, box_corners

SURFACES = "surfaces"
"""Fragment of the address that has supports measured on meshes."""

LEAST_ROOM = 1.0
"""Least area (m2, seen from above) of own geometry that outlines a room."""

LEAST_HEIGHT = 1.0
"""Least height (m) of a room's own geometry that is more than its floor."""

_FRAMES = {"Y": Y_UP, "Z": REP_103}
_RELATION = re.compile(r"relation:(.+):n\d+")
_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

ROOMS = frozenset(
    {"room", "kitchen", "bathroom", "bedroom", "hallway", "hall", "corridor", "lobby", "office"}
    | {"garage", "toilet", "pantry", "staircase", "balcony", "terrace", "warehouse"}
)
"""Last words of labels that mean a room."""

BUILDINGS = frozenset({"building", "house", "apartment", "flat"})


def read_usd(file: SceneFile) -> SceneGraph:
    """Read a stage; raises SceneError if it can't be opened or has no labelled prim."""
    if not file.fragment:
        return build_graph(open_stage(file), file.name)
    if file.fragment != SURFACES:
        raise SceneError(
            f"a stage has no {file.fragment!r}",
            source=file.name,
            advice=f"Write #{SURFACES} to measure supports on the meshes, or nothing.",
        )
    found, meshes = open_stage_with_meshes(file)
    return build_graph(found, file.name, meshes)


def build_graph(
    found: Mapping[str, Any], source: str, meshes: StageMeshes | None = None
) -> SceneGraph:
    """Build the graph of a stage's contents; with meshes, supports are measured."""
    frame = _read_frame(found, source)
    prims = found["prims"]
    if not prims:
        raise SceneError(
            "no prim has a semantic label",
            source=source,
            advice="Label the things in Isaac Sim (Semantics Schema Editor) and save the stage.",
        )
    nodes_of = _merge_parts(prims)
    corners: dict[int, list[Floats]] = {}
    geometry = found["geometry"]
    for (owner, _, _), eight in zip(geometry, compute_corners(geometry, frame), strict=True):
        if np.abs(eight).max() <= FARTHEST:  # so it is a number, too
            corners.setdefault(nodes_of[owner], []).append(eight)
    things = [
        LabelledPrim(index, prim, _choose_layer(prim), corners.get(index, []))
        for index, prim in enumerate(prims)
        if nodes_of[index] == index
    ]
    _assign_prim_ids(things, source)
    graph = _GraphBuilder(things, nodes_of, frame, found).build(source)
    if meshes is None:
        return graph
    surfaces = build_surfaces(found, meshes, frame, nodes_of)
    objects = [thing for thing in things if thing.layer is Layer.OBJECT and thing.index in surfaces]
    return add_supports_on_surfaces(graph, {one.id: surfaces[one.index] for one in objects})


def _read_frame(found: Mapping[str, Any], source: str) -> SourceFrame:
    unit, axes = found["unit"], _FRAMES.get(found["up_axis"])
    if axes is None or not (math.isfinite(unit) and unit > 0.0):
        raise SceneError(
            f"upAxis {found['up_axis']!r} and metersPerUnit {unit} can't be used",
            source=source,
            advice="upAxis is Y or Z; metersPerUnit is above 0.",
        )
    return SourceFrame(axes.axes, axes.signs, unit)


# ---- labelled prims ------------------------------------------------------------------------------


def _choose_category(prim: Mapping[str, Any]) -> str:
    """Return a prim's label: of the taxonomy "class", else the first one."""
    labels = prim["labels"]
    for taxonomy, label in labels:
        if taxonomy == "class":
            return str(label)
    if labels:
        return str(labels[0][1])
    return "robot" if prim["is_robot"] else str(prim["own"].get("category") or "unknown")


def _merge_parts(prims: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return for each prim the one that is the node: itself, or the one above with its label."""
    nodes_of: list[int] = []
    for index, prim in enumerate(prims):
        above = nodes_of[prim["parent"]] if prim["parent"] >= 0 else -1
        is_part = (
            above >= 0
            and "layer" not in prim["own"]
            and normalise_label(_choose_category(prims[above]))
            == normalise_label(_choose_category(prim))
        )
        nodes_of.append(above if is_part else index)
    return nodes_of


def _choose_layer(prim: Mapping[str, Any]) -> Layer:
    """Return the layer that our writer noted, else the one that the label implies."""
    noted = prim["own"].get("layer")
    if noted in {layer.value for layer in Layer}:
        return Layer(noted)
    label = normalise_label(_choose_category(prim))
    if prim["is_robot"] or label == "robot" or label in PEOPLE:
        return Layer.AGENT
    if label in BUILDINGS:
        return Layer.BUILDING
    return Layer.ROOM if label.rpartition(" ")[2] in ROOMS else Layer.OBJECT


@dataclass
class LabelledPrim:
    """A labelled prim that becomes a node, and the corners of its own geometry (m)."""

    index: int
    prim: Mapping[str, Any]
    layer: Layer
    corners: list[Floats]
    id: str = ""

    @property
    def own(self) -> Mapping[str, Any]:
        """Values that `writer` noted on it."""
        own: Mapping[str, Any] = self.prim["own"]
        return own


def _assign_prim_ids(things: Sequence[LabelledPrim], source: str) -> None:
    """Take the id that our writer noted, the prim's name if it is unique, else the common rule."""
    names = Counter(thing.prim["name"] for thing in things)
    sources: dict[int, str] = {}
    taken: set[str] = set()
    for thing in things:
        noted = thing.own.get("id")
        if isinstance(noted, str) and noted.strip() and noted == noted.strip():
            if noted in taken:
                raise SceneError(
                    "two prims are noted to have this id",
                    source=source,
                    element=noted,
                    advice="Change scene:id on one of them.",
                )
            thing.id = noted
            taken.add(noted)
        else:
            name, path = thing.prim["name"], thing.prim["path"]
            sources[thing.index] = name if names[name] == 1 and name not in taken else path
    ids = assign_ids(
        (sources[t.index], _choose_category(t.prim)) for t in things if t.index in sources
    )
    for thing in things:
        if thing.index in sources:
            wanted = ids[sources[thing.index]]
            thing.id = wanted if wanted not in taken else thing.prim["path"]
            taken.add(thing.id)


# ---- nodes and relations -------------------------------------------------------------------------


class _GraphBuilder:
    """The contents of a stage, converted to nodes, relations and notes."""

    def __init__(
        self,
        things: Sequence[LabelledPrim],
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
        self._all_corners = self._gather_corners()
        self._unboxed: list[str] = []
        self._enclosed: list[str] = []
        self._dangling: list[str] = []

    def build(self, source: str) -> SceneGraph:
        """Build the whole graph."""
        nodes = [self._build_node(thing) for thing in self._things]
        relations = dict.fromkeys(
            relation for thing in self._things for relation in self._read_relations(thing)
        )
        frame_id = self._found["frame_id"]
        return SceneGraph.of(
            nodes,
            relations,
            frame_id=frame_id if isinstance(frame_id, str) and frame_id else "map",
            source=source,
            notes=self._write_notes(),
        )

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
        return self._by_index[self._nodes_of[parent]] if parent >= 0 else None

    def _build_node(self, thing: LabelledPrim) -> SceneNode:
        axes = choose_axes(thing.prim["matrix"], self._frame, as_named="layer" in thing.own)
        if thing.layer is Layer.ROOM:
            return self._build_room(thing, axes)
        corners = thing.corners or self._all_corners[thing.index]
        box = fit_box(corners, axes) if corners else None
        if box is None and thing.layer in (Layer.OBJECT, Layer.AGENT) and not thing.own:
            self._unboxed.append(thing.id)
        outline = read_outline(thing.own.get("outline"))
        height = thing.own.get("height")
        return SceneNode(
            thing.id,
            thing.layer,
            _choose_category(thing.prim),
            pose=self._choose_pose(thing, box, axes),
            size=box.size if box is not None else None,
            polygon=outline,
            height=height if isinstance(height, float) else None,
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
        return Pose((x, y, z), fit_box([np.zeros((1, 3))], axes).pose.orientation)

    def _build_room(self, thing: LabelledPrim, axes: Floats) -> SceneNode:
        own = fit_box(thing.corners, axes) if thing.corners else None
        outline, height, pose = read_outline(thing.own.get("outline")), None, None
        if own is not None and not outline and not thing.own:
            outline = box_corners(own.pose, own.size)
            height = own.size[2] if own.size[2] >= LEAST_HEIGHT else None
            pose = Pose(own.pose.position if height else (*own.pose.position[:2], own.top))
            if area(outline) < LEAST_ROOM:
                outline, height, pose = (), None, None
        if not outline and not thing.own and self._all_corners[thing.index]:
            around = fit_box(self._all_corners[thing.index], axes)
            outline, height = box_corners(around.pose, around.size), None
            pose = Pose((*around.pose.position[:2], around.bottom))
            self._enclosed.append(thing.id)
        noted_height = thing.own.get("height")
        if isinstance(noted_height, float):
            height = noted_height
        match thing.own.get("centre"):
            case [float() as x, float() as y, float() as z]:
                pose = Pose((x, y, z))
        return SceneNode(
            thing.id,
            Layer.ROOM,
            _choose_category(thing.prim),
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
        category = _choose_category(thing.prim)
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

    def _find_parents(self, thing: LabelledPrim) -> tuple[str, ...]:
        given = thing.prim["relations"].get("parents")
        if given is not None:
            return tuple(dict.fromkeys(self._find_targets(given)))
        above = self._find_parent(thing)
        return (above.id,) if above is not None else ()

    def _read_relations(self, thing: LabelledPrim) -> list[SceneRelation]:
        relations = []
        for name, targets in thing.prim["relations"].items():
            match = _RELATION.fullmatch(name)
            legs = self._find_targets(targets) if match else []
            if match and len(legs) == len(targets):
                relations.append(SceneRelation(match.group(1), (thing.id, *legs)))
        return relations

    def _find_targets(self, paths: Sequence[str]) -> list[str]:
        self._dangling += [path for path in paths if path not in self._by_path]
        return [self._by_path[path] for path in paths if path in self._by_path]

    def _write_notes(self) -> list[str]:
        found = self._found
        parts = len(found["prims"]) - len(self._things)
        texts = (
            (found["blocked"], "not followed, because only the stage's folder is read: {}"),
            (found["unresolved"], "USD could not compose everything: {}"),
            (found["bad_geometry"], "geometry that is empty or not finite is left out: {}"),
            (found["articulations"], "articulations without a label are left out: {}"),
            (self._unboxed, "without geometry, the size is unknown of {}"),
            (self._enclosed, "the outline was drawn around the things in the room: {}"),
            (self._dangling, "relationships have targets that are no nodes: {}"),
        )
        notes = [text.format(list_names(which)) for which, text in texts if which]
        if parts:
            notes.append(f"{parts} prims labelled like the one above them are taken as its parts")
        return notes
